"""Time of a learning step and of transform, against scikit-learn's LDA and the machine's limits.

Both see the same rows, minibatches, tolerance, hyperparameters and threads, in alternating order;
what is printed are medians, and medians of ratios of neighbouring measurements. Then the E-step
beside the ceilings of one core, and own cases against each other.

    OMP_NUM_THREADS=1 python -m benchmarks.lda.speed --data DATA --components 100 500
"""

from __future__ import annotations

import copy
import os
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import psi
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation

from topictemper import TemperedLDA
from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.lda._e_step import Workspace, infer
from topictemper.lda._minibatch import Gatherer
from topictemper.lda._topics import Topics

from .._common.corpora import hashed, load, machine, parser, scattered
from . import ceilings

BATCH, PRIOR, TOL, SWEEPS, OFFSET = 500, 0.05, 1e-3, 100, 64.0
ROWS = 10 * BATCH  # of one measurement
WIDE = 10**6  # hashed vocabulary
SHARED = {
    "doc_topic_prior": PRIOR,
    "topic_word_prior": PRIOR,
    "learning_offset": OFFSET,
    "batch_size": BATCH,
    "mean_change_tol": TOL,
    "max_doc_update_iter": SWEEPS,
    "random_state": 0,
}
OURS = SHARED | {"inference": "vb"}  # the algorithm of scikit-learn


class TimedWorkers(Workers):
    """Workers that add up the wall time of each kernel."""

    def __init__(self, n_jobs: int) -> None:
        super().__init__(n_jobs)
        self.seconds: dict[str, float] = defaultdict(float)

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """As `Workers.run`."""
        self.seconds[kernel.__name__] += seconds(super().run, kernel, *arguments)


