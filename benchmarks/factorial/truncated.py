"""Truncated variational sampling: the paper's bars, and the speed of an E-step.

Lücke, Dai, Exarchakis (2018), "Truncated Variational Sampling for 'Black Box' Optimization of
Generative Models": bars (figures 1 and 3). `natural` and `mnist` have figure 2 and table 1.

    python -m benchmarks.factorial.truncated --parts bars sbn-bars speed
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import linear_sum_assignment

from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.factorial.truncated._belief_network import BernoulliJoint
from topictemper.factorial.truncated._e_step import (
    Samples,
    StateSets,
    UnitPrior,
    exact_log_likelihood,
)
from topictemper.factorial.truncated._sparse_coding import GaussianJoint

from .._common.corpora import machine, parser
from .annealing import bars_found
from .numpy_tvs import NumpyStates

# Truths of the data of `make_bars`.
SIGMA, PI, BIAS = 2.0, 0.2, -4.0


def bars(options: Namespace) -> None:
    """Binary sparse coding on linear bars (figure 1): 200 iterations, S = 64, 32 + 32 samples."""
    print(f"\n## BSC on bars: N = {options.bars}, H = 10, D = 25\n")
    print("| seed | largest column error | sigma | pi H | F | exact LL | LL of truth | least dF |")
    print("|---|---|---|---|---|---|---|---|")
    for seed in range(options.bars_seeds):
        data = make_bars(options.bars, random_state=seed)
        model = BinarySparseCoding(10, random_state=seed, n_jobs=options.jobs).fit(data.data)
        distances = np.linalg.norm(model.components_[:, None] - data.components, axis=2)
        distances /= np.linalg.norm(data.components, axis=1)
        error = distances[linear_sum_assignment(distances)].max()
        exact = model.exact_log_likelihood(data.data)
        truth = exact_log_likelihood(GaussianJoint(data.components, SIGMA**2, PI), data.data).mean()
        history = model.elbo_history_["elbo"][model.elbo_history_["temperature"] == 1]
        print(
            f"| {seed} | {error:.4f} | {model.sigma_:.4f} | {10 * model.pi_:.4f} "
            f"| {history[-1]:.4f} | {exact:.4f} | {truth:.4f} | {np.diff(history).min():.1e} |",
            flush=True,
        )


def sbn_bars(options: Namespace) -> None:
    """Sigmoid belief network on bars (figure 3): N = 2,000, S = 50, 5 + 5 samples."""
    print(
        f"\n## SBN on bars: N = 2,000, H = 10, D = 25, 250 iterations, the best of "
        f"{options.sbn_starts} starts\n"
    )
    print("| marginals | seed | bars of 10 | F | exact LL | LL of truth | least dF |")
    print("|---|---|---|---|---|---|---|")
    for marginal in ("truncated", "mlp"):
        rows = []
        for seed in range(options.sbn_first, options.sbn_first + options.sbn_seeds):
            data = make_bars(2000, kind="sigmoid", random_state=seed)
            model = SigmoidBeliefNetwork(
                10,
                marginal=marginal,
                n_init=options.sbn_starts,
                random_state=seed,
                n_jobs=options.jobs,
            ).fit(data.data)
            found = bars_found(model.components_, data)
            weights = np.vstack([data.components, np.full(25, BIAS)])
            truth = BernoulliJoint(weights, np.full(10, PI))
            history = model.elbo_history_["elbo"]
            rows.append(
                (
                    found,
                    history[-1],
                    model.exact_log_likelihood(data.data),
                    exact_log_likelihood(truth, data.data).mean(),
                    np.diff(history).min(),
                )
            )
            print(
                f"| {marginal} | {seed} | {found} | {rows[-1][1]:.4f} | {rows[-1][2]:.4f} "
                f"| {rows[-1][3]:.4f} | {rows[-1][4]:.1e} |",
                flush=True,
            )
        table = np.array(rows)
        means = table.mean(axis=0)
        print(
            f"\n{marginal}: all bars on {int((table[:, 0] == 10).sum())} of {len(table)} seeds; "
            f"mean F {means[1]:.4f}, exact LL {means[2]:.4f}, truth {means[3]:.4f}, "
            f"LL - F {means[2] - means[1]:.4f}\n"
        )


def speed(options: Namespace) -> None:
    """One E-step at H = 100, S = 64, beside numpy, which drops known draws and changes none."""
    n_data, n_units, n_features, samples = 1000, 100, 256, Samples(32, 32)
    rng = np.random.default_rng(0)
    print(f"\n## E-step: N = {n_data}, H = {n_units}, D = {n_features}, S = 64, 32 + 32 samples\n")
    print("| model | kernel, us a datum | numpy, us a datum | ratio | F of both |")
    print("|---|---|---|---|---|")
    W = rng.normal(size=(n_units, n_features))
    states = (rng.random((n_data, n_units)) < 0.05).astype(np.float64)
    gaussian = GaussianJoint(W, 1.0, 0.05)
    weights = np.vstack([0.5 * W, np.full(n_features, -2.0)])
    bernoulli = BernoulliJoint(weights, np.full(n_units, 0.05))
    clear = states @ weights[:-1] + weights[-1]
    cases: dict[str, tuple[Any, Floats]] = {
        "BSC": (gaussian, states @ W + rng.normal(size=(n_data, n_features))),
        "SBN": (bernoulli, (rng.random(clear.shape) < 1 / (1 + np.exp(-clear))).astype(float)),
    }
    for name, (joint, Y) in cases.items():
        keys = np.arange(n_data, dtype=np.uint64)
        with Workers(options.jobs) as workers:
            sets = StateSets(keys, 64, UnitPrior(np.full(n_units, 0.05)), 0, workers)
            theirs = NumpyStates(joint, Y, sets.states, rng)
            times: list[list[float]] = [[], []]
            for iteration in range(options.rounds):
                start = time.perf_counter()
                ours = sets.update(slice(None), joint, Y, iteration, samples, workers)
                times[0].append(time.perf_counter() - start)
                start = time.perf_counter()
                free_energy = theirs.update(samples)
                times[1].append(time.perf_counter() - start)
        taken = np.array(times) / n_data * 1e6
        print(
            f"| {name} | {np.median(taken[0]):.1f} | {np.median(taken[1]):.0f} "
            f"| {np.median(taken[1] / taken[0]):.0f}x "
            f"| {ours.elbo.mean():.2f}, {free_energy.mean():.2f} |",
            flush=True,
        )


PARTS = {"bars": bars, "sbn-bars": sbn_bars, "speed": speed}


def main() -> None:
    """Run the parts that were asked for."""
    arguments = parser(__doc__, data="none", seeds=None)
    add = arguments.add_argument
    add("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what to run")
    add("--bars", type=int, default=10_000, help="images of linear bars")
    add("--bars-seeds", type=int, default=4, help="runs on linear bars")
    add("--sbn-seeds", type=int, default=8, help="runs on sigmoid bars")
    add("--sbn-first", type=int, default=0, help="the first seed of them")
    add("--sbn-starts", type=int, default=6, help="starts of each run on sigmoid bars")
    add("--rounds", type=int, default=7, help="measurements of speed")
    options = arguments.parse_args()
    print(machine(options.jobs))
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
