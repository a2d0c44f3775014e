"""Work with the topics of a `TopicModel`: labels, fewer topics, time, groups, search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from .._utils._missing import as_list, check_order
from .._utils._tables import as_output_of
from .._utils._typing import Column
from ..lda._estimator import TemperedLDA
from ..lda._labels import Labels, refuse_without_function
from ..lda._reduction import Topic, groups_left, merged_groups, nearest_groups
from ..lda._seeding import Seeds, is_seeded
from ..topics._hierarchy import TopicHierarchy
from ..topics._periods import Period
from ..topics._search import SMOOTHING, TOPIC_WEIGHT, DocumentSearch
from ._summaries import TopicStatistics


class WorkMixin:
    """Gives a `TopicModel` what `TemperedLDA` has for counts, and search."""

    lda: TemperedLDA | None
    seed_topics: Seeds | None
    lda_: TemperedLDA
    vectorizer_: CountVectorizer
    unknown_share_: float
    _statistics: TopicStatistics
    _unknown: dict[str, int] | None
    _unknown_in_fit: float | None
    _matrices: Callable[[Any], Iterator[Any]]

    @property
    def labels_(self) -> NDArray[Any]:
        """Labels of the topics, of shape (n_components,); see `set_labels`."""
        check_is_fitted(self)
        return self.lda_.labels_

    def set_labels(
        self,
        labels: Labels | None,
        *,
        texts: Any = None,
        n_words: int | None = None,
        n_documents: int | None = None,
    ) -> Self:
        """Label topics, or let a function label them.

        Parameters
        ----------
        labels : sequence of str, mapping, callable, fitted model or None
            As for `TemperedLDA.set_labels`: labels; a mapping of topics to labels; a function
            ``label(words, documents)``; another model, such as that of the last quarter, whose
            labels go to the topics here that are the same; or None to remove all labels.
        texts : sequence of str, optional
            Where a function gets its documents from.
        n_words : int, default=None
            Words that a function gets. None: 10.
        n_documents : int, default=None
            Documents that a function gets, only with `texts`. None: 5.

        Returns
        -------
        TopicModel
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            As from `TemperedLDA.set_labels`.

        Examples
        --------
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> model = TopicModel(8, random_state=0).fit(load_docstrings().text[:300])
        >>> model.set_labels({3: "files"}).topics_.label[3]
        'files'
        """
        check_is_fitted(self)
        settings: dict[str, Any] = {"n_words": n_words, "n_documents": n_documents}
        if not callable(labels):
            refuse_without_function({"texts": texts})
        if texts is not None:
            texts = as_list(texts)
            settings |= {"X": self._all_counts(texts), "documents": texts}
        self.lda_.set_labels(labels, **settings)
        return self

    def top_documents(self, texts: Any, n: int = 10) -> NDArray[np.intp]:
        """Documents with the largest proportion of each topic.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents. Those without a word of the vocabulary come last.
        n : int, default=10
            Documents of each topic.

        Returns
        -------
        ndarray of shape (n_components, min(n, n_samples))
            Positions of documents, the one with the largest proportion first. If `texts` are a
            pandas Series, the text is ``texts.iloc[position]``.

        Examples
        --------
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> texts = load_docstrings().text[:300]
        >>> model = TopicModel(8, random_state=0).fit(texts)
        >>> examples = [[texts[row] for row in rows] for rows in model.top_documents(texts, n=3)]
        >>> len(examples)
        8
        """
        check_is_fitted(self)
        return self.lda_.top_documents(self._all_counts(texts), n)

    def merge_topics(self, groups: Sequence[Topic] | Sequence[Sequence[Topic]]) -> Self:
        """A model in which topics are merged; see `TemperedLDA.merge_topics`.

        Parameters
        ----------
        groups : sequence of topics, or of sequences of topics
            Topics to merge into one, by number or label; or several such groups.

        Returns
        -------
        TopicModel
            A new model with fewer topics. This one does not change. In its `topics_`, the documents
            of merged topics are added up, and the coherence of new words is NaN. Its `seed_topics`
            are those that its topics were learned with, joined where topics are merged.

        Raises
        ------
        ValueError
            If there is no such topic, or if one is in two groups.
        """
        check_is_fitted(self)
        return self._reduced(merged_groups(self.lda_, groups))

    def drop_topics(self, topics: Topic | Sequence[Topic] | NDArray[Any]) -> Self:
        """A model without some topics; see `TemperedLDA.drop_topics`.

        Parameters
        ----------
        topics : int, str or sequence of these
            The topics, by number or label.

        Returns
        -------
        TopicModel
            A new model with fewer topics. This one does not change. Its `topics_` counts the
            documents as before, without those of the dropped topics.

        Raises
        ------
        ValueError
            If there is no such topic, or if none is left.
        """
        check_is_fitted(self)
        return self._reduced(groups_left(self.lda_, topics))

    def reduce_to(self, n_components: int, *, hierarchy: TopicHierarchy | None = None) -> Self:
        """A model with fewer topics: the nearest ones are merged; see `TemperedLDA.reduce_to`.

        Parameters
        ----------
        n_components : int
            Number of topics of the new model.
        hierarchy : TopicHierarchy, optional
            The tree to follow. None is ``topictemper.topics.topic_hierarchy(model.lda_)``.

        Returns
        -------
        TopicModel
            A new model, as from `merge_topics`.

        Raises
        ------
        ValueError
            If the model has fewer topics than that, or if the hierarchy has other topics.
        """
        check_is_fitted(self)
        return self._reduced(nearest_groups(self.lda_, n_components, hierarchy))

    def topics_over_time(
        self,
        texts: Any,
        dates: Column,
        *,
        period: Period = "auto",
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Any:
        """Shares of the topics over time, with intervals.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        dates : array-like of shape (n_samples,)
            Their dates.
        period : {"auto", "day", "week", "month", "quarter", "year"}, default="auto"
            How dates are grouped.
        sample_weight : array-like of shape (n_samples,), optional
            How much each document counts, >= 0, such as the weights of a survey. None: all count
            alike. Only their ratios matter. Unequal weights make intervals wider.
        confidence : float, default=0.95
            How often intervals are to contain the share, in (0, 1).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or Table
            As from `TemperedLDA.topics_over_time`.
        """
        check_is_fitted(self)
        check_order("texts", texts, dates=dates, sample_weight=sample_weight)
        shares = self.lda_.topics_over_time(
            self._all_counts(texts),
            dates,
            period=period,
            sample_weight=sample_weight,
            confidence=confidence,
        )
        return as_output_of(shares, self)

    def topics_by_group(
        self,
        texts: Any,
        groups: Column,
        *,
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Any:
        """Shares of the topics in groups of documents, with intervals.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        groups : array-like of shape (n_samples,)
            Their groups.
        sample_weight, confidence
            As for `topics_over_time`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or Table
            As from `TemperedLDA.topics_by_group`.
        """
        check_is_fitted(self)
        check_order("texts", texts, groups=groups, sample_weight=sample_weight)
        shares = self.lda_.topics_by_group(
            self._all_counts(texts),
            groups,
            sample_weight=sample_weight,
            confidence=confidence,
        )
        return as_output_of(shares, self)

    def search_in(
        self, texts: Any, *, topic_weight: float = TOPIC_WEIGHT, smoothing: float = SMOOTHING
    ) -> DocumentSearch:
        """Search documents by their content.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        topic_weight, smoothing : float
            As for `topictemper.topics.DocumentSearch`.

        Returns
        -------
        DocumentSearch
            With ``find("text of a query")`` and ``similar(rows)``. The column ``document`` of their
            tables is the position of a text, as for `top_documents`.

        Examples
        --------
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> texts = load_docstrings().text[:300]
        >>> model = TopicModel(8, random_state=0).fit(texts)
        >>> found = model.search_in(texts).find("Sum of array elements over an axis", n=3)
        >>> found["rank"].tolist()
        [1, 2, 3]
        """
        check_is_fitted(self)
        return DocumentSearch(
            self.lda_,
            self._all_counts(texts),
            vectorizer=self.vectorizer_,
            topic_weight=topic_weight,
            smoothing=smoothing,
        )

    def _all_counts(self, texts: Any) -> Any:
        return sp.vstack(list(self._matrices(texts)), format="csr")

    def _reduced(self, groups: list[list[int]]) -> Self:
        other = clone(self)
        other.n_components = len(groups)  # a subclass may not have the parameter
        other.lda_ = self.lda_._reduced(groups)
        if self.seed_topics is not None:  # those of merged topics are joined, as in `lda_`
            seeds = other.lda_.topic_word_prior
            other.seed_topics = seeds if is_seeded(seeds) else None
        if self.lda is not None:  # of which arrays may have a row for each topic
            other.lda = clone(other.lda_)
            if self.seed_topics is not None:
                other.lda.set_params(topic_word_prior=None)
        other.vectorizer_, other.unknown_share_ = self.vectorizer_, self.unknown_share_
        other._unknown, other._unknown_in_fit = self._unknown, self._unknown_in_fit
        other._statistics = self._statistics.reduced(other.lda_, groups)
        return other
