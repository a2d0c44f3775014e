"""How often the 95% intervals of topics by group contain the true shares.

    python -m benchmarks.lda.shares

Two groups of documents are drawn from known topics, with known mean shares. In one group the
first topic has half of the words and the last a twentieth; in the other it is the reverse. The
figures are of both groups and of all topics, over 200 draws:

- known proportions: intervals of the true proportions of the documents, as if nothing had to be
  inferred. What is lacking is the fault of the intervals.
- inferred proportions: those that `transform` gives, of a model that knows the topics and the mean
  of alpha. What is lacking beyond that comes from short documents, whose proportions the prior
  draws towards the mean of both groups.

The second table is of random groups of the docstrings, whose true shares are those of all of them:
of documents that are drawn one by one, and of modules, ten documents of each, which are alike.

The third table is of docstrings that are drawn with unequal probability, and have its inverse as
their weight, as in a survey: weights that follow nothing, and weights of libraries, 0.5 to 8, so
that some topics are in heavy documents. "least" is the topic that intervals miss most often.

The fourth table is of two random groups of 1,000 docstrings, which do not differ: for how many
topics each method finds a difference at the level of 5%.

- regression: least squares with standard errors that allow for unequal variances (HC1).
  The regression has the library as a control.
- permutation: what is left of the group after the same controls is permuted, among all documents:
  the groups are random ones. Others have to be permuted among the documents of a library.
- differences: `share_differences` excludes zero; "any", that it does so for any of the K topics
  with ``confidence=1 - 0.05 / K``.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper._utils._typing import Floats
from topictemper.datasets import load_docstrings
from topictemper.topics import share_differences, shares_by_group

from .._common.corpora import machine, parser

N_FEATURES = 300
SHARES = np.array([[0.5, 0.2, 0.15, 0.1, 0.05], [0.05, 0.2, 0.15, 0.1, 0.5]])
ALPHA = 0.6 * SHARES
REPETITIONS = 200
FROM_A_MODULE = 10
DOCUMENTS, PERMUTATIONS = 1000, 999


def documents(
    topics: Floats, length: int, n_documents: int, rng: np.random.Generator
) -> tuple[Floats, sp.csr_matrix]:
    """Proportions and counts of as many documents of each group."""
    theta = np.vstack([rng.dirichlet(alpha, n_documents) for alpha in ALPHA])
    tokens = np.maximum(rng.poisson(length, len(theta)), 1)
    return theta, sp.csr_matrix(rng.multinomial(tokens, theta @ topics).astype(np.float64))


def knowing(topics: Floats, X: sp.csr_matrix) -> TemperedLDA:
    """A model with these topics, from which one tiny step leads nowhere."""
    lda = TemperedLDA(
        len(topics),
        tempering=None,
        init=1e9 * topics,
        doc_topic_prior=ALPHA.mean(axis=0),
        topic_word_prior=0.05,
        learning_offset=1e12,
        total_samples=1e4,
        dtype="float64",
        random_state=0,
    )
    return lda.partial_fit(X)


def covered(theta: NDArray[np.floating], expected: Floats) -> float:
    """Share of the intervals of equally large groups that contain the true shares."""
    groups = np.repeat(np.arange(len(expected)), len(theta) // len(expected))
    table = shares_by_group(theta, groups)
    low, high = (np.asarray(table[end]).reshape(expected.shape) for end in ("low", "high"))
    return float(((low <= expected) & (high >= expected)).mean())


def in_random_groups(theta: Floats, modules: list[NDArray[np.intp]], n_documents: int) -> Floats:
    """The same for random groups of documents, and for groups of random modules."""
    rng = np.random.default_rng(n_documents)
    everywhere = theta.mean(axis=0)[None]
    of_modules = np.mean([theta[rows].mean(axis=0) for rows in modules], axis=0)[None]
    found = np.empty((REPETITIONS, 2))
    for i in range(REPETITIONS):
        found[i, 0] = covered(theta[rng.integers(len(theta), size=n_documents)], everywhere)
        some = [
            rng.choice(modules[j], FROM_A_MODULE, replace=False)
            for j in rng.integers(len(modules), size=max(1, n_documents // FROM_A_MODULE))
        ]
        found[i, 1] = covered(theta[np.concatenate(some)], of_modules)
    mean: Floats = found.mean(axis=0)
    return mean


def with_weights(theta: Floats, weights: Floats, n_documents: int) -> tuple[float, float]:
    """Share of the intervals that contain the true shares: the mean of topics, and the least."""
    rng = np.random.default_rng(n_documents)
    probability = 1 / weights / (1 / weights).sum()
    everywhere = theta.mean(axis=0)
    found = np.empty((REPETITIONS, theta.shape[1]))
    for i in range(REPETITIONS):
        rows = rng.choice(len(theta), n_documents, p=probability)
        table = shares_by_group(theta[rows], np.zeros(n_documents), weights=weights[rows])
        low, high = np.asarray(table["low"]), np.asarray(table["high"])
        found[i] = (low <= everywhere) & (everywhere <= high)
    by_topic = found.mean(axis=0)
    return float(by_topic.mean()), float(by_topic.min())


def differing(theta: Floats, library: NDArray[np.str_], n_small: int) -> Floats:
    """Shares of topics for which two groups seem to differ that do not, by method."""
    rng = np.random.default_rng(n_small)
    n_components = theta.shape[1]
    found = np.empty((REPETITIONS, 4))
    for i in range(REPETITIONS):
        rows = rng.choice(len(theta), DOCUMENTS, replace=False)
        small = np.arange(DOCUMENTS) < n_small
        controls = (library[rows][:, None] == np.unique(library[rows])).astype(np.float64)
        y, group = (
            values - controls @ np.linalg.lstsq(controls, values, rcond=None)[0]
            for values in (theta[rows], small.astype(np.float64)[:, None])
        )
        group = group.ravel()
        effect = group @ y / (group @ group)
        n_free = DOCUMENTS - controls.shape[1] - 1
        residuals = y - np.outer(group, effect)
        error = np.sqrt(group**2 @ residuals**2 * DOCUMENTS / n_free) / (group @ group)
        permuted = np.array([rng.permutation(group) for _ in range(PERMUTATIONS)]) @ y
        above = (np.abs(permuted) >= np.abs(group @ y)).sum(axis=0)
        excluded = []
        for confidence in (0.95, 1 - 0.05 / n_components):
            shares = shares_by_group(theta[rows], small, confidence=confidence)
            differences = share_differences(shares, False, True)
            excluded.append(np.asarray((differences["low"] > 0) | (differences["high"] < 0)))
        found[i] = (
            (np.abs(effect) > 1.96 * error).mean(),
            ((1 + above) / (1 + PERMUTATIONS) <= 0.05).mean(),
            excluded[0].mean(),
            excluded[1].any(),
        )
    mean: Floats = found.mean(axis=0)
    return mean


def main() -> None:
    """Print the table."""
    parser(__doc__, data="none", seeds=None, jobs=None).parse_args()
    print(machine(1))
    rng = np.random.default_rng(0)
    topics = np.maximum(rng.dirichlet(np.full(N_FEATURES, 0.05), SHARES.shape[1]), 1e-9)
    topics /= topics.sum(axis=1, keepdims=True)
    lengths = (10, 30, 100)
    models = [knowing(topics, documents(topics, length, 50, rng)[1]) for length in lengths]
    print("documents  known  " + "  ".join(f"{length} tokens" for length in lengths))
    for n_documents in (1, 2, 5, 10, 20, 50, 100, 500):
        found = np.empty((REPETITIONS, 1 + len(lengths)))
        for seed in range(REPETITIONS):
            for i, (length, lda) in enumerate(zip(lengths, models, strict=True), 1):
                rng = np.random.default_rng(seed)
                theta, X = documents(topics, length, n_documents, rng)
                found[seed, i] = covered(lda.transform(X, inference="collapsed"), SHARES)
            found[seed, 0] = covered(theta, SHARES)
        known, *inferred = found.mean(axis=0)
        print(f"{n_documents:9}  {known:5.3f}  " + "  ".join(f"{x:9.3f}" for x in inferred))

    corpus = load_docstrings()
    module = np.array([".".join(name.split(".")[:2]) for name in corpus.names])
    rows = [np.flatnonzero(module == name) for name in np.unique(module)]
    modules = [each for each in rows if len(each) >= FROM_A_MODULE]
    for n_components in (20, 100):
        lda = TemperedLDA(n_components, random_state=0).fit(corpus.counts)
        theta = lda.transform(corpus.counts).astype(np.float64)
        print(f"\n{n_components} topics of docstrings\ndocuments  independent  of modules")
        for n_documents in (1, 2, 5, 10, 20, 50, 100, 500):
            independent, together = in_random_groups(theta, modules, n_documents)
            print(f"{n_documents:9}  {independent:11.3f}  {together:10.3f}")
        library = np.array([name.split(".")[0] for name in corpus.names])
        by_library = 0.5 * 2.0 ** (np.unique(library, return_inverse=True)[1] % 5)
        by_chance = np.random.default_rng(0).lognormal(sigma=0.7, size=len(library)).clip(0.2, 8)
        print("documents  weights by chance  least  by library  least")
        for n_documents in (20, 50, 100, 500, 2000):
            chance = with_weights(theta, by_chance, n_documents)
            other = with_weights(theta, by_library, n_documents)
            print(
                f"{n_documents:9}  {chance[0]:17.3f}  {chance[1]:5.3f}  {other[0]:10.3f}  "
                f"{other[1]:5.3f}"
            )
        print("smaller group  regression  permutation  differences    any")
        for n_small in (20, 50, 100, 300, 500):
            regression, permutation, differences, any_ = differing(theta, library, n_small)
            print(
                f"{n_small:13}  {regression:10.3f}  {permutation:11.3f}  {differences:11.3f}  "
                f"{any_:5.3f}"
            )


if __name__ == "__main__":
    main()
