"""Two text formats of word counts: the UCI repository's bag of words, and LDA-C."""

from __future__ import annotations

import re
from typing import IO

from scipy.sparse import csr_array

from ._coordinates import read_coordinates
from ._lines import Path, read_line, shown
from ._packed import InputError


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
    for d in range(n_rows):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        for v, n in zip(counts.indices[span].tolist(), counts.data[span].tolist(), strict=True):
            file.write(b"%d %d %d\n" % (d + 1, v + 1, n))


def write_ldac(file: IO[bytes], counts: csr_array) -> None:
    """Write the format of `read_ldac`."""
    for d in range(counts.shape[0]):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        words = zip(counts.indices[span].tolist(), counts.data[span].tolist(), strict=True)
        fields = [b"%d" % (span.stop - span.start), *(b"%d:%d" % pair for pair in words)]
        file.write(b" ".join(fields) + b"\n")
