"""Which topic each word of a document belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._chunks import parts
from .._utils._typing import Floats
from ._topics import Topics

# Of words and topics, that are weighed at once.
_WEIGHTS_AT_ONCE = 2**20


def word_topic_columns(
    topics: Topics,
    matrices: Iterable[Any],
    proportions_of: Callable[[Any], NDArray[Any]],
    names: NDArray[Any],
    labels: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """Columns of the table of words of documents, of checked counts in CSR."""
    found: list[tuple[NDArray[Any], ...]] = []
    n_documents = 0
    for matrix in matrices:
        for part in parts(matrix):
            there = np.flatnonzero(part.data)  # counts of 0 may be stored
            rows = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))[there]
            words = part.indices[there]
            best = _most_probable(topics, proportions_of(part), rows, words)
            found.append((n_documents + rows, words, part.data[there], *best))
            n_documents += part.shape[0]
    document, word, count, topic, probability = map(np.concatenate, zip(*found, strict=True))
    return {
        "document": document,
        "word": names[word],
        "count": count,
        "topic": topic,
        "label": labels[topic],
        "probability": probability,
    }


def _most_probable(
    topics: Topics, theta: NDArray[Any], rows: NDArray[np.intp], words: NDArray[Any]
) -> tuple[NDArray[np.intp], Floats]:
    """The topic with the largest phi of each word, and this phi."""
    totals = topics.totals
    best = np.empty(len(rows), np.intp)
    phi = np.empty(len(rows))
    at_once = max(1, _WEIGHTS_AT_ONCE // topics.n_components)
    for start in range(0, len(rows), at_once):
        these = slice(start, start + at_once)
        weights = topics.rows(words[these], np.float64)
        weights /= totals
        weights *= theta[rows[these]]
        best[these] = weights.argmax(axis=1)
        phi[these] = weights.max(axis=1) / weights.sum(axis=1)
    return best, phi
