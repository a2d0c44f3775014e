"""Tables of results that are measured in parts, in files of CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV; none if it is not there."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, fields: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """A CSV, as a whole or not at all."""
    new = path.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)
    new.replace(path)


def append_row(path: Path, fields: Sequence[str], row: dict[str, Any]) -> None:
    """Add a row to a CSV, to which other programs may add rows at the same time."""
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fields)
        if not file.tell():
            writer.writeheader()
        writer.writerow(row)


class Table:
    """Rows of a CSV and of a table on the screen; those that are not measured again stay.

    Parameters
    ----------
    path : Path
        The CSV; its rows stay, until the same is measured again.
    fields : sequence of str
        Columns.
    n_names : int
        How many of them, from the first one, say what is measured. No two rows have the same.
    """

    def __init__(self, path: Path, fields: Sequence[str], n_names: int) -> None:
        self._path, self._fields, self._n_names = path, list(fields), n_names
        self._rows: dict[tuple[str, ...], dict[str, str]] = {}
        for row in read_rows(path):
            self._keep(row)
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"| {' | '.join(self._fields)} |\n{'|---' * len(self._fields)}|")

    def add(self, row: dict[str, Any]) -> None:
        """Take a row, in the place of the one before, and write all of them."""
        texts = {field: str(row.get(field, "")) for field in self._fields}
        self._keep(texts)
        self.write()
        print(f"| {' | '.join(texts.values())} |", flush=True)

    def write(self) -> None:
        """Write all rows."""
        write_rows(self._path, self._fields, self._rows.values())

    def _keep(self, row: dict[str, str]) -> None:
        self._rows[tuple(row[field] for field in self._fields[: self._n_names])] = row