def seconds(function: Callable[..., Any], *arguments: Any) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def warm(X: Any) -> int:
    """Rows to learn from before anything is measured."""
    return min(20_000, X.shape[0] // 2)


def peers(X: Any, options: Namespace) -> None:
    """Print learning and transform against scikit-learn.

    scikit-learn works in the precision of its input: float64 for whole numbers, which is what a
    vectorizer hands over, float32 if asked to. We work in float32 in both cases.
    """
    print("\n| task | K | topictemper | scikit-learn | ratio | its float32 | ratio |")
    print("|---|---|---|---|---|---|---|")
    warm_rows = warm(X)
    for n_components in options.components:
        size = {"n_components": n_components, "total_samples": X.shape[0], "n_jobs": options.jobs}
        theirs = LatentDirichletAllocation(learning_method="online", **SHARED, **size)
        models = {
            "ours": (TemperedLDA(tempering="svi", **OURS, **size), X),
            "float64": (theirs, X.astype(np.int32)),
            "float32": (clone(theirs), X),
        }
        # Past the start, where sweeps are many: scikit-learn's start would take minutes, so all
        # go over fewer rows than a pass.
        for model, rows in models.values():
            model.partial_fit(rows[:warm_rows])
        times: dict[str, list[float]] = defaultdict(list)
        for i in range(options.rounds):
            start = warm_rows + i * ROWS % (X.shape[0] - warm_rows - ROWS)
            for task, method in (("step", "partial_fit"), ("transform", "transform")):
                for name in list(models)[:: 1 if i % 2 == 0 else -1]:
                    model, rows = models[name]
                    taken = seconds(getattr(model, method), rows[start : start + ROWS])
                    times[name + task].append(taken / ROWS * 1e6)
        for task in ("step", "transform"):
            ours, *others = (np.array(times[name + task]) for name in models)
            columns = [
                f"{np.median(other):.1f} | {np.median(other / ours):.1f}x" for other in others
            ]
            print(
                f"| {task} | {n_components} | {np.median(ours):.1f} | {' | '.join(columns)} |",
                flush=True,
            )


def defaults(X: Any, options: Namespace) -> None:
    """Print `transform` of default fits, which is collapsed inference.

    scikit-learn's has the same topics, by mean-field inference, and one alpha, the mean of ours.
    """
    print("\n| task | K | topictemper | scikit-learn | ratio |\n|---|---|---|---|---|")
    rows, some = X[-ROWS:], X[-BATCH:].astype(np.int32)
    for n_components in options.components:
        ours = TemperedLDA(n_components, max_iter=4, n_jobs=options.jobs, random_state=0)
        ours.fit(X[: warm(X)])
        alpha = float(ours.doc_topic_prior_.mean())
        theirs = LatentDirichletAllocation(n_components, doc_topic_prior=alpha)
        theirs.set_params(learning_method="online", max_iter=1, n_jobs=options.jobs).fit(some)
        theirs.components_ = ours.components_.astype(np.float64)
        theirs.exp_dirichlet_component_ = np.exp(expectation(theirs.components_))
        times = []
        for _ in range(options.rounds):
            mine = seconds(ours.transform, rows) / ROWS
            times.append((mine, seconds(theirs.transform, some) / BATCH))
        mine, other = np.median(times, axis=0) * 1e6
        ratio = np.median([other / mine for mine, other in times])
        print(f"| transform of a default fit | {n_components} | {mine:.1f} | {other:.0f} "
              f"| {ratio:.1f}x |", flush=True)  # fmt: skip


def expectation(lambda_: Floats) -> Floats:
    """E[log beta], which scikit-learn keeps beside its topics."""
    return psi(lambda_) - psi(lambda_.sum(axis=1, keepdims=True))


class Sweeps(NamedTuple):
    """What the E-step did with each document, and the time of all, in seconds."""

    words: Floats
    sweeps: Floats
    active: Floats
    seconds: float

    @classmethod
    def of(cls, model: TemperedLDA, X: Any) -> Sweeps:
        """One thread, over all rows, at T = 1."""
        trainer, workspace = model._trainer, Workspace()
        gatherer = Gatherer(X, trainer.topics.M.dtype)
        columns: list[tuple[Any, Any, Any]] = []
        with TimedWorkers(1) as workers:
            for start in range(0, X.shape[0], BATCH):
                batch = gatherer.rows(np.arange(start, min(start + BATCH, X.shape[0])))
                local = infer(
                    trainer.topics,
                    batch,
                    trainer.alpha,
                    1.0,
                    tol=TOL,
                    max_iter=SWEEPS,
                    workers=workers,
                    workspace=workspace,
                )
                columns.append((np.diff(batch.doc_ptr), local.sweeps, local.n_active))
        words, sweeps, active = (
            np.concatenate(column).astype(float) for column in zip(*columns, strict=True)
        )
        return cls(words, sweeps, active, workers.seconds["estep"])

    def operations(self, n_components: int) -> tuple[float, float]:
        """Floating-point operations in sweeps: as if nothing were left out, and at least.

        A sweep over K topics takes 4 for each of them and each word of the document (p = B w and
        g = B r). How many topics were active in each sweep cannot be seen from outside; at least,
        where some were left out, there was one sweep over all, half a sweep for the last look at
        all, and the other sweeps over those that were active in the end.
        """
        dense = 4 * n_components * self.words * self.sweeps
        sparse = self.words * (6 * n_components + 4 * self.active * self.sweeps)
        least = np.where(self.active < n_components, np.minimum(dense, sparse), dense)
        return float(dense.sum()), float(least.sum())


def limits(X: Any, options: Namespace) -> None:
    """Print the E-step beside the ceilings of a core, and the parts of a step; one thread."""
    warm_rows = warm(X)
    rows = X[warm_rows : warm_rows + 2 * ROWS]
    first, second = [], []
    for n_components in options.components:
        model = TemperedLDA(n_components, tempering="svi", total_samples=X.shape[0], **OURS)
        model.partial_fit(X[:warm_rows])
        runs = [Sweeps.of(model, rows) for _ in range(5)]
        best = min(runs, key=lambda run: run.seconds)
        dense, least = (count / best.seconds * 1e-9 for count in best.operations(n_components))
        # Each right after the kernel: a neighbor on the machine changes all of them alike.
        peak, near, far = ceilings.multiply_adds(), ceilings.loads(32), ceilings.loads(512)
        load = 2 * least  # two operations use one number of B, four bytes
        first.append(
            f"| {n_components} | {best.sweeps.mean():.1f} | {best.active.mean():.1f} "
            f"| {dense:.0f} | {least:.0f} | {least / peak:.0%} of {peak:.0f} "
            f"| {load:.0f} | {load / near:.0%} of {near:.0f} | {load / far:.0%} of {far:.0f} |"
        )
        trainer = model._trainer
        gatherer = Gatherer(rows, trainer.topics.M.dtype)
        with TimedWorkers(1) as workers:
            total = seconds(trainer.run, gatherer, np.arange(rows.shape[0]), workers)
        parts = [workers.seconds[name] for name in ("topic_rows", "estep", "add_statistics")]
        columns = [*parts, total - sum(parts), total]
        listed = " | ".join(f"{part / rows.shape[0] * 1e6:.1f}" for part in columns)
        second.append(f"| {n_components} | {listed} |")
    print("\nE-step: operations as if every sweep were over all topics, and those surely done\n")
    print(
        "| K | sweeps | active topics | GFLOP/s as if dense | at least | share of multiply-adds "
        "| GB/s of loads, at least | share of L1 loads | share of L2 loads |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    print("\n".join(first))
    print("\nParts of a step\n\n| K | topic_rows | estep | add_statistics | rest | all |")
    print("|---|---|---|---|---|---|")
    print("\n".join(second), flush=True)


def ratios(base: Callable[[], Any], other: Callable[[], Any], rounds: int) -> str:
    """Median and range of the time of `other` over that of `base`, in alternating order."""
    result = []
    for i in range(rounds):
        if i % 2 == 0:
            below, above = seconds(base), seconds(other)
        else:
            above, below = seconds(other), seconds(base)
        result.append(above / below)
    return f"{np.median(result):.2f} | {min(result):.2f} to {max(result):.2f}"


def own_cases(X: Any, options: Namespace) -> None:
    """Print ratios of our own cases, K = 100."""
    rounds = options.rounds
    print("\n| case | ratio | range |\n|---|---|---|")
    models = {
        tempering: TemperedLDA(100, tempering=tempering, max_iter=6, **OURS).fit(X)
        for tempering in ("svi", "lvt")
    }
    svi, lvt = (lambda m=m: m.partial_fit(X) for m in models.values())
    print(f"| LVT pass over SVI pass, after 6 passes | {ratios(svi, lvt, rounds)} |")

    ways = [
        TemperedLDA(100, tempering="svi", inference=inference, max_iter=6, **SHARED).fit(X)
        for inference in ("point", "gibbs")
    ]
    calls = [lambda m=m: m.partial_fit(X) for m in ways]
    print(f"| sampled pass over mean-field pass, the same | {ratios(*calls, rounds)} |")

    rows, calls = X[: 4 * ROWS], []
    for jobs in (1, 2):
        model = copy.deepcopy(models["svi"]).set_params(n_jobs=jobs)
        calls.append(lambda m=model: m.partial_fit(rows))
    print(f"| 2 threads over 1, SVI step | {ratios(*calls, rounds)} |", flush=True)

    wide, wide_X = widened(models["svi"], WIDE), hashed(X[: 2 * ROWS], WIDE)
    text = {models["svi"]: X[: 2 * ROWS], wide: wide_X}
    calls = [lambda m=m, rows=rows: m.partial_fit(rows) for m, rows in text.items()]
    found = ratios(*calls, rounds)
    sweeps = [Sweeps.of(m, rows).sweeps.mean() for m, rows in text.items()]
    print(f"| SVI step, {WIDE} words (hashed) over {X.shape[1]} ({sweeps[1]:.1f}, {sweeps[0]:.1f} "
          f"sweeps) | {found} |")  # fmt: skip


def widened(model: TemperedLDA, n_features: int) -> TemperedLDA:
    """The same topics in a wider vocabulary, that of `hashed`.

    With the prior's mass spread over all words, because topics learned under a heavier prior
    would be other topics, and take other numbers of sweeps.
    """
    wide = copy.deepcopy(model)
    trainer, topics = wide._trainer, model._trainer.topics
    eta = topics.base * topics.n_features / n_features
    M = np.zeros((n_features, topics.n_components), dtype=topics.M.dtype)
    M[scattered(topics.n_features, n_features)] = topics.components().T - M.dtype.type(eta)
    trainer.topics = Topics(M, eta, point=topics.point)
    trainer.eta, wide.n_features_in_ = eta, n_features
    return wide


PARTS = {"peers": peers, "defaults": defaults, "limits": limits, "own": own_cases}


def main() -> None:
    """Print the tables."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument(
        "--components", type=int, nargs="+", default=[100], help="numbers of topics"
    )
    arguments.add_argument("--rounds", type=int, default=7, help="measurements of 5,000 rows")
    arguments.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what to run"
    )
    options = arguments.parse_args()
    corpus = "docstrings" if options.data is None else "arxiv"
    X, _ = load(options.data, corpus, 40_000)
    X = X.astype(np.float32)
    print(machine(options.jobs))
    print(f"{corpus}, {X.shape[0]} rows, batch {BATCH}, tol {TOL}; microseconds a document")
    for part in options.parts:
        PARTS[part](X, options)


if __name__ == "__main__":
    main()
