"""Checks of what functions of topics take: counts, proportions, labels, tables of shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import is_chunks
from .._utils._feature_names import columns_of, with_string_names
from .._utils._typing import Strings


def matrices(X: Any, n_features: int, names: NDArray[Any] | None = None) -> Iterator[Any]:
    """Yield checked CSR counts: of one matrix at once, of chunks one after the other."""
    if not is_chunks(X):
        yield counts(X, n_features, names=names)
        return
    yield from _counts.some_chunks(
        X, lambda chunk: counts(_counts.acceptable_chunk(chunk), n_features, "chunk", names=names)
    )


def counts(X: Any, n_features: int, name: str = "X", *, names: NDArray[Any] | None = None) -> Any:
    """Return checked CSR counts with as many columns as the topics, and with their names."""
    matrix = _counts.count_matrix(X, name, _counts.TYPES)
    matrix = sp.csr_matrix(_counts.without_vanishing(matrix))
    if matrix.shape[1] != n_features:
        raise ValueError(f"{name} has {matrix.shape[1]} features, but the topics have {n_features}")
    same_names(X, name, names, "the topics")
    return matrix


def proportions_of(proportions: Any, *, copy: bool = False) -> NDArray[Any]:
    """Return checked proportions of documents, in the precision given if that is single."""
    check.unmasked("proportions", proportions)
    with check.readable("proportions", proportions):
        theta: NDArray[Any] = check_array(
            proportions, dtype=[np.float64, np.float32], copy=copy, input_name="proportions"
        )
    if theta.min() < 0:
        raise ValueError("proportions must be >= 0")
    return theta


def same_names(X: Any, name: str, names: NDArray[Any] | None, whose: str) -> None:
    """Refuse a table whose columns have other names than as many others, or another order.

    Names may have been given in place of numbers, so numbers are refused in another order only.
    """
    found = columns_of(X)
    if found is None and names is not None:
        numbers = columns_of(with_string_names(X, names))
        found = numbers if numbers is not None and set(numbers) == set(names) else None
    if found is None or names is None or len(found) != len(names):
        return
    others = np.flatnonzero(found != names)
    if len(others):
        i = others[0]
        raise ValueError(
            f"{name} has other columns than {whose}, or in another order: column {i} is "
            f"{str(found[i])!r}, not {str(names[i])!r}"
        )


def labels_of(labels: Strings | None, n_components: int) -> list[str]:
    """Return one label for each topic; None is "topic 0", "topic 1" ..."""
    if labels is None:
        return [f"topic {k}" for k in range(n_components)]
    no_list = isinstance(labels, Mapping | set | frozenset) or not hasattr(labels, "__len__")
    if no_list or not check.has_entries(labels):
        raise TypeError(f"labels must be a list with a label for each topic, got {labels!r:.60}")
    if len(labels) != n_components:
        raise ValueError(
            f"labels must have one label for each of the {n_components} topics, got {len(labels)}"
        )
    return [str(label) for label in labels]


def kind_of_shares(shares: Any, needed: Set[str], of_periods: Set[str] = frozenset()) -> str:
    """Return "period" or "group", whichever column a table of shares has, with those it needs."""
    columns = list(getattr(shares, "columns", ()))
    kind = next((name for name in ("period", "group") if name in columns), None)
    if kind == "period":
        needed = needed | of_periods
    if kind is None or not needed <= set(columns):
        raise ValueError(
            f"shares must be a table of topics_over_time or topics_by_group, got columns {columns}"
        )
    return kind
