"""Tables of a fitted `TopicModel`: its topics, documents, words and unknown words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._tables import output_of, table
from ..lda._estimator import TemperedLDA
from ..lda._word_topics import word_topic_columns
from ._parts import Part
from ._summaries import TopicStatistics, document_columns, proportions_of, topic_columns


class TablesMixin:
    """Gives a `TopicModel` its tables."""

    lda_: TemperedLDA
    vectorizer_: CountVectorizer
    _statistics: TopicStatistics
    _unknown: dict[str, int] | None
    _parts: Callable[[Any], Iterator[Part]]
    _matrices: Callable[[Any], Iterator[Any]]

    def documents(self, texts: Any, *, n_topics: int = 3) -> Any:
        """Table of documents with their topics.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        n_topics : int, default=3
            Topics to list for each document.

        Returns
        -------
        pandas.DataFrame
            A row for each document: ``document``, its number, or its index in a pandas Series;
            ``topic``, the largest one, with its ``label`` and ``share``; ``topics`` and ``shares``,
            the `n_topics` largest; ``words``, the number of known words; ``unknown``, that of the
            others; ``perplexity`` of the document, high if it does not fit the topics (NaN with
            fewer than two words). A document without a known word has the topic -1. The data frame
            has the index of the pandas Series. Without pandas the table is a small structure with
            the same columns.
        """
        check_is_fitted(self)
        n_topics = check.integer("n_topics", n_topics, 1)
        columns = document_columns(
            self.lda_,
            ((part.matrix(self.vectorizer_), part.n_unknown()) for part in self._parts(texts)),
            n_topics,
        )
        columns["document"] = _named(columns["document"], texts)
        rows = table(columns, output_of(self))
        index: Any = getattr(texts, "index", None)
        # ``frame["topic"] = model.documents(frame["text"])["topic"]`` is aligned by it. Its name
        # may be that of a column, which pandas calls ambiguous.
        if hasattr(rows, "index") and hasattr(index, "set_names"):
            rows.index = index.set_names([None] * index.nlevels)
        return rows

    def word_topics(self, texts: Any) -> Any:
        """Table of the words of documents, with the most probable topic of each.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.

        Returns
        -------
        pandas.DataFrame
            A row for each known word of each document: ``document``, its number, or its index in a
            pandas Series; ``word``; ``count``; ``topic``, the most probable one, with its
            ``label``; and its ``probability``; see `TemperedLDA.word_topics`. Without pandas the
            table is a small structure with the same columns.

        Raises
        ------
        TypeError, ValueError
            If there are no texts, or what is given are none.

        Examples
        --------
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> model = TopicModel(8, random_state=0).fit(load_docstrings().text[:300])
        >>> model.word_topics(["An array of arrays", "a file"]).word.tolist()
        ['array', 'arrays', 'file']
        """
        check_is_fitted(self)
        columns = word_topic_columns(
            self.lda_._trainer.predictive_topics,
            self._matrices(texts),
            partial(proportions_of, self.lda_),
            self.feature_names_,
            self.lda_.labels_,
        )
        columns["document"] = _named(columns["document"], texts)
        return table(columns, output_of(self))

    @property
    def topics_(self) -> Any:
        """Table of the topics: a pandas.DataFrame with a row for each topic.

        Its columns are ``topic``, the number; ``label``, from `set_labels`, or else the three most
        probable words, and more if another topic has the same three; ``share``, the share of all
        words; ``documents``, in how many documents it is the largest topic; ``coherence`` (NPMI in
        the texts of `fit`, in [-1, 1]; NaN if `update` or a merge has changed the words);
        ``words``, the ten most probable words; ``distinctive``, the ten words that are most typical
        of it. Documents and coherence are NaN if an interrupt has ended `fit` before they were
        known. Without pandas it is a small structure with the same columns.
        """
        try:
            lda = self.lda_
        except AttributeError:
            raise AttributeError(
                "TopicModel has no topics_ before fit", name="topics_", obj=self
            ) from None
        return table(topic_columns(lda, self.feature_names_, self._statistics), output_of(self))

    @property
    def unknown_words_(self) -> Any:
        """Table of the 20 most frequent unknown words of the last `update`: ``word``, ``count``."""
        if self._unknown is None:
            raise AttributeError(
                "TopicModel has no unknown_words_ before update", name="unknown_words_", obj=self
            )
        # With their types, also where there are none: pandas sees that objects are strings.
        words = np.array(list(self._unknown), dtype=object if self._unknown else str)
        counts = np.array(list(self._unknown.values()), dtype=np.int64)
        return table({"word": words, "count": counts}, output_of(self))

    @property
    def feature_names_(self) -> NDArray[Any]:
        """The words that are counted, in the order of the columns."""
        check_is_fitted(self)
        return self.lda_.feature_names_in_


def _named(documents: NDArray[Any], texts: Any) -> Any:
    """Numbers of documents, or what the index of a pandas Series has for them."""
    index: Any = getattr(texts, "index", None)
    return index[documents].tolist() if hasattr(index, "tolist") else documents
