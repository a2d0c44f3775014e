"""`TopicModel.report`: the topics of texts as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._utils._missing import check_order
from .._utils._names import joined
from .._utils._typing import Column, Strings
from ..report._of_model import models_like, write_model
from ..report._write import page_to_write
from ._composed import composed
from ._settings import made_by


class ReportTextsMixin:
    """Gives a `TopicModel` `report`."""

    def report(
        self,
        texts: Any,
        path: str | os.PathLike[str],
        *,
        names: Column | None = None,
        dates: Column | None = None,
        groups: Column | None = None,
        labels: Strings | Mapping[Any, str] | None = None,
        other_models: Sequence[Any] = (),
        title: str | None = None,
        show_texts: bool = True,
    ) -> Path:
        """Write a report on the topics: one HTML file that works offline.

        As `TemperedLDA.report`, but from texts. Texts and counts have to fit into memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        path : str or path-like
            The file to write, with a name that ends in .html or .htm. An old one is replaced when
            the new one is complete.
        names, dates, groups, labels
            As for `TemperedLDA.report`.
        other_models : sequence of TopicModel, optional
            Fits with other seeds and the same words. Topics whose partners in them
            (see `metrics.match_topics`) are different are marked for checking.
        title : str, optional
            Title of the page. None: "Topics in 1,234 documents".
        show_texts : bool, default=True
            Whether the file has texts of documents.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        TypeError, ValueError, OSError
            As for `TemperedLDA.report`.

        See Also
        --------
        topictemper.report.write : Reports on topics of other libraries.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> texts = load_docstrings().text[:300]
        >>> model = TopicModel(8, random_state=0).fit(texts)
        >>> with TemporaryDirectory() as folder:
        ...     path = model.report(texts, title="Docstrings", path=Path(folder) / "report.html")
        >>> path.name
        'report.html'
        """
        model: Any = self
        check_is_fitted(model)
        check_order("texts", texts, names=names, dates=dates, groups=groups)
        # Errors come before the texts are counted.
        page_to_write(path)
        other_models = models_like(model.lda_, other_models)
        documents = list(model._texts(texts))
        return write_model(
            model.lda_,
            model._all_counts(documents),
            model.feature_names_,
            path=path,
            documents=[_text(model, document) for document in documents] if show_texts else None,
            labels=labels,
            names=names,
            dates=dates,
            groups=groups,
            other_models=other_models,
            title=title,
            made_by=made_by(model),
        )


def _text(model: Any, document: Any) -> str:
    """Return a document as the page shows it."""
    if isinstance(document, str | bytes):
        # As its words are written, so that the page finds and marks them.
        return composed(model.vectorizer_.decode(document))
    return joined(document)
