"""`write`: topics, proportions and words of any model become one HTML file."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._dates import days_of
from .._utils._feature_names import feature_names_of
from .._utils._files import path_of, replacing, writable_path
from .._utils._log import counted
from .._utils._missing import check_order, ordered_codes
from .._utils._typing import Column, Strings
from .._utils._version import VERSION
from . import _inputs
from ._content import Inputs, content_of
from ._page import page
from ._saved_labels import check_topics

# By which browsers know a page.
_SUFFIXES = (".html", ".htm")


def write(
    topics: Any,
    proportions: Any,
    words: Any,
    *,
    path: str | os.PathLike[str],
    counts: Any = None,
    documents: Column | None = None,
    names: Column | None = None,
    dates: Column | None = None,
    groups: Column | None = None,
    labels: Strings | Mapping[int, str] | None = None,
    other_topics: Sequence[Any] = (),
    score: float | None = None,
    history: Mapping[str, NDArray[Any]] | None = None,
    parameters: Mapping[str, Any] | None = None,
    title: str | None = None,
) -> Path:
    """Write a report on topics: one HTML file that works offline.

    For topics of any library; `TemperedLDA.report` calls this. The file makes no request, holds
    no more than 10 MB or so, and has the texts of documents only if they are given.

    Parameters
    ----------
    topics : array-like of shape (n_components, n_features), or fitted model
        Weights of the words in the topics, >= 0; an estimator with `components_`; or a model of
        gensim or tomotopy. Rows are divided by their sums.
    proportions : array-like or sparse matrix of shape (n_documents, n_components)
        Proportions of the topics in the documents, >= 0; rows are divided by their sums. Rows of
        zeros are documents without words. Also any object with ``shape`` that gives rows for
        slices and for arrays of row numbers: a memory-mapped array, or rows made on demand.
    words : array-like of shape (n_features,), mapping or vectorizer
        Names of the columns: a sequence; a mapping of words to columns or of columns to words, such
        as a gensim ``Dictionary``; or a fitted vectorizer.
    path : str or path-like
        The file to write, with a name that ends in .html or .htm. An old one is replaced when the
        new one is complete.
    counts : array-like or sparse matrix of shape (n_documents, n_features), optional
        Counts of words. With them the report has coherence, fit and documents without words, and
        distinctive words are relative to the corpus. Without them p(w) is the mixture of all
        topics.
    documents : sequence of str, optional
        Texts. As many as there is room for are in the file: those with the largest proportion of
        each topic, those that fit worst, and a random sample.
    names : sequence of str, optional
        A title for each document.
    dates : array-like of shape (n_documents,), optional
        datetime64, dates, text like "2024-05-31", or numbers like 2024 or 20240531; None, NaN and
        NaT for unknown.
    groups : sequence, optional
        A group for each document, such as an author or a source; None or "" for none. The report
        begins with the largest group, unless groups are numbers or an ordered categorical of
        pandas.
    labels : sequence of str or mapping of int to str, optional
        Names of topics. See `read_labels`. A topic without one is called by its most probable
        words.
    other_topics : sequence of arrays-like of shape (n, n_features), or fitted models, optional
        Topics of other fits, with the same words. A topic whose partners in them (see
        `metrics.match_topics`) are different is marked for checking.
    score : float, optional
        Held-out score in nats per token, such as `TemperedLDA.score`.
    history : mapping of str to structured ndarray, optional
        Courses of training, "temperature", "score" or "elbo": arrays with the fields ``pass`` and
        one of that name, such as `TemperedLDA.temperature_history_`. NaN is left out.
    parameters : mapping of str to object, optional
        How the topics were made; shown as text.
    title : str, optional
        Title of the page. None: "Topics in 1,234 documents".

    Returns
    -------
    Path
        The file.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid, or if a table of pandas has documents, or the words of `counts`,
        in another order. No file is written.
    OSError
        If the file cannot be written.

    Notes
    -----
    - The share of a topic is its mean proportion over the documents with words. Bands and ranges
      over time and by group are 95% intervals, as of `topictemper.topics.shares_by_group`.
    - How much of a word is in a topic is p(k | w), by the shares of the topics in all tokens;
      without `counts`, all documents are taken to be equally long.
    - Relevance of words: Sievert and Shirley (2014). LDAvis.
    - If there are more than 50,000 documents, coherence and fit are those of a random sample of
      50,000, as the page says. Documents without words are included in coherence, as in
      `metrics.coherence`.
    - The same arguments give the same bits on the same day. The environment variable
      ``SOURCE_DATE_EPOCH`` sets the day.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from topictemper import report
    >>> topics = np.array([[6, 3, 1, 0], [0, 1, 3, 6]])
    >>> proportions = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    >>> with TemporaryDirectory() as folder:
    ...     path = report.write(
    ...         topics,
    ...         proportions,
    ...         ["orbit", "moon", "water", "river"],
    ...         documents=["The moon is in orbit.", "A river of water", "moon, water"],
    ...         path=Path(folder) / "report.html",
    ...     )
    ...     path.stat().st_size < 200_000
    True
    """
    columns = {"documents": documents, "names": names, "dates": dates, "groups": groups}
    check_order("proportions", proportions, counts=counts, **columns)
    target = page_to_write(path)
    probabilities = _inputs.probabilities_of(topics)
    n_topics, n_features = probabilities.shape
    rows = _inputs.rows_of(proportions, n_topics)
    n = rows.shape[0]
    if score is not None:
        score = check.number("score", score, -700.0, 700.0)  # its exponential is finite
    others = _inputs.others_of(other_topics, n_features)
    words = [str(word) for word in feature_names_of(words, n_features, name="words")]
    check_topics(labels, probabilities, words)
    inputs = Inputs(
        topics=probabilities,
        proportions=rows,
        words=words,
        counts=None if counts is None else _inputs.counts_of(counts, (n, n_features), words),
        documents=_inputs.strings_of("documents", documents, n),
        names=_inputs.strings_of("names", names, n),
        days=None if dates is None else days_of(dates, n),
        groups=_inputs.strings_of("groups", groups, n),
        group_order=ordered_codes(groups),
        labels=_inputs.labels_of(labels, n_topics),
        others=others,
        score=score,
        history=_inputs.history_of({} if history is None else history),
        parameters=_inputs.parameters_of({} if parameters is None else parameters),
    )
    content = content_of(inputs) | {
        "title": f"Topics in {counted(n, 'document')}" if title is None else str(title),
        "created": _today(),
        "version": VERSION,
    }
    html = page(content)
    with replacing(target) as (file,):
        file.write(html)
    return Path(path)


def page_to_write(path: str | os.PathLike[str]) -> Path:
    """Return the file that a report is written to, with links followed.

    Raises
    ------
    ValueError
        If it would not open as a page.
    OSError
        If it cannot be written.
    """
    if path_of(path).suffix.lower() not in _SUFFIXES:
        raise ValueError(
            f"path must end in .html, because a report is a web page, got {os.fspath(path)!r}"
        )
    return writable_path(path)


def _today() -> str:
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(None if seconds is None else int(seconds)))
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(
            "the environment variable SOURCE_DATE_EPOCH must be a number of seconds since 1970, "
            f"got {seconds!r}"
        ) from error
