"""Time of a learning step and of transform, against scikit-learn's LDA and the machine's limits.

Both see the same rows, minibatches, tolerance, hyperparameters and threads, in alternating order;
what is printed are medians, and medians of ratios of neighbouring measurements. Then the E-step
beside the ceilings of one core, and own cases against each other.

    OMP_NUM_THREADS=1 python benchmarks/speed.py --data DATA --components 100 500
"""

from __future__ import annotations

import copy
import os
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import ceilings
import numpy as np
from corpora import hashed, load, machine, parser
from sklearn.decomposition import LatentDirichletAllocation

from topictemper import TemperedLDA
from topictemper._documents import Gatherer, Workspace, infer
from topictemper._workers import Workers

BATCH, PRIOR, TOL, SWEEPS, OFFSET = 500, 0.05, 1e-3, 100, 64.0
ROWS = 4 * BATCH  # of one measurement
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
# From the project's plan: what is to be shown, and what is hoped for.
RATIO_TARGETS = {
    ("step", 100): "25x, 50x",
    ("step", 500): "30x, 80x",
    ("transform", 100): "25x, 50x",
}


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


def against(
    X: Any, n_components: int, warm_rows: int, rounds: int, jobs: int
) -> tuple[TemperedLDA, list[str]]:
    """Our model, and rows of the table against scikit-learn: learning and transform."""
    shared = SHARED | {"n_components": n_components, "total_samples": X.shape[0], "n_jobs": jobs}
    models = {
        "topictemper": TemperedLDA(tempering="svi", **shared),
        "scikit-learn": LatentDirichletAllocation(learning_method="online", **shared),
    }
    # Past the start, where sweeps are many: scikit-learn's start would take minutes, so both go
    # over fewer rows than a pass.
    for model in models.values():
        model.partial_fit(X[:warm_rows])
    times: dict[str, dict[str, list[float]]] = {
        task: {name: [] for name in models} for task in ("step", "transform")
    }
    for i in range(rounds):
        rows = X[warm_rows + i * ROWS : warm_rows + (i + 1) * ROWS]
        order = list(models) if i % 2 == 0 else list(models)[::-1]
        for task, method in (("step", "partial_fit"), ("transform", "transform")):
            for name in order:
                times[task][name].append(seconds(getattr(models[name], method), rows))
    table = []
    for task, by_name in times.items():
        ours, theirs = (np.array(by_name[name]) / ROWS * 1e6 for name in models)
        table.append(
            f"| {task} | {n_components} | {np.median(ours):.1f} | {np.median(theirs):.1f} "
            f"| {np.median(theirs / ours):.1f}x | {RATIO_TARGETS.get((task, n_components), '')} |"
        )
    return models["topictemper"], table


def estep(model: TemperedLDA, X: Any) -> str:
    """Row of the table on the E-step, one thread.

    A sweep over all K topics takes 4 operations for each of them and each word of the document
    (p = B w, g = B r). "As if dense" counts every sweep so, whatever was left out. "At least" is
    what was surely done: where topics were left out, one sweep over all and half a sweep for the
    last look at them, and in all other sweeps the topics that were active in the end. Each two
    operations load four bytes of B.
    """
    trainer, workspace = model._trainer, Workspace()
    n_components = trainer.topics.n_components
    gatherer = Gatherer(X, trainer.topics.M.dtype)
    words, sweeps, active, time_taken = [], [], [], []
    for _ in range(3):
        with TimedWorkers(1) as workers:
            for start in range(0, X.shape[0], BATCH):
                rows = np.arange(start, min(start + BATCH, X.shape[0]))
                batch = gatherer.rows(rows)
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
                words.append(np.diff(batch.doc_ptr))
                sweeps.append(local.sweeps)
                active.append(local.n_active)
        time_taken.append(workers.seconds["estep"])
    n, r, k = (
        np.concatenate(list_)[: X.shape[0]].astype(float) for list_ in (words, sweeps, active)
    )
    dense = 4 * n_components * n * r
    least = np.where(k < n_components, n * (6 * n_components + 4 * k * r), dense)
    fast = min(time_taken)
    done = least.sum() / fast * 1e-9
    peak, near, far = ceilings.multiply_adds(), ceilings.loads(32), ceilings.loads(512)
    return (
        f"| {n_components} | {r.mean():.1f} | {k.mean():.1f} | {fast / X.shape[0] * 1e6:.1f} "
        f"| {dense.sum() / fast * 1e-9:.0f} | {done:.1f} | {done / peak:.0%} of {peak:.0f} "
        f"| {2 * done:.0f} | {2 * done / near:.0%} of {near:.0f}, {2 * done / far:.0%} of {far:.0f} |"
    )


def step_parts(model: TemperedLDA, X: Any) -> str:
    """Row of the table on where a step's time goes, one thread."""
    trainer = copy.deepcopy(model._trainer)
    gatherer = Gatherer(X, trainer.topics.M.dtype)
    with TimedWorkers(1) as workers:
        total = seconds(trainer.run, gatherer, np.arange(X.shape[0]), workers)
    parts = workers.seconds
    listed = [parts["topic_rows"], parts["estep"], parts["add_statistics"]]
    columns = [*listed, total - sum(listed), total]
    return f"| {model.n_components} | " + " | ".join(
        f"{part / X.shape[0] * 1e6:.1f}" for part in columns
    ) + " |"  # fmt: skip


def ratio(name: str, base: Callable[[], Any], other: Callable[[], Any], rounds: int) -> list[float]:
    """Times of `other` over those of `base`, in alternating order."""
    result = []
    for i in range(rounds):
        calls = [base, other] if i % 2 == 0 else [other, base]
        times = {call: seconds(call) for call in calls}
        result.append(times[other] / times[base])
    return result


def main() -> None:
    """Print the tables."""


if __name__ == "__main__":
    main()
