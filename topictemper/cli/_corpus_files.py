"""What the command line reads: text with one document a line, or counts and their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from ..datasets import iter_parquet_text, read_corpus
from ..datasets.formats._formats import format_of
from ..datasets.formats._text import InputError, lines, read_vocabulary

# Three or more letters of any script.
_WORD = r"[^\W\d_]{3,}"

_TABLES = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
    ".json": "JSON",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
}


class Corpus(NamedTuple):
    """Documents as word counts; the words are None if nothing names them."""

    counts: csr_array
    vocabulary: list[str] | None


def kind_of(path: Path, format: str | None = None) -> Literal["counts", "parquet", "text"]:
    """What the file is taken for.

    Raises
    ------
    InputError
        If it is a table of another kind, whose lines are no documents, and `format` is None.
    """
    if format is not None:
        return "text" if format == "text" else "counts"
    if format_of(path) is not None or (path / "corpus.json").exists():
        return "counts"
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix in _TABLES:
        raise InputError(
            f"{path}: {_TABLES[suffix]} files cannot be read. Save the texts one a line, or as a "
            "column of a Parquet file; or give --format text to take each line as it stands for a "
            "document."
        )
    return "parquet" if suffix == ".parquet" else "text"


def read_text(
    path: Path,
    *,
    vocabulary: Sequence[str] | None = None,
    min_df: float = 5,
    max_df: float = 0.5,
    stop_words: str | None = "english",
    column: str | None = None,
    format: str | None = None,
) -> Corpus:
    """Count the words of a text file with one document a line, or of a Parquet file of texts.

    Text is UTF-8, plain or gzipped. Words are runs of three or more letters, in lower case.

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
    column : str, default=None
        Where in a Parquet file the texts are.
    format : "text" or None
        "text" takes a file of any name for lines of text.

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
    parquet = kind_of(path, format) == "parquet"
    documents = iter_parquet_text(path, column) if parquet else lines(path)
    try:
        counts = csr_array(vectorizer.fit_transform(map(str.lower, documents)))
    except InputError:
        raise
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


def read_matrix(
    path: Path, vocabulary_path: Path | None = None, format: str | None = None
) -> Corpus:
    """Read counts, one document a row, and the words of their columns (see `read_corpus`)."""
    if not path.is_dir():
        counts, names = read_corpus(path, format, vocabulary=vocabulary_path).values()
        return Corpus(counts, None if names is None else names.tolist())
    counts, names = read_corpus(path, format).values()
    if vocabulary_path is None:
        return Corpus(counts, None if names is None else names.tolist())
    words = read_vocabulary(vocabulary_path)
    if len(words) != counts.shape[1]:
        raise InputError(
            f"{vocabulary_path}: {len(words)} words, but {path} has {counts.shape[1]} columns."
        )
    return Corpus(counts, words)
