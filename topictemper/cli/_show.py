"""``topictemper topics``."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._utils._tables import printable
from ..text._summaries import topic_columns
from . import _arguments as types
from ._models import Fitted
from ._report import format_topics


def add(commands: Any) -> None:
    """Add the command."""
    parser = types.new_command(
        commands,
        "topics",
        "show the topics of a model",
        "Show the topics of a model, the largest first: number, share of all words, label if one "
        "was set, and most probable words. --json and --csv tell more of each topic.",
    )
    types.add_model(parser)
    parser.add_argument(
        "--words",
        type=types.positive,
        default=10,
        metavar="N",
        help="words of each topic (default: 10)",
    )
    add_formats(parser)
    parser.set_defaults(run=run)


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add --json and --csv."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print JSON, for programs")
    group.add_argument(
        "--csv", action="store_true", help="print CSV, for programs and spreadsheets"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the topics."""
    fitted = Fitted(arguments.model)
    lda = fitted.lda
    columns = topic_columns(lda, fitted.names(), fitted.statistics, arguments.words)
    if not (arguments.json or arguments.csv):
        print(format_topics(columns["share"], columns["words"], labels=lda._labels))
        return 0
    print_rows(columns, np.argsort(-columns["share"], kind="stable").tolist(), arguments)
    return 0


def print_rows(
    columns: Mapping[str, Any], order: Iterable[int], arguments: argparse.Namespace
) -> None:
    """Print rows of a table, as --json or --csv."""
    rows = [{name: _plain(column[k]) for name, column in columns.items()} for k in order]
    print(as_json(rows) if arguments.json else as_csv(rows), end="")


def as_json(value: Any) -> str:
    """Return JSON on lines; numbers that are not finite are null."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; lists become words with blanks between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(
            printable(" ".join(map(str, value)) if isinstance(value, list) else str(value))
            if isinstance(value, list | str)
            else value
            for value in row.values()
        )
    return out.getvalue()


def _plain(value: Any) -> Any:
    """Return a value of a table as JSON knows it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return round(value, 6) if isinstance(value, float) else value
