"""Long texts, whole and cut into passages: how well the topics of either predict both.

First, how many of their words are in more than half of the texts, for texts of several lengths.

    python -m benchmarks.lda.passages --data DATA

The long texts are docstrings of one module, and posts of one newsgroup, forty at a time. All fits
have the vocabulary of passages of 300 words, and a sixth of the texts is held back. Scores are in
nats per token.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.text._parameters import MAX_DF, default_vectorizer

from .._common.corpora import labels, machine, parser, texts_of

# Corpus and number of topics.
CASES = (("docstrings", 20), ("20news", 30))
POSTS = 40
WORDS = (100, 300, 1000)
# Of all docstrings, joined.
LENGTHS = (300, 1000, 2000, 4000, 16_000, 64_000)


def joined(items: list[str], n: int) -> list[str]:
    """So many of the items at a time in one."""
    return [" ".join(items[start : start + n]) for start in range(0, len(items), n)]


def by_name(names: Iterable[str], texts: Iterable[str]) -> list[list[str]]:
    """The texts of each name."""
    of: dict[str, list[str]] = {}
    for name, text in zip(names, texts, strict=True):
        of.setdefault(name, []).append(text)
    return list(of.values())


def long_texts(data: Path | None, name: str) -> list[str]:
    """Long texts of a corpus, in random order."""
    if name == "docstrings":
        corpus = load_docstrings()
        modules = by_name((".".join(name.split(".")[:2]) for name in corpus.names), corpus.text)
        texts = sorted(map(" ".join, modules), key=len)[-200:]
    else:
        assert data is not None
        groups = labels(data, name)
        assert groups is not None
        posts = by_name(groups, texts_of(data, name))
        texts = [text for some in posts for text in joined(some, POSTS)]
    return [texts[i] for i in np.random.default_rng(0).permutation(len(texts))]


def passages(texts: Iterable[str], n_words: int) -> list[str]:
    """Pieces of so many words."""
    return [passage for text in texts for passage in joined(text.split(), n_words)]


def too_frequent(texts: list[str]) -> float:
    """Share of the words, without stop words, that the default `max_df` leaves out."""
    X = default_vectorizer().set_params(min_df=1, max_df=1.0).fit_transform(texts)
    frequent = np.bincount(X.indices, minlength=X.shape[1]) > MAX_DF * len(texts)
    return float(X[:, frequent].sum() / X.sum())


def main() -> None:
    """Print the tables."""
    options = parser(__doc__).parse_args()
    warnings.simplefilter("ignore", UserWarning)  # of twins
    print(machine(options.jobs))
    print("| words in a text | of them in more than half of the texts |")
    print("|---" * 2 + "|")
    every = " ".join(load_docstrings().text)
    for size in LENGTHS:
        print(f"| {size:,} | {too_frequent(passages([every], size)):.0%} |", flush=True)
    print()
    print("| corpus | K | learned from | documents | score of whole texts | of passages |")
    print("|---" * 6 + "|")
    for name, n_components in CASES if options.data is not None else CASES[:1]:
        texts = long_texts(options.data, name)
        n = len(texts) // 6
        held_back, texts = texts[:n], texts[n:]
        words = CountVectorizer(
            min_df=5, max_df=0.5, stop_words="english", token_pattern=r"[^\W\d_]{3,}"
        ).fit(passages(texts, 300))
        for size in (None, *WORDS):
            X = words.transform(texts if size is None else passages(texts, size))
            scores = []
            for seed in range(options.seeds):
                lda = TemperedLDA(n_components, random_state=seed, n_jobs=options.jobs).fit(X)
                both = held_back, passages(held_back, 300)
                scores.append([lda.score(words.transform(some)) for some in both])
            whole, cut = np.mean(scores, axis=0)
            label = "whole texts" if size is None else f"passages of {size} words"
            print(
                f"| {name} | {n_components} | {label} | {X.shape[0]:,} | {whole:.3f} | {cut:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
