"""Arguments that commands share, and the types of options."""

from __future__ import annotations

import argparse
import codecs
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..datasets.formats._formats import FORMATS
from ._inputs import TABLES

FILE_HELP = (
    "the documents: text with one document per line; a table: CSV or TSV with column names in the "
    "first line, JSON lines, Parquet; a folder, in which each text file is a document, and so is "
    "each row of each table; or - for standard input. Files may be compressed by gzip, bzip2 or "
    "xz. Or counts: scipy.sparse.save_npz (.npz), Matrix Market (.mtx, .mm), SVMlight (.svm), "
    "LDA-C (.ldac, .lda-c, .dat), UCI bag of words (docword.*), with vocab.txt in the same folder, "
    "one word per line; or a folder of topictemper.datasets.save_corpus"
)


def new_command(commands: Any, name: str, help: str, description: str) -> argparse.ArgumentParser:
    """Add a command."""
    return commands.add_parser(name, help=help, description=description, allow_abbrev=False)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add MODEL."""
    parser.add_argument("model", metavar="MODEL", type=Path, help="file of a model, from `fit`")


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add FILE, and how it is read."""
    parser.add_argument("file", metavar="FILE", type=Path, help=FILE_HELP)
    parser.add_argument(
        "--format",
        choices=("text", *TABLES, *FORMATS),
        help="format of FILE, if its name does not say, such as for standard input; text is one "
        "document per line",
    )
    parser.add_argument(
        "--column",
        metavar="NAME",
        help="column of the text in a table, if there are several columns",
    )
    parser.add_argument(
        "--encoding",
        type=encoding,
        metavar="NAME",
        help="encoding of text (default: by its byte order mark, else utf-8)",
    )


def add_id(parser: argparse.ArgumentParser) -> None:
    """Add the column of what names a document."""
    parser.add_argument(
        "--id", metavar="NAME", help="column of the id, or title, of each document in a table"
    )


def add_date_and_group(parser: Any) -> None:
    """Add columns of tables beside the text."""
    parser.add_argument(
        "--date", metavar="NAME", help="column of the date of each document in a table"
    )
    parser.add_argument(
        "--group", metavar="NAME", help="column of the group of each document in a table"
    )


def add_jobs(parser: Any) -> None:
    """Add --jobs."""
    parser.add_argument(
        "--jobs",
        type=jobs,
        metavar="N",
        help="threads, and processes that count words; -1 for all processors (default: 1)",
    )


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add --json and --csv."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print JSON, for programs")
    group.add_argument(
        "--csv", action="store_true", help="print CSV, for programs and spreadsheets"
    )


def encoding(text: str) -> str:
    """Return the name of an encoding of text."""
    try:
        "a".encode(codecs.lookup(text).name)
    except (LookupError, TypeError):
        raise argparse.ArgumentTypeError(f"{text!r} is not an encoding, such as utf-16") from None
    return text


def positive(text: str) -> int:
    """Return a number of at least 1."""
    number = integer(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def seed(text: str) -> int:
    """Return a seed."""
    number = integer(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 2**32 - 1")
    return number


def jobs(text: str) -> int:
    """Return a number of threads."""
    number = integer(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must not be 0; -1 uses all processors")
    return number


def integer(text: str) -> int:
    """Return an integer."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None


def pattern(text: str) -> str:
    """Return a regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None
    return text


def document_frequency(text: str) -> int | float:
    """Return a number of documents for an integer, else a share of documents."""
    with suppress(ValueError):
        if "." not in text and (number := int(text)) >= 1:
            return number
        if "." in text and 0.0 <= (share := float(text)) <= 1.0:
            return share
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither a number of documents, such as 5, nor a share, such as 0.5"
    )
