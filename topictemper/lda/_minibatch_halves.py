"""Halves of documents of a minibatch, to learn priors by: one half predicts the other."""

from __future__ import annotations

import numpy as np

from .._utils._hashing import splitmix64
from .._utils._typing import Floats
from ._minibatch import Minibatch

_MOST_BITS = 64


def some_rows(batch: Minibatch, n_documents: int, seed: int) -> Minibatch:
    """About so many documents of a minibatch, chosen by hashes of their words; not by word.

    Words that none of them has are left out: rows of the topics are not made for them.
    A document of weight 2 is as likely to be taken as two copies of it.
    """
    if batch.size <= n_documents:
        return batch
    hashes = splitmix64(batch.hashes() + np.uint64(seed))
    kept = hashes < np.uint64(2.0**64 * (n_documents / batch.size))
    lengths = np.diff(batch.doc_ptr)
    entries = np.repeat(kept, lengths)
    word_of = batch.word_of[entries]
    has_word = np.zeros(len(batch.words), dtype=bool)
    has_word[word_of] = True
    places = np.cumsum(has_word, dtype=np.int32) - 1
    return batch._replace(
        doc_ptr=np.concatenate([[0], np.cumsum(lengths[kept])]),
        words=batch.words[has_word],
        word_of=places[word_of],
        counts=batch.counts[entries],
        weight=None if batch.weight is None else batch.weight[kept],
    )


def halves(batch: Minibatch) -> tuple[Minibatch, Minibatch]:
    """Each token of a document goes to either half, by hashes of its word and of the document.

    So no order matters, nor whether a document is there once with the weight 2, or twice.
    """
    documents = np.repeat(np.arange(batch.n_documents), np.diff(batch.doc_ptr))
    data = batch.counts.astype(np.float64)
    words = splitmix64(batch.words[batch.word_of].astype(np.uint64))
    bits = splitmix64(words + batch.hashes()[documents])
    # The number of heads in so many throws, of a count beyond the bits that there are a half.
    tossed = np.minimum(np.floor(data), _MOST_BITS - 1)
    heads = np.bitwise_count(bits & ((np.uint64(1) << tossed.astype(np.uint64)) - np.uint64(1)))
    rest = data - tossed
    last = (bits >> np.uint64(_MOST_BITS - 1)).astype(np.float64)
    seen = heads + np.where(rest < 1.0, rest * last, rest / 2.0)
    return _with_counts(batch, seen), _with_counts(batch, data - seen)


def _with_counts(batch: Minibatch, counts: Floats) -> Minibatch:
    return batch._replace(counts=counts.astype(batch.counts.dtype))
