"""Corpora in folders of arrays, which are opened without reading them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Bunch

from ..._utils import _counts
from ..._utils import _validation as check
from ..._utils._chunks import is_chunks, naming_chunk, no_chunks, numbered
from ..._utils._feature_names import feature_names_of
from ..._utils._files import new_folder, path_of
from ..._utils._npz import read_header
from ..._utils._sparse_checks import spans
from ._lines import LARGEST_COUNT, LARGEST_SIZE
from ._packed import InputError, check_regular
from ._text import read_vocabulary, write_vocabulary

_FORMAT = "topictemper corpus"
_SCHEMA = 1
#: The file that makes a folder one of a corpus, and that of its words.
HEADER = "corpus.json"
WORDS = "vocab.txt"
# SciPy needs one type for `indices` and `indptr`.
_SMALL = np.iinfo(np.int32).max

_INDEX_TYPES = ("int32", "int64")
_COUNT_TYPES = ("int32", "float32", "float64")


class Corpus(Bunch):
    """Counts, and the words of their columns where they are known."""

    counts: sp.csr_array
    feature_names: NDArray[Any] | None


def save_corpus(path: str | os.PathLike[str], X: Any, feature_names: Any = None) -> None:
    """Write counts to a folder that `open_corpus` opens without reading it.

    The folder has the three arrays of a CSR matrix (``indptr.npy``, ``indices.npy``, ``data.npy``),
    a header ``corpus.json`` and, with names, ``vocab.txt`` with one word per line. It appears when
    it is complete.

    Parameters
    ----------
    path : str or path-like
        The folder; it must not exist.
    X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
        Counts of words (columns) in documents (rows), >= 0. An iterable gives chunks of documents,
        so the whole corpus need not fit into memory.
    feature_names : array-like of str, mapping or vectorizer, optional
        The words, in any form that `TemperedLDA.top_words` takes.

    Raises
    ------
    TypeError, ValueError
        If the counts, the names or `path` are invalid. Nothing is left behind.
    FileExistsError
        If `path` exists, before or after the counts are written.
    OSError
        If it cannot be written. Nothing is left behind.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus, open_corpus, save_corpus
    >>> counts = make_lda_corpus(200, 50, 3, random_state=0).counts
    >>> with TemporaryDirectory() as folder:
    ...     save_corpus(Path(folder) / "corpus", counts)
    ...     mapped = open_corpus(Path(folder) / "corpus").counts
    ...     lda = TemperedLDA(3, max_iter=2, random_state=0).fit(mapped)
    ...     del mapped
    >>> lda.n_features_in_
    50
    """
    write_corpus_folder(path, X, feature_names)


def write_corpus_folder(
    path: str | os.PathLike[str], X: Any, feature_names: Any, notes: dict[str, Any] | None = None
) -> None:
    """Do what `save_corpus` does, and keep plain values for `notes_of`."""
    with new_folder(path) as folder:
        shape, nnz = _write_counts(folder, _named_counts(X))
        if feature_names is not None:
            with open(folder / WORDS, "wb") as file:
                write_vocabulary(file, feature_names_of(feature_names, shape[1]).tolist())
        header = {"format": _FORMAT, "schema": _SCHEMA, "shape": shape, "nnz": nnz}
        if notes is not None:
            header["notes"] = notes
        (folder / HEADER).write_text(json.dumps(header))


def open_corpus(path: str | os.PathLike[str], *, verify: bool = True) -> Corpus:
    """Open a corpus of `save_corpus` without loading its counts.

    The counts stay on the disk; the system reads parts of them and frees the memory when needed.
    ``TemperedLDA.fit`` takes them as they are. If they are larger than memory, ``shuffle=False``
    avoids random access to the disk; the documents should then be in random order themselves.

    Parameters
    ----------
    path : str or path-like
        The folder.
    verify : bool, default=True
        Whether to read the arrays once, and to refuse indices or counts that are out of range.
        SciPy does not check them, and crashes on a damaged folder. This takes about as long as
        reading the files. False checks types and sizes only, and opens a corpus of any size at
        once; use it for folders that you trust.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        counts : csr_array of shape (n_samples, n_features)
            Counts, read-only and memory-mapped.
        feature_names : ndarray of str, of shape (n_features,), or None
            The words, or None if none were saved.

    Raises
    ------
    TypeError
        If `path` is not the name of a folder.
    ValueError
        If the folder holds no corpus, a damaged one, or one of a later version; the error names
        the file.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper.datasets import open_corpus, save_corpus
    >>> with TemporaryDirectory() as folder:
    ...     save_corpus(Path(folder) / "corpus", [[3, 0, 1], [0, 2, 0]], ["red", "blue", "sky"])
    ...     corpus = open_corpus(Path(folder) / "corpus")
    ...     corpus.counts.toarray()
    ...     corpus.feature_names
    ...     del corpus
    array([[3, 0, 1],
           [0, 2, 0]], dtype=int32)
    array(['red', 'blue', 'sky'], dtype=object)
    """
    check.flag("verify", verify)
    folder = path_of(path, kind="folder")
    if folder.is_file():
        raise InputError(f"{folder} is a file, not a folder of save_corpus; read_corpus reads it.")
    if folder.exists() and not (folder / HEADER).exists():
        raise InputError(f"{folder} holds no corpus: save_corpus makes a folder with {HEADER}.")
    shape, nnz = _sizes(folder / HEADER)
    counts = _mapped(folder, shape, nnz)
    if verify:
        _verify(folder, counts)
    words = folder / WORDS
    names = None
    if words.exists():
        check_regular(words)
        found = read_vocabulary(words)
        if len(found) != shape[1]:
            raise InputError(f"{words}: {len(found)} words, but the corpus has {shape[1]} columns.")
        names = feature_names_of(found, shape[1])
    return Corpus(counts=counts, feature_names=names)


def notes_of(path: Path) -> dict[str, Any] | None:
    """Return the values that `write_corpus_folder` was given, or None.

    Raises
    ------
    InputError
        If the header is damaged.
    """
    notes = _header(path / HEADER).get("notes")
    if notes is not None and not isinstance(notes, dict):
        raise InputError(f"{path / HEADER}: damaged; it has notes {notes!r}.")
    return notes


def _named_counts(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield checked CSR counts of one matrix or of chunks, and what errors call them."""
    if not is_chunks(X):
        yield "X", _counts.count_matrix(X, "X")
        return
    for number, chunk in numbered(X):
        yield f"chunk {number} of X", naming_chunk(number, chunk, _checked_chunk)


