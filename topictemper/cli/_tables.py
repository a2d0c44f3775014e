"""Rows of tables: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

from .._utils._log import logger
from .._utils._missing import is_missing
from ..datasets.formats._packed import InputError
from ..datasets.formats._parquet import ColumnNeededError, parquet_rows
from ._decoding import text_lines

_DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
# The csv module refuses longer fields; this is its maximum everywhere.
_LONGEST_FIELD = 2**31 - 1
# Of the columns, in the order of `Columns` and `Row`.
_OPTIONS = ("--column", "--id", "--date", "--group", "--weight")


class Columns(NamedTuple):
    """Names of the columns to read; None where none is named."""

    column: str | None = None
    id: str | None = None
    date: str | None = None
    group: str | None = None
    weight: str | None = None

    def named(self) -> dict[str, str]:
        """Return the names that are given, by option."""
        return {
            option: name for option, name in zip(_OPTIONS, self, strict=True) if name is not None
        }


class Row(NamedTuple):
    """A document; missing values are None."""

    text: str | None
    id: str | None = None
    date: str | None = None
    group: str | None = None
    weight: str | None = None


def delimited_rows(
    file: Any, name: str, columns: Columns, encoding: str | None, format: str
) -> Iterator[Row]:
    """Yield the rows of CSV or TSV, whose first line names the columns."""
    csv.field_size_limit(_LONGEST_FIELD)
    lines = text_lines(file, name, encoding)
    header_line = next(lines, None)
    if header_line is None:
        return
    header: list[str] = []
    places: list[int | None] = []
    line = 1
    try:
        delimiter = _delimiter(header_line, columns.column, _DELIMITERS[format])
        reader = csv.reader(chain([header_line], lines), delimiter=delimiter, strict=True)
        for row in reader:
            if not header:
                header = row
                places = _places(name, columns, header)
            elif row:
                if len(row) != len(header):
                    raise InputError(
                        f"{name}, line {line}: {len(row)} fields, but the first line names "
                        f"{len(header)} columns."
                    )
                if delimiter == "\t" and any("\t" in cell and "\n" in cell for cell in row):
                    logger.warning(
                        "%s, line %d: a cell in quotes has tabs and ends of lines; if the quotes "
                        "belong to the texts, rows are lost: double each quote",
                        name,
                        line,
                    )
                yield Row(*(None if place is None else row[place] for place in places))
            line = reader.line_num + 1
    except csv.Error as error:
        what = str(error)
        if "new-line" in what:
            what = "lines end with CR alone"
        elif "expected after" in what:
            what = "text after a closing quote; quotes within a cell must be doubled"
        raise InputError(f"{name}, in the row that begins in line {line}: {what}.") from error


def json_rows(file: Any, name: str, columns: Columns, encoding: str | None) -> Iterator[Row]:
    """Yield the objects of JSON lines, or of one JSON array; a missing key is None.

    Raises
    ------
    InputError
        If a line is no object, or if no object has a column.
    """
    keys: list[str | None] | None = None
    first: dict[str, Any] = {}
    seen = set[str]()
    for number, value in _json_values(text_lines(file, name, encoding), name):
        if not isinstance(value, dict):
            raise InputError(f'{name}, line {number}: not a JSON object, such as {{"text": ...}}.')
        if keys is None:
            texts = [key for key, each in value.items() if isinstance(each, str)]
            column = _column(name, columns, texts, texts or value)
            keys, first = [column, *columns[1:]], value
        seen.update(value)
        text = None if is_missing(value.get(keys[0])) else value[keys[0]]
        if text is not None and not isinstance(text, str):
            raise InputError(
                f"{name}, line {number}: {keys[0]!r} is not text, but {json.dumps(text)[:40]}."
            )
        yield Row(text, *(None if key is None else _text(value.get(key)) for key in keys[1:]))
    for option, key in zip(_OPTIONS, keys or (), strict=False):
        if key is not None and key not in seen:
            raise InputError(
                f"{name}: {option}: no object has {key!r}; the first one has {_shown(first)}."
            )


def parquet_documents(file: Any, name: str, columns: Columns) -> Iterator[Row]:
    """Yield the rows of a Parquet file."""
    if not file.seekable():
        file = BytesIO(file.read())
    others = columns._replace(column=None).named()
    try:
        for text, *values in parquet_rows(file, name, columns.column, list(others.values())):
            named = dict(zip(others, map(_text, values), strict=True))
            yield Row(text, *(named.get(option) for option in _OPTIONS[1:]))
    except ColumnNeededError as error:
        raise InputError(f"{error} Give --column.") from error


def _delimiter(header: str, column: str | None, candidates: str) -> str:
    """Return the delimiter by which the first line has the column, or the first that occurs."""
    names = {each: next(csv.reader([header], delimiter=each), []) for each in candidates}
    with_column = [each for each, there in names.items() if column in there]
    that_occur = [each for each, there in names.items() if len(there) > 1]
    return next(iter([*with_column, *that_occur, *candidates]))


def _places(name: str, columns: Columns, header: Sequence[str]) -> list[int | None]:
    """Return where the columns are."""
    column = _column(name, columns, header, header)
    places: list[int | None] = []
    for option, wanted in zip(_OPTIONS, (column, *columns[1:]), strict=True):
        if wanted is not None and header.count(wanted) != 1:
            many = "two columns" if wanted in header else "no column"
            raise InputError(f"{name}: {option}: {many} {wanted!r}; there are {_shown(header)}.")
        places.append(None if wanted is None else header.index(wanted))
    return places


def _column(name: str, columns: Columns, names: Sequence[str], there: Iterable[str]) -> str:
    """Return the column of the text: the one that is named, or else the only one."""
    if columns.column is not None:
        return columns.column
    if len(names) != 1:
        raise InputError(
            f"{name}: name the column of text by --column: {_shown(there)}. Counts, with a column "
            "for each word, are not read from tables: fit them in Python, "
            "TemperedLDA().fit(pandas.read_csv(...)), or save them as .mtx by "
            "topictemper.datasets.write_corpus, which topictemper reads."
        )
    return names[0]


def _shown(names: Iterable[str]) -> str:
    """Return names of columns for an error; texts and counts of words may stand in their place."""
    short = [name if len(name) <= 40 else f"{name[:37]}..." for name in names]
    more = f" and {len(short) - 20} more" if len(short) > 20 else ""
    return f"{short[:20]}{more}"


def _json_values(lines: Iterator[str], name: str) -> Iterator[tuple[int, Any]]:
    """Yield the values, each with the line in which it begins."""
    first = True
    for number, line in enumerate(lines, start=1):
        if first and line.lstrip().startswith("["):
            whole = line + "".join(lines)
            yield from ((number, value) for value in _json(whole, name, number))
        elif line.strip():
            yield number, _json(line.rstrip(), name, number)
        first = first and not line.strip()


def _json(text: str, name: str, number: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line = number + getattr(error, "lineno", 1) - 1
        what = getattr(error, "msg", error)
        raise InputError(
            f"{name}, line {line}: not JSON ({what}); a file has one object per line, or one array "
            "of objects."
        ) from error


def _text(value: Any) -> str | None:
    if is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # of a column that is of floats because some are missing
    isoformat: Callable[[], str] | None = getattr(value, "isoformat", None)
    return str(value) if isoformat is None else isoformat()
