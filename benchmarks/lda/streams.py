"""Held-out scores of streams of known, guessed and unknown length beside one pass of `fit`.

    python -m benchmarks.lda.streams --data DATA

Documents of arXiv in the order of the file, 1,280 a call of `partial_fit`; LVT with all defaults
and K = 100. "guessed" is a `total_samples` of half or of twice the documents that come. Scores are
nats per token, means of the seeds; all but those of `fit` are differences from `fit`. SVI, without
tempering, sees the same documents once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser

CALL = 1280


def streamed(X: sp.csr_matrix, **parameters: Any) -> TemperedLDA:
    """A model that has seen all rows once."""
    lda = TemperedLDA(100, **parameters)
    for start in range(0, X.shape[0], CALL):
        lda.partial_fit(X[start : start + CALL])
    return lda


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, data="needed")
    arguments.add_argument(
        "--lengths",
        nargs="+",
        type=int,
        default=[25_000, 50_000, 100_000, 200_000, 583_500],
        help="documents",
    )
    options = arguments.parse_args()
    X, X_test = load(options.data, "arxiv", None)
    X = X.astype(np.float32)
    print(machine(options.jobs))
    print(f"{options.seeds} seeds\n")
    print("| documents | fit | svi | known | guessed: half | twice | unknown | its temperature |")
    print("|---|---|---|---|---|---|---|---|")
    for n in options.lengths:
        scores, temperatures = [], []
        for seed in range(options.seeds):
            shared = {"random_state": seed, "n_jobs": options.jobs}
            whole = {"max_iter": 1, "shuffle": False, **shared}
            models = [
                TemperedLDA(100, **whole).fit(X[:n]),
                TemperedLDA(100, tempering="svi", **whole).fit(X[:n]),
                streamed(X[:n], total_samples=n, **shared),
                streamed(X[:n], total_samples=n / 2, **shared),
                streamed(X[:n], total_samples=2 * n, **shared),
                streamed(X[:n], **shared),
            ]
            scores.append([model.score(X_test) for model in models])
            temperatures.append(models[-1].temperature_)
        fit, *others = np.mean(scores, axis=0)
        row = [f"{score - fit:+.4f}" for score in others]
        print(f"| {n} | {fit:.4f} | {' | '.join(row)} | {np.mean(temperatures):.2f} |", flush=True)


if __name__ == "__main__":
    main()
