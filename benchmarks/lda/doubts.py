"""Topics that the report doubts: how many there are, and what speaks for the limits.

For each corpus and K = 50: the quantiles of what the limits apply to, and the share of topics that
is doubted. Distances of topics are compared between two fits (partners: the same topic twice) and
within one (the nearest other topic), coherence with that of random words that are in as many
documents. Coherence is also counted in at most so many tokens of each document, and the share of
topics that is incoherent is shown beside that of mixtures: sets of the top words of two topics, and
of three, none of which is like another.
Where documents have labels (20 Newsgroups, BBC), "bits" are what a topic says of them, the
Kullback-Leibler divergence of p(label | topic) and p(label): means of doubted topics and of others.

    python -m benchmarks.lda.doubts --data DATA --words
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper._utils._distances import hellinger
from topictemper._utils._typing import Floats
from topictemper.datasets import load_docstrings
from topictemper.report._coherence import coherence_of
from topictemper.report._doubts import distance_to_corpus, doubts_about, lowest_coherence
from topictemper.report._geometry import match_distance

from .._common.corpora import counts, distributions, labels, machine, parser, shortened, vocabulary

CORPORA = ("docstrings", "ap", "bbc", "20news", "imdb")
K, ROWS, MIXTURES = 50, 20_000, 200
# Words of each topic of a mixture, and the least distance of its topics.
MIXED, DIFFERENT = ((5, 5), (4, 3, 3)), 0.6
LENGTHS = (None, 100, 30, 12, 6)
KINDS = ("empty", "incoherent", "duplicate", "general", "unstable")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def corpus(data: Path | None, name: str) -> tuple[Any, list[str], NDArray[np.int64] | None]:
    """Counts, words, and the numbers of the labels if there are any."""
    X = counts(data, name)
    if data is None or name == "docstrings":
        return X, list(load_docstrings().feature_names), None
    X = X[:ROWS]
    found = labels(data, name)
    if found is not None:
        found = np.unique(found[: X.shape[0]], return_inverse=True)[1]
    return X, vocabulary(data, name), found


def information(theta: NDArray[Any], classes: NDArray[np.int64]) -> Floats:
    """Bits that each topic says of the labels."""
    member = np.eye(classes.max() + 1)[classes]
    given = theta.T.astype(np.float64) @ member
    given /= given.sum(axis=1, keepdims=True)
    return np.sum(given * np.log2(np.maximum(given, 1e-12) / member.mean(axis=0)), axis=1)


def quantiles(name: str, values: Floats) -> str:
    """A line."""
    return f"  {name:28}" + " ".join(f"{value:6.2f}" for value in np.quantile(values, QUANTILES))


def mixtures(topics: NDArray[Any], distance: Floats, parts: tuple[int, ...]) -> Floats:
    """Topics that have so many top words of different ones."""
    drawn = np.random.default_rng(0)
    found = np.zeros((MIXTURES, topics.shape[1]))
    for mixture in found:
        close = True
        while close:
            chosen = drawn.choice(len(topics), len(parts), replace=False)
            close = (distance[np.ix_(chosen, chosen)] + np.identity(len(parts))).min() < DIFFERENT
        for k, n in zip(chosen, parts, strict=True):
            own = np.where(mixture > 0, 0, topics[k])
            mixture[np.argsort(-own)[:n]] = 1
    return found


def print_incoherent(X: Any, topics: NDArray[Any], mixed: list[Floats]) -> None:
    """Median of the coherence, by chance, and the shares of topics and mixtures below the limit."""
    coherence = coherence_of(topics, X)
    median = float(np.median(coherence.of_topics))
    line = f"{median:6.2f} {np.median(coherence.by_chance):6.2f}"
    for each in (coherence, *(coherence_of(mixture, X) for mixture in mixed)):
        line += f" {np.mean(each.of_topics < lowest_coherence(each, median)):6.0%}"
    print(line, flush=True)


def main() -> None:
    """Print what was measured for each corpus."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument(
        "--corpora", nargs="+", choices=CORPORA, help="some of the corpora; none: all"
    )
    arguments.add_argument("--words", action="store_true", help="print words of doubted topics")
    options = arguments.parse_args()
    names = options.corpora or (["docstrings"] if options.data is None else CORPORA)
    print(machine(options.jobs))
    print("quantiles:", *QUANTILES)
    for name in names:
        X, words, classes = corpus(options.data, name)
        first, second = (
            TemperedLDA(K, random_state=seed, n_jobs=options.jobs).fit(X) for seed in (0, 1)
        )
        topics, other = distributions(first), distributions(second)
        theta = first.transform(X)
        totals = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
        marginal = np.maximum(totals, 0.5) / totals.sum()
        distance = hellinger(topics, topics)
        to_corpus = distance_to_corpus(topics, marginal)
        partner = match_distance(topics, [other])
        assert partner is not None
        coherence = coherence_of(topics, X)
        doubts = doubts_about(theta.mean(axis=0), coherence, distance, to_corpus, partner)
        print(f"\n{name}: {X.shape[0]:,} documents")
        print(quantiles("partner in another fit", partner))
        nearest = (distance + np.diag(np.full(K, np.inf))).min(axis=1)
        print(quantiles("nearest topic of the fit", nearest))
        print(quantiles("to the corpus", to_corpus))
        print(quantiles("coherence", coherence.of_topics))
        print(quantiles("coherence by chance", coherence.by_chance))
        print(quantiles("one set in 20 has more", coherence.high_by_chance))
        used = np.flatnonzero(theta.mean(axis=0) >= 0.1 / K)
        mixed = [mixtures(topics[used], distance[np.ix_(used, used)], parts) for parts in MIXED]
        print("  tokens: coherence, by chance, incoherent topics, mixtures of two and of three")
        for length in LENGTHS:
            part = X if length is None else shortened(X, length, np.random.default_rng(0))
            print(f"  {length or 'all':>6}", end="")
            print_incoherent(part, topics[used], mixed)
        bits = None if classes is None else information(theta, classes)
        for kind in KINDS:
            doubted = np.array([doubt.topic for doubt in doubts if doubt.kind == kind], dtype=int)
            line = f"  {kind:12}{len(doubted) / K:5.0%}"
            if bits is not None and len(doubted):
                rest = np.delete(bits, doubted)
                line += f"   {bits[doubted].mean():.2f} bits, the others {rest.mean():.2f}"
            print(line, flush=True)
            for k in doubted if options.words else ():
                top = [words[v] for v in np.argsort(-topics[k])[:10]]
                print(
                    f"    {k:3} {to_corpus[k]:.2f} {coherence.of_topics[k]:5.2f} {partner[k]:.2f}"
                    f" {nearest[k]:.2f}  {' '.join(top)}"
                )


if __name__ == "__main__":
    main()
