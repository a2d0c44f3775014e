"""Held-out score of small corpora against the number of passes.

    python -m benchmarks.lda.passes --data DATA

Scores are of a part of the training rows that is held back: the default number of passes was
chosen by them. "Lines" are the first posts of 20 Newsgroups, of which every word is kept with a
probability of a quarter: 27 words on average.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser
from .._common.pairs import with_error

CASES = (
    ("ap", 20), ("ap", 50), ("ap", 100), ("bbc", 20), ("bbc", 100),
    ("2000 lines", 20), ("5000 lines", 20), ("5000 lines", 50), ("10000 lines", 50),
)  # fmt: skip
PASSES = (12, 20, 40, None)
KEPT = 0.25
HELD_BACK = 500


def lines(data: Path, n: int) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Lines to learn from, and lines that are held back."""
    X = load(data, "20news")[0][: n + HELD_BACK].copy()
    X.data = np.random.RandomState(0).binomial(X.data.astype(int), KEPT)
    X.eliminate_zeros()
    return X[HELD_BACK:], X[:HELD_BACK]


def corpus(data: Path, name: str) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Rows to learn from, and rows that are held back."""
    if name.endswith("lines"):
        return lines(data, int(name.split()[0]))
    X = load(data, name)[0]
    n = X.shape[0] // 10
    return X[n:], X[:n]


def main() -> None:
    """Print the table."""
    options = parser(__doc__, data="needed").parse_args()
    print(machine(options.jobs))
    print("| corpus | K |", " | ".join(str(n or "default") for n in PASSES), "|")
    print("|---" * (2 + len(PASSES)) + "|")
    for name, n_components in CASES:
        X, held_back = corpus(options.data, name)
        scores = [
            [
                TemperedLDA(n_components, max_iter=n, random_state=seed, n_jobs=options.jobs)
                .fit(X)
                .score(held_back)
                for seed in range(options.seeds)
            ]
            for n in PASSES
        ]
        row = " | ".join(with_error(s, 3, sign="") for s in scores)
        print(f"| {name} | {n_components} | {row} |", flush=True)


if __name__ == "__main__":
    main()
