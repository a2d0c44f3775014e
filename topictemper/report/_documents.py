"""Which documents go into the file, and how much of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats
from ._survey import Proportions

#: Documents from which coherence and fit are computed, if there are more.
SAMPLE = 50_000
#: Worst-fitting documents on the page, and the fewest words with which a document is judged.
N_WORST, LEAST_WORDS = 50, 20
# Bytes of text in the file, its most documents, and the most characters of one document where all
# of them fit into the file, and where they do not.
_TEXT_BUDGET, _MOST_DOCUMENTS = 5_000_000, 10_000
_LONGEST, _LONGEST_SAMPLED = 20_000, 2_000
# Proportions below this are left out.
_LEAST_SHARE = 0.02


class Chosen(NamedTuple):
    """Documents in the file."""

    rows: NDArray[np.intp]  # in ascending order
    texts: list[str] | None
    n_cut: int  # documents whose text is cut
    complete: bool  # whether all documents are in the file


def sample_rows(n_documents: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return all rows, or a random sample of them, in ascending order.

    Rows without words are among them, as they are in `topictemper.metrics.coherence`.
    """
    if n_documents <= SAMPLE:
        return np.arange(n_documents)
    return np.sort(rng.choice(n_documents, SAMPLE, replace=False))


def perplexities(
    topics: NDArray[Any], proportions: Proportions, X: Any, rows: NDArray[np.intp]
) -> Floats:
    """Return ``exp(-sum_v n_v log p(v | d) / N_d)`` of documents, p by their own proportions.

    Rows are those of documents with words.
    """
    by_word = np.ascontiguousarray(topics.T)
    out = np.empty(len(rows))
    for start in range(0, len(rows), 1024):
        some = rows[start : start + 1024]
        theta = proportions.take(some).astype(by_word.dtype)
        counts = X[some]
        for i in range(len(some)):
            of_document = slice(counts.indptr[i], counts.indptr[i + 1])
            n = counts.data[of_document]
            # Not by a product of a matrix: BLAS would start threads for each document.
            p = np.vecdot(by_word[counts.indices[of_document]], theta[i])
            log_p = np.log(np.maximum(p, 1e-30), dtype=np.float64)
            out[start + i] = np.exp(-(n @ log_p) / n.sum())
    return out


def worst(perplexity: Floats, lengths: Floats, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows with the highest perplexity, the highest first."""
    long = np.flatnonzero(lengths[rows] >= LEAST_WORDS)
    return rows[long[np.argsort(-perplexity[long], kind="stable")[:N_WORST]]]


def choose(
    needed: NDArray[np.intp],
    documents: Sequence[str] | None,
    n_documents: int,
    rng: np.random.Generator,
) -> Chosen:
    """Take the documents that the page needs, then others at random while there is room.

    Parameters
    ----------
    needed : ndarray
        Rows of examples and of documents that fit worst.
    documents : sequence of str, optional
        All texts.
    n_documents : int
        How many documents there are.
    rng : Generator
        Draws the others.
    """
    needed = np.unique(needed)
    # In random order: those that there is no room for are left out from the end.
    others = rng.choice(n_documents, min(n_documents, _MOST_DOCUMENTS), replace=False)
    others = others[~np.isin(others, needed)][: max(_MOST_DOCUMENTS - len(needed), 0)]
    order = np.concatenate([needed, others])
    if documents is None:
        return Chosen(np.sort(order), None, 0, len(order) == n_documents)
    for longest in (_LONGEST, _LONGEST_SAMPLED):
        sizes = np.array([len(documents[row][:longest].encode(errors="replace")) for row in order])
        n = int(np.searchsorted(np.cumsum(sizes), _TEXT_BUDGET, side="right"))
        if n == n_documents:
            break
    # What the page needs is there, if only with its beginning.
    shorter = longest
    if n < len(needed):
        n, shorter = len(needed), max(100, _TEXT_BUDGET // (4 * len(needed)))
    rows = np.sort(order[:n])
    texts = [documents[row][:shorter] for row in rows]
    n_cut = sum(len(documents[row]) > shorter for row in rows)
    return Chosen(rows, texts, n_cut, len(rows) == n_documents)


def main_topics(proportions: Proportions, rows: NDArray[np.intp]) -> list[list[int]]:
    """Return for each row its topics and their proportions in thousandths, in descending order.

    ``[topic, thousandths, topic, thousandths, ...]``; topics below 2% are left out.
    """
    lists: list[list[int]] = []
    for start in range(0, len(rows), 1024):
        for theta in proportions.take(rows[start : start + 1024]):
            topics = np.flatnonzero(theta >= _LEAST_SHARE)
            topics = topics[np.argsort(-theta[topics], kind="stable")]
            pairs = np.c_[topics, np.rint(1000 * theta[topics]).astype(np.intp)]
            lists.append(pairs.ravel().tolist())
    return lists
