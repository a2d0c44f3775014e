"""FILE of the command line: texts in lines, tables and folders, or counts."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from scipy.sparse import csr_array

from .._utils._log import counted, logger
from ..datasets import read_corpus
from ..datasets.formats._formats import FORMATS, Format, format_of
from ..datasets.formats._mapped import HEADER
from ..datasets.formats._packed import InputError, plain, plain_name
from ..datasets.formats._parquet import visible
from ._decoding import text_lines
from ._tables import Columns, Row, delimited_rows, json_rows, parquet_documents

STANDARD_INPUT = Path("-")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
TABLES = tuple(dict.fromkeys(_SUFFIXES.values()))


class Document(NamedTuple):
    """A text, with the name that tells where it is from."""

    name: str
    text: str
    id: str | None = None
    date: str | None = None
    group: str | None = None
    weight: str | None = None


class Corpus(NamedTuple):
    """Documents as word counts, and the words if they are known."""

    counts: csr_array
    vocabulary: list[str] | None


def kind_of(path: Path, format: str | None = None) -> Literal["counts", "text"]:
    """Return whether a file holds counts or texts."""
    if format is not None:
        return "counts" if format in FORMATS else "text"
    counts = format_of(path) is not None or (path / HEADER).exists()
    return "counts" if counts else "text"


def read_matrix(
    path: Path, vocabulary_path: Path | None = None, format: Format | None = None
) -> Corpus:
    """Read counts, one document per row, and the words of their columns (see `read_corpus`)."""
    if path == STANDARD_INPUT:
        raise InputError("counts are read from a file, not from standard input.")
    counts, names = read_corpus(path, format, vocabulary=vocabulary_path).values()
    return Corpus(counts, None if names is None else names.tolist())


class TextInput:
    """The documents of FILE. They are read once, a part at a time.

    Parameters
    ----------
    arguments : argparse.Namespace
        `file`, `format`, `encoding`, `column`, and `id`, `date`, `group` and `weight` where a
        command has them.

    Attributes
    ----------
    n_documents : int
        Documents that have been read.

    Raises
    ------
    InputError
        If an option does not apply to FILE. Malformed files, and those without a document, raise it
        when they are read.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.n_documents = 0
        # Files that `encoding` misreads.
        self._misread: list[Path] = []
        self._path: Path = arguments.file
        self._format: str | None = arguments.format
        self._encoding: str | None = arguments.encoding
        self._columns = Columns(
            arguments.column,
            *(getattr(arguments, name, None) for name in ("id", "date", "group", "weight")),
        )
        if self._path != STANDARD_INPUT:
            self._path.stat()  # before its options: one that is not there has no format
        self._is_folder = self._path.is_dir()
        self._files = _files_of(self._path, self._format) if self._is_folder else [self._path]
        # Bytes that have been read of whole files, and of all: a pipe has none that are known.
        known = [file.stat() for file in self._files if file != STANDARD_INPUT]
        regular = [each for each in known if stat.S_ISREG(each.st_mode)]
        self._n_read, self._n_bytes = 0, sum(each.st_size for each in regular)
        self._open: Any = None
        self._check_options({self._format_of(file) for file in self._files})

    def __iter__(self) -> Iterator[Document]:
        for file in self._files:
            yield from self._documents(file)
        if not self.n_documents:
            raise InputError(f"{self._path}: no documents.")
        if self._misread and not self._is_folder:
            logger.warning(
                "%s may be UTF-8, but --encoding reads it as %s; leave out --encoding",
                self._path,
                self._encoding,
            )
        elif self._misread:
            logger.warning(
                "%s, such as %s, may be UTF-8, but --encoding reads all as %s; make all files "
                "UTF-8, and leave out --encoding",
                counted(len(self._misread), "file"),
                self._misread[0],
                self._encoding,
            )

    def texts(self) -> TextsAlone:
        """Return an iterator over the texts alone."""
        return TextsAlone(self)

    def n_left(self, n_done: int) -> int:
        """Return about how many documents are left after so many, by the bytes that are read.

        0 if that is not known: of standard input, and at the start. Of a Parquet file these are
        whole row groups, so that nothing is left of the last one.
        """
        n_read = self._n_read
        if self._open is not None and self._n_bytes:
            n_read += self._open.tell()
        # A file may have grown since it was looked at.
        return max(round(n_done * (self._n_bytes - n_read) / n_read), 0) if n_read else 0

    def _format_of(self, file: Path) -> str:
        if self._format is not None:
            return self._format
        suffix = Path(plain_name(file)).suffix
        return _SUFFIXES.get(suffix, "file" if self._is_folder else "text")

    def _check_options(self, formats: set[str]) -> None:
        named = self._columns.named()
        if named and not formats.intersection(TABLES):
            hint = ""
            if self._format is None:
                hint = " Give --format if that is wrong. Save a workbook as CSV."
            raise InputError(
                f"{next(iter(named))} is for tables (CSV, TSV, JSON lines, Parquet); {self._path} "
                f"is read as {'files' if 'file' in formats else 'lines'} of text.{hint}"
            )
        if formats == {"parquet"} and self._encoding is not None:
            raise InputError(f"--encoding is for text; {self._path} is a Parquet file.")

    def _documents(self, file: Path) -> Iterator[Document]:
        format = self._format_of(file)
        name = str(file.relative_to(self._path)) if self._is_folder else ""
        n_rows = n_missing = 0
        misread: bool | None = None
        with _opened(file) as (self._open, content):
            for row in self._rows(content, str(file), format):
                if misread is not False:
                    misread = _is_misread(row.text or "", self._encoding, misread)
                n_missing += format in TABLES and not (row.text and not row.text.isspace())
                place = name if format == "file" else f"{name}:{n_rows}".lstrip(":")
                yield Document(place, row.text or "", *row[1:])
                n_rows += 1
                self.n_documents += 1
            if self._n_bytes:
                # Not by its name, which may be gone.
                self._n_read += os.fstat(self._open.fileno()).st_size
            self._open = None
        if misread:
            self._misread.append(file)
        if not n_rows and self._is_folder:
            logger.warning("%s: no documents", file)
        if n_missing:
            have = "has no text, so it is an empty document"
            if n_missing > 1:
                have = "have no text, so they are empty documents"
            logger.warning("%s: %s of %s %s", file, f"{n_missing:,}", counted(n_rows, "row"), have)

    def _rows(self, content: Any, name: str, format: str) -> Iterator[Row]:
        if format == "parquet":
            return parquet_documents(content, name, self._columns)
        if format == "jsonl":
            return json_rows(content, name, self._columns, self._encoding)
        if format in ("csv", "tsv"):
            return delimited_rows(content, name, self._columns, self._encoding, format)
        lines = text_lines(content, name, self._encoding)
        if format == "file":
            return iter([Row("".join(lines))])
        return (Row(line.rstrip("\r\n")) for line in lines)


