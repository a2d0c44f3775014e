"""Training documents as one matrix, or as an iterable of chunks that is read once a pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ._typing import Floats

# Of a part that is copied. What is made of a row, such as proportions, may be larger than the row.
_MOST_ENTRIES, _MOST_ROWS = 2**19, 2**14


def is_chunks(X: Any) -> bool:
    """Whether X is an iterable of matrices, and not itself a matrix."""
    if isinstance(X, list | tuple):
        return bool(X) and all(sp.issparse(chunk) for chunk in X)
    return isinstance(X, Iterable) and not (
        isinstance(X, str | bytes | Mapping | Set)
        or any(hasattr(X, name) for name in ("shape", "__array__", "__array_interface__"))
    )


def is_matrix(X: Any) -> bool:
    """Whether X has rows and columns."""
    return len(getattr(X, "shape", ())) == 2


def numbered(chunks: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the chunks with their numbers, without those of no rows, as of an empty query."""
    return ((number, chunk) for number, chunk in enumerate(chunks) if has_rows(chunk))


def has_rows(chunk: Any) -> bool:
    """Whether a chunk has rows. It counts as such if it is no matrix: checks refuse that later."""
    return bool(getattr(chunk, "shape", (1,))[:1] != (0,))


def each_checked(
    chunks: Iterable[Any], checked: Callable[[Any], Any], name: str = "X"
) -> Iterator[Any]:
    """Yield ``checked(chunk)`` of the chunks that have rows; its errors name the chunk."""
    for number, chunk in numbered(chunks):
        # Without a name here, which would hold on to it.
        yield naming_chunk(number, chunk, checked, name)


def naming_chunk(number: int, chunk: Any, checked: Callable[[Any], Any], name: str = "X") -> Any:
    """Return ``checked(chunk)``; its errors, which call it "chunk", say which one it is."""
    try:
        return checked(chunk)
    except (TypeError, ValueError) as error:
        raise type(error)(naming_part(error, "chunk", f"chunk {number} of {name}")) from error


def naming_part(error: Exception, called: str, part: str) -> str:
    """Return the text of an error, which calls its subject so, as one of a part.

    Code in it, such as ``np.vstack(chunk)``, stays as it can be copied.
    """
    subject = rf"^{called}(?=[ :])|(?<=values in data passed to ){called}(?=:)"
    what, n_named = re.subn(subject, part, str(error), count=1)
    return what if n_named else f"{part}: {what}"


def no_chunks(name: str) -> ValueError:
    """Return the error of an iterable that gives no chunk with rows."""
    return ValueError(f"{name} has no chunks: it is an iterable of matrices that gives no rows")


class Chunks:
    """An iterable of matrices as one corpus. Only one chunk is in memory at a time.

    The constructor reads all chunks once, to count and to check them.

    Parameters
    ----------
    chunks : iterable of matrices
        Must yield the same rows every time.
    checked : callable
        ``checked(chunk, reset)`` returns CSR counts or raises an error. `reset` is true for the
        first chunk, which sets the number of columns.
    name : str, default="X"
        What they are called in errors.

    Raises
    ------
    TypeError
        If `chunks` can be iterated over only once.
    ValueError
        If there are no words.
    """

    def __init__(self, chunks: Any, checked: Callable[[Any, bool], Any], name: str = "X") -> None:
        if isinstance(chunks, Iterator):
            raise TypeError(
                f"{name} is an iterator, which can be read only once, but fit reads the documents "
                "several times: give a list of matrices, or an object whose __iter__ starts again "
                "at every call"
            )
        self._chunks, self._checked, self._name = chunks, checked, name
        self.shape, self.n_tokens = (0, -1), 0.0
        for X in each_checked(chunks, lambda chunk: checked(chunk, self.shape[1] < 0), name):
            self.shape = self.shape[0] + X.shape[0], X.shape[1]
            self.n_tokens += float(X.data.sum(dtype=np.float64))
        if not self.shape[0]:
            raise no_chunks(name)
        if not self.n_tokens:
            raise ValueError(
                f"{name} has no words: all {self.shape[0]} rows of its chunks are empty"
            )

    def __iter__(self) -> Iterator[Any]:
        """Yield the checked chunks of one pass."""
        n_rows = 0
        for X in each_checked(self._chunks, lambda chunk: self._checked(chunk, False), self._name):
            n_rows += X.shape[0]
            yield X
        if n_rows != self.shape[0]:
            raise ValueError(
                f"{self._name} gave {self.shape[0]} rows when it was first read and "
                f"{n_rows} later; its chunks must be the same every time"
            )


