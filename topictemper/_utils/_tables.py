"""Tables of results: pandas if it is installed, else a small structure with named columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import Any
from unicodedata import category, east_asian_width

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._set_output import _get_output_config

from ._missing import objects
from ._names import joined

#: Widest cell and most rows that the text of a `Table` shows.
_WIDTH, _ROWS = 60, 20
_SHOWN = "\u200c\u200d\u200e\u200f\u061c"
# Categories of accents and joiners.
_NO_WIDTH = ("Mn", "Me", "Cf")


class Table:
    """Columns of equal length, by name: ``table["share"]`` or ``table.share``.

    Stands in for a DataFrame where pandas is not installed. Rows are ``table.row(i)``, a dict;
    ``dict(table)`` gives the columns, also to other libraries.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns.

    Raises
    ------
    ValueError
        If the columns differ in length.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> None:
        self._columns = {name: _array(column) for name, column in columns.items()}
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a table differ in length: {lengths}")

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def keys(self) -> list[str]:
        """Names of the columns."""
        return self.columns

    def row(self, number: int) -> dict[str, Any]:
        """One row, as a dict."""
        return {name: column[number] for name, column in self._columns.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            raise KeyError(f"{name!r} is not a column; there are {self.columns}") from None

    def __getattr__(self, name: str) -> NDArray[Any]:
        # `_columns` is looked up here only before it is set, as in copies.
        if name != "_columns" and name in self._columns:
            return self._columns[name]
        raise AttributeError(f"Table has no column {name!r}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]  # tab completion of ``table.share``

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __repr__(self) -> str:
        return format_table(self, max_rows=_ROWS)

    def _repr_html_(self) -> str:
        # For notebooks, which wrap long lines of text.
        cells, shown = _cells(self, _ROWS)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells
        )
        names = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rest = "" if shown == len(self) else f"<p>... ({len(self):,} rows)</p>"
        return f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def table(columns: Mapping[str, Sequence[Any] | NDArray[Any]], output: str = "default") -> Any:
    """Make a table of columns.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, all of one length.
    output : {"default", "pandas", "polars"}, default="default"
        What to return, as for `set_output`. "default" is pandas if it is installed, else `Table`.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or Table
        The table.

    Raises
    ------
    ImportError
        If the library asked for is not installed.
    """
    ready = Table(columns)
    if output == "polars":
        return _of_polars(ready)
    try:
        import pandas
    except ImportError:
        if output == "pandas":
            raise
        return ready
    try:
        return pandas.DataFrame(dict(ready))
    except UnicodeEncodeError:  # halves of characters, which strings of Arrow cannot hold
        return pandas.DataFrame(
            {
                name: pandas.Series(column, dtype=object) if column.dtype.kind in "OU" else column
                for name, column in dict(ready).items()
            }
        )


def output_of(estimator: Any) -> str:
    """Return the kind of tables that `set_output` or the configuration asks for."""
    return _get_output_config("transform", estimator)["dense"]


def as_output_of(rows: Any, estimator: Any) -> Any:
    """Return a table as the kind that `set_output` of an estimator asks for."""
    return table({name: np.asarray(rows[name]) for name in rows.columns}, output_of(estimator))


def format_table(rows: Any, max_rows: int | None = None) -> str:
    """Return a table as text: a line of names, then the rows, numbers flush right."""
    names = list(map(str, rows.columns))
    cells, shown = _cells(rows, max_rows)
    left = [j for j, name in enumerate(rows.columns) if not _numeric(list(rows[name]))]
    text = "\n".join(aligned([names, *cells], left))
    return text if shown == len(rows) else f"{text}\n... ({len(rows):,} rows)"


def _cells(rows: Any, max_rows: int | None) -> tuple[list[tuple[str, ...]], int]:
    """Return the cells of the first rows as text, and how many rows these are."""
    shown = len(rows) if max_rows is None else min(max_rows, len(rows))
    columns = [list(map(_cell, list(rows[name])[:shown])) for name in rows.columns]
    return list(zip(*columns, strict=True)), shown


def aligned(rows: Sequence[Sequence[str]], left: Container[int]) -> list[str]:
    """Return rows of cells as lines; columns are flush right but for those in `left`."""
    widths = [max(sum(_widths(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - sum(_widths(cell)))
            cells.append(cell + blanks if j in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def _widths(text: str) -> list[int]:
    """Return how many columns of a terminal each character takes, two if it is Chinese."""
    if text.isascii():
        return [1] * len(text)
    return [
        0 if category(character) in _NO_WIDTH else 1 + (east_asian_width(character) in "FW")
        for character in text
    ]


def printable(text: str) -> str:
    """Return text with control characters as escapes, so that a terminal ignores them."""
    if text.isprintable():
        return text
    return "".join(
        character if _is_shown(character) else character.encode("unicode_escape").decode()
        for character in text
    )


def _is_shown(character: str) -> bool:
    # Python takes blanks of all kinds for unprintable, and joiners, without which words of Persian
    # and Sinhala are misspelt. Texts in Hebrew and Arabic have marks of direction next to signs and
    # numbers; these cannot turn letters around, as U+202E can.
    return character.isprintable() or category(character) == "Zs" or character in _SHOWN


def _of_polars(rows: Table) -> Any:
    import polars

    columns: dict[str, Any] = {}
    for name, column in dict(rows).items():
        if column.dtype.kind in "biuf":
            columns[name] = column
        else:  # without rows polars would not know that these are strings
            kind = None if len(column) else polars.String
            columns[name] = polars.Series(column.tolist(), dtype=kind)
    return polars.DataFrame(columns)


def _numeric(column: list[Any]) -> bool:
    return all(isinstance(value, int | float | np.number) for value in column)


def _cell(value: Any) -> str:
    """Return a value as text on one line."""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, list | tuple | np.ndarray):
        value = joined([_cell(each) for each in value])
    text = printable(str(value))
    ends = list(accumulate(_widths(text), initial=0))
    return text if ends[-1] <= _WIDTH else text[: bisect_right(ends, _WIDTH - 1) - 1] + "…"


def _array(column: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Return a column as an array; lists and strings stay single objects."""
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    values = list(column)
    if all(isinstance(value, int | float | np.number | np.bool_) for value in values):
        return np.array(values)
    return objects(values)
