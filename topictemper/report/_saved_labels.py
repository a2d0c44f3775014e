"""Labels that readers have saved from the page of a report."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from .._utils._files import path_of
from .._utils._names import joined
from .._utils._ranking import top_columns

#: Words of each topic in a file, as many as the page saves.
N_WORDS = 10
# After an update topics still have four or more of these words; other topics seldom have three.
_LEAST_COMMON = 0.3


class SavedLabels(dict[int, str]):
    """Labels by topic, and the words that these topics had.

    Parameters
    ----------
    entries : mapping of int to tuple
        For each topic its label, and its most probable words; none if they are not known.
    """

    def __init__(self, entries: Mapping[int, tuple[str, list[str]]]) -> None:
        super().__init__({topic: label for topic, (label, _) in entries.items()})
        #: Most probable words by topic.
        self.words = {topic: words for topic, (_, words) in entries.items()}


def read_labels(path: str | os.PathLike[str]) -> dict[int, str]:
    """Read labels that were edited on the page of a report and exported.

    Parameters
    ----------
    path : str or path-like
        The file, ``{"0": {"label": "space", "words": ["nasa", "orbit"]}}``, or a shorter one,
        ``{"0": "space", "7": "religion"}``.

    Returns
    -------
    dict of int to str
        Labels by topic; "" for one that was cleared on the page. If the file has the words of the
        topics, `set_labels` and reports refuse the labels where topics of these numbers are others,
        as those of another fit or of a merge are. ``dict(labels)`` has the labels alone.

    Raises
    ------
    TypeError
        If `path` is not the name of a file.
    OSError
        If the file cannot be read.
    ValueError
        If it is not such a file, or if it has a topic more than once.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper import report
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels.json"
    ...     _ = path.write_text(json.dumps({"0": "space"}))
    ...     report.read_labels(path)
    {0: 'space'}
    """
    try:
        text = path_of(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{os.fspath(path)} is not UTF-8: save it as UTF-8") from None
    try:
        pairs = _pairs(json.loads(text, object_pairs_hook=tuple))
        entries = [(int(topic), _entry(entry)) for topic, entry in pairs]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(
            f"{os.fspath(path)} has no labels of a report, such as "
            '{"0": "space", "7": "religion"}'
        ) from None
    content: dict[int, tuple[str, list[str]]] = {}
    for topic, entry in entries:
        if topic in content:
            raise ValueError(
                f"{os.fspath(path)} has two labels of topic {topic}, {content[topic][0][:42]!r} "
                f"and {entry[0][:42]!r}; leave one"
            )
        content[topic] = entry
    return SavedLabels(content)


def check_topics(labels: Any, topics: NDArray[Any], names: Sequence[str] | NDArray[Any]) -> None:
    """Refuse labels that were saved for other topics than those that have the numbers here.

    Parameters
    ----------
    labels : object
        Labels; only `SavedLabels` know the words of their topics.
    topics : ndarray of shape (n_components, n_features)
        Weights of the words.
    names : sequence of str of length n_features
        The words.

    Raises
    ------
    ValueError
        If a topic has hardly any of the words.
    """
    if not isinstance(labels, SavedLabels):
        return
    for topic, before in labels.words.items():
        if topic not in labels or not 0 <= topic < len(topics):
            continue  # taken out by the user, or what the checks of labels refuse
        [columns] = top_columns(topics[topic : topic + 1], N_WORDS)
        now = [str(names[column]) for column in columns]
        if len(set(before) & set(now)) < _LEAST_COMMON * len(before):
            raise ValueError(
                f"labels were saved from a report of other topics: topic {topic} had the words "
                f"{joined(before)!r}, and here it has {joined(now)!r}. Label the model of that "
                "report, and take the labels over from it: set_labels(model), or topictemper label "
                "with both models"
            )


def _pairs(value: Any) -> tuple[tuple[str, Any], ...]:
    """The keys and the values of an object of JSON, which is read as a tuple of them."""
    if not isinstance(value, tuple):
        raise TypeError
    return value


def _entry(entry: Any) -> tuple[str, list[str]]:
    """A label of a file, and the words of its topic, if the file has them."""
    label, words = entry, []
    if not isinstance(entry, str):
        fields = dict(_pairs(entry))
        label, words = fields["label"], fields["words"]
    if not isinstance(words, list) or not all(isinstance(each, str) for each in (label, *words)):
        raise TypeError
    return label, words