def full_batches(
    chunks: Iterable[Any], batch_size: int, random_state: np.random.RandomState | None = None
) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Yield checked chunks with the order of their rows. All minibatches but the last are full.

    Rows are shuffled within chunks. Rows that fill no minibatch wait for the next chunk.
    """
    rest: list[Any] = []  # of the last minibatch
    new: list[Any] = []
    n = 0
    for X in chunks:
        n += X.shape[0]
        if n < batch_size:  # to join small chunks one by one would take long
            new.append(X.copy())  # the next one may be in the same arrays
            continue
        X, rest, new = stacked([*rest, *new, X]), [], []
        order = _order(n, random_state)
        n %= batch_size
        whole = len(order) - n
        yield X, order[:whole]
        if n:
            rest = [X[order[whole:]]]
    if n:
        yield stacked(rest + new), _order(n, random_state if new else None)


def stacked(matrices: list[Any]) -> Any:
    """Return one CSR matrix of the rows of several."""
    return matrices[0] if len(matrices) == 1 else sp.vstack(matrices, format="csr")


def parts(X: Any) -> Iterator[Any]:
    """Yield the rows of a CSR matrix: a small one itself, of others copies of some at a time."""
    start = 0
    while start < X.shape[0]:
        most = int(X.indptr[start]) + _MOST_ENTRIES  # which int32 may not hold
        # Of these rows alone: the search makes a copy of what is int32.
        ends = X.indptr[start + 1 : start + 1 + _MOST_ROWS]
        stop = start + max(1, int(np.searchsorted(ends, most, "right")))
        yield X if stop - start == X.shape[0] else X[start:stop]
        start = stop


def row_sums(X: Any) -> Floats:
    """Return the sums of the rows of a CSR matrix, in double precision.

    SciPy alone would sum in single precision what is in it, and copy all integers as doubles.
    """
    sums = np.empty(X.shape[0])
    start = 0
    for part in parts(X):
        stop = start + part.shape[0]
        sums[start:stop] = np.asarray(part.astype(np.float64, copy=False).sum(axis=1)).ravel()
        start = stop
    return sums


def mean_length(
    X: Any, rows: NDArray[np.int64] | None = None, sample_weight: Floats | None = None
) -> float:
    """Return how many tokens a document has on average, of some rows or of all chunks."""
    if rows is None:
        return float(X.n_tokens / X.shape[0])
    if sample_weight is None and len(rows) == X.shape[0]:  # sums of rows would take much longer
        return float(X.data.sum(dtype=np.float64) / len(rows))
    weights = None if sample_weight is None else sample_weight[rows]
    return float(np.average(row_sums(X)[rows], weights=weights))


def n_empty_rows(X: Any) -> int:
    """Return how many rows of a CSR matrix have no entry, or only zeros."""
    n_empty = 0
    for part in parts(X):
        ends = part.indptr
        if not part.data.all():
            ends = np.append(0, np.cumsum(part.data != 0))[ends]
        n_empty += part.shape[0] - int(np.count_nonzero(np.diff(ends)))
    return n_empty


def rows_that_count(X: Any, sample_weight: Floats | None) -> NDArray[np.int64]:
    """Return the rows of X whose weight is not zero."""
    if sample_weight is None:
        return np.arange(X.shape[0], dtype=np.int64)
    return np.flatnonzero(sample_weight).astype(np.int64)


def _order(n: int, random_state: np.random.RandomState | None) -> NDArray[np.int64]:
    if random_state is None:
        return np.arange(n, dtype=np.int64)
    return random_state.permutation(n).astype(np.int64, copy=False)
