"""Search for documents, and documents that are similar to others, by words and topics."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._counts import holds_text
from .._utils._distances import distributions
from .._utils._missing import as_list, check_order
from .._utils._numerics import own_numerics
from .._utils._ranking import largest
from .._utils._tables import table
from .._utils._topics import lda_of, names_of, topics_of
from .._utils._typing import Floats
from ._checks import counts, proportions_of

# benchmarks/lda/search.py: the weight of topics, and the tokens of the corpus that a document's own
# are mixed with.
TOPIC_WEIGHT, SMOOTHING = 0.5, 100.0
# Documents times words or topics that are worked on at once, which fit into the cache.
_MOST_VALUES = 2**18


class DocumentSearch:
    r"""Search documents by their content: their words and their topics.

    Documents d are ranked by the probability of the query, :math:`p(q | d) = \prod_v p(v |
    d)^{q_v}`, with [1]_

    .. math::

        p(v | d) = (1 - w) \frac{n_{dv} + \mu p_v}{n_d + \mu} + w \sum_k \theta_{dk} \beta_{kv}

    The first part holds the words of the document, smoothed with those of the corpus; it finds the
    documents that say just what the query says. The second part finds those that say it in other
    words. The counts are kept in memory, twice, and the proportions once, in single precision if
    that is theirs.

    Parameters
    ----------
    model : fitted estimator or array-like of shape (n_components, n_features)
        An estimator with `components_` and `transform`; a `TopicModel`, whose ``search_in`` takes
        texts; or topics, with `proportions`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts of the documents to search in. Documents without a word are never found.
    proportions : array-like of shape (n_samples, n_components), optional
        Proportions of topics in the documents. None: the model finds them.
    vectorizer : fitted vectorizer, optional
        Counts the words of queries that are text, such as the `CountVectorizer` of `X`.
    topic_weight : float, default=0.5
        Weight w of the topics, in [0, 1].
    smoothing : float, default=100
        Tokens :math:`\mu` of the corpus that the words of a document are mixed with, > 0.

    Raises
    ------
    TypeError, ValueError
        If the model, the counts or a parameter are invalid, or if the index of pandas says that
        `proportions` are in another order.

    References
    ----------
    .. [1] Wei, Croft (2006). LDA-based document models for ad-hoc retrieval. SIGIR.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from topictemper import TemperedLDA
    >>> from topictemper.topics import DocumentSearch
    >>> texts = ["the disk is full", "a new disk drive", "the cup final", "goal, goal, goal"] * 5
    >>> vectorizer = CountVectorizer(stop_words="english")
    >>> X = vectorizer.fit_transform(texts)
    >>> lda = TemperedLDA(2, max_iter=30, batch_size=10, random_state=0).fit(X)
    >>> search = DocumentSearch(lda, X[:4], vectorizer=vectorizer)
    >>> sorted(search.find("Which disk?", n=2)["document"])
    [0, 1]
    >>> search.similar([1], n=1)["document"].tolist()
    [0]
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        *,
        proportions: Any = None,
        vectorizer: Any = None,
        topic_weight: float = TOPIC_WEIGHT,
        smoothing: float = SMOOTHING,
    ) -> None:
        self._topic_weight = check.number("topic_weight", topic_weight, 0.0, 1.0)
        self._smoothing = check.number("smoothing", smoothing, 0.0, boundaries="neither")
        if vectorizer is not None:
            _check_fitted(vectorizer)
        self._vectorizer = vectorizer
        self._beta = distributions(topics_of(model, "model"))
        self._names = names_of(model)
        check_order("X", X, proportions=proportions)
        X = counts(X, self._beta.shape[1], names=self._names)
        self._words = sp.csc_matrix(X, dtype=np.float64)  # columns of single words
        self._documents = X.astype(np.float64)  # a copy, which nobody changes
        self._lengths = np.asarray(self._words.sum(axis=1)).ravel()
        totals = np.asarray(self._words.sum(axis=0)).ravel()
        if not totals.any():
            raise ValueError("X has no words")
        # Words that no document has keep a little of a token: a query may have them.
        totals += 0.5 * (totals == 0)
        self._corpus = totals / totals.sum()
        self._theta = self._proportions(lda_of(model), X, proportions)
        sums = self._theta.sum(axis=1, dtype=np.float64)
        self._theta_sums = np.maximum(sums, 1e-300)

    def __repr__(self) -> str:
        n_documents, n_components = self._theta.shape
        return f"<DocumentSearch of {n_documents:,} documents by words and {n_components:,} topics>"

    def find(self, queries: Any, n: int = 10) -> Any:
        """Documents that are most likely to say what a query says.

        Parameters
        ----------
        queries : str, sequence of str, or array-like or sparse matrix (n_queries, n_features)
            Text, which needs the `vectorizer`, or counts.
        n : int, default=10
            Documents for each query.

        Returns
        -------
        pandas.DataFrame or Table
            A row for each query and document, the best first. Columns: ``query``, its number;
            ``rank``, from 1; ``document``, its row in `X`; ``score``, the log-probability of the
            query in nats per token.

        Raises
        ------
        TypeError
            If queries are text and there is no vectorizer.
        ValueError
            If a query has no word of the vocabulary.
        """
        n = check.integer("n", n, 1)
        Q = self._counted(queries)
        found = self._ranked(Q, n, np.full(Q.shape[0], -1))
        return _table(range(Q.shape[0]), found)

    def similar(self, rows: Any, n: int = 10) -> Any:
        """Documents that are similar to documents of `X`.

        The documents are the queries, and are not found themselves. `find` takes other documents.

        Parameters
        ----------
        rows : int or sequence of int
            Rows of `X`.
        n : int, default=10
            Documents for each of them.

        Returns
        -------
        pandas.DataFrame or Table
            As from `find`, with the row of the query in ``query``.

        Raises
        ------
        ValueError
            If there is no such row, or if it has no words.
        """
        n = check.integer("n", n, 1)
        numbers = _row_numbers(rows)
        if numbers is None:
            raise TypeError(
                f"rows must be a number or a list of numbers, got {shorten(repr(rows), 80)}; for "
                "texts or counts of other documents use find"
            )
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < len(self._lengths)):
            raise ValueError(f"rows must be from 0 to {len(self._lengths) - 1}, got {rows!r}")
        empty = numbers[self._lengths[numbers] == 0]
        if len(empty):
            raise ValueError(f"document {empty[0]} has no words, so nothing is similar to it")
        Q = self._documents[numbers]  # a copy
        Q.eliminate_zeros()
        return _table(numbers, self._ranked(Q, n, numbers))

    def _ranked(
        self, Q: Any, n: int, left_out: NDArray[Any]
    ) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        """The best documents of each query, without one each, and their scores."""
        for i in range(Q.shape[0]):
            query = Q[i]
            scores = self._scores(query.indices, query.data)
            scores[self._lengths == 0] = -np.inf
            if left_out[i] >= 0:
                scores[left_out[i]] = -np.inf
            places = largest(scores, n)
            places = places[scores[places] > -np.inf]
            yield places, scores[places]

    @own_numerics
    def _scores(self, words: NDArray[Any], times: Floats) -> Floats:
        """Log-probability of a query under every document, in nats per token."""
        own = self._words[:, words].tocsr()
        of_corpus = self._smoothing * self._corpus[words, None]
        of_topics = self._topic_weight * np.ascontiguousarray(self._beta[:, words].T)
        scores = np.empty(len(self._lengths))
        for rows in _blocks(len(scores), len(words)):
            # A row for each word: NumPy is slow with short ones, as those of documents would be.
            p = own[rows].T.toarray(order="C")
            p += of_corpus
            p *= (1.0 - self._topic_weight) / (self._lengths[rows] + self._smoothing)
            p += self._of_theta(rows, of_topics)
            with np.errstate(divide="ignore"):
                np.log(p, out=p)
            scores[rows] = times @ p
        return scores / times.sum()

    def _of_theta(self, rows: slice, of_topics: Floats) -> Floats:
        """Probabilities of words by the topics of some documents, of shape (words, documents)."""
        theta = self._theta[rows]
        p = np.empty((len(of_topics), len(theta)))
        for some in _blocks(*theta.shape):
            np.matmul(of_topics, theta[some].astype(np.float64, copy=False).T, out=p[:, some])
        p /= self._theta_sums[rows]
        return p

    def _counted(self, queries: Any) -> Any:
        """Counts of queries, in CSR."""
        is_text = isinstance(queries, str | bytes)
        if is_text:
            queries = [queries]
        elif isinstance(queries, Iterator) or hasattr(queries, "to_pylist"):
            queries = as_list(queries)
        if is_text or (not sp.issparse(queries) and holds_text(queries)):
            if self._vectorizer is None:
                raise TypeError(
                    "queries are text, so DocumentSearch needs the vectorizer that counted X: give "
                    "vectorizer="
                )
            queries = self._vectorizer.transform(queries)
        Q = counts(queries, self._beta.shape[1], "queries", names=self._names)
        Q = Q.astype(np.float64)  # a copy
        Q.eliminate_zeros()
        empty = np.flatnonzero(np.diff(Q.indptr) == 0)
        if len(empty):
            raise ValueError(f"query {empty[0]} has no word of the vocabulary")
        return Q

    def _proportions(self, model: Any, X: Any, proportions: Any) -> NDArray[Any]:
        if proportions is None:
            # A data frame has a `transform`, too.
            if not (hasattr(type(model), "fit") and hasattr(model, "transform")):
                raise TypeError(
                    "proportions must be given for an array of topics, or for an estimator without "
                    "transform"
                )
            # TemperedLDA's own, whatever `set_output` says.
            theta = proportions_of(getattr(model, "_proportions", model.transform)(X))
        else:
            theta = proportions_of(proportions, copy=True)  # which nobody changes
        shape = X.shape[0], len(self._beta)
        if theta.shape != shape:
            raise ValueError(f"proportions must be of shape {shape}, got {theta.shape}")
        return theta


