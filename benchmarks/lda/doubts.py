"""Topics that the report doubts: how many there are, and what speaks for the limits.

For each corpus and K = 50: the quantiles of what the limits apply to, and the share of topics that
is doubted. Distances of topics are compared between two fits (partners: the same topic twice) and
within one (the nearest other topic), coherence with that of ten words drawn by their frequency.
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
from topictemper._utils._cooccurrence import mean_npmi, shares_together
from topictemper._utils._distances import hellinger
from topictemper._utils._typing import Floats
from topictemper.datasets import load_docstrings
from topictemper.report._doubts import coherences, distance_to_corpus, doubts_about
from topictemper.report._geometry import match_distance

from .._common.corpora import counts, distributions, labels, machine, parser, vocabulary

CORPORA = ("docstrings", "ap", "bbc", "20news", "imdb")
K, ROWS, DRAWS = 50, 20_000, 500
KINDS = ("empty", "incoherent", "duplicate", "general", "unstable")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def corpus(data: Path | None, name: str) -> tuple[Any, list[str], NDArray[np.int64] | None]:
    """Counts, words, and the numbers of the labels if there are any."""
    X = counts(data, name)
    if data is None or name == "docstrings":
        return X, list(load_docstrings().vocabulary), None
    X = X[:ROWS]
    found = labels(data, name)
    if found is not None:
        found = np.unique(found[: X.shape[0]], return_inverse=True)[1]
    return X, vocabulary(data, name, X.shape[1]), found


def information(theta: NDArray[Any], classes: NDArray[np.int64]) -> Floats:
    """Bits that each topic says of the labels."""
    member = np.eye(classes.max() + 1)[classes]
    given = theta.T.astype(np.float64) @ member
    given /= given.sum(axis=1, keepdims=True)
    return np.sum(given * np.log2(np.maximum(given, 1e-12) / member.mean(axis=0)), axis=1)


def quantiles(name: str, values: Floats) -> str:
    """A line."""
    return f"  {name:28}" + " ".join(f"{value:6.2f}" for value in np.quantile(values, QUANTILES))


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
        coherence = coherences(topics, X)
        drawn = np.random.default_rng(0)
        p = marginal / marginal.sum()
        sets = np.stack([drawn.choice(len(p), 10, replace=False, p=p) for _ in range(DRAWS)])
        by_chance = np.array([mean_npmi(shares) for shares in shares_together([X], sets)])
        doubts = doubts_about(theta.mean(axis=0), coherence, distance, to_corpus, partner)
        print(f"\n{name}: {X.shape[0]:,} documents")
        print(quantiles("partner in another fit", partner))
        nearest = (distance + np.diag(np.full(K, np.inf))).min(axis=1)
        print(quantiles("nearest topic of the fit", nearest))
        print(quantiles("to the corpus", to_corpus))
        print(quantiles("coherence", coherence))
        print(quantiles("coherence by chance", by_chance))
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
                    f"    {k:3} {to_corpus[k]:.2f} {coherence[k]:5.2f} {partner[k]:.2f}"
                    f" {nearest[k]:.2f}  {' '.join(top)}"
                )


if __name__ == "__main__":
    main()
