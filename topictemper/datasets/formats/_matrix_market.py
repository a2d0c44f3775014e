"""Matrix Market files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

import numpy as np
from scipy.sparse import csr_array

from ._coordinates import Coordinates, read_coordinates
from ._lines import LARGEST_COUNT, blocks, check_size, narrow, read_line, shown
from ._packed import SUFFIXES, InputError, unpacked

# How many numbers of an entry must be integers.
_WHOLE = {"integer": 3, "unsigned-integer": 3, "real": 2, "double": 2, "pattern": 2}


def read_mtx(file: IO[bytes], path: Path, n_features: int | None) -> csr_array:
    """Read a real matrix with documents in rows."""
    banner = read_line(file, path, 1)
    words = banner.decode("latin-1").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(
            f"{path}, line 1: not '%%MatrixMarket matrix coordinate integer general' or the like, "
            f"but {shown(banner)}."
        )
    layout, field, symmetry = words[2:]
    for word, allowed in (
        (layout, ("coordinate", "array")),
        (field, tuple(_WHOLE)),
        (symmetry, ("general", "symmetric")),
    ):
        if word not in allowed:
            raise InputError(
                f"{path}, line 1: {word!r} is not supported; use one of {', '.join(allowed)}."
            )
    number = 2
    while (line := read_line(file, path, number)).startswith(b"%") or line.isspace():
        number += 1
    if layout == "array":
        if symmetry != "general" or field == "pattern":
            raise InputError(f"{path}, line 1: an array must hold numbers, and be general.")
        n_rows, n_columns = _sizes(line, path, number, "rows columns")
        _refuse_cells_in_columns(path, (n_rows, n_columns))
        return _read_array(file, path, number + 1, (n_rows, n_columns), _WHOLE[field] - 2)
    n_rows, n_columns, n_entries = _sizes(line, path, number, "rows columns entries")
    fields = ("row", "column") if field == "pattern" else ("row", "column", "count")
    shape = n_rows, n_columns
    _refuse_cells_in_columns(path, shape)
    entries = read_coordinates(
        file, path, number + 1, shape, n_entries, fields=fields, n_whole=_WHOLE[field]
    )
    if symmetry == "symmetric":
        entries = _mirrored(entries, path, shape)
    return entries.to_csr(path, shape)


def write_mtx(file: IO[bytes], counts: csr_array) -> None:
    """Write a real matrix."""
    from scipy.io import mmwrite  # slow to import

    mmwrite(file, counts, field="real")  # gensim reads no other field


def _refuse_cells_in_columns(path: Path, shape: tuple[int, int]) -> None:
    """Refuse a matrix of cells that has genes in rows, as 10x and STARsolo write it.

    Their barcodes are in a file beside it, and tell, unless there are as many genes as cells.

    Raises
    ------
    InputError
        If that file has a line for each column, and there are not as many rows.
    """
    found = re.fullmatch(r"(.*)matrix\.mtx(\.(gz|bz2|xz))?", path.name, re.IGNORECASE)
    if found is None or shape[0] == shape[1]:
        return
    for suffix in ("", *SUFFIXES):
        barcodes = path.with_name(f"{found[1]}barcodes.tsv{suffix}")
        if barcodes.is_file() and _n_lines(barcodes) == shape[1]:
            raise InputError(
                f"{path} has genes in rows, for {barcodes.name} has a line for each of its "
                f"{shape[1]} columns. Documents, here cells, must be in rows: read it with "
                "scanpy.read_10x_mtx, or write the transpose to another folder."
            )


def _n_lines(path: Path) -> int | None:
    """Return how many lines of a file are not empty, or None if it cannot be read."""
    try:
        with unpacked(path) as file:
            return sum(not line.isspace() for line in file)
    except (OSError, InputError):  # of a file that nobody has named
        return None


def _sizes(line: bytes, path: Path, number: int, wanted: str) -> list[int]:
    numbers = line.split()
    if len(numbers) != len(wanted.split()) or not all(
        re.fullmatch(rb"\d{1,18}", size) for size in numbers
    ):
        raise InputError(f"{path}, line {number}: not '{wanted}', but {shown(line)}.")
    return [int(size) for size in numbers]


def _mirrored(entries: Coordinates, path: Path, shape: tuple[int, int]) -> Coordinates:
    """Return both halves of a symmetric matrix, from its lower half."""
    if shape[0] != shape[1]:
        raise InputError(f"{path}: a symmetric matrix of {shape[0]} rows and {shape[1]} columns.")
    rows, columns, counts = entries
    above = columns > rows
    if above.any():
        entry = int(above.argmax())
        raise InputError(
            f"{path}: row {rows[entry] + 1}, column {columns[entry] + 1} is above the diagonal; a "
            "symmetric matrix has entries on and below it only."
        )
    below = columns < rows
    return Coordinates(
        np.concatenate([rows, columns[below]]),
        np.concatenate([columns, rows[below]]),
        np.concatenate([counts, counts[below]]),
    )


def _read_array(
    file: IO[bytes], path: Path, first: int, shape: tuple[int, int], n_whole: int
) -> csr_array:
    """Read a dense matrix: one number per line, column by column."""
    check_size(path, *shape, 0)
    places, counts, n_read = [np.empty(0, np.int64)], [np.empty(0)], 0
    for block in blocks(file, path, first, pairs=False, n_whole=n_whole):
        wrong = (block.lengths != 1) & (block.lengths != 0)
        if wrong.any():
            raise block.error(int(wrong.argmax()), "not a count, but {}")
        beyond = (block.values < 0) | (block.values > LARGEST_COUNT)
        if beyond.any():
            line = int(np.flatnonzero(block.lengths)[beyond.argmax()])
            raise block.error(line, f"count {{}} is not from 0 to {LARGEST_COUNT}")
        found = np.flatnonzero(block.values)
        places.append(found + n_read)
        counts.append(block.values[found])
        n_read += len(block.values)
    n_rows, n_columns = shape
    if n_read != n_rows * n_columns:
        raise InputError(
            f"{path}, line {first - 1}: promises {n_rows * n_columns} counts, but there are "
            f"{n_read}."
        )
    columns, rows = np.divmod(np.concatenate(places), n_rows or 1)
    return Coordinates(
        rows.astype(np.int32), columns.astype(np.int32), narrow(np.concatenate(counts))
    ).to_csr(path, shape)
