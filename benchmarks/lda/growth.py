"""Cost of a cold, a hot and a sampled step, and of `transform`, against the number of topics.

    python -m benchmarks.lda.growth --data DATA --before CHECKOUT

Microseconds a document on one thread, processor time, median over measurements after a first one,
which all go on from each other. With `--before` the topictemper of another checkout, which is built
in place, is measured in turns. So nothing is used but what is public, and `transform` does what it
does by default.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper.tempering import Annealing

from .._common.corpora import load, machine, parser
from .._common.processes import called

COMPONENTS = (10, 30, 100, 300, 500, 1000, 2000, 4000)
WAYS, BEFORE = ("cold", "hot", "sampled", "transform"), ", before"
HOT = 3.0
LEARNED, ROWS, BATCH = 16_000, 2_000, 500


def costs(data: str | None, n_components: int, rounds: int) -> list[float]:
    """The cost of each of the ways."""
    X = load(data and Path(data), "arxiv" if data else "docstrings", LEARNED + ROWS)[0]
    X = X.astype(np.float32)
    rows = min(ROWS, X.shape[0] // 2)
    first, later = X[:-rows], X[-rows:]

    def fitted(passes: int, **parameters: Any) -> TemperedLDA:
        shared = {"batch_size": BATCH, "n_jobs": 1, "random_state": 0, "max_iter": passes}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few passes leave many topics alike
            return TemperedLDA(n_components, **shared, **parameters).fit(first)

    cold = fitted(2, tempering="svi", inference="point")
    hot = fitted(1, tempering=Annealing(schedule=lambda passes: HOT), inference="point")
    sampled = fitted(3, tempering="svi")

    calls = (cold.partial_fit, hot.partial_fit, sampled.partial_fit, sampled.transform)
    turns = [[_taken(call, later) for call in calls] for _ in range(1 + rounds)]
    return np.median(turns[1:], axis=0).tolist()


def _taken(function: Callable[[Any], Any], X: Any) -> float:
    start = time.process_time()
    function(X)
    return (time.process_time() - start) / X.shape[0] * 1e6


def report(options: Any) -> dict[str, list[tuple[float, float]]]:
    """Print a row for each number of topics; return the points of each way."""
    checkouts = {"": Path()}
    if options.before is not None:
        checkouts = {BEFORE: options.before} | checkouts
    lines: dict[str, list[tuple[float, float]]] = {}
    names = [way + when for when in checkouts for way in WAYS]
    print("| K | " + " | ".join(names) + " |\n|---" + len(names) * "|---" + "|", flush=True)
    for n_components in COMPONENTS:
        case = (options.data and str(options.data), n_components, options.rounds)
        values = [
            value
            for checkout in checkouts.values()
            for value in called(checkout, "benchmarks.lda.growth", "costs", *case)
        ]
        for name, value in zip(names, values, strict=True):
            lines.setdefault(name, []).append((n_components, value))
        print(f"| {n_components} | " + " | ".join(f"{value:.1f}" for value in values) + " |",
              flush=True)  # fmt: skip
    return lines


def main() -> None:
    """Print the machine and the table."""
    arguments = parser(__doc__, seeds=None, jobs=None)
    arguments.add_argument("--rounds", type=int, default=5, help="measurements of each cost")
    arguments.add_argument("--before", type=Path, help="another checkout, built in place")
    options = arguments.parse_args()
    print(machine(1))
    report(options)


if __name__ == "__main__":
    main()
