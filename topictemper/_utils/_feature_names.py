"""Names of columns, given as a sequence, a mapping or a vectorizer."""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from . import _validation as check


def feature_names_of(
    names: Any,
    n_features: int,
    *,
    strings: bool = False,
    name: str = "feature_names",
    n_rows: int | None = None,
) -> NDArray[Any]:
    """Return the names of the columns in order.

    Parameters
    ----------
    names : array-like, mapping or vectorizer
        A name for each column. Or a mapping from words to columns, like `vocabulary_` of a
        `CountVectorizer`, or from columns to words, like a gensim `Dictionary`. Or an object with
        `get_feature_names_out`.
    n_features : int
        Number of columns.
    strings : bool, default=False
        Whether every name has to be a string.
    name : str, default="feature_names"
        What the names are called in errors.
    n_rows : int, optional
        Number of rows, of which the names may be if there are so many.

    Raises
    ------
    TypeError
        If `names` has another form, or a name is not a string where it has to be one.
    ValueError
        If the number of names is not the number of columns.
    """
    if hasattr(names, "get_feature_names_out"):
        names = names.get_feature_names_out()
    elif isinstance(names, Mapping):
        names = _by_column(names, name)
    if isinstance(names, str | bytes | Set):
        raise _wrong(names, name)
    array = np.array(names, dtype=object)  # a copy: the array that was given may change
    if array.ndim != 1:
        raise _wrong(names, name)
    if len(array) != n_features:
        of_rows = "; X has so many rows: give X.T if its rows are words, not documents"
        raise ValueError(
            f"{name} must have {n_features} names, one for each column, got {len(array)}"
            f"{of_rows if len(array) == n_rows else ''}"
        )
    for each in array if strings else ():
        if not isinstance(each, str):
            raise TypeError(f"{name} must hold strings, not {each!r}.")
    return array


def agreed_names(
    names: Any, n_features: int, others: NDArray[Any] | None, n_rows: int | None = None
) -> NDArray[Any]:
    """Return the names of the columns, which must be `others`, if there are any.

    Raises
    ------
    TypeError
        As from `feature_names_of`.
    ValueError
        Also if the names contradict the others.
    """
    found = feature_names_of(names, n_features, strings=True, n_rows=n_rows)
    if others is not None and not np.array_equal(found, others):
        column = int(np.flatnonzero(found != others)[0])
        raise ValueError(
            "feature_names must be the names that the columns already have, but column "
            f"{column} is {found[column]!r}, and was {others[column]!r}"
        )
    return found


def names_in(X: Any) -> NDArray[Any] | None:
    """Return what would be `feature_names_in_` after a fit with X: strings, or None.

    Raises
    ------
    TypeError
        If some names are strings, and others are not, or X is a lazy frame.
    ValueError
        If two names are the same.
    """
    if sp.issparse(X) or isinstance(X, np.ndarray):
        return None
    check.columns("X", X, counts=True)
    reader = BaseEstimator()
    validate_data(reader, X, skip_check_array=True, ensure_2d=False)
    return getattr(reader, "feature_names_in_", None)


def columns_of(X: Any) -> NDArray[Any] | None:
    """Return the names of the columns of a table; None of an array, or if not all are strings."""
    try:
        return names_in(X)
    except TypeError:
        return None


def with_string_names(X: Any, expected: NDArray[Any] | None = None) -> Any:
    """Return a data frame of pandas whose columns have strings as names, if X has other names.

    scikit-learn drops other names, and then a column would be called by its position, although it
    has a number: that of an item, for instance. Numbers that are the positions are left, unless
    they are the `expected` names in another order. So is a mixture of strings and others, which is
    an error of scikit-learn.
    """
    # In this order, as in `check.columns`.
    if not (hasattr(X, "set_axis") and hasattr(X, "columns")):
        return X
    names = list(X.columns)
    if all(type(name) is str for name in names):
        return X
    if names == list(range(len(names))):
        if expected is None or set(expected) != set(map(str, range(len(names)))):
            return X
        names = list(range(len(names)))  # without the point of floats
    if len({isinstance(name, str) for name in names}) > 1:
        return X
    return X.set_axis([str(name) for name in names], axis=1)


def _by_column(names: Mapping[Any, Any], name: str) -> list[Any]:
    """Return the names of a mapping in either direction, in the order of the columns."""
    pairs = list(names.items())
    if not all(isinstance(column, Integral) for column, _ in pairs):
        pairs = [(column, word) for word, column in pairs]
    words: dict[Any, Any] = {column: word for column, word in pairs if isinstance(column, Integral)}
    if len(words) < len(pairs) or not all(isinstance(word, str) for word in words.values()):
        raise _wrong(names, name)
    for column in range(len(words)):
        if column not in words:
            raise ValueError(
                f"{name} maps {len(words)} words to columns, but has no name for column "
                f"{column}; the columns must be 0 to {len(words) - 1}"
            )
    return [words[column] for column in range(len(words))]


def _wrong(names: Any, name: str) -> TypeError:
    return TypeError(
        f"{name} must be a sequence of names, one for each column; a mapping of words to "
        "columns or of columns to words, such as CountVectorizer.vocabulary_ or a gensim "
        f"Dictionary; or a fitted vectorizer; got {type(names).__name__}"
    )
