"""``topictemper shares``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._chunks import row_sums
from .._utils._dates import MISSING
from .._utils._log import counted, logger
from .._utils._rows import Rows
from .._utils._typing import Floats
from ..datasets.formats._packed import InputError
from ..text._summaries import proportions_of
from ..topics._periods import PERIODS, Period
from ..topics._shares import shares_by_group, shares_over_time
from . import _arguments
from ._decoding import encodable
from ._inputs import Document, naming
from ._models import Fitted
from ._printing import format_shares, print_rows

# A year, which a column with gaps may have made a float.
_YEAR = re.compile(r"\d{1,4}(\.0+)?", re.ASCII)


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "shares",
        "give the shares of the topics over time or by group",
        "Give the mean shares of the topics in the documents of each period (--date) or of each "
        "group (--group), with 95% intervals. Documents without a known word, a date or a group "
        "are left out.",
    )
    _arguments.add_model(parser)
    _arguments.add_file(parser)
    _arguments.add_date_and_group(parser.add_mutually_exclusive_group(required=True))
    parser.add_argument(
        "--period",
        choices=PERIODS,
        help="how dates are grouped; auto, the default, is the finest period that makes at most 40 "
        "groups; dates such as 2024-05 and 2024 stay months and years",
    )
    parser.add_argument(
        "--weight",
        metavar="NAME",
        help="column of how much each document counts, such as the weights of a survey (default: "
        "all count alike)",
    )
    _arguments.add_jobs(parser)
    _arguments.add_formats(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the shares."""
    what = "group" if arguments.date is None else "date"
    if arguments.period is not None and what == "group":
        raise InputError("--period is for --date.")
    fitted = Fitted(arguments.model, arguments.jobs)
    progress = fitted.progress("reading")
    proportions, weights = Rows(), []
    values: list[str | None] = []
    for part in fitted.parts(arguments):
        proportions.add(proportions_of(fitted.lda, part.counts))
        weight = np.ones(len(part.documents))
        if arguments.weight is not None:
            weight = np.array([_weight(each, arguments) for each in part.documents])
        weights.append(weight * (row_sums(part.counts) > 0))
        given = [getattr(each, what) for each in part.documents]
        # An empty cell of a table is None in other formats.
        values += [encodable(each) if each else None for each in given]
        progress.add(len(part.documents))
    settings: dict[str, Any] = {"weights": np.concatenate(weights), "labels": fitted.lda.labels_}
    if not settings["weights"].any():
        without = "" if arguments.weight is None else " and a weight above 0"
        raise InputError(f"{arguments.file}: no document has a word of the vocabulary{without}.")
    if not any(value is not None for value in values):
        raise InputError(f"{arguments.file}: no document has a {what}.")
    with naming(arguments.file):
        if what == "date":
            period: Period = arguments.period or "auto"
            dates = _as_years(values) if period == "auto" else values
            shares = shares_over_time(proportions.array(), dates, period=period, **settings)
        else:
            shares = shares_by_group(proportions.array(), values, **settings)
    columns = _columns(shares)
    n_left_out = len(values) - int(columns["documents"][columns["topic"] == 0].sum())
    if n_left_out:
        logger.warning(
            "%s of %s left out: without a known word or without a %s%s",
            f"{n_left_out:,}",
            counted(len(values), "document"),
            what,
            "" if arguments.weight is None else ", or of weight 0",
        )
    if arguments.json or arguments.csv:
        print_rows(columns, range(len(columns["share"])), arguments)
    else:
        columns.pop("unit", None)  # the same in all rows
        print(format_shares(columns))
    return 0


def _weight(document: Document, arguments: argparse.Namespace) -> float:
    """Return the weight of a document, >= 0."""
    try:
        weight = float(document.weight or "nan")
    except ValueError:
        weight = np.nan
    if not 0.0 <= weight < np.inf:
        has = f"the weight {repr(document.weight)[:42]}" if document.weight else "no weight"
        raise InputError(
            f"{arguments.file}: document {document.name} has {has}; --weight takes numbers of at "
            "least 0, with a decimal point; 0 leaves a document out."
        )
    return weight


def _columns(shares: Any) -> dict[str, NDArray[Any]]:
    """Return the columns to print: dates as text, and groups that are numbers in their order."""
    columns = {name: np.asarray(shares[name]) for name in shares.columns}
    if "period" in columns:
        if columns["period"].dtype.kind == "M":
            columns["period"] = np.datetime_as_string(columns["period"], "D")
        return columns
    with suppress(ValueError):  # names; of numbers, such as ratings, 10 is after 9
        order = np.argsort(columns["group"].astype(float), kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
    return columns


def _as_years(dates: Sequence[str | None]) -> Sequence[str | None] | Floats:
    """Return texts that are all years as numbers, each a period that is called as in the file."""
    years = [None if date in MISSING else date for date in dates]
    if not all(year is None or _YEAR.fullmatch(year) for year in years):
        return dates
    return np.array([np.nan if year is None else float(year) for year in years])
