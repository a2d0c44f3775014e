"""Input of the command line: text with one document per line, or counts and their words."""

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
    """Documents as word counts, and the words if they are known."""

    counts: csr_array
    vocabulary: list[str] | None


def kind_of(path: Path, format: str | None = None) -> Literal["counts", "parquet", "text"]:
    """Return how a file is read.

    Raises
    ------
    InputError
        If the file is a table, whose lines are not documents, and `format` is None.
    """
    if format is not None:
        return "text" if format == "text" else "counts"
    if format_of(path) is not None or (path / "corpus.json").exists():
        return "counts"
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix in _TABLES:
        raise InputError(
            f"{path}: {_TABLES[suffix]} files cannot be read. Save the texts one per line, or as a "
            "column of a Parquet file; or give --format text to read each line as a document."
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
    """Count the words of a text file with one document per line, or of a Parquet file.

    Text is UTF-8, plain or gzipped. Words are runs of three or more letters, in lower case.

    Parameters
    ----------
    path : Path
        The file.
    vocabulary : sequence of str, default=None
        The only words to count; `min_df`, `max_df` and `stop_words` are then not used.
    min_df, max_df : int or float
        Words in fewer or in more documents are left out; a number (int) or a share (float) of
        documents.
    stop_words : "english" or None
        Words to leave out.
    column : str, default=None
        Column of the texts in a Parquet file.
    format : "text" or None
        "text" reads a file of any name as lines of text.

    Raises
    ------
    InputError
        If the file is not such text, or no words are left.
    OSError
        If the file cannot be read.
    """
    vectorizer = CountVectorizer(
        token_pattern=_WORD,
        vocabulary=None if vocabulary is None else list(vocabulary),
        min_df=min_df,
        max_df=max_df,
        stop_words=None if vocabulary is not None else stop_words,
        # Done below: the vectorizer would warn of capitals in the vocabulary.
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
        # If no words are left, the message mentions min_df and max_df.
        raise InputError(f"{path}: {error}") from error
    if vocabulary is None:
        return Corpus(counts, vectorizer.get_feature_names_out().tolist())
    if not counts.nnz:
        raise InputError(f"{path}: no document has a word of the vocabulary.")
    return Corpus(counts, list(vocabulary))


def unfindable(vocabulary: Sequence[str]) -> list[str]:
    """Return the words that `read_text` cannot find, such as those with capitals or digits."""
    return [word for word in vocabulary if word != word.lower() or not re.fullmatch(_WORD, word)]


def read_matrix(
    path: Path, vocabulary_path: Path | None = None, format: str | None = None
) -> Corpus:
    """Read counts, one document per row, and the words of their columns (see `read_corpus`)."""
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
