"""Word counts in files of common formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import ZipFile

from scipy.sparse import csr_array, save_npz

from ..._utils import _counts
from ..._utils import _validation as check
from ..._utils._feature_names import feature_names_of
from ..._utils._files import path_of, replacing, whole
from ._lines import count_type, narrow, summable
from ._mapped import Corpus, open_corpus
from ._matrix_market import read_mtx, write_mtx
from ._packed import SUFFIXES, InputError, check_regular, plain_name, unpacked
from ._sparse_npz import read_npz
from ._text import read_vocabulary, write_vocabulary
from ._uci import read_uci, write_uci
from ._word_pairs import read_ldac, read_svmlight, write_ldac, write_svmlight


class _Format(NamedTuple):
    """How a format is named, read and written."""

    #: The command line takes files with these suffixes for counts, not for texts or tables.
    suffixes: tuple[str, ...]
    #: Called with the file, its path for errors, and the number of columns, None if unknown.
    read: Callable[..., Any]
    write: Callable[[Any, csr_array], None]
    integers_only: bool = False


Format = Literal["uci", "ldac", "mtx", "svmlight", "npz"]
_FORMATS: dict[str, _Format] = {
    "uci": _Format((".uci",), read_uci, write_uci, integers_only=True),
    "ldac": _Format((".ldac", ".lda-c", ".dat"), read_ldac, write_ldac, integers_only=True),
    "mtx": _Format((".mtx", ".mm"), read_mtx, write_mtx),
    "svmlight": _Format((".svm", ".svmlight", ".libsvm"), read_svmlight, write_svmlight),
    "npz": _Format((".npz",), read_npz, save_npz),
}
FORMATS = tuple(_FORMATS)
_OF_SUFFIX = {suffix: kind for kind, each in _FORMATS.items() for suffix in each.suffixes}


def read_corpus(
    path: str | os.PathLike[str],
    format: Format | None = None,
    *,
    vocabulary: str | os.PathLike[str] | None = None,
    zero_based: bool | None = None,
) -> Corpus:
    r"""Read word counts from a file.

    Parameters
    ----------
    path : str or path-like
        The file. All formats except "npz" may be compressed with gzip, bzip2 or xz. A folder of
        `save_corpus` is opened and verified by `open_corpus`.
    format : {"uci", "ldac", "mtx", "svmlight", "npz"}, default=None
        Format of the file. None takes it from the name:

        - "uci" (``docword.*``, ``.uci``), bag of words of the UCI repository: one line each with
          the number of documents, of words and of entries; then lines ``document word count``,
          numbered from 1;
        - "ldac" (``.ldac``, ``.lda-c``, ``.dat``), LDA-C: one line for each document with the
          number of its distinct words, then ``word:count`` for each word, numbered from 0;
        - "mtx" (``.mtx``, ``.mm``), Matrix Market, documents in rows;
        - "svmlight" (``.svm``, ``.svmlight``, ``.libsvm``), without the labels; columns are
          numbered from 1, or from 0 if there is a 0 (see `zero_based`);
        - "npz" (``.npz``), as written by ``scipy.sparse.save_npz``.
    vocabulary : str or path-like, default=None
        File of the words, one per line. None takes ``vocab.txt`` in the same folder, or
        ``vocab.NAME.txt`` for ``docword.NAME.txt``, if it exists.
    zero_based : bool, default=None
        Whether the columns of "svmlight" are numbered from 0, as those that scikit-learn's
        ``dump_svmlight_file`` writes. None is a guess, which is wrong if column 0 is empty; for
        other formats it must be None.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        counts : csr_array of shape (n_samples, n_features)
            Counts; int32, or int64 for large ones, if all are integers.
        feature_names : ndarray of str, of shape (n_features,), or None
            The words.

    Raises
    ------
    TypeError
        If `path` or `vocabulary` is not the name of a file.
    ValueError
        If the file is malformed (the error names the line or the member), claims more than a file
        of its size can hold, or does not match the words; if ``barcodes.tsv`` beside a
        ``matrix.mtx`` says that its columns are cells.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper.datasets import read_corpus
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "two.ldac"
    ...     _ = file.write_text("2 0:3 2:1\n1 1:2\n")
    ...     read_corpus(file).counts.toarray()
    array([[3, 0, 1],
           [0, 2, 0]], dtype=int32)
    """
    path = path_of(path, kind="file or folder")
    if path.is_dir() and format is None:
        if zero_based is not None:
            raise ValueError("zero_based is for format='svmlight'; with a folder it must be None")
        return _opened(path, vocabulary)
    kind = format_of(path) if format is None else check.choice("format", format, FORMATS)
    if kind is None:
        raise InputError(
            f"{path}: unknown file name; give the format, one of {', '.join(FORMATS)}."
        )
    if zero_based is not None and kind != "svmlight":
        raise ValueError(f"zero_based is for format='svmlight'; with {kind!r} it must be None")
    options = {} if zero_based is None else {"zero_based": check.flag("zero_based", zero_based)}
    named = vocabulary_beside(path) if vocabulary is None else _words_file(vocabulary)

    def read(counts_file: Path, words_file: Path) -> tuple[Any, list[str] | None]:
        # Words come first: some formats do not state the number of columns.
        wanted = vocabulary is not None or words_file.exists()
        if vocabulary is None:
            check_regular(words_file)
        words = read_vocabulary(words_file) if wanted else None
        with open(counts_file, "rb") if kind == "npz" else unpacked(counts_file) as file:
            n_features = None if words is None else len(words)
            return _FORMATS[kind].read(file, path, n_features, **options), words

    counts, words = whole(read, path, named)
    if counts.shape[0] == 0:
        raise InputError(f"{path}: no documents.")
    try:
        counts = _counts.count_matrix(counts, "X")
        counts = counts.astype(count_type(counts.data), copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}.") from error
    return Corpus(counts=counts, feature_names=_names(words, named, counts, path))


def write_corpus(
    path: str | os.PathLike[str],
    X: Any,
    format: Format | None = None,
    *,
    feature_names: Any = None,
) -> None:
    r"""Write word counts to a file that `read_corpus` reads.

    Parameters
    ----------
    path : str or path-like
        The file; not ``vocab.txt``, which is that of the words.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts; "uci" and "ldac" take integers only.
    format : {"uci", "ldac", "mtx", "svmlight", "npz"}, default=None
        As for `read_corpus`.
    feature_names : array-like of str, mapping or vectorizer, optional
        The words, in any form that `TemperedLDA.top_words` takes. They go to ``vocab.txt``, or
        ``vocab.NAME.txt`` for "uci", in the same folder. Without words "ldac" and "svmlight" lose
        empty columns at the end.

    Raises
    ------
    TypeError, ValueError
        If the counts or names are invalid, or the format cannot hold them. If that file of words is
        there already and no words are given, or other ones while another file of counts has them:
        each corpus would be read with the words of the other.
    OSError
        If a file cannot be written. The old files then stay.

    Notes
    -----
    Counts and words are replaced together, as a whole: `read_corpus` finds the old ones or the new
    ones, even if the process is killed while it writes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper.datasets import write_corpus
    >>> with TemporaryDirectory() as folder:
    ...     write_corpus(Path(folder) / "docword.two.txt", [[3, 0, 1], [0, 2, 0]])
    ...     (Path(folder) / "docword.two.txt").read_text().split("\n")
    ['2', '3', '3', '1 1 3', '1 3 1', '2 2 2', '']
    """
    path = path_of(path)
    kind = format_of(path) if format is None else check.choice("format", format, FORMATS)
    if path.name.lower().endswith(SUFFIXES):
        raise ValueError(
            f"{path}: compressed files cannot be written; leave {path.suffix} out of the name"
        )
    if kind is None:
        raise ValueError(f"{path}: unknown file name; give the format, one of {', '.join(FORMATS)}")
    counts = csr_array(_counts.count_matrix(X, "X"), copy=True)
    counts.data = summable(counts.data)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    counts.data = narrow(counts.data)
    if _FORMATS[kind].integers_only and counts.dtype.kind == "f":
        raise ValueError(f"format={kind!r} holds integers only, but X has other counts")
    beside = vocabulary_beside(path)
    if path == beside:
        raise ValueError(f"{path} is the file of the words of its folder; choose another name")
    if feature_names is None:
        if beside.exists():
            raise ValueError(
                f"{beside} has words, which would be those of {path.name}; give feature_names, or "
                "write to another folder"
            )
        with replacing(path) as [file]:
            _FORMATS[kind].write(file, counts)
        return
    names = feature_names_of(feature_names, counts.shape[1]).tolist()
    shared = not path.exists() or any(
        other != path and vocabulary_beside(other) == beside and _holds_counts(other)
        for other in path.parent.iterdir()
    )
    if beside.exists() and shared and read_vocabulary(beside) != names:
        raise ValueError(
            f"{beside} has other words, which are those of another corpus; write to another folder"
        )
    with replacing(path, beside) as [file, vocabulary]:
        _FORMATS[kind].write(file, counts)
        write_vocabulary(vocabulary, names)


def format_of(path: Path) -> str | None:
    """Return the format that the name of a file implies, or None."""
    name = plain_name(path)
    if name.startswith("docword."):
        return "uci"
    return _OF_SUFFIX.get(Path(name).suffix)


def _opened(path: Path, vocabulary: str | os.PathLike[str] | None) -> Corpus:
    """Open a folder of `save_corpus`, with other words if they are given."""
    corpus = open_corpus(path)
    if vocabulary is not None:
        named = _words_file(vocabulary)
        corpus.feature_names = _names(read_vocabulary(named), named, corpus.counts, path)
    return corpus


def _names(words: list[str] | None, named: Path, counts: csr_array, path: Path) -> Any:
    if words is None:
        return None
    n_rows, n_columns = counts.shape
    if len(words) != n_columns:
        hint = (
            "There are as many rows as words: documents must be in rows, so write the transpose."
            if len(words) == n_rows
            else "Words must be one per line, without a header."
        )
        raise InputError(f"{named}: {len(words)} words, but {path} has {n_columns} columns. {hint}")
    return feature_names_of(words, n_columns)


def _words_file(vocabulary: Any) -> Path:
    if not isinstance(vocabulary, str | os.PathLike):
        raise TypeError(
            "vocabulary must be a file of words, one per line; got "
            f"{type(vocabulary).__name__}. Leave it out, and give the words themselves to fit, as "
            "feature_names"
        )
    return Path(vocabulary)


def _holds_counts(path: Path) -> bool:
    kind = format_of(path)
    if kind != "npz":
        return kind is not None
    # Models are such files as well, and other arrays.
    try:
        with ZipFile(path) as archive:
            return "format.npy" in archive.namelist()
    except Exception:  # zipfile raises errors of many types for what is no archive, or damaged
        return False


def vocabulary_beside(path: Path) -> Path:
    """Return the file that would have the words of a file of counts."""
    uci = re.fullmatch(r"docword(\..+?)?(\.txt)?(\.(gz|bz2|xz))?", path.name, re.IGNORECASE)
    return path.with_name(f"vocab{uci[1] or ''}.txt" if uci else "vocab.txt")
