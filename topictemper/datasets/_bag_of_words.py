"""Two text formats of word counts: the UCI repository's bag of words, and LDA-C."""

from __future__ import annotations

import os
import re
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ._text import InputError

_Path = str | os.PathLike[str]

_LARGEST = np.iinfo(np.int32).max
_BYTES_AT_ONCE = 1 << 24

# Possessive, so that nothing is kept to try again: a block has a million lines.
_UCI_LINE = rb"[ \t]*(?:\d{1,18}[ \t]+\d{1,18}[ \t]+\d{1,18}[ \t]*)?\r?\n"
_UCI_BLOCK = re.compile(rb"(?:" + _UCI_LINE + rb")*+")
_LDAC_LINE = re.compile(rb"\s*\d{1,18}(?:[ \t]+\d{1,18}:\d{1,18})*+\s*")


def read_uci(file: IO[bytes], path: _Path) -> csr_array:
    """Read three lines, D, V and the number of entries, then ``document word count`` from 1 on."""
    head = []
    for number, what in enumerate(("documents", "words", "entries"), start=1):
        text = file.readline().strip()
        if not re.fullmatch(rb"\d{1,18}", text):
            raise InputError(f"{path}, line {number}: no number of {what}, but {_shown(text)}.")
        head.append(int(text))
    n_rows, n_features, nnz = head
    parts, number = [np.empty((0, 3), np.int32)], 4
    while block := file.readlines(_BYTES_AT_ONCE):
        if not block[-1].endswith(b"\n"):
            block[-1] += b"\n"
        text, entries = b"".join(block), None
        if _UCI_BLOCK.fullmatch(text):
            entries = _numbers(text).reshape(-1, 3)
            limits = (n_rows, n_features, _LARGEST)
            if (entries < (1, 1, 0)).any() or (entries > limits).any():
                entries = None
        if entries is None:
            for place, line in enumerate(block, start=number):
                problem = _uci_problem(line, n_rows, n_features)
                if problem:
                    raise InputError(f"{path}, line {place}: {problem}.")
            raise AssertionError("a block is wrong, but none of its lines")
        parts.append(entries.astype(np.int32))
        number += len(block)
    entries = np.concatenate(parts)
    if len(entries) != nnz:
        raise InputError(f"{path}: line 3 promises {nnz} entries, but there are {len(entries)}.")
    documents, words = entries[:, 0] - 1, entries[:, 1] - 1
    return csr_array((entries[:, 2], (documents, words)), shape=(n_rows, n_features))


def write_uci(file: IO[bytes], counts: csr_array) -> None:
    """Write what `read_uci` reads."""
    n_rows, n_features = counts.shape
    file.write(f"{n_rows}\n{n_features}\n{counts.nnz}\n".encode())
    for d in range(n_rows):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        for v, n in zip(counts.indices[span].tolist(), counts.data[span].tolist(), strict=True):
            file.write(b"%d %d %d\n" % (d + 1, v + 1, n))


def read_ldac(file: IO[bytes], path: _Path, n_features: int | None) -> csr_array:
    """Read a document a line: how many distinct words, then ``word:count`` from 0 on."""
    limit = _LARGEST if n_features is None else n_features
    parts, lengths = [np.empty((0, 2), np.int32)], [0]
    for number, line in enumerate(file, start=1):
        values = _numbers(line.replace(b":", b" ")) if _LDAC_LINE.fullmatch(line) else None
        if values is None or len(values) != 1 + 2 * values[0]:
            raise InputError(f"{path}, line {number}: {_ldac_problem(line)}.")
        entries = values[1:].reshape(-1, 2)
        if len(entries) and (entries[:, 0].max() >= limit or entries[:, 1].max() > _LARGEST):
            raise InputError(
                f"{path}, line {number}: word {entries[:, 0].max()} with {limit} words in all, "
                f"or a count of {entries[:, 1].max()}."
            )
        parts.append(entries.astype(np.int32))
        lengths.append(len(entries))
    words, data = np.ascontiguousarray(np.concatenate(parts).T)
    if n_features is None:
        n_features = int(words.max(initial=0)) + 1
    counts = csr_array((data, words, np.cumsum(lengths)), shape=(len(lengths) - 1, n_features))
    counts.sum_duplicates()
    return counts


def write_ldac(file: IO[bytes], counts: csr_array) -> None:
    """Write what `read_ldac` reads."""
    for d in range(counts.shape[0]):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        words = zip(counts.indices[span].tolist(), counts.data[span].tolist(), strict=True)
        fields = [b"%d" % (span.stop - span.start), *(b"%d:%d" % pair for pair in words)]
        file.write(b" ".join(fields) + b"\n")


def _numbers(text: bytes) -> NDArray[np.int64]:
    return np.fromstring(text, dtype=np.int64, sep=" ")


def _uci_problem(line: bytes, n_rows: int, n_features: int) -> str | None:
    if not re.fullmatch(_UCI_LINE, line):
        return f"not 'document word count', but {_shown(line)}"
    for field, what, low, high in zip(
        line.split(),
        ("document", "word", "a count of"),
        (1, 1, 0),
        (n_rows, n_features, _LARGEST),
        strict=False,
    ):
        if not low <= int(field) <= high:
            return f"{what} {int(field)}, which is not from {low} to {high}"
    return None


def _ldac_problem(line: bytes) -> str:
    fields = line.split()
    if not fields:
        return "no number of words; an empty document is a 0"
    if not re.fullmatch(rb"\d{1,18}", fields[0]):
        return f"no number of words, but {_shown(fields[0])}"
    for field in fields[1:]:
        if not re.fullmatch(rb"\d{1,18}:\d{1,18}", field):
            return f"not 'word:count', but {_shown(field)}"
    return f"{int(fields[0])} distinct words are promised, but there are {len(fields) - 1}"


def _shown(text: Any) -> str:
    return repr(text[:60].decode(errors="backslashreplace").strip())
