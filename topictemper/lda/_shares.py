"""Shares of a model's topics over time and by group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._utils._chunks import row_sums
from .._utils._counts import sample_weights
from .._utils._missing import check_order
from .._utils._tables import as_output_of
from .._utils._typing import Column
from ..topics._periods import Period
from ..topics._shares import shares_by_group, shares_over_time


class SharesMixin:
    """Gives an estimator `topics_over_time` and `topics_by_group`.

    It has to have ``_fitted_counts(X)``, which checks counts, ``_proportions(X)``, theta of checked
    ones, ``_warn_if_hot()`` and ``labels_``.
    """

    def topics_over_time(
        self,
        X: Any,
        dates: Column,
        *,
        period: Period = "auto",
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Any:
        """Shares of the topics over time, with intervals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts. Documents without a word of the vocabulary are left out.
        dates : array-like of shape (n_samples,)
            The date of each document: datetime64, datetime, text like "2024-05-31"; or numbers such
            as 2024 and 20240531. Documents without a date are left out.
        period : {"auto", "day", "week", "month", "quarter", "year"}, default="auto"
            How dates are grouped. "auto" is the finest period that makes at most 40 groups;
            dates such as 2024-05 and 2024 stay months and years.
        sample_weight : array-like of shape (n_samples,), optional
            How much each document counts, >= 0, such as the weights of a survey. None: all count
            alike. Only their ratios matter. Unequal weights make intervals wider.
        confidence : float, default=0.95
            How often intervals are to contain the share, in (0, 1).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or Table
            As `set_output` says. Columns ``period``, ``unit``, ``topic``, ``label``, ``share``,
            ``low``, ``high`` and ``documents``; see `topictemper.topics.shares_over_time`.

        Raises
        ------
        ValueError
            If the lengths differ, if the index of pandas has another order, if a date cannot be
            read, if a weight is missing or negative, or if no document is left.

        Examples
        --------
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
        >>> lda = TemperedLDA(4, max_iter=5, batch_size=20, random_state=0).fit(X)
        >>> years = [2020 + i // 100 for i in range(200)]
        >>> shares = lda.topics_over_time(X, years)
        >>> shares["period"].tolist()
        [2020, 2020, 2020, 2020, 2021, 2021, 2021, 2021]
        """
        check_order("X", X, dates=dates, sample_weight=sample_weight)
        return self._shares(
            shares_over_time,
            X,
            dates,
            sample_weight,
            period=period,
            confidence=confidence,
        )

    def topics_by_group(
        self,
        X: Any,
        groups: Column,
        *,
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Any:
        """Shares of the topics in groups of documents, with intervals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts. Documents without a word of the vocabulary are left out.
        groups : array-like of shape (n_samples,)
            The group of each document. Documents where it is None, NaN or "" are left out.
        sample_weight, confidence
            As for `topics_over_time`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or Table
            As `set_output` says. Columns ``group``, ``topic``, ``label``, ``share``, ``low``,
            ``high`` and ``documents``; see `topictemper.topics.shares_by_group`.

        Raises
        ------
        ValueError
            If the lengths differ, if the index of pandas has another order, if a weight is missing
            or negative, or if no document is left.

        See Also
        --------
        topictemper.topics.share_differences : How much more of each topic one group has than
            another.

        Examples
        --------
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
        >>> lda = TemperedLDA(4, max_iter=5, batch_size=20, random_state=0).fit(X)
        >>> shares = lda.topics_by_group(X, ["left", "right"] * 100)
        >>> bool((shares["low"] <= shares["share"]).all())
        True
        """
        check_order("X", X, groups=groups, sample_weight=sample_weight)
        return self._shares(
            shares_by_group,
            X,
            groups,
            sample_weight,
            confidence=confidence,
        )

    def _shares(
        self,
        shares_of: Callable[..., Any],
        X: Any,
        classes: Any,
        sample_weight: Any,
        **settings: Any,
    ) -> Any:
        """A table of shares; documents without words do not count."""
        model: Any = self
        X = model._fitted_counts(X)
        given = sample_weights(sample_weight, X.shape[0])
        model._warn_if_hot()
        theta, known = model._proportions(X), row_sums(X) > 0
        weights = known if given is None else given * known
        shares = shares_of(theta, classes, weights=weights, labels=model.labels_, **settings)
        return as_output_of(shares, self)
