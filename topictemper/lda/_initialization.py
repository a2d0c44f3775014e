"""The random start of the topics, to which documents of the first minibatch are added."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._hashing import splitmix64
from .._utils._typing import Floats
from ._minibatch import Minibatch
from ._topics import Topics

# Share of a topic that comes from documents, and about how many documents a topic gets.
_SHARE, _DOCUMENTS = 0.05, 4
# So many values are added at a time: with many topics and long documents, all of them take more
# memory than the topics.
_ENTRIES_AT_ONCE = 2**18
# Bytes of each topic of a document, and of each value that is added, at the least.
_PLACE, _VALUE = 16, 64


def add_documents(topics: Topics, batch: Minibatch, seed: int) -> None:
    """Add the words of a few documents to each topic of a random start, as 5% of its mass.

    Topics of pure noise contain almost nothing of the directions in which documents differ, and
    need many steps below the critical temperature to separate. A few documents in each topic let
    them separate earlier, so annealing can start hotter.

    The topics of a document depend on the seed and the hash of the document alone: a document of
    weight 2 is the same as two copies.
    """
    n_topics, n_documents = topics.n_components, batch.n_documents
    hashes = splitmix64(batch.hashes() + np.uint64(seed))
    n_distinct = len(np.unique(hashes))
    copies = np.arange(min(-(-_DOCUMENTS * n_topics // n_distinct), n_topics), dtype=np.uint64)
    offsets = copies * np.uint64(n_topics) // np.uint64(len(copies))
    # What a word gets is added at once.
    n_values = int(np.bincount(batch.word_of).max(initial=0)) * len(copies)
    if n_values > _ENTRIES_AT_ONCE:
        _check_memory(topics, n_documents * len(copies), n_values)
    places = hashes[:, None] * (2 * copies + 1)
    places += offsets
    places %= np.uint64(n_topics)
    topic_of = places.view(np.int64)
    weight = np.ones(n_documents) if batch.weight is None else batch.weight
    tokens = np.repeat(batch.tokens() * weight, len(copies))
    totals = np.bincount(topic_of.ravel(), tokens, minlength=n_topics)
    scale = _SHARE * topics.n_features / np.where(totals > 0, totals, 1.0)
    document = np.repeat(np.arange(n_documents), np.diff(batch.doc_ptr))
    word = batch.words[batch.word_of]
    order = np.argsort(word, kind="stable")
    ends = np.flatnonzero(np.diff(word[order], append=-1)) + 1
    at_once = max(1, _ENTRIES_AT_ONCE // len(copies))

    def parts() -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], Floats]]:
        start = 0
        while start < len(order):
            # To the end of a word, whose values are summed together.
            stop = int(ends[np.searchsorted(ends[:-1], start + at_once)])
            some = order[start:stop]
            topic = topic_of[document[some]]
            counts = (batch.counts[some] * weight[document[some]])[:, None] * scale[topic]
            yield np.repeat(word[some], len(copies)), topic.ravel(), counts.ravel()
            start = stop

    topics.add(parts())


def _check_memory(topics: Topics, n_places: int, n_values: int) -> None:
    """Refuse so many topics that what is added to them, not they, takes more memory than there is.

    There are two copies of them at that time, topics and tokens for each place, and as many values
    at a time.
    """
    n_bytes = 2 * topics.M.nbytes + _PLACE * n_places + _VALUE * n_values
    check.check_size(
        lambda n_components: n_bytes * n_components // topics.n_components,
        topics.n_features,
        n_components=topics.n_components,
    )
