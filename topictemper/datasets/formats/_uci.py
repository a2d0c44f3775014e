"""Files of the UCI repository's bag of words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

import numpy as np
from scipy.sparse import csr_array

from ..._utils._chunks import parts
from ._coordinates import read_coordinates
from ._lines import as_text, read_line, shown
from ._packed import InputError

# After the document, the word and the count.
_ENDS_OF_ENTRY = np.frombuffer(b"  \n", dtype=np.uint8)


def read_uci(file: IO[bytes], path: Path, n_features: int | None) -> csr_array:
    """Read lines with D, V and the number of entries, then ``document word count`` from 1."""
    sizes = []
    for number, what in enumerate(("documents", "words", "entries"), start=1):
        text = read_line(file, path, number).strip()
        if not re.fullmatch(rb"\d{1,18}", text):
            raise InputError(f"{path}, line {number}: no number of {what}, but {shown(text)}.")
        sizes.append(int(text))
    n_rows, n_columns, n_entries = sizes
    entries = read_coordinates(file, path, 4, (n_rows, n_columns), n_entries, n_whole=3)
    return entries.to_csr(path, (n_rows, n_columns))


def write_uci(file: IO[bytes], counts: csr_array) -> None:
    """Write the format of `read_uci`."""
    n_rows, n_features = counts.shape
    file.write(f"{n_rows}\n{n_features}\n{counts.nnz}\n".encode())
    first = 1
    for part in parts(counts):
        rows = np.repeat(np.arange(first, first + part.shape[0]), np.diff(part.indptr))
        lines = np.column_stack([rows, part.indices + 1, part.data])
        file.write(as_text(lines.ravel(), np.tile(_ENDS_OF_ENTRY, len(lines))))
        first += part.shape[0]
