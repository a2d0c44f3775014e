"""Columns of values, one for each document, of which some may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # NA is neither true nor false
        return True


def column(name: str, values: Any) -> NDArray[Any]:
    """Values as an array, in which None stands for missing objects; numbers may have NaN.

    NumPy alone would make the string "nan" of a missing entry in a list of strings, and it would
    move dates with a time zone to another. Lists of different lengths are a ValueError.
    """
    if getattr(getattr(values, "dtype", None), "time_zone", None):  # of polars
        values = values.to_list()
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"{name} must have one value for each document, got lists of different lengths"
        ) from None
    if array.dtype.kind in "US" and isinstance(values, list | tuple) and array.ndim == 1:
        if all(isinstance(value, str | bytes) for value in values):
            return array
        array = objects(values)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    return objects([None if is_missing(value) else value for value in array])


def check_order(of: str, documents: Any, /, **columns: Any) -> None:
    """Refuse columns of pandas whose index says that they are in another order than the documents.

    Values belong to documents by position. An index with other labels says nothing about that.
    Labels are compared as Python compares them, so an index may be of another type.

    Parameters
    ----------
    of : str
        Name of the parameter with the documents.
    documents : object
        The documents, in any form.
    **columns : object
        Values for each of them, in any form, by name.

    Raises
    ------
    ValueError
        If an index has the labels of that of the documents in another order.
    """
    own: Any = getattr(documents, "index", None)
    for name, values in columns.items():
        index: Any = getattr(values, "index", None)
        if _is_reordered(index, own):
            # Where a label is there twice, .loc gives too many values.
            other = f"{name}.loc[{of}.index]" if own.is_unique else "values in that order"
            # A table made from an array has new labels, so the values may be right as they are.
            raise ValueError(
                f"{name} has the index of {of} in another order, but values belong to documents by "
                f"position; give {name}.to_numpy() if its values are in the order of {of}, or else "
                f"{other}"
            )


def _is_reordered(index: Any, own: Any) -> bool:
    """Whether an index of pandas has the labels of another one, each as often, in another order."""
    if not (hasattr(index, "equals") and hasattr(own, "equals")):  # a list has an `index`, too
        return False
    if len(index) != len(own) or index.equals(own):
        return False
    numbers: dict[Any, int] = {}
    try:
        found, expected = (
            [numbers.setdefault(label, len(numbers)) for label in labels] for labels in (index, own)
        )
    except TypeError:  # labels that cannot be looked up, such as lists
        return False
    return found != expected and sorted(found) == sorted(expected)


def as_list(values: Any) -> list[Any]:
    """Values as a list: of a column of Arrow they are Python's, and None where one is missing."""
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)


def ordered_codes(values: Any) -> NDArray[Any] | None:
    """The place of each value in the order of an ordered categorical of pandas; None of others."""
    if not getattr(getattr(values, "dtype", None), "ordered", False):
        return None
    return np.asarray(getattr(values, "cat", values).codes)


def objects(values: list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    """Values as an array of one dimension; `np.array` would make rows of lists and tuples."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
