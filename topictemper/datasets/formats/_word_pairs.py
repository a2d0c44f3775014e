"""Files with one document per line, as pairs ``word:count``: LDA-C and SVMlight."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..._utils._chunks import parts
from ..._utils._typing import Floats
from ._lines import LARGEST_COUNT, LARGEST_SIZE, Block, as_text, blocks, narrow, summable
from ._packed import InputError

# Optional parts of a line of SVMlight.
_QUERY_OR_COMMENT = rb"(?<=[ \t])qid:\d+(?=\s)|#[^\n]*"


class _Documents(NamedTuple):
    """Documents of a block: first numbers of lines, numbers of pairs, and the pairs."""

    heads: Floats
    lengths: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[Any]


def read_ldac(file: IO[bytes], path: Path, n_features: int | None) -> csr_array:
    """Read one document per line: the number of distinct words, then ``word:count`` from 0."""
    largest = (LARGEST_SIZE if n_features is None else n_features) - 1
    found = []
    for block in blocks(file, path, 1, pairs=True, n_whole=1):
        empty = block.lengths == 0
        if empty.any():
            raise block.error(
                int(empty.argmax()), "no number of words; write an empty document as 0"
            )
        part = _documents(block, "a number of words and pairs 'word:count'", largest)
        wrong = part.heads != part.lengths
        if wrong.any():
            line = int(wrong.argmax())
            raise block.error(
                line,
                f"{part.heads[line]:.0f} distinct words are announced, but there are "
                f"{part.lengths[line]}",
            )
        found.append(part)
    return _matrix(found, n_features)


def write_ldac(file: IO[bytes], counts: csr_array) -> None:
    """Write the format of `read_ldac`."""
    for part in parts(counts):
        lengths = np.diff(part.indptr)
        heads = 2 * part.indptr[:-1] + np.arange(len(lengths))
        is_head = np.zeros(2 * part.nnz + len(lengths), dtype=bool)
        is_head[heads] = True
        numbers = np.empty(len(is_head), dtype=np.int64)
        numbers[is_head] = lengths
        numbers[~is_head] = np.column_stack([part.indices, part.data]).ravel()
        ends = np.full(len(is_head), ord(" "), dtype=np.uint8)
        ends[np.flatnonzero(~is_head)[::2]] = ord(":")
        ends[np.append(heads[1:], len(ends)) - 1] = ord("\n")
        file.write(as_text(numbers, ends))


def read_svmlight(
    file: IO[bytes], path: Path, n_features: int | None, zero_based: bool | None = None
) -> csr_array:
    """Read one document per line: a label, then ``column:count`` from 1, or from 0 if there is a 0.

    Columns must increase. Blank lines and comments are not documents.
    """
    found = []
    for block in blocks(file, path, 1, pairs=True, n_whole=0, drop=_QUERY_OR_COMMENT):
        part = _documents(block, "a label and pairs 'column:count'", LARGEST_SIZE - 1)
        documents = np.repeat(np.arange(len(part.lengths)), part.lengths)
        falls = (np.diff(part.words) <= 0) & (np.diff(documents) == 0)
        if falls.any():
            row = documents[falls.argmax()]
            raise block.error(
                int(np.flatnonzero(block.lengths)[row]), "columns must increase in {}"
            )
        found.append(part)
    lowest = min((int(part.words.min()) for part in found if len(part.words)), default=0)
    if zero_based is False and lowest == 0 and any(len(part.words) for part in found):
        raise InputError(f"{path}: there is a column 0, so zero_based must be True.")
    if lowest > 0 and not zero_based:
        found = [part._replace(words=part.words - 1) for part in found]
    counts = _matrix(found, None)
    width = max(counts.shape[1], n_features or 0)
    return csr_array((counts.data, counts.indices, counts.indptr), (counts.shape[0], width))


def write_svmlight(file: IO[bytes], counts: csr_array) -> None:
    """Write the format of `read_svmlight`, from column 1 and with the label 0."""
    # scikit-learn writes 16 digits, and some counts have 17.
    for part in parts(counts):
        words, values = (part.indices + 1).tolist(), part.data.tolist()
        pairs = [f" {word}:{value!r}" for word, value in zip(words, values, strict=True)]
        ends = part.indptr.tolist()
        lines = ["".join(pairs[start:stop]) for start, stop in pairwise(ends)]
        file.write("".join(f"0{line}\n" for line in lines).encode())


def _documents(block: Block, wanted: str, largest: int) -> _Documents:
    """Return the documents of a block; `largest` is the largest word number."""
    wrong = block.lengths < 0
    if wrong.any():
        raise block.error(int(wrong.argmax()), f"not {wanted}, but {{}}")
    filled = np.flatnonzero(block.lengths)
    lengths = block.lengths[filled]
    is_head = np.zeros(len(block.values), bool)
    is_head[lengths.cumsum() - lengths] = True
    pairs = block.values[~is_head].reshape(-1, 2)
    beyond = (pairs < 0) | (pairs > (largest, LARGEST_COUNT))
    if beyond.any():
        entry, field = np.argwhere(beyond)[0]
        row = np.searchsorted((lengths // 2).cumsum(), entry, side="right")
        what, high = (("word", largest), ("count", LARGEST_COUNT))[field]
        raise block.error(
            int(filled[row]), f"{what} {pairs[entry, field]:.17g} is not from 0 to {high}"
        )
    return _Documents(
        block.values[is_head], lengths // 2, pairs[:, 0].astype(np.int32), narrow(pairs[:, 1])
    )


def _matrix(found: list[_Documents], n_features: int | None) -> csr_array:
    """Return a matrix of all documents; counts of a repeated word are added up."""
    indptr = np.concatenate([np.zeros(1, np.int64), *(part.lengths for part in found)]).cumsum()
    words = np.concatenate([np.empty(0, np.int32), *(part.words for part in found)])
    counts = np.concatenate([np.empty(0, np.int32), *(part.counts for part in found)])
    if n_features is None:
        n_features = int(words.max(initial=0)) + 1
    X = csr_array((summable(counts), words, indptr), shape=(len(indptr) - 1, n_features))
    X.sum_duplicates()
    return X
