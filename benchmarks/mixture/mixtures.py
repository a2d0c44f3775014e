"""Mixtures under annealing: a table of Dirichlet process mixtures, the surfaces of two Gaussians.

    python -m benchmarks.mixture.mixtures --parts dp real two-gaussians --out DIR

``dp``: bound at T = 1 of DP mixtures of 500 points of six clusters in the plane, 15 components, by
plain and annealed variational inference from three kinds of starts, minus sorted VI from the same
start; mean and standard error over seeds. ``real``: the standardized iris, wine and breast cancer
data of scikit-learn, from k-means: plain and annealed inference by the number of components.
``two-gaussians``: how often the means end the wrong way round, over some runs, and figure 1 of
"Variational Tempering" as a PNG in OUT.
"""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from topictemper._utils._typing import Floats
from topictemper.datasets import make_two_gaussians
from topictemper.mixture import DPGaussianMixture, TwoGaussians
from topictemper.tempering import Annealing

from .._common.corpora import machine, parser
from .._common.pairs import with_error

N, D, CLUSTERS, TRUNCATION, ITERATIONS = 500, 2, 6, 15, 600
Tempering = Literal["avi"] | Annealing | None


def avi(max_temperature: float, length: float, schedule: str = "linear") -> Annealing:
    """Annealing from a temperature over some iterations."""
    return Annealing(schedule=schedule, max_temperature=max_temperature, length=length)


COURSES: dict[str, Tempering] = {
    "VI": None,
    "AVI linear 2/50": avi(2, 50),
    "AVI linear 3/100": avi(3, 100),
    "AVI linear 3/200": avi(3, 200),
    "AVI linear 5/200": avi(5, 200),
}
TWO_COURSES: dict[str, Tempering] = {
    "VI": None,
    "AVI linear 20/50": avi(20, 50),
    "AVI linear 10/200": avi(10, 200),
    "AVI linear 20/200": avi(20, 200),
    "AVI exponential 20/200": avi(20, 200, "exponential"),
    "AVI exponential 100/200": avi(100, 200, "exponential"),
    "AVI, the default": "avi",
}


def clusters(seed: int) -> Floats:
    """Points of clusters whose centers have the standard deviation 5, their own being .5 to 1.5."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(0, 5, (CLUSTERS, D))
    deviations = rng.uniform(0.5, 1.5, (CLUSTERS, D))
    z = rng.integers(0, CLUSTERS, N)
    return centers[z] + deviations[z] * rng.standard_normal((N, D))


def _random(X: Floats, seed: int) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.ones(TRUNCATION), len(X))


def _collapsed(X: Floats, seed: int) -> Floats:
    """99% in one component, the rest at random."""
    phi = 0.01 * _random(X, seed)
    phi[:, 0] += 0.99
    return phi


def _kmeans(X: Floats, seed: int) -> Floats:
    labels = KMeans(TRUNCATION, n_init=1, random_state=seed).fit(X).labels_
    return np.eye(TRUNCATION)[labels]


STARTS: dict[str, Callable[[Floats, int], Floats]] = {
    "Dirichlet(1)": _random,
    "collapsed": _collapsed,
    "k-means": _kmeans,
}


def fitted(X: Floats, phi: Floats, tempering: Tempering, sort: bool = True) -> DPGaussianMixture:
    """A mixture after a fixed number of iterations."""
    model = DPGaussianMixture(
        TRUNCATION,
        tempering=tempering,
        sort_components=sort,
        init_params=phi,
        max_iter=ITERATIONS,
        tol=0.0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the iterations are fixed
        return model.fit(X)


def dp(options: Namespace) -> None:
    """Print the table of DP mixtures."""
    seeds = options.seeds
    print(f"## DP mixtures: N = {N}, D = {D}, {CLUSTERS} clusters, T = {TRUNCATION}, {seeds} seeds")
    print(f"ELBO at T = 1 after {ITERATIONS} iterations; ± is the standard error\n")
    print("| start | method | ELBO | minus sorted VI | components > 2% | seconds |")
    print("|---|---|---|---|---|---|")
    for start, make in STARTS.items():
        methods = [(name, tempering, True) for name, tempering in COURSES.items()]
        if start == "Dirichlet(1)":
            methods.append(("VI, not sorted", None, False))
        baseline = np.zeros(seeds)
        for name, tempering, sort in methods:
            began = time.perf_counter()
            models = [
                fitted(X, make(X, 500 + seed), tempering, sort)
                for seed in range(seeds)
                for X in [clusters(seed)]
            ]
            seconds = (time.perf_counter() - began) / seeds
            bounds = np.array([N * model.elbo_ for model in models])
            if name == "VI":
                baseline = bounds
            gain = bounds - baseline
            used = np.mean([(model.weights_ > 0.02).sum() for model in models])
            print(
                f"| {start} | {name} | {bounds.mean():.1f} | {with_error(gain, 1)} "
                f"| {used:.1f} | {seconds:.2f} |",
                flush=True,
            )


def real(options: Namespace) -> None:
    """Print the table of DP mixtures of scikit-learn's data."""
    seeds = options.seeds
    print(f"## DP mixtures of standardized data, from k-means: means of {seeds} seeds\n")
    print("| data | covariance | components | ELBO of VI | components > 2% | AVI minus VI |")
    print("|---|---|---|---|---|---|")
    for load in (load_iris, load_wine, load_breast_cancer):
        X = StandardScaler().fit_transform(load().data)
        for covariance in ("diag", "full"):
            for K in (3, 5, 10, 15):
                plain, annealed = (
                    [
                        DPGaussianMixture(
                            K,
                            covariance_type=covariance,
                            tempering=tempering,
                            max_iter=ITERATIONS,
                            random_state=seed,
                        ).fit(X)
                        for seed in range(seeds)
                    ]
                    for tempering in ("vi", "avi")
                )
                bounds, others = (
                    len(X) * np.array([m.elbo_ for m in each]) for each in (plain, annealed)
                )
                used = np.mean([(model.weights_ > 0.02).sum() for model in plain])
                print(
                    f"| {load.__name__[5:]} | {covariance} | {K} | {with_error(bounds, 0)} "
                    f"| {used:.1f} | {with_error(others - bounds, 0)} |",
                    flush=True,
                )


