"""Lines with a document, a word and a count, as in UCI and Matrix Market files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ._lines import LARGEST_COUNT, blocks, check_size, narrow, summable
from ._packed import InputError


class Coordinates(NamedTuple):
    """Entries of a matrix, in any order."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[Any]

    def to_csr(self, path: Path, shape: tuple[int, int]) -> csr_array:
        """Return a matrix; counts of entries at the same place are added up."""
        check_size(path, *shape, len(self.rows))
        return csr_array((summable(self.counts), (self.rows, self.columns)), shape=shape)


def read_coordinates(
    file: IO[bytes],
    path: Path,
    first: int,
    shape: tuple[int, int],
    n_entries: int,
    *,
    fields: Sequence[str] = ("document", "word", "count"),
    n_whole: int,
) -> Coordinates:
    """Read the rest of a file: `n_entries` lines, and any number of blank lines.

    Parameters
    ----------
    first : int
        Number of the next line of the file.
    fields : sequence of str
        Fields of a line: all three, or the first two, with a count of 1.
    n_whole : int
        How many fields must be integers.
    """
    check_size(path, 0, shape[1], 0)
    n_fields = len(fields)
    low = np.array((1, 1, 0))[:n_fields]
    high = np.array((*shape, LARGEST_COUNT))[:n_fields]
    rows, columns = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    counts: list[NDArray[Any]] = [np.empty(0, np.int32)]
    for block in blocks(file, path, first, pairs=False, n_whole=n_whole):
        filled = block.lengths == n_fields
        wrong = ~filled & (block.lengths != 0)
        if wrong.any():
            raise block.error(int(wrong.argmax()), f"not '{' '.join(fields)}', but {{}}")
        entries = block.values.reshape(-1, n_fields)
        beyond = (entries < low) | (entries > high)
        if beyond.any():
            entry, field = np.argwhere(beyond)[0]
            what = f"{fields[field]} {entries[entry, field]:.17g}"
            raise block.error(
                int(np.flatnonzero(filled)[entry]),
                f"{what} is not from {low[field]} to {high[field]}",
            )
        rows.append(entries[:, 0].astype(np.int32) - 1)
        columns.append(entries[:, 1].astype(np.int32) - 1)
        counts.append(narrow(entries[:, 2]) if n_fields == 3 else np.ones(len(entries), np.int32))
    found = Coordinates(np.concatenate(rows), np.concatenate(columns), np.concatenate(counts))
    if len(found.rows) != n_entries:
        raise InputError(
            f"{path}, line {first - 1}: promises {n_entries} entries, but there are "
            f"{len(found.rows)}."
        )
    return found
