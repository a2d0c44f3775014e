"""What the tables of a `TopicModel` show of its topics and of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils import _chunks
from .._utils._cooccurrence import mean_npmi, shares_together
from .._utils._log import Progress
from .._utils._ranking import largest_in_rows, top_columns
from .._utils._state import Stateful
from .._utils._typing import Floats
from .._utils._warnings import warn
from ..lda._completion import scores_of_documents
from ..lda._estimator import TemperedLDA
from ..topics._checks import matrices

_N_WORDS = 10


class TopicStatistics(Stateful):
    """What is known of the topics from the documents that were learned.

    Parameters
    ----------
    top : ndarray of shape (n_components, n)
        Columns of the words whose coherence was measured.
    coherence : ndarray of shape (n_components,)
        Coherence of these words.
    """

    STATE = ("documents", "top", "coherence")

    def __init__(self, top: NDArray[np.int64], coherence: Floats) -> None:
        #: Documents of which each topic is the largest; -1 where it is not known.
        self.documents = np.zeros(len(top), dtype=np.int64)
        self.top, self.coherence = top, coherence

    @classmethod
    def blank(cls, lda: TemperedLDA) -> Self:
        """Return the statistics of no documents."""
        top = _columns_of_top_words(lda)
        return cls(top, np.zeros(len(top)))

    @classmethod
    def unknown(cls, lda: TemperedLDA) -> Self:
        """Return statistics of which nothing will be known, whatever is learned later."""
        statistics = cls.blank(lda)
        statistics.documents[:] = -1
        statistics.top[:] = -1  # the words of no topic
        return statistics

    @classmethod
    def of(cls, lda: TemperedLDA, counts: Any) -> Self:
        """Return the statistics of a corpus, but for its documents."""
        statistics = cls.blank(lda)
        statistics.measure(shares_together(matrices(counts, lda.n_features_in_), statistics.top))
        return statistics

    def measure(self, shares: Iterable[Floats]) -> None:
        """Measure each topic by the shares of documents that have both of two of its top words.

        Where the shares come from, this process or workers, makes no difference. A vocabulary of
        one word has no pairs: then nothing is measured.
        """
        if self.top.shape[1] > 1:
            self.coherence = np.array([mean_npmi(of_topic) for of_topic in shares])

    def reduced(self, lda: TemperedLDA, groups: list[list[int]]) -> TopicStatistics:
        """Return the statistics of a model whose topics are groups of these."""
        other = type(self).blank(lda)
        if self.knows_documents:
            other.documents = np.array([self.documents[group].sum() for group in groups])
        else:
            other.documents[:] = -1
        # Words that are still the same keep their coherence.
        first = [group[0] for group in groups]
        other.top, other.coherence = self.top[first], self.coherence[first]
        return other

    @property
    def knows_documents(self) -> bool:
        """Whether the numbers of documents are known."""
        return bool((self.documents >= 0).all())

    def add(self, counts: Any, proportions: NDArray[Any]) -> None:
        """Count the largest topics of documents that have words."""
        self.add_largest(_largest_topics(counts, proportions))

    def add_largest(self, topics: NDArray[np.intp]) -> None:
        """Count the largest topics of documents, which are -1 where there is none."""
        if self.knows_documents:
            more = np.bincount(topics[topics >= 0], minlength=len(self.documents))
            self.documents = self.documents + more


class LearnedDocuments:
    """Counts the documents of an update as they are learned, which is later than they are read.

    Parameters
    ----------
    lda : TemperedLDA
        The model that learns them, in their order.
    before : TopicStatistics
        Those of the documents before.
    weights : ndarray of shape (n_samples,) or None
        How often each document counts for `lda`.
    """

    def __init__(self, lda: TemperedLDA, before: TopicStatistics, weights: Floats | None) -> None:
        self._lda, self._statistics = lda, copy(before)
        self._seen = lda._trainer.clock.documents_seen
        self._middles: Floats | None = None
        if weights is not None:
            of_weight = np.flatnonzero(weights)
            # Sums of weights are rounded, so documents are learned when half their weight is.
            self._middles = np.cumsum(weights[of_weight]) - weights[of_weight] / 2
            self._before_next = np.append(of_weight, len(weights))
        self._n_counted, self._waiting = 0, np.empty(0, dtype=np.intp)

    def read(self, counts: Any, proportions: NDArray[Any]) -> None:
        """Take documents that are learned next."""
        self.statistics()
        self._waiting = np.append(self._waiting, _largest_topics(counts, proportions))

    def statistics(self) -> TopicStatistics:
        """Return the statistics with the documents that have been learned by now."""
        seen = self._lda._trainer.clock.documents_seen - self._seen
        if self._middles is None or seen == 0:
            n_learned = round(seen)
        else:
            n_learned = int(self._before_next[np.searchsorted(self._middles, seen)])
        new, statistics = max(0, n_learned - self._n_counted), copy(self._statistics)
        statistics.add_largest(self._waiting[:new])
        # At once, so that it can be done again after an interrupt.
        vars(self).update(
            _statistics=statistics,
            _waiting=self._waiting[new:],
            _n_counted=self._n_counted + new,
        )
        return statistics


def _largest_topics(counts: Any, proportions: NDArray[Any]) -> NDArray[np.intp]:
    """Return the largest topic of each document, -1 of one without words."""
    topics: NDArray[np.intp] = proportions.argmax(axis=1)
    topics[np.diff(counts.indptr) == 0] = -1
    return topics


def proportions_of(lda: TemperedLDA, counts: Any) -> NDArray[Any]:
    """Proportions as an array, whatever `set_output` of the model; of no words, too."""
    return lda._proportions(lda._fitted_counts(counts))


def learned_statistics(lda: TemperedLDA, counts: Any, *, keeps: bool) -> TopicStatistics:
    """Return the statistics of the documents of a fit.

    If it `keeps` its topics, an interrupt leaves statistics that are not known, with a warning.
    """
    try:
        statistics = TopicStatistics.of(lda, counts)
        progress = Progress("inferring topics", bool(lda.verbose), counts.shape[0])
        for part in _chunks.parts(counts):
            statistics.add(part, proportions_of(lda, part))
            progress.add(part.shape[0])
    except KeyboardInterrupt:
        if not keeps:
            raise
        statistics = TopicStatistics.unknown(lda)
        warn(
            "fit was interrupted after its passes, while topics of the documents were inferred. "
            "The topics are kept; their columns documents and coherence are not known (NaN)"
        )
    return statistics


def topic_columns(
    lda: TemperedLDA,
    names: Sequence[str] | NDArray[Any],
    statistics: TopicStatistics | None = None,
    n_words: int = _N_WORDS,
) -> dict[str, Any]:
    """Columns of the table of topics; without statistics those that follow from the topics."""
    # One after the other: all topics in double precision may take gigabytes.
    sizes = np.array([topic.astype(np.float64).sum() for topic in lda.components_])
    columns = {
        "topic": np.arange(len(sizes)),
        "label": lda.labels_,
        "share": sizes / sizes.sum(),
    }
    if statistics is not None:
        measured = (np.sort(_columns_of_top_words(lda)) == np.sort(statistics.top)).all(axis=1)
        known = statistics.knows_documents
        columns["documents"] = statistics.documents if known else np.full(len(sizes), np.nan)
        columns["coherence"] = np.where(measured, statistics.coherence, np.nan)
    columns["words"] = lda.top_words(n_words, names)
    columns["distinctive"] = lda.top_words(n_words, names, by="relevance")
    return columns


def document_columns(
    lda: TemperedLDA,
    parts: Iterable[tuple[Any, NDArray[np.int64]]],
    n_topics: int,
) -> dict[str, Any]:
    """Columns of the table of documents, of counts and numbers of unknown words in parts."""
    topics: list[list[int]] = []
    shares: list[list[float]] = []
    known, unknown, perplexities = [], [], []
    for counts, n_unknown in parts:
        theta = proportions_of(lda, counts)
        words = np.asarray(counts.sum(axis=1)).ravel()
        order = largest_in_rows(theta, n_topics)
        for row, empty in enumerate(words == 0):
            topics.append([] if empty else order[row].tolist())
            shares.append([] if empty else theta[row, order[row]].astype(float).tolist())
        known.append(words)
        unknown.append(n_unknown)
        # Of held-out words; NaN where none is held out.
        perplexities.append(np.exp(-scores_of_documents(*lda._completions([counts]))))
    labels = [*lda.labels_, ""]
    first = [row[0] if row else -1 for row in topics]
    return {
        "document": np.arange(len(topics)),
        "topic": first,
        "label": [labels[topic] for topic in first],
        "share": [row[0] if row else float("nan") for row in shares],
        "topics": topics,
        "shares": shares,
        "words": np.concatenate(known),
        "unknown": np.concatenate(unknown),
        "perplexity": np.concatenate(perplexities),
    }


def _columns_of_top_words(lda: TemperedLDA) -> NDArray[np.int64]:
    return top_columns(lda.components_, _N_WORDS).astype(np.int64)
