"""The random start of the topics, to which documents of the first minibatch are added."""

from __future__ import annotations

import numpy as np

from .._utils._hashing import splitmix64
from ._minibatch import Minibatch
from ._topics import Topics

# Share of a topic that comes from documents, and about how many documents a topic gets.
_SHARE, _DOCUMENTS = 0.05, 4


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
    of_copies = hashes[:, None] * (2 * copies + 1)
    places = (of_copies % np.uint64(n_topics) + offsets) % np.uint64(n_topics)
    topic_of = places.astype(np.int64)
    weight = np.ones(n_documents) if batch.weight is None else batch.weight
    tokens = np.repeat(batch.tokens() * weight, len(copies))
    totals = np.bincount(topic_of.ravel(), tokens, minlength=n_topics)
    scale = _SHARE * topics.n_features / np.where(totals > 0, totals, 1.0)
    document = np.repeat(np.arange(n_documents), np.diff(batch.doc_ptr))
    topic = topic_of[document]
    counts = (batch.counts * weight[document])[:, None] * scale[topic]
    words = np.repeat(batch.words[batch.word_of], len(copies))
    topics.add(words, topic.ravel(), counts.ravel())
