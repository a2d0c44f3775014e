"""Held-out score of hundreds of documents, with and without tempering, by the number of passes.

    python -m benchmarks.lda.few --data DATA

Scores are of 500 training rows that are held back, as means over five corpora. The last column is
what "lvt" gains with the default number of passes, on average and on each corpus.
"""

from __future__ import annotations

import argparse

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser

CORPORA = ("20news", "bbc", "arxiv", "imdb", "ap")
CASES = (
    (60, 5), (150, 10), (150, 30), (300, 5), (300, 10), (300, 20), (300, 50),
    (450, 10), (450, 30), (650, 10), (650, 30), (1000, 20), (1000, 100),
)  # fmt: skip
PASSES = (40, 80, None)
HELD_BACK = 500


def score(
    X: sp.csr_matrix,
    n_documents: int,
    n_components: int,
    tempering: str | None,
    n_passes: int | None,
    options: argparse.Namespace,
) -> float:
    """Held-out score of so many rows, a mean over seeds."""
    train, held_back = X[HELD_BACK : HELD_BACK + n_documents], X[:HELD_BACK]
    settings = {"tempering": tempering, "max_iter": n_passes, "n_jobs": options.jobs}
    fits = (
        TemperedLDA(n_components, random_state=seed, **settings).fit(train)
        for seed in range(options.seeds)
    )
    return float(np.mean([lda.score(held_back) for lda in fits]))


def main() -> None:
    """Print the table."""
    options = parser(__doc__, data="needed").parse_args()
    print(machine(options.jobs))
    fits = [(tempering, n) for tempering in (None, "lvt") for n in PASSES]
    columns = [f"{tempering or 'plain'}, {n or 'default'}" for tempering, n in fits]
    print("| documents | K |", " | ".join(columns), "| gain |")
    print("|---" * (3 + len(columns)) + "|")
    corpora = [load(options.data, name)[0] for name in CORPORA]
    corpora = [X[np.random.default_rng(0).permutation(X.shape[0])] for X in corpora]
    for case in CASES:
        scores = np.array([[score(X, *case, *fit, options) for X in corpora] for fit in fits])
        gains = scores[-1] - scores[len(PASSES) - 1]
        row = " | ".join(f"{mean:.3f}" for mean in scores.mean(axis=1))
        each = ", ".join(f"{gain:+.3f}" for gain in gains)
        print(f"| {case[0]} | {case[1]} | {row} | {gains.mean():+.3f} ({each}) |", flush=True)


if __name__ == "__main__":
    main()
