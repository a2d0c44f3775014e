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
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper._utils._typing import Floats
from topictemper.datasets import load_docstrings
from topictemper.topics import shares_by_group

from .._common.corpora import machine, parser

N_FEATURES = 300
SHARES = np.array([[0.5, 0.2, 0.15, 0.1, 0.05], [0.05, 0.2, 0.15, 0.1, 0.5]])
ALPHA = 0.6 * SHARES
REPETITIONS = 200
FROM_A_MODULE = 10


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


if __name__ == "__main__":
    main()
