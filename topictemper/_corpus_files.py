"""Word counts from files: text with one document a line, or a sparse matrix and its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, load_npz
from sklearn.feature_extraction.text import CountVectorizer

from .datasets._text import InputError, lines, read_vocabulary

# Three or more letters of any script.
_WORD = r"[^\W\d_]{3,}"


class Corpus(NamedTuple):
    """Documents as word counts; the words are None if nothing names them."""

    counts: csr_array
    vocabulary: list[str] | None


def is_matrix(path: Path) -> bool:
    """Whether the file is taken for a sparse matrix, and not for text."""
    return path.suffix == ".npz"


def read_text(
    path: Path,
    *,
    vocabulary: Sequence[str] | None = None,
    min_df: float = 5,
    max_df: float = 0.5,
    stop_words: str | None = "english",
) -> Corpus:
    """Count the words of a UTF-8 text file, plain or gzipped, with one document a line.

    Words are runs of three or more letters, in lower case.

    Parameters
    ----------
    path : Path
        The file.
    vocabulary : sequence of str, default=None
        The only words to count. The other parameters then mean nothing.
    min_df, max_df : int or float
        Words in fewer or in more documents are left out: a number of documents (int) or a share
        of them (float).
    stop_words : "english" or None
        Words to leave out.

    Raises
    ------
    InputError
        If the file is not such text, or no words are left of it.
    OSError
        If it cannot be read.
    """
    vectorizer = CountVectorizer(
        token_pattern=_WORD,
        vocabulary=None if vocabulary is None else list(vocabulary),
        min_df=min_df,
        max_df=max_df,
        stop_words=None if vocabulary is not None else stop_words,
        # Done here instead, lest a capital in the vocabulary is warned of.
        lowercase=False,
        dtype=np.int32,
    )
    try:
        counts = csr_array(vectorizer.fit_transform(map(str.lower, lines(path))))
    except ValueError as error:
        # The vectorizer says so if no words are left, and speaks of min_df and max_df.
        raise InputError(f"{path}: {error}") from error
    if vocabulary is None:
        return Corpus(counts, vectorizer.get_feature_names_out().tolist())
    if not counts.nnz:
        raise InputError(f"{path}: no document has a word of the vocabulary.")
    return Corpus(counts, list(vocabulary))


def unfindable(vocabulary: Sequence[str]) -> list[str]:
    """Return the words that `read_text` never finds, such as those with capitals or digits."""
    return [word for word in vocabulary if word != word.lower() or not re.fullmatch(_WORD, word)]


def read_matrix(path: Path, vocabulary_path: Path | None = None) -> Corpus:
    """Read counts written by ``scipy.sparse.save_npz``, one document a row.

    Parameters
    ----------
    path : Path
        The matrix.
    vocabulary_path : Path, default=None
        The words of the columns, one a line. By default ``vocab.txt`` beside the matrix, if there.

    Raises
    ------
    InputError
        If the file holds no such matrix, or the words are not as many as its columns.
    OSError
        If a file cannot be read.
    """
    # Opened here: numpy leaves its own file open when it fails to make sense of it.
    with open(path, "rb") as file:
        try:
            counts = load_npz(file)
            # SciPy trusts the indices, and would read out of bounds in a conversion.
            if hasattr(counts, "check_format"):
                counts.check_format(full_check=True)
            counts = csr_array(counts)
        except MemoryError:
            raise
        except Exception as error:
            # Not a zip, another .npz, damaged: many kinds of error and one thing to say.
            raise InputError(
                f"{path}: not a sparse matrix as scipy.sparse.save_npz writes it, or damaged."
            ) from error
    if vocabulary_path is None:
        vocabulary_path = path.with_name("vocab.txt")
        if not vocabulary_path.exists():
            return Corpus(counts, None)
    vocabulary = read_vocabulary(vocabulary_path)
    if len(vocabulary) != counts.shape[1]:
        raise InputError(
            f"{vocabulary_path}: {len(vocabulary)} words, but {path} has {counts.shape[1]} columns."
        )
    return Corpus(counts, vocabulary)
