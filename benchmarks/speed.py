"""Time of a learning step and of transform, against scikit-learn's LDA in the same run.

Both see the same rows, minibatches, tolerance, hyperparameters and threads, in alternating order;
what is printed are medians, and medians of ratios of neighbouring measurements.

    OMP_NUM_THREADS=1 python benchmarks/speed.py --data DATA --components 100 500
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from corpora import load, machine, parser
from sklearn.decomposition import LatentDirichletAllocation

from topictemper import TemperedLDA

BATCH, PRIOR, TOL, SWEEPS, OFFSET = 500, 0.05, 1e-3, 100, 64.0
ROWS = 4 * BATCH  # of one measurement


def peers(n_components: int, n_documents: int, jobs: int) -> dict[str, object]:
    """The same model in both libraries."""
    shared = {
        "n_components": n_components,
        "doc_topic_prior": PRIOR,
        "topic_word_prior": PRIOR,
        "learning_offset": OFFSET,
        "batch_size": BATCH,
        "mean_change_tol": TOL,
        "max_doc_update_iter": SWEEPS,
        "total_samples": n_documents,
        "random_state": 0,
        "n_jobs": jobs,
    }
    return {
        "topictemper": TemperedLDA(tempering="svi", **shared),
        "scikit-learn": LatentDirichletAllocation(learning_method="online", **shared),
    }


def seconds(function, *arguments) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def measure(X, n_components: int, warm_rows: int, rounds: int, jobs: int) -> None:
    """Print one row of the table for learning, one for transform."""
    models = peers(n_components, X.shape[0], jobs)
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
    for task, by_name in times.items():
        ours, theirs = (np.array(by_name[name]) / ROWS * 1e6 for name in models)
        ratio = np.median(theirs / ours)
        print(
            f"| {task} | {n_components} | {np.median(ours):.1f} | {np.median(theirs):.1f} "
            f"| {ratio:.1f}x |",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__.splitlines()[0])
    arguments.add_argument("--components", type=int, nargs="+", default=[100])
    arguments.add_argument("--rounds", type=int, default=7, help="measurements of 2,000 rows")
    options = arguments.parse_args()
    corpus = "docstrings" if options.data is None else "arxiv"
    X, _ = load(options.data, corpus, 40_000)
    warm_rows = min(10_000, X.shape[0] - options.rounds * ROWS)
    print(machine(options.jobs))
    print(f"{corpus}, {X.shape[0]} rows, batch {BATCH}, tol {TOL}; microseconds a document\n")
    print("| task | K | topictemper | scikit-learn | ratio |\n|---|---|---|---|---|")
    for n_components in options.components:
        measure(X, n_components, warm_rows, options.rounds, options.jobs)


if __name__ == "__main__":
    main()