def _blocks(n_documents: int, n_values: int) -> Iterator[slice]:
    """Slices of documents, with so many values each, that are worked on at once."""
    size = max(1, _MOST_VALUES // n_values)
    for start in range(0, n_documents, size):
        yield slice(start, min(start + size, n_documents))


def _row_numbers(rows: Any) -> NDArray[Any] | None:
    """Numbers of rows as a vector, or None if they are something else."""
    try:
        numbers = np.atleast_1d(np.asarray(rows))
    except ValueError:  # lists of different lengths, such as tokens
        return None
    return numbers if numbers.dtype.kind in "iu" and numbers.ndim == 1 else None


def _table(numbers: Any, found: Iterator[tuple[NDArray[np.intp], Floats]]) -> Any:
    rows = (  # no list, which would take many times the memory of the table
        (number, rank, place, score)
        for number, (places, scores) in zip(numbers, found, strict=True)
        for rank, (place, score) in enumerate(zip(places, scores, strict=True), start=1)
    )
    kinds = {"query": np.int64, "rank": np.int64, "document": np.int64, "score": np.float64}
    columns = np.fromiter(rows, dtype=list(kinds.items()))
    return table({name: columns[name].copy() for name in kinds})


def _check_fitted(vectorizer: Any) -> None:
    """Refuse a vectorizer that is not fitted, unless it has words and needs no fit."""
    if not (hasattr(vectorizer, "fit") and hasattr(vectorizer, "transform")):
        raise TypeError(f"vectorizer must be a fitted vectorizer, got {vectorizer!r:.60}")
    try:
        check_is_fitted(vectorizer)
    except NotFittedError:
        vectorizer.transform([""])
