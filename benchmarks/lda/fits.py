"""Time and held-out score of default fits, beside another checkout.

    python -m benchmarks.lda.fits --data DATA --before CHECKOUT

Seconds of processor time on one thread, and `score` of 1,000 training documents that were held
back, for each seed; both checkouts in turns. The other one is built in place, and has to have what
is public today. Without `--data` the docstrings.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser
from .._common.processes import called

#: Corpus, rows and number of topics.
CASES = (
    ("ap", None, 50),
    ("20news", None, 50),
    ("arxiv", 20_000, 100),
    ("arxiv", 20_000, 500),
    ("arxiv", 20_000, 2_000),
    ("imdb", 40_000, 100),
)
HELD_BACK = 1_000


def fit(
    data: str | None, corpus: str, rows: int | None, n_components: int, tempering: str, seed: int
) -> tuple[float, float]:
    """Seconds and score of one fit."""
    X = load(data and Path(data), corpus, rows)[0]
    order = np.random.default_rng(0).permutation(X.shape[0])
    held_back, X = X[order[:HELD_BACK]], X[order[HELD_BACK:]]
    lda = TemperedLDA(n_components, tempering=tempering, n_jobs=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of twins
        start = time.process_time()
        lda.fit(X)
        taken = time.process_time() - start
    return taken, lda.score(held_back)


def main() -> None:
    """Print the machine and a row for each case and mode."""
    arguments = parser(__doc__, jobs=None)
    arguments.add_argument("--before", type=Path, help="another checkout, built in place")
    arguments.add_argument("--modes", nargs="+", default=["lvt", "svi"], help="tempering")
    options = arguments.parse_args()
    checkouts = [Path()] if options.before is None else [options.before, Path()]
    cases = CASES if options.data else (("docstrings", None, 50),)
    print(machine(1))
    print("| corpus, rows | K | mode | seconds | score |\n|---|---|---|---|---|")
    for corpus, rows, n_components in cases:
        for mode in options.modes:
            case = (options.data and str(options.data), corpus, rows, n_components, mode)
            found = np.array(
                [
                    [
                        called(checkout, "benchmarks.lda.fits", "fit", *case, seed)
                        for checkout in checkouts
                    ]
                    for seed in range(options.seeds)
                ]
            )
            taken = " -> ".join(f"{value:.1f}" for value in np.median(found[:, :, 0], axis=0))
            scores = " -> ".join(f"{value:.4f}" for value in found[:, :, 1].mean(axis=0))
            print(
                f"| {corpus}, {rows} | {n_components} | {mode} | {taken} | {scores} |", flush=True
            )


if __name__ == "__main__":
    main()
