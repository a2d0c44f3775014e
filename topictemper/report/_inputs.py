"""Checks of what a report is made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._utils import _counts
from .._utils import _validation as check
from .._utils._feature_names import columns_of, with_string_names
from .._utils._missing import as_list, is_missing
from .._utils._topics import topics_of


def probabilities_of(topics: Any, name: str = "topics") -> NDArray[Any]:
    """Return p(w | k): finite, rows that sum to one, in the precision given."""
    values = topics_of(topics, name)
    total = values.sum(axis=1, keepdims=True, dtype=np.float64)
    return values / total.astype(values.dtype)


def rows_of(proportions: Any, n_topics: int) -> Any:
    """Return proportions as something with `shape` that gives rows."""
    rows = proportions
    if sp.issparse(rows):
        rows = rows.tocsr()
    elif hasattr(rows, "to_numpy"):
        rows = rows.to_numpy()
    elif not (hasattr(rows, "shape") and hasattr(rows, "__getitem__")):
        try:
            rows = np.asarray(rows)
        except ValueError as error:
            raise ValueError(
                f"proportions must have a row for each document, with {n_topics} numbers, but the "
                "rows differ in length; those of a model of gensim are model.inference(corpus)[0]"
            ) from error
    shape = tuple(rows.shape)
    if len(shape) != 2 or shape[1] != n_topics:
        raise ValueError(
            f"proportions must be of shape (n_documents, {n_topics}), one column for each topic, "
            f"got {shape}"
        )
    if not shape[0]:
        raise ValueError("proportions must have at least one document, got none")
    return rows


def counts_of(counts: Any, shape: tuple[int, int], words: list[str]) -> Any:
    """Return checked CSR counts, (n_documents, n_features), whose columns are in order.

    Columns of other names may be the words all the same: as `words`, they may be written otherwise.
    """
    X = sp.csr_array(_counts.count_matrix(counts, "counts", _counts.TYPES))
    if X.shape != shape:
        raise ValueError(
            f"counts must have a row for each document and a column for each word, {shape}, got "
            f"{X.shape}"
        )
    columns = columns_of(with_string_names(counts))
    if columns is not None and list(columns) != words and sorted(columns) == sorted(words):
        v = next(v for v, word in enumerate(words) if columns[v] != word)
        raise ValueError(
            f"counts has its columns in another order than words: column {v} is {columns[v]!r}, "
            f"not {words[v]!r}"
        )
    _counts.check_words(X, "counts")
    return X


def strings_of(name: str, values: Any, n_documents: int) -> list[str] | None:
    """Return one string for each document, None and NaN as ""; None if there are no values.

    Whole numbers have no ".0", which they get from pandas if some are missing.
    """
    if values is None:
        return None
    if not check.has_entries(values):
        what = "a single string" if isinstance(values, str | bytes) else repr(values)[:60]
        raise TypeError(f"{name} must hold one string for each document, got {what}")
    items = [None if is_missing(item) else item for item in as_list(values)]
    if len(items) != n_documents:
        raise ValueError(
            f"{name} must have one entry for each of the {n_documents} documents, got {len(items)}"
        )
    if all(item is None or _is_whole(item) for item in items):
        items = [None if item is None else int(item) for item in items]
    return ["" if item is None else str(item) for item in items]


def _is_whole(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(value.is_integer())


def labels_of(labels: Any, n_topics: int) -> list[str]:
    """Return a label for each topic, "" for none.

    Parameters
    ----------
    labels : sequence of str, or mapping of int to str, optional
        Labels.
    n_topics : int
        Number of topics.
    """
    if labels is None:
        return [""] * n_topics
    if not check.has_entries(labels) or isinstance(labels, Set) or not hasattr(labels, "__len__"):
        raise TypeError(
            "labels must be a sequence of strings, one for each topic, or a mapping of topics to "
            f"strings, got {type(labels).__name__}"
        )
    if not isinstance(labels, Mapping):
        if len(labels) != n_topics:
            raise ValueError(f"labels must have {n_topics} entries, got {len(labels)}")
        return ["" if is_missing(label) else str(label) for label in labels]
    out = [""] * n_topics
    for topic, label in labels.items():
        of_json = isinstance(topic, str) and topic.isdecimal()
        number = int(topic) if of_json or isinstance(topic, int | np.integer) else -1
        if not 0 <= number < n_topics:
            raise ValueError(
                f"labels name topic {topic!r}, but there are topics 0 to {n_topics - 1}"
            )
        out[number] = "" if is_missing(label) else str(label)
    return out


def history_of(history: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the courses of training, each with the fields "pass" and its name."""
    _refuse_no_mapping("history", history)
    for name, course in history.items():
        if name not in ("temperature", "score", "elbo"):
            raise ValueError(
                f"history must have the names 'temperature', 'score' and 'elbo', got {name!r}"
            )
        if not {"pass", name} <= set(getattr(getattr(course, "dtype", None), "names", None) or ()):
            raise ValueError(
                f"history[{name!r}] must be a structured array with the fields 'pass' and {name!r}"
            )
    return dict(history)


def parameters_of(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as text, without addresses: those are others in every process."""
    _refuse_no_mapping("parameters", parameters)
    return {
        str(name): re.sub(r" at 0x[0-9A-Fa-f]+", "", str(value))
        for name, value in parameters.items()
    }


def others_of(other_topics: Any, n_features: int) -> list[NDArray[Any]]:
    """Return p(w | k) of other fits, with the same words."""
    if not check.has_entries(other_topics):
        raise TypeError(
            f"other_topics must be a list of topics of other fits, got {other_topics!r:.60}"
        )
    others = []
    for i, other in enumerate(other_topics):
        others.append(probabilities_of(other, f"other_topics[{i}]"))
        if others[i].shape[1] != n_features:
            raise ValueError(
                f"other_topics[{i}] must have the {n_features} words of the topics, got "
                f"{others[i].shape[1]}"
            )
    return others


def _refuse_no_mapping(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping of names, such as a dict, got {value!r:.60}")