def _checked_chunk(chunk: Any) -> Any:
    return _counts.count_matrix(_counts.acceptable_chunk(chunk), "chunk")


def _write_counts(folder: Path, named: Iterable[tuple[str, Any]]) -> tuple[tuple[int, int], int]:
    """Write the three arrays of named counts. Return the shape and the number of entries."""
    n_features: int | None = None
    nnz = n_rows = 0
    with (
        _Growing(folder / "indptr.npy") as indptr,
        _Growing(folder / "indices.npy") as indices,
        _Growing(folder / "data.npy") as data,
    ):
        for name, counts in named:
            if n_features is None:
                n_features = int(counts.shape[1])
                indptr.append(np.zeros(1, np.int64))
            elif counts.shape[1] != n_features:
                raise ValueError(f"{name} has {counts.shape[1]} columns, those before {n_features}")
            entries = int(counts.indptr[-1])
            indptr.append(counts.indptr[1:].astype(np.int64) + nnz)
            indices.append(counts.indices[:entries].astype(np.int32, copy=False))
            data.append(_storable(counts.data[:entries], data.dtype, name))
            nnz, n_rows = nnz + entries, n_rows + counts.shape[0]
        if n_features is None:
            raise no_chunks("X")
    # int32 if it suffices, which is half the size.
    _convert(folder / "indptr.npy" if nnz <= _SMALL else folder / "indices.npy")
    return (n_rows, n_features), nnz


def _storable(data: NDArray[Any], wanted: np.dtype[Any] | None, name: str) -> NDArray[Any]:
    """Return counts as int32, float32 or float64, the type of the chunks before."""
    if wanted is None:
        small = data.dtype.kind in "biu" and data.max(initial=0) <= LARGEST_SIZE
        wanted = np.dtype(np.int32) if small else np.result_type(data.dtype, np.float32)
    with np.errstate(invalid="ignore"):  # of counts that are too large: they are refused here
        stored = data.astype(wanted, copy=False)
    if stored.dtype != data.dtype and not (stored == data).all():
        raise ValueError(f"{name} has counts that {wanted} of chunk 0 cannot hold")
    return stored


def _convert(path: Path) -> None:
    """Convert an index array from int32 to int64 or back."""
    old = np.load(path, mmap_mode="r")
    other = path.with_suffix(".part")
    with _Growing(other) as new:
        for span in spans(len(old)):
            new.append(old[span].astype(np.int32 if old.dtype == np.int64 else np.int64))
    del old
    os.replace(other, path)


