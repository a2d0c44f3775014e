"""Numbers in lines of a file: read in blocks, checked by the line, added up without wrapping."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._scan import scan
from ._text import InputError

Path = str | os.PathLike[str]

# What SciPy's smaller index type can count.
LARGEST_SIZE = np.iinfo(np.int32).max
LARGEST_COUNT = 10**15

_BYTES_AT_ONCE = 1 << 22
_LONGEST_LINE = 1 << 28
# Rows without entries cost memory, and take no room in a file.
_FREE_ROWS = 10**6
_ROWS_PER_ENTRY = 100


class Block(NamedTuple):
    """Whole lines of a file, and what numbers they have (see `scan`)."""

    path: Path
    first: int
    text: bytes
    values: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def error(self, line: int, what: str) -> InputError:
        """An error in a line, counted from 0 in this block; ``{}`` in `what` is its text."""
        text = shown(self.text.split(b"\n")[line])
        return InputError(f"{self.path}, line {self.first + line}: {what.format(text)}.")


def blocks(
    file: IO[bytes], path: Path, first: int, *, pairs: bool, n_whole: int, drop: bytes | None = None
) -> Iterator[Block]:
    """Read the rest of a file, whose next line has the number `first`, without what is to drop."""
    rest = b""
    ended = False
    while not ended:
        chunk = file.read(_BYTES_AT_ONCE)
        ended = not chunk
        text = rest + (chunk or (b"\n" if rest else b""))
        cut = text.rfind(b"\n") + 1
        text, rest = text[:cut], text[cut:]
        if len(rest) > _LONGEST_LINE:
            number = first + text.count(b"\n")
            raise InputError(f"{path}, line {number}: longer than {_LONGEST_LINE} bytes.")
        if text:
            plain = text if drop is None else re.sub(drop, b"", text)
            yield Block(path, first, text, *scan(plain, pairs, n_whole))
            first += text.count(b"\n")


def read_line(file: IO[bytes], path: Path, number: int) -> bytes:
    """Read one line of the head of a file."""
    line = file.readline(1 << 16)
    if len(line) == 1 << 16:
        raise InputError(f"{path}, line {number}: longer than {len(line)} bytes.")
    return line


def check_size(path: Path, n_rows: int, n_columns: int, n_entries: int) -> None:
    """Refuse sizes that cannot be held, or that the entries do not account for."""
    if max(n_rows, n_columns) > LARGEST_SIZE:
        raise InputError(
            f"{path}: {n_rows} documents of {n_columns} words; there may be {LARGEST_SIZE} of each."
        )
    allowed = _FREE_ROWS + _ROWS_PER_ENTRY * n_entries
    if n_rows > allowed:
        raise InputError(
            f"{path}: {n_rows} documents with {n_entries} entries; so few entries allow for "
            f"{allowed} documents."
        )


def summable(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts of a type that holds the sum of them all, so that no sum of some wraps."""
    if counts.dtype.kind not in "biu":
        return counts.astype(np.float64, copy=False)
    total = float(counts.sum(dtype=np.float64))
    return counts.astype(np.int32 if total <= LARGEST_SIZE else np.int64, copy=False)


def count_type(counts: NDArray[Any]) -> np.dtype[Any]:
    """int32, or int64 where one is too large, if all counts are whole numbers; else their float."""
    if counts.dtype.kind == "f" and (counts % 1).any():
        return np.dtype(np.float32 if counts.dtype == np.float32 else np.float64)
    # As a number of Python: in single precision 2^31 - 1 is 2^31.
    return np.dtype(np.int32 if float(counts.max(initial=0)) <= LARGEST_SIZE else np.int64)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts of that type."""
    return counts.astype(count_type(counts), copy=False)


def shown(text: bytes) -> str:
    """The beginning of a line, for an error message."""
    return repr(text[:60].decode(errors="backslashreplace").strip())
