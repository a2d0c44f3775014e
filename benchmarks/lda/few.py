"""Held-out score of hundreds of documents, with and without tempering, by the number of passes.

    python -m benchmarks.lda.few --data DATA

Scores are of 500 training rows that are held back, as means over five corpora. The last column is
what "lvt" gains with the default number of passes, on average and on each corpus.
"""

from __future__ import annotations

import numpy as np

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser

CORPORA = ("20news", "bbc", "arxiv", "imdb", "ap")
CASES = (
    (60, 5), (150, 10), (150, 30), (300, 5), (300, 10), (300, 20), (300, 50),
    (450, 10), (450, 30), (650, 10), (650, 30), (1000, 20), (1000, 100),
)  # fmt: skip
PASSES = (40, 80, None)
HELD_BACK = 500


def main() -> None:
    """Print the table."""
    options = parser(__doc__.splitlines()[0]).parse_args()
    if options.data is None:
        raise SystemExit("--data is needed")
    print(machine(options.jobs))
    modes = [f"{mode}, {n or 'default'}" for mode in ("plain", "lvt") for n in PASSES]
    print("| documents | K |", " | ".join(modes), "| gain |")
    print("|---" * (3 + len(modes)) + "|")
    shuffled = {}
    for name in CORPORA:
        X = load(options.data, name)[0]
        shuffled[name] = X[np.random.default_rng(0).permutation(X.shape[0])]
    for n_documents, n_components in CASES:
        scores = np.array(
            [
                [
                    np.mean(
                        [
                            TemperedLDA(
                                n_components,
                                tempering=tempering,
                                max_iter=n,
                                random_state=seed,
                                n_jobs=options.jobs,
                            )
                            .fit(X[HELD_BACK : HELD_BACK + n_documents])
                            .score(X[:HELD_BACK])
                            for seed in range(options.seeds)
                        ]
                    )
                    for X in shuffled.values()
                ]
                for tempering in (None, "lvt")
                for n in PASSES
            ]
        )
        gains = scores[-1] - scores[len(PASSES) - 1]
        row = " | ".join(f"{score:.3f}" for score in scores.mean(axis=1))
        each = ", ".join(f"{gain:+.3f}" for gain in gains)
        print(
            f"| {n_documents} | {n_components} | {row} | {gains.mean():+.3f} ({each}) |", flush=True
        )


if __name__ == "__main__":
    main()
