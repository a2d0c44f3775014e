"""How often the 95% intervals of topics by group contain the true shares.

    python -m benchmarks.lda.shares

Two groups of documents are drawn from known topics, with known mean shares. In one group the
first topic has half of the words and the last a twentieth; in the other it is the reverse. The
figures are of both groups and of all topics, over 200 draws:

- known proportions: intervals of the true proportions of the documents, as if nothing had to be
  inferred. What is lacking is the fault of the bootstrap.
- inferred proportions: those that `transform` gives, of a model that knows the topics and the mean
  of alpha. What is lacking beyond that comes from short documents, whose proportions the prior
  draws towards the mean of both groups.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper._utils._typing import Floats
from topictemper.topics import shares_by_group

from .._common.corpora import machine, parser

N_FEATURES = 300
SHARES = np.array([[0.5, 0.2, 0.15, 0.1, 0.05], [0.05, 0.2, 0.15, 0.1, 0.5]])
ALPHA = 0.6 * SHARES
REPETITIONS, DRAWS = 200, 1000


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


def covered(theta: NDArray[np.floating], seed: int) -> float:
    """Share of the intervals that contain the true shares."""
    groups = np.repeat([0, 1], len(theta) // 2)
    table = shares_by_group(theta, groups, n_bootstrap=DRAWS, random_state=seed)
    low, high = (np.asarray(table[end]).reshape(SHARES.shape) for end in ("low", "high"))
    return float(((low <= SHARES) & (high >= SHARES)).mean())


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
    for n_documents in (5, 10, 20, 50, 100, 500):
        found = np.empty((REPETITIONS, 1 + len(lengths)))
        for seed in range(REPETITIONS):
            for i, (length, lda) in enumerate(zip(lengths, models, strict=True), 1):
                rng = np.random.default_rng(seed)
                theta, X = documents(topics, length, n_documents, rng)
                found[seed, i] = covered(lda.transform(X, inference="collapsed"), seed)
            found[seed, 0] = covered(theta, seed)
        known, *inferred = found.mean(axis=0)
        print(f"{n_documents:9}  {known:5.3f}  " + "  ".join(f"{x:9.3f}" for x in inferred))


if __name__ == "__main__":
    main()
