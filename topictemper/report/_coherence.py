"""Coherence of topics, and of random words in place of theirs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._chunks import parts
from .._utils._cooccurrence import mean_npmi, npmi_matrix, shares_together
from .._utils._ranking import top_columns
from .._utils._typing import Floats

#: Words of a topic whose co-occurrence is its coherence, as in `metrics.coherence`.
N_TOP_WORDS = 10
# Words to draw from are about as many whatever the number of topics, so that their pairs are
# counted in less than a second. Each has a rank by documents near that of a top word. A top word
# is replaced by one of its neighbors among them.
_N_POOL, _NEAR, _N_NEIGHBORS = 300, 25, 21
_N_DRAWS, _HIGH = 200, 0.95


class Coherence(NamedTuple):
    """NPMI of topics, and of random words that are in as many documents as theirs.

    What is a low NPMI depends on the texts: in short ones two words seldom meet, and in texts of
    different lengths the long ones have most words. Of random words it is NaN if there are no more
    words than a topic shows.
    """

    of_topics: Floats  # (n_components,)
    by_chance: Floats  # (n_components,), mean of random words
    high_by_chance: Floats  # (n_components,), which one set of random words in 20 exceeds


def coherence_of(topics: NDArray[Any], X: Any) -> Coherence:
    """Return the NPMI of each topic, as `topictemper.metrics.coherence` does, and by chance.

    Parameters
    ----------
    topics : ndarray of shape (n_components, n_features)
        Weights of words.
    X : CSR matrix of shape (n_samples, n_features)
        Counts.
    """
    top = top_columns(topics, N_TOP_WORDS)
    unknown = np.full(len(topics), np.nan)
    if top.shape[1] < 2:
        return Coherence(unknown, unknown, unknown)
    of_topics = np.array([mean_npmi(shares) for shares in shares_together([X], top)])
    if topics.shape[1] <= N_TOP_WORDS:
        return Coherence(of_topics, unknown, unknown)
    return Coherence(of_topics, *_by_chance(top, X))


def _by_chance(top: NDArray[np.intp], X: Any) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    by_documents = np.argsort(-_documents_with(X), kind="stable")
    rank = np.empty_like(by_documents)
    rank[by_documents] = np.arange(len(rank))
    ranks = rank[top]
    some = np.sort(ranks, axis=None)[np.linspace(0, ranks.size - 1, _N_POOL).round().astype(int)]
    near = some + rng.integers(-_NEAR, _NEAR, _N_POOL, endpoint=True)
    pool = np.unique(near.clip(0, len(rank) - 1))
    npmi = npmi_matrix(next(shares_together([X], by_documents[pool][None])))
    np.fill_diagonal(npmi, np.nan)  # a word that is drawn twice is no pair

    width = min(_N_NEIGHBORS, len(pool))
    first = np.searchsorted(pool, ranks) - width // 2
    first = first.clip(0, len(pool) - width)
    one, other = np.tril_indices(top.shape[1], -1)
    mean, high = np.empty(len(top)), np.empty(len(top))
    for k, start in enumerate(first):
        drawn = start + rng.integers(width, size=(_N_DRAWS, top.shape[1]))
        values = np.nanmean(npmi[drawn[:, one], drawn[:, other]], axis=1)
        mean[k], high[k] = values.mean(), np.quantile(values, _HIGH)
    return mean, high


def _documents_with(X: Any) -> NDArray[np.intp]:
    """Count the documents with each word."""
    n = np.zeros(X.shape[1], dtype=np.intp)
    for part in parts(X):
        n += np.bincount(part.indices[part.data > 0], minlength=len(n))
    return n
