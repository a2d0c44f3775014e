"""Documents of a few tokens: what a larger eta does to the held-out score, and to the topics.

    python -m benchmarks.lda.short --data DATA --seeds 2

Documents keep ten of their tokens, drawn at random, as stand-ins for titles; words in fewer than
three of them are left out. Scores are of training rows that are held back, in nats per token.
"Twins" are topics that are nearly the same as another one. NPMI is counted in the whole documents.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper.metrics import coherence
from topictemper.topics import twin_topics

from .._common.corpora import load, machine, parser, shortened

CASES = (
    ("docstrings", None, 30), ("20news", None, 20), ("20news", None, 50), ("20news", None, 200),
    ("bbc", None, 20), ("arxiv", 40_000, 20), ("arxiv", 40_000, 100), ("arxiv", 20_000, 300),
    ("imdb", 20_000, 50),
)  # fmt: skip
LENGTH = 10
ETAS = (None, 0.03, 0.1, 0.2, 0.4)


def corpus(data: Path | None, name: str, rows: int | None) -> list[sp.csr_matrix]:
    """Short rows to learn from, short rows that are held back, and whole ones to count words in."""
    whole = load(data, name, rows)[0]
    X = shortened(whole, LENGTH, np.random.default_rng(0))
    kept = np.bincount(X.indices, minlength=X.shape[1]) >= 3
    X = X[:, kept].astype(np.float32)
    n = min(3000, X.shape[0] // 6)
    return [X[:-n], X[-n:], whole[:20_000, kept]]


def main() -> None:
    """Print the table."""
    options = parser(__doc__).parse_args()
    warnings.simplefilter("ignore", UserWarning)  # of twins
    print(machine(options.jobs))
    print("| corpus | K | eta | score | twins | effective topics | NPMI |\n" + 7 * "|---" + "|")
    for name, rows, n_components in CASES if options.data is not None else CASES[:1]:
        X, held_back, whole = corpus(options.data, name, rows)
        for prior in ETAS:
            found = []
            for seed in range(options.seeds):
                lda = TemperedLDA(
                    n_components, topic_word_prior=prior, random_state=seed, n_jobs=options.jobs
                ).fit(X)
                twins = {topic for pair in twin_topics(lda) for topic in pair}
                found.append(
                    (
                        lda.topic_word_prior_,
                        lda.score(held_back),
                        len(twins),
                        lda.n_effective_topics_,
                        np.mean(coherence(lda, whole)),
                    )
                )
            eta, score, n_twins, effective, npmi = np.mean(found, axis=0)
            label = f"{eta:.3f}, learned" if prior is None else f"{prior}"
            print(
                f"| {name} | {n_components} | {label} | {score:.3f} | {n_twins:.0f} "
                f"| {effective:.0f} | {npmi:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
