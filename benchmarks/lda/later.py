"""A later fit beside an earlier one: which topics are the same, and words that are unknown.

The earlier model knows the first half of a corpus, the later one all of it or the second half, with
other seeds and with the words that are in five of its documents. For topics of the earlier model
that are mutually nearest to one of the later by Hellinger distance, and for the others, a line has
their number by distance, and how many of them also have their documents in common: of all pairs
with either topic, none has proportions that are more correlated. Beside them are the pairs of
`match_topics`.

The second table has the share of topics that `set_labels` takes for the same, of a later fit to the
whole corpus, of one that has the top words of all earlier topics as seed words, and of those that
have the same number there; and the score of a tenth of the rows, which neither has seen.

With a corpus that has labels, the last table has the share of words that are in less than five of
so many documents of other labels: in these, and how much higher it is in fifty documents (means) on
the same subjects, and on a new one.

    python -m benchmarks.lda.later --data DATA
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from topictemper import TemperedLDA
from topictemper._utils._typing import Flags, Floats
from topictemper.datasets import load_docstrings
from topictemper.metrics import match_topics
from topictemper.topics._matching import distances_between, same_topics

from .._common.corpora import counts, labels, machine, parser

SETTINGS = (("docstrings", 50), ("bbc", 15), ("20news", 25), ("20news", 100))
MIN_DF, BOUNDS = 5, (0.0, 0.4, 0.5, 0.55, 0.6, 0.7, 1.0)
LEARNED, DRAWN, DRAWS, MOST_NEW = (300, 1000, 4000), 50, 20, 4


def fitted(
    X: csr_matrix, n_components: int, seed: int, n_jobs: int, seeds: Any = None
) -> tuple[TemperedLDA, Any]:
    """A model of the words that are in enough documents, and their columns."""
    columns = np.flatnonzero(X.getnnz(axis=0) >= MIN_DF)
    lda = TemperedLDA(n_components, topic_word_prior=seeds, random_state=seed, n_jobs=n_jobs)
    return lda.fit(X[:, columns], feature_names=columns.astype(str)), columns


def correlations(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Correlations of all columns of two arrays."""
    p, q = (values - values.mean(axis=0) for values in (first, second))
    found: Floats = (p / np.linalg.norm(p, axis=0)).T @ (q / np.linalg.norm(q, axis=0))
    return found


def mutual(similarity: Floats) -> Flags:
    """Pairs of which each is the most similar to the other."""
    rows = similarity == similarity.max(axis=1, keepdims=True)
    found: Flags = rows & (similarity == similarity.max(axis=0))
    return found


def pairs_of(X: csr_matrix, later: csr_matrix, n_components: int, seed: int, jobs: int) -> Any:
    """Distances, whether documents are the same, and the kind of pair: nearest or not, matched."""
    half = X[: X.shape[0] // 2]
    (old, before), (new, after) = (
        fitted(rows, n_components, s, jobs) for rows, s in ((half, seed), (later, seed + 100))
    )
    distance = distances_between(old, new)
    test = later[::3]
    same = mutual(correlations(old.transform(test[:, before]), new.transform(test[:, after])))
    all_rows, nearest = np.arange(n_components), distance.argmin(axis=1)
    matched = match_topics(old, new)
    for kind, rows, columns in (
        ("nearest", all_rows, nearest),
        ("matched", matched.first, matched.second),
    ):
        of_pair = distance[rows, columns]
        if kind == "nearest":
            both = mutual(-distance)[rows, columns]
            yield "mutual", of_pair[both], same[rows, columns][both]
            yield "one-sided", of_pair[~both], same[rows, columns][~both]
        else:
            yield kind, of_pair, same[rows, columns]


def print_pairs(options: Any) -> None:
    """The first table."""
    found: dict[str, list[Any]] = {"mutual": [], "one-sided": [], "matched": []}
    for name, n_components in SETTINGS if options.data else SETTINGS[:1]:
        X = counts(options.data, name)
        for later in (X, X[X.shape[0] // 2 :]):
            for seed in range(options.seeds):
                for kind, distance, same in pairs_of(X, later, n_components, seed, options.jobs):
                    found[kind].append((distance, same))
    print("distance ".ljust(14), *(f"{kind:>18}" for kind in found))
    for low, high in pairwise(BOUNDS):
        line = f"{low:.2f} to {high:.2f}  "
        for parts in found.values():
            distance, same = (np.concatenate(values) for values in zip(*parts, strict=True))
            chosen = (distance > low) & (distance <= high)
            share = f"{same[chosen].mean():5.0%}" if chosen.any() else "    -"
            line += f"{chosen.sum():8} {share} same"
        print(line, flush=True)


def print_seeded(options: Any) -> None:
    """The second table."""
    for name, n_components in SETTINGS if options.data else SETTINGS[:1]:
        X = counts(options.data, name)
        n_train = X.shape[0] * 9 // 10
        for seed in range(options.seeds):
            old, _ = fitted(X[: X.shape[0] // 2], n_components, seed, options.jobs)
            seeds = dict(zip(old.labels_, old.top_words(10), strict=True))
            line = f"{name:11} {n_components:4}"
            for given in (None, seeds):
                new, columns = fitted(X[:n_train], n_components, seed + 100, options.jobs, given)
                same = same_topics(old, new, ("old", "new"))
                placed = sum(k == j for k, j in same.items())
                line += f"{len(same) / n_components:7.0%} {placed / n_components:5.0%} there "
                line += f"{new.score(X[n_train:][:, columns]):8.4f}"
            print(line, flush=True)


def print_unknown(name: str, X: csr_matrix, subjects: NDArray[np.str_]) -> None:
    """The last table, of a corpus."""
    rng = np.random.default_rng(0)
    sizes = np.asarray(X.sum(axis=1)).ravel()
    kinds, n_of = np.unique(subjects, return_counts=True)
    for new in kinds[np.argsort(-n_of, kind="stable")][:MOST_NEW]:
        others = rng.permutation(np.flatnonzero(subjects != new))
        for n in LEARNED:
            if len(others) < 1.3 * n:
                continue
            known = X[others[:n]].getnnz(axis=0) >= MIN_DF
            unknown = sizes - X @ known

            def share(rows: NDArray[Any], unknown: Floats = unknown) -> float:
                return float(unknown[rows].sum() / sizes[rows].sum())

            base = share(others[:n])
            rest, of_new = others[n:], np.flatnonzero(subjects == new)
            same, fresh = (
                [share(rng.choice(rows, DRAWN)) - base for _ in range(DRAWS)]
                for rows in (rest, of_new)
            )
            print(
                f"{name:11} {new:24} {n:5} {base:6.3f} {np.median(same):+7.3f} "
                f"{np.median(fresh):+7.3f}",
                flush=True,
            )


def main() -> None:
    """Print the tables."""
    options = parser(__doc__, seeds=2).parse_args()
    print(machine(options.jobs))
    print_pairs(options)
    print("\ncorpus         K   same  plain fit     score   same   with seeds    score")
    print_seeded(options)
    print("\ncorpus      new subject               fit  share    same     new")
    libraries = np.array([name.partition(".")[0] for name in load_docstrings().names])
    print_unknown("docstrings", counts(None, "docstrings"), libraries)
    for name in ("bbc", "20news") if options.data else ():
        subjects = labels(options.data, name)
        assert subjects is not None
        print_unknown(name, counts(options.data, name), subjects)


if __name__ == "__main__":
    main()