class TextsAlone:
    """The texts of documents, once.

    Parameters
    ----------
    source : TextInput
        Where they are read.
    """

    def __init__(self, source: TextInput) -> None:
        self._source = source
        self._texts = (document.text for document in source)

    def __iter__(self) -> TextsAlone:
        return self

    def __next__(self) -> str:
        return next(self._texts)

    def __length_hint__(self) -> int:
        """Return about how many texts are left; see `TextInput.n_left`."""
        return self._source.n_left(self._source.n_documents)


def _is_misread(text: str, encoding: str | None, unknown: bool | None) -> bool | None:
    """Whether the bytes of a text, read in a given encoding, are UTF-8 and mean something else.

    `unknown` if they do not say.
    """
    if encoding is None or text.isascii():
        return unknown
    try:
        content = text.encode(encoding)
        # Bytes that are all ASCII say nothing: some encodings, such as UTF-16 of Cyrillic letters
        # and ISO-2022-JP, have no others. A byte order mark is not part of the text.
        return unknown if content.isascii() else content.decode("utf-8-sig") != text
    except UnicodeError:
        return False


def _files_of(folder: Path, format: str | None) -> list[Path]:
    """Return the files of a folder and its folders, without hidden ones."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = visible(files, folder, ".")
    # Spark, which writes tables, has notes of its own beside them, such as _SUCCESS.
    others = visible(files, folder, "_")
    if any((format or _SUFFIXES.get(Path(plain_name(path)).suffix)) in TABLES for path in others):
        files = others
    if not files:
        raise InputError(f"{folder}: a folder without files.")
    for path in files:
        if format_of(path) is not None:
            raise InputError(
                f"{path}: a file of counts in a folder of texts; give it alone, or --format."
            )
    _warn_of_links_out_of(folder, files)
    return files


def _warn_of_links_out_of(folder: Path, files: Sequence[Path]) -> None:
    """Log a warning of links, which an archive of somebody else may have, to any file here."""
    inside = folder.resolve()
    others = [
        path for path in files if path.is_symlink() and not path.resolve().is_relative_to(inside)
    ]
    if others:
        logger.warning(
            "%s: %s, such as %s, to files outside of it, which are read as documents; remove what "
            "you do not want in the topics or a report",
            folder,
            counted(len(others), "link"),
            others[0].relative_to(folder),
        )


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Let errors name the file or the option that they are about."""
    try:
        yield
    except InputError:  # which names it already
        raise
    except ValueError as error:
        raise InputError(f"{what}: {error}.") from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    """Give a file, or standard input, as it is, and its plain bytes."""
    if path != STANDARD_INPUT:
        with open(path, "rb") as file, plain(file, path) as content:
            yield file, content
        return
    if sys.stdin is None:
        raise InputError("-: there is no standard input.")
    source: Any = sys.stdin.buffer
    if not hasattr(source, "peek"):
        source = io.BufferedReader(source)
    with plain(source, "-") as content:
        yield source, content
