"""Seeded topics on a real corpus: whether a topic is about the words that it was given.

Five topics of 20 Newsgroups get three words each: by `SeedTopics` of several strengths, and by the
same value of `topic_word_prior` for every seed word. What is printed is how many of the words are
among the ten top words of their topic, and the held-out score beside that of a fit without seeds.

    python -m benchmarks.lda.seeds --data DATA --seeds 10
"""

from __future__ import annotations

from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper._utils._typing import Floats
from topictemper.topics import SeedTopics

from .._common.corpora import load, machine, parser, vocabulary
from .._common.pairs import with_error

K, ETA, VALUES, STRENGTHS = 40, 0.05, (20.0, 100.0, 500.0), (0.01, 0.05, 0.1)
SEEDED = ["space nasa orbit", "gun weapons firearms", "hockey nhl team", "car engine dealer"]
SEEDED += ["encryption key chip"]


def main() -> None:
    """Print a table for every prior."""
    options = parser(__doc__, data="needed").parse_args()
    print(machine(options.jobs))
    train, test = load(options.data, "20news")
    words = vocabulary(options.data, "20news")

    def fits(eta: Any) -> list[TemperedLDA]:
        return [
            TemperedLDA(K, topic_word_prior=eta, random_state=seed, n_jobs=options.jobs).fit(train)
            for seed in range(options.seeds)
        ]

    plain = [lda.score(test) for lda in fits(None)]
    print(f"without seeds: held-out score {np.mean(plain):.4f} ({np.std(plain):.4f})")
    for name, eta in _priors(train, words).items():
        models = fits(eta)
        scores = np.array([lda.score(test) for lda in models])
        found = np.array([_found(lda, words) for lda in models])
        whole = (found >= 2).all(axis=1).sum()
        print(
            f"\n{name}: 2 of 3 words in {len(SEEDED)} of {len(SEEDED)} topics on {whole} of "
            f"{len(models)} seeds, "
            f"{(found >= 2).sum(axis=1).mean():.1f} topics on average; held-out "
            f"score {scores.mean():.4f}, change {with_error(scores - plain, 4)}"
        )
        for seeds, top in zip(SEEDED, models[0].top_words(10, words), strict=False):
            print(f"  {seeds:22}  {' '.join(top)}")


def _priors(X: Any, words: list[str]) -> dict[str, Floats]:
    topics = {seeds: seeds.split() for seeds in SEEDED}
    priors = {
        f"SeedTopics, strength {strength:g}": SeedTopics(topics, strength=strength).prior(
            X, words, K
        )
        for strength in STRENGTHS
    }
    column = {word: v for v, word in enumerate(words)}
    for value in VALUES:
        eta = priors[f"value {value:g}"] = np.full((K, X.shape[1]), ETA)
        for k, seeds in enumerate(SEEDED):
            eta[k, [column[word] for word in seeds.split()]] = value
    return priors


def _found(lda: TemperedLDA, words: list[str]) -> list[int]:
    """Seed words among the top words of each seeded topic."""
    tops = lda.top_words(10, words)
    return [len(set(top) & set(seeds.split())) for top, seeds in zip(tops, SEEDED, strict=False)]


if __name__ == "__main__":
    main()
