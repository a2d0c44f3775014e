"""Time of the checks of X beside a fit, and the memory that they take.

Prints the times of the check of structure, of all checks of `fit` (structure, scikit-learn's,
values), and their shares of a fit with the default number of passes, which is one pass times the
passes planned.

    python -m benchmarks.lda.checks --data DATA
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from timeit import repeat
from typing import Any

from topictemper import TemperedLDA
from topictemper._utils._sparse_checks import check_structure
from topictemper.lda._config import Config
from topictemper.lda._plan import planned_passes

from .._common.corpora import load, machine, parser

ROUNDS = 5
CORPORA = ("docstrings", "ap", "20news", "arxiv")


def seconds(function: Callable[..., Any], *options: Any, rounds: int = ROUNDS) -> float:
    """Shortest of some calls."""
    return min(repeat(partial(function, *options), number=1, repeat=rounds))


def main() -> None:
    """Print a table."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument("--components", type=int, default=20, help="topics; few: a short fit")
    options = arguments.parse_args()
    print(machine(options.jobs))
    print("\n| corpus | entries | structure, ms | all, ms | fit, s | structure | all | memory |")
    print("|---|---|---|---|---|---|---|---|")
    for name in CORPORA[: None if options.data else 1]:
        X = load(options.data, name)[0]
        lda = TemperedLDA(options.components, random_state=0, n_jobs=options.jobs)
        structure = seconds(check_structure, X, "X")
        every = seconds(partial(lda._training_counts, reset=True), X)
        config = Config.of(lda.get_params(deep=False), X.shape[1])
        passes = planned_passes(config, X.shape[0], X.sum() / X.shape[0])
        fit = passes * seconds(lda.set_params(max_iter=1, batch_size=500).fit, X, rounds=2)
        tracemalloc.start()
        check_structure(X, "X")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
        print(
            f"| {name} | {X.nnz:,} | {1e3 * structure:.2f} | {1e3 * every:.2f} | {fit:.2f} | "
            f"{structure / fit:.2%} | {every / fit:.2%} | "
            f"{peak / 2**20:.2f} of {size / 2**20:.0f} MiB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
