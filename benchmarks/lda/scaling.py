"""Cost of a learning step against one size at a time; a table and a figure.

    python -m benchmarks.lda.scaling --data DATA --before CHECKOUT --png scaling.png

Microseconds a document of an SVI step, median over measurements, one thread where threads are not
what varies. All else stays at K = 100, the corpus's own vocabulary and documents, batch 500. First
comes the table of `benchmarks.lda.growth`, with the costs of another checkout if there is one; that
of `benchmarks.lda.sampled_steps` comes last.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib as mpl
import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import hashed, load, machine, parser
from . import growth, sampled_steps
from .speed import BATCH, OURS, ROWS, seconds, widened

mpl.use("Agg")
import matplotlib.pyplot as plt

WARM_ROWS = 10_000
FEATURES = (10**4, 10**5, 10**6)
DOCUMENTS = (1_000, 3_000, 10_000, 30_000)
LENGTHS = (1, 2, 4, 8, 16)
JOBS = (1, 2)

Points = list[tuple[float, float]]


def warm(X: Any) -> int:
    """Rows to learn from before anything is measured."""
    return min(WARM_ROWS, X.shape[0] // 2)


def model(X: Any, jobs: int = 1) -> TemperedLDA:
    """A model that is past its start, where sweeps are many."""
    lda = TemperedLDA(100, tempering="svi", total_samples=X.shape[0], n_jobs=jobs, **OURS)
    return lda.partial_fit(X[: warm(X)])


def cost(lda: TemperedLDA, X: Any, rounds: int) -> float:
    """Microseconds a document of going on with these rows, every time from the same state."""
    times = []
    for _ in range(rounds):
        again = copy.deepcopy(lda)
        times.append(seconds(again.partial_fit, X))
    return float(np.median(times)) / X.shape[0] * 1e6


def joined(X: Any, together: int) -> sp.csr_matrix:
    """Neighbouring rows added up, some at a time."""
    n = X.shape[0] // together
    rows = np.arange(n * together)
    join = sp.csr_matrix((np.ones(len(rows), X.dtype), (rows // together, rows)))
    return sp.csr_matrix(join @ X[: n * together])


def sweep(X: Any, options: argparse.Namespace) -> Iterator[tuple[str, Points]]:
    """What varies, and the cost at each of its values."""
    first, rounds = warm(X), options.rounds
    later = X[first : first + ROWS]

    def points(values: tuple[int, ...], measure: Callable[[int], float]) -> Points:
        return [(value, measure(value)) for value in values]

    lda = model(X)
    features = tuple(n for n in FEATURES if n >= X.shape[1])
    yield (
        "words in the vocabulary",
        points(features, lambda n: cost(widened(lda, n), hashed(later, n), rounds)),
    )
    # So many rows in one call, so that what a call or a pass costs by itself shows.
    documents = tuple(n for n in DOCUMENTS if n <= X.shape[0] - first)
    yield "documents", points(documents, lambda n: cost(lda, X[first : first + n], rounds))

    yield "threads", points(JOBS, lambda jobs: cost(model(X, jobs=jobs), later, rounds))

    # Last, because the unit of the others is the document as it is.
    result = []
    for together in LENGTHS:
        long = joined(X, together)
        start = warm(long)
        tokens = float(long.sum()) / long.shape[0]
        result.append((tokens, cost(model(long), long[start : start + ROWS], rounds)))
    yield "tokens in a document", result


def draw(results: dict[str, dict[str, Points]], path: Path, title: str) -> None:
    """One panel for each variable, logarithmic axes."""
    widths = [2.0, *np.ones(len(results) - 1)]  # the first has many lines
    figure, panels = plt.subplots(
        1, len(results), figsize=(15.0, 3.6), sharey=True, width_ratios=widths
    )
    for panel, (variable, lines) in zip(panels, results.items(), strict=True):
        for name, points in lines.items():
            x, y = np.array(points).T
            # What was before has the color of what is.
            color = f"C{growth.WAYS.index(name.removesuffix(growth.BEFORE))}"
            dashed = name.endswith(growth.BEFORE)
            panel.loglog(x, y, "o--" if dashed else "o-", color=color, label=name, markersize=4)
        panel.set_xlabel(variable)
        panel.set_xticks(x, [f"{value:,.0f}" for value in x], rotation=45, fontsize=8)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        if len(lines) > 1:
            panel.legend(fontsize=8, handlelength=4)
    every = [y for lines in results.values() for points in lines.values() for _, y in points]
    ticks = [m * 10.0**e for e in range(-1, 6) for m in (1, 2, 5)]
    ticks = [tick for tick in ticks if 0.5 * min(every) < tick < 2 * max(every)]
    panels[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panels[0].set_ylabel("microseconds a document")
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Print the table, write the figure."""
    arguments = parser(__doc__, seeds=None, jobs=None)
    arguments.add_argument("--rounds", type=int, default=5, help="measurements of each point")
    arguments.add_argument("--before", type=Path, help="another checkout, built in place")
    arguments.add_argument("--png", type=Path, default=Path("scaling.png"), help="the figure")
    options = arguments.parse_args()
    corpus = "docstrings" if options.data is None else "arxiv"
    X, _ = load(options.data, corpus, 40_000)
    X = X.astype(np.float32)
    print(machine(max(JOBS)))
    print(f"{corpus}, batch {BATCH}; microseconds a document\n")
    results = {"topics": growth.report(options)}
    print(f"\nAn SVI step, {X.shape[0]} rows\n")
    print("| what varies | its value | microseconds | over the first |\n|---|---|---|---|")
    for name, points in sweep(X, options):
        results[name] = {"cold": points}
        for value, microseconds in points:
            print(f"| {name} | {value:,.0f} | {microseconds:.1f} "
                  f"| {microseconds / points[0][1]:.2f} |", flush=True)  # fmt: skip
    print("\nSampled steps beside mean-field steps\n")
    sampled_steps.report(options)
    draw(results, options.png, f"A step, {corpus}, K = 100 where it does not vary, one thread")


if __name__ == "__main__":
    main()