def _header(path: Path) -> dict[str, Any]:
    """Return a header of this version or an earlier one."""
    check_regular(path)
    try:
        header = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not the header of a topictemper corpus ({error}).") from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise InputError(f"{path}: not the header of a topictemper corpus.")
    schema = header.get("schema")
    if isinstance(schema, int) and schema > _SCHEMA:
        raise InputError(
            f"{path}: the corpus is of format {schema}, made by a later version of topictemper; "
            f"this one reads formats up to {_SCHEMA}."
        )
    return header


def _sizes(path: Path) -> tuple[tuple[int, int], int]:
    """Return the shape and the number of entries in a header."""
    header = _header(path)
    shape, nnz = header.get("shape"), header.get("nnz")
    match shape, nnz:
        case [[int(n_rows), int(n_columns)], int(n_entries)]:
            if min(n_rows, n_columns, n_entries) >= 0 and n_columns <= LARGEST_SIZE:
                return (n_rows, n_columns), n_entries
    raise InputError(f"{path}: damaged; it says shape {shape!r} and nnz {nnz!r}.")


def _mapped(folder: Path, shape: tuple[int, int], nnz: int) -> sp.csr_array:
    """Return the matrix of a folder; types and sizes are checked."""
    arrays = {}
    for name, length in (("indptr", shape[0] + 1), ("indices", nnz), ("data", nnz)):
        path = folder / f"{name}.npy"
        check_regular(path)
        try:
            with open(path, "rb") as file:
                header = read_header(file, path.stat().st_size)
            types = _COUNT_TYPES if name == "data" else _INDEX_TYPES
            if not header.dtype.isnative:
                raise ValueError(
                    "its numbers have the byte order of other processors. Open it on one of them, "
                    "write it with write_corpus as a file of another format, and read that here"
                )
            if header.shape != (length,) or header.dtype not in types:
                raise ValueError(
                    f"an array of shape {header.shape} of {header.dtype}, instead of {length} of "
                    f"{' or '.join(types)}"
                )
        except ValueError as error:
            raise InputError(f"{path}: {error}.") from error
        arrays[name] = np.memmap(path, header.dtype, "r", header.offset, (length,))
    if arrays["indptr"].dtype != arrays["indices"].dtype:
        raise InputError(
            f"{folder}: indptr.npy is of {arrays['indptr'].dtype} and indices.npy of "
            f"{arrays['indices'].dtype}; they must be of one type."
        )
    if arrays["indptr"][0] != 0 or arrays["indptr"][-1] != nnz:
        raise InputError(f"{folder / 'indptr.npy'}: does not go from 0 to {nnz}.")
    # The constructor might read the arrays to choose a smaller type.
    counts = sp.csr_array(shape, dtype=arrays["data"].dtype)
    for name, array in arrays.items():
        setattr(counts, name, array)
    return counts


def _verify(folder: Path, counts: sp.csr_array) -> None:
    """Check the values of the arrays, piece by piece."""
    indptr, indices, data = counts.indptr, counts.indices, counts.data
    for span in spans(len(indptr) - 1):
        falls = indptr[span.start + 1 : span.stop + 1] < indptr[span]
        if falls.any():
            row = span.start + int(falls.argmax())
            raise InputError(f"{folder / 'indptr.npy'}: decreases after row {row}.")
    for span in spans(len(data)):
        for name, array, limit in (
            ("indices", indices, counts.shape[1] - 1),
            ("data", data, LARGEST_COUNT),
        ):
            part = array[span]
            # NaN fails this comparison.
            if not (part.min() >= 0 and part.max() <= limit):
                entry = int((~((part >= 0) & (part <= limit))).argmax())
                raise InputError(
                    f"{folder / name}.npy: entry {span.start + entry} is {part[entry]}, which is "
                    f"not from 0 to {limit}."
                )


class _Growing:
    """A one-dimensional array in a .npy file, written piece by piece."""

    def __init__(self, path: Path) -> None:
        self.dtype: np.dtype[Any] | None = None
        self._length = 0
        self._file = open(path, "wb")  # noqa: SIM115

    def append(self, array: NDArray[Any]) -> None:
        """Write a piece, in the type of the first one."""
        if self.dtype is None:
            self.dtype = array.dtype
            self._write_header()
        self._length += len(array)
        self._file.write(np.ascontiguousarray(array).data)

    def _write_header(self) -> None:
        assert self.dtype is not None
        np.lib.format.write_array_header_1_0(
            self._file, {"descr": self.dtype.str, "fortran_order": False, "shape": (self._length,)}
        )

    def __enter__(self) -> _Growing:
        return self

    def __exit__(self, *error: object) -> None:
        with self._file:
            if self.dtype is not None:
                # NumPy headers have space for lengths of up to 21 digits.
                self._file.seek(0)
                self._write_header()
