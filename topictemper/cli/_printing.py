"""What commands print: tables as text, JSON and CSV."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._names import joined
from .._utils._tables import aligned, printable

# Passes and documents that the demo shows, and the longest line of a document.
_PASSES, _HOTTEST, _WIDTH = 10, 5, 100
# How formulas of spreadsheets begin, in East Asia also with wide signs.
_OF_FORMULAS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def format_comparison(fits: Sequence[tuple[str, float, float]]) -> str:
    """Return a table of held-out scores, and the gain of the second over the first.

    Parameters
    ----------
    fits : two tuples (name, score, seconds)
        Scores in nats per token.
    """
    (_, first, _), (_, second, _) = fits
    rows = [
        [name, f"{score:.4f}", f"{math.exp(-score):.1f}", f"{seconds:.1f}"]
        for name, score, seconds in fits
    ]
    perplexities = math.exp(-second) - math.exp(-first)
    rows.append(["gain", f"{second - first:+.4f}", f"{perplexities:+.1f}", ""])
    return _indented(["", "nats per token", "perplexity", "seconds"], rows)


def format_verdict(gain: float) -> str:
    """Say in a line what a gain means, in nats per token."""
    # NaN is no gain.
    if not gain > 0:
        return "tempering did not help here"
    # exp(gain) is a ratio of geometric means.
    return f"tempering helped: a held-out word is {math.expm1(gain):.1%} more probable on average"


def format_course(history: NDArray[Any]) -> str:
    """Return a table of the temperature during a fit, at some passes that are evenly spaced.

    Parameters
    ----------
    history : structured array
        `temperature_history_`: fields "pass" and "temperature"; for "lvt" also "q50", the median
        temperature of the documents (NaN before the first step).
    """
    rows = np.unique(np.linspace(0, len(history) - 1, min(_PASSES, len(history))).astype(int))
    names = history.dtype.names or ()
    columns = {"pass": "pass", "temperature": "temperature", "q50": "median of documents"}
    shown = [name for name in columns if name in names]
    return _indented(
        [columns[name] for name in shown],
        [[_number(history[name][row]) for name in shown] for row in rows],
        left=0,
    )


def format_topics(
    sizes: NDArray[Any],
    top_words: Sequence[Sequence[str]],
    n_rows: int | None = None,
    labels: Mapping[int, str] | None = None,
) -> str:
    """Return the topics with their share of the words, the largest first.

    Parameters
    ----------
    sizes : ndarray of shape (n_components,)
        Size of each topic, in any unit.
    top_words : sequence of sequences of str
        The words of each topic, the most probable first.
    n_rows : int, default=None
        How many topics to show; None shows all.
    labels : mapping of int to str, default=None
        Labels of some topics, before their words.
    """
    shares = sizes / sizes.sum()
    order = np.argsort(-shares, kind="stable")[:n_rows]
    digits = len(str(len(shares) - 1))
    texts = [joined(words) for words in top_words]
    for k, label in (labels or {}).items():
        texts[k] = f"{label}: {texts[k]}"
    return "\n".join(f"  {k:{digits}d}  {shares[k]:6.1%}  {printable(texts[k])}" for k in order)


def format_shares(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> str:
    """Return a table of shares, from the columns of `topics_over_time` or `topics_by_group`."""
    first = next(iter(columns))
    digits = len(str(max(columns["topic"])))
    rows = [
        [
            printable(str(group)),
            f"{topic:{digits}d}  {printable(label)}",
            *(f"{share:.1%}" for share in shares),
            f"{n_documents:,}",
        ]
        for group, topic, label, *shares, n_documents in zip(*columns.values(), strict=True)
    ]
    return _indented([first, "topic", "share", "low", "high", "documents"], rows, left=2)


def format_documents(temperatures: NDArray[Any], names: Sequence[str], text: Sequence[str]) -> str:
    """Return the hottest documents: temperature, name, and the first line of text.

    Parameters
    ----------
    temperatures : ndarray of shape (n_samples,)
        `document_temperatures`, >= 1.
    names, text : sequences of str, of length n_samples
        The documents.
    """
    lines = []
    for row in np.argsort(-temperatures, kind="stable")[:_HOTTEST]:
        first = next((line.strip() for line in text[row].splitlines() if line.strip()), "")
        lines.append(f"  {temperatures[row]:5.2f}  {printable(names[row])}")
        if first:
            lines.append(_cut(f"         {printable(first)}"))
    return "\n".join(lines)


def format_score(n_documents: int, n_tokens: int, score: float, n_unknown: int = 0) -> str:
    """Return a held-out score with its perplexity, and the size of the held-out text."""
    rows = [
        ("documents", f"{n_documents:,}"),
        ("tokens", f"{n_tokens:,}" + (f", and {n_unknown:,} unknown" if n_unknown else "")),
        ("score", f"{score:.4f} nats per token"),
        ("perplexity", f"{math.exp(-score):.1f}"),
    ]
    return "\n".join(f"{name:<12}{value}" for name, value in rows)


def print_rows(
    columns: Mapping[str, Any], order: Iterable[int], arguments: argparse.Namespace
) -> None:
    """Print rows of a table, as --json or --csv."""
    rows = [{name: _plain(column[k]) for name, column in columns.items()} for k in order]
    print(as_json(rows) if arguments.json else as_csv(rows), end="")


def print_line(text: str) -> None:
    """Print a line, whose names of files and words no terminal follows."""
    print(printable(text))


def message_of(error: OSError) -> str:
    """Return what an error says, with the file that it is about."""
    if error.strerror is None:  # of this package, whose errors have a complete message
        return str(error)
    file = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return file + error.strerror


def as_json(value: Any) -> str:
    """Return JSON on lines, with control characters as escapes; infinity and NaN are an error."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    lines = text.split("\n")  # JSON has no others
    if not all(map(str.isprintable, lines)):
        # A terminal would follow some that JSON may have as they are.
        lines = [
            "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
            for line in lines
        ]
    return "\n".join([*lines, ""])


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; lists become words with blanks or semicolons between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(map(_cell, row.values()) for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a value of CSV, which no terminal follows, and which no spreadsheet computes."""
    if isinstance(value, list):
        value = joined(list(map(str, value)))
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_OF_FORMULAS) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _plain(value: Any) -> Any:
    """Return a value of a table as JSON knows it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return round(value, 6) if isinstance(value, float) else value


def _indented(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table whose first columns are flush left."""
    return "\n".join(f"  {line}" for line in aligned([header, *rows], range(left)))


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 3].rstrip() + "..."
