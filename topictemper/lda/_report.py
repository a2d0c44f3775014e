"""`TemperedLDA.report`: the topics as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._utils._missing import check_order
from .._utils._typing import Column, Strings
from ..report._of_model import write_model
from ._inspection import names_of_columns


class ReportMixin:
    """Gives a topic model `report`. It has to have ``_fitted_counts(X)``, ``_proportions(X)``."""

    def report(
        self,
        X: Any,
        documents: Column | None = None,
        *,
        path: str | os.PathLike[str],
        feature_names: Any = None,
        names: Column | None = None,
        dates: Column | None = None,
        groups: Column | None = None,
        labels: Strings | Mapping[Any, str] | None = None,
        other_models: Sequence[Any] = (),
        title: str | None = None,
    ) -> Path:
        """Write a report on the topics: one HTML file that works offline.

        The file makes no request, holds at most 10 MB or so, and has the texts of documents only
        if they are given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.
        documents : sequence of str, optional
            Texts of the documents.
        path : str or path-like
            The file to write, with a name that ends in .html or .htm. An old one is replaced when
            the new one is complete.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns, as for `top_words`.
        names : sequence of str, optional
            A title for each document.
        dates : array-like of shape (n_samples,), optional
            datetime64, dates, text like "2024-05-31", or numbers like 2024 or 20240531; None, NaN
            and NaT for unknown.
        groups : sequence, optional
            A group for each document, such as an author or a source; None or "" for none.
        labels : sequence of str or mapping, optional
            Names of topics, for this report. None: those of `set_labels`. The keys of a mapping are
            topics, by number or by present label, as for `set_labels`; the other topics keep their
            labels.
        other_models : sequence of estimators or of arrays-like, optional
            Fits of the same words with other seeds. Topics whose partners in them
            (see `metrics.match_topics`) are different are marked for checking.
        title : str, optional
            Title of the page. None: "Topics in 1,234 documents".

        Returns
        -------
        Path
            The file.

        Raises
        ------
        TypeError, ValueError
            If an argument is invalid. No file is written.
        OSError
            If the file cannot be written.

        See Also
        --------
        topictemper.report.write : Reports on topics of other libraries.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(300, 200, 5, random_state=0).counts
        >>> lda = TemperedLDA(5, random_state=0).fit(X)
        >>> words = [f"word{column}" for column in range(200)]
        >>> with TemporaryDirectory() as folder:
        ...     path = lda.report(X, feature_names=words, path=Path(folder) / "report.html")
        >>> path.name
        'report.html'
        """
        check_is_fitted(self)
        check_order("X", X, documents=documents, names=names, dates=dates, groups=groups)
        return write_model(
            self,
            X,
            names_of_columns(self, feature_names),
            path=path,
            documents=documents,
            labels=labels,
            names=names,
            dates=dates,
            groups=groups,
            other_models=other_models,
            title=title,
        )
