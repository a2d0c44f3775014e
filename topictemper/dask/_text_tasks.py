"""What workers do with texts: count words, and describe topics."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._cooccurrence import counts_together
from .._utils._state import Tree
from .._utils._typing import Floats
from ..text._counting import count_by_vocabulary, first_counts
from ..text._model import TopicModel, text_model_of
from ..text._summaries import TopicStatistics, proportions_of
from ..text._texts import Texts
from ..text._vocabulary import GrowingVocabulary
from ._blocks import naming_block
from ._tasks import Block, Job, model

_naming_block = partial(naming_block, name="texts")


class Described(NamedTuple):
    """What some documents say of topics."""

    #: Documents of which each topic is the largest.
    documents: NDArray[np.int64]
    #: Documents, and those with both of two top words of each topic.
    n_rows: int
    together: Floats


@_naming_block
def tokens_of(block: Any) -> bool | None:
    """Return whether documents are lists of tokens; None if there are none."""
    documents = list(block)
    return Texts(documents).tokens if documents else None


@_naming_block
def words_of(block: Any, vectorizer: CountVectorizer, tokens: bool) -> GrowingVocabulary:
    """Find the words of documents, for a vectorizer that is not fitted yet."""
    documents = list(block)
    texts = Texts(documents, tokens) if documents else ()
    # What is forgotten would depend on the blocks.
    parts, growing = first_counts(texts, vectorizer, bounded=False)
    for part in parts:
        growing.add(part)
    # A given vocabulary is known: only how often its words occur is not.
    return growing if vectorizer.vocabulary is None else growing.as_one_word()


def length_of(words: GrowingVocabulary) -> int:
    """Return the number of documents."""
    return words.n_documents


def merged_words(parts: list[GrowingVocabulary]) -> GrowingVocabulary:
    """Return the words of all documents."""
    total = GrowingVocabulary(bounded=False)
    for words in parts:
        total.merge(words)
    return total


@_naming_block
def counts_of(block: Any, vectorizer: CountVectorizer, tokens: bool) -> Any:
    """Return the counts of documents, for a fitted vectorizer."""
    parts = count_by_vocabulary(Texts(list(block), tokens), vectorizer)
    return sp.vstack([part.matrix(vectorizer) for part in parts], format="csr")


def text_model(
    job: Job, tree: Tree, blocks: list[Block], vectorizer: CountVectorizer
) -> TopicModel:
    """Return the model of texts with the state of a tree and blocks of topics."""
    lda = model(job, tree, blocks)
    lda.feature_names_in_ = vectorizer.get_feature_names_out()
    return text_model_of(lda, vectorizer)


def described(counts: Any, topics: TopicModel) -> Described:
    """Return what the documents of a block say of the topics."""
    statistics = TopicStatistics.blank(topics.lda_)
    statistics.add(counts, proportions_of(topics.lda_, counts))
    return Described(statistics.documents, *counts_together([counts], statistics.top))


def added(parts: list[Described]) -> Described:
    """Put together what several blocks say."""
    documents, n_rows, together = zip(*parts, strict=True)
    return Described(sum(documents), sum(n_rows), sum(together))


def statistics_of(topics: TopicModel, total: Described) -> TopicStatistics:
    """Return the statistics of the topics, from what all documents say."""
    statistics = TopicStatistics.blank(topics.lda_)
    statistics.documents = total.documents
    statistics.measure(total.together / total.n_rows)
    return statistics
