"""Types that several modules share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: In single or double precision.
Reals = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]
#: Numbers of topics.
Integers = Sequence[int] | NDArray[np.integer[Any]]
#: Labels or words, such as `labels_`.
Strings = Sequence[str] | NDArray[Any]


class Column(Protocol):
    """Values, one for each document: a list, an array, a Series, a column of Arrow."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