def two_gaussians(options: Namespace) -> None:
    """Print how often the means end the wrong way round, and draw the surfaces."""
    runs = options.runs
    print(f"## Two Gaussians: fraction of {runs} runs with the means the wrong way round\n")
    print("| method | start sd 0.1 | 1 | 5 |")
    print("|---|---|---|---|")
    models = [TwoGaussians(make_two_gaussians(random_state=seed)[0]) for seed in range(runs)]
    for name, tempering in TWO_COURSES.items():
        wrong = []
        for deviation in (0.1, 1.0, 5.0):
            starts = np.random.default_rng(0).normal(0, deviation, (runs, 2))
            ends = [
                model.ascend(start, tempering, max_iter=300)[-1]
                for model, start in zip(models, starts, strict=True)
            ]
            wrong.append(float(np.mean([m1 < m2 for m1, m2 in ends])))
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in wrong) + " |", flush=True)

    import matplotlib as mpl

    mpl.use("Agg")
    from topictemper.plotting import AnnealedSurfaceDisplay

    display = AnnealedSurfaceDisplay.from_model(models[0], limits=(-7.0, 7.0), resolution=141)
    path = options.out / "two-gaussians.png"
    display.figure_.savefig(path, dpi=150)
    print("\noptima (the best first), and their bounds")
    for temperature, optima in zip(display.temperatures, display.optima, strict=True):
        bounds = models[0].elbo(optima, temperature)
        print(f"T = {temperature:g}: {optima.round(3).tolist()} {bounds.round(2).tolist()}")
    print(path)


PARTS = {"dp": dp, "real": real, "two-gaussians": two_gaussians}


def main() -> None:
    """Run the parts that were asked for."""
    arguments = parser(__doc__, data="none", seeds=20, jobs=None)
    arguments.add_argument("--parts", nargs="+", choices=PARTS, required=True, help="what to run")
    arguments.add_argument(
        "--out", type=Path, default=Path("mixture-results"), help="folder for pictures"
    )
    arguments.add_argument("--runs", type=int, default=100, help="runs of the two Gaussians")
    options = arguments.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine(1))
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
