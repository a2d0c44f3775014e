"""`TopicModel.report`: the topics of texts as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..report._of_model import write_model


class ReportTextsMixin:
    """Gives a `TopicModel` `report`."""

    def report(
        self,
        texts: Any,
        *,
        path: str | os.PathLike[str],
        names: Sequence[str] | None = None,
        dates: Any = None,
        groups: Sequence[Any] | None = None,
        labels: Sequence[str] | Mapping[int, str] | None = None,
        other_models: Sequence[Any] = (),
        title: str | None = None,
        show_texts: bool = True,
    ) -> Path:
        """Write a report on the topics: one HTML file that works offline.

        The file makes no request, and holds at most 10 MB or so. It has texts of the documents,
        unless `show_texts` is False. Texts and counts have to fit into memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        path : str or path-like
            The file to write. An old one is replaced when the new one is complete.
        names : sequence of str, optional
            A title for each document.
        dates : array-like of shape (n_samples,), optional
            datetime64, dates, text like "2024-05-31", or years; None, NaN and NaT for unknown.
        groups : sequence, optional
            A group for each document, such as an author or a source; None or "" for none.
        labels : sequence of str or mapping of int to str, optional
            Names of topics. None: those of `set_labels`.
        other_models : sequence of TopicModel, optional
            Fits with other seeds and the same words. A topic with no similar one in them is
            doubted.
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
        TypeError, ValueError
            If an argument is invalid. No file is written.
        OSError
            If the file cannot be written.

        See Also
        --------
        topictemper.report.write : Reports on topics of other libraries.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from topictemper import TopicModel
        >>> from topictemper.datasets import load_docstrings
        >>> texts = load_docstrings().text[:1000]
        >>> model = TopicModel(8, random_state=0).fit(texts)
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> model.report(texts, title="Docstrings", path=folder / "report.html").name
        'report.html'
        """
        model: Any = self
        check_is_fitted(model)
        others = [_topics(model, other, i) for i, other in enumerate(other_models)]
        documents = list(model._texts(texts))
        return write_model(
            model.lda_,
            model._all_counts(documents),
            model.feature_names_,
            path=path,
            documents=[_text(model, document) for document in documents] if show_texts else None,
            names=names,
            dates=dates,
            groups=groups,
            labels=labels,
            other_models=others,
            title=title,
        )


def _text(model: Any, document: Any) -> str:
    """Return a document as the page shows it."""
    if isinstance(document, str | bytes):
        text: str = model.vectorizer_.decode(document)
        return text
    return " ".join(document)


def _topics(model: Any, other: Any, place: int) -> Any:
    """Return the model of counts in another model, or anything else as it is."""
    if not hasattr(other, "lda_"):
        return other
    if other.feature_names_.tolist() != model.feature_names_.tolist():
        raise ValueError(
            f"other_models[{place}] must have the words of this model; fit it to the same texts"
        )
    return other.lda_
