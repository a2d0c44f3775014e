"""Lines of numbers: read in blocks, checked line by line, summed without overflow; written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils._typing import Floats
from ._packed import InputError
from ._scan import scan

# The maximum of SciPy's smaller index type.
LARGEST_SIZE = np.iinfo(np.int32).max
LARGEST_COUNT = 10**15

_BYTES_AT_ONCE = 1 << 22
_LONGEST_LINE = 1 << 28
# Rows without entries take memory, but no space in a file.
_FREE_ROWS = 10**6
_ROWS_PER_ENTRY = 100


class Block(NamedTuple):
    """Complete lines of a file, and their numbers (see `scan`)."""

    path: Path
    first: int
    text: bytes
    values: Floats
    lengths: NDArray[np.int64]

    def error(self, line: int, what: str) -> InputError:
        """Return an error for a line of this block, from 0; ``{}`` in `what` becomes its text."""
        text = shown(self.text.split(b"\n")[line])
        return InputError(f"{self.path}, line {self.first + line}: {what.format(text)}.")


def blocks(
    file: IO[bytes], path: Path, first: int, *, pairs: bool, n_whole: int, drop: bytes | None = None
) -> Iterator[Block]:
    """Yield the rest of a file from line `first`, without matches of `drop`."""
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
    """Read one line of the header of a file."""
    line = file.readline(1 << 16)
    if len(line) == 1 << 16:
        raise InputError(f"{path}, line {number}: longer than {len(line)} bytes.")
    return line


def check_size(path: Path, n_rows: int, n_columns: int, n_entries: int) -> None:
    """Refuse sizes that are too large, in total or for the number of entries."""
    if max(n_rows, n_columns) > LARGEST_SIZE:
        raise InputError(
            f"{path}: {n_rows} documents of {n_columns} words; at most {LARGEST_SIZE} are allowed."
        )
    allowed = _FREE_ROWS + _ROWS_PER_ENTRY * n_entries
    if n_rows > allowed:
        raise InputError(
            f"{path}: {n_rows} documents with {n_entries} entries; for so few entries at most "
            f"{allowed} documents are allowed."
        )


def summable(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in a type that holds their total, so that no sum overflows."""
    if counts.dtype.kind not in "biu":
        return counts.astype(np.float64, copy=False)
    total = float(counts.sum(dtype=np.float64))
    return counts.astype(np.int32 if total <= LARGEST_SIZE else np.int64, copy=False)


def count_type(counts: NDArray[Any]) -> np.dtype[Any]:
    """Return int32, or int64 for large counts, if all are integers; else their float type."""
    if counts.dtype.kind == "f" and (counts % 1).any():
        return np.dtype(np.float32 if counts.dtype == np.float32 else np.float64)
    # As a Python number, because 2^31 - 1 is 2^31 in single precision.
    return np.dtype(np.int32 if float(counts.max(initial=0)) <= LARGEST_SIZE else np.int64)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in the type of `count_type`."""
    return counts.astype(count_type(counts), copy=False)


def shown(text: bytes) -> str:
    """Return the start of a line, for an error message."""
    return repr(text[:60].decode(errors="backslashreplace").strip())


def as_text(numbers: NDArray[np.int64], ends: NDArray[np.uint8]) -> bytes:
    """Return decimal numbers, >= 0, each with a byte after it: all at once, digit by digit."""
    width = len(str(numbers.max(initial=0)))
    text = np.empty((len(numbers), width + 1), dtype=np.uint8)
    is_shown = np.ones(text.shape, dtype=bool)
    text[:, width] = ends
    for place in reversed(range(width)):
        if place < width - 1:
            is_shown[:, place] = numbers > 0
        rest = numbers // 10
        text[:, place] = numbers - 10 * rest + ord("0")
        numbers = rest
    return text[is_shown].tobytes()
