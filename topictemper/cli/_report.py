"""What the command line prints, as text: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return aligned columns, indented.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequences of str
        The cells.
    left : int, default=1
        How many columns stand to the left; the others stand to the right.
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  "
        + "  ".join(
            cell.ljust(width) if j < left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def printable(text: str) -> str:
    """Return text with control characters, which a terminal would obey, written as escapes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def format_comparison(fits: Sequence[tuple[str, float, float]]) -> str:
    """Return a table of held-out scores and what the second gains over the first.

    Parameters
    ----------
    fits : two tuples (name, score, seconds)
        Scores in nats a token.
    """
    (_, first, _), (_, second, _) = fits
    rows = [
        [name, f"{score:.4f}", f"{math.exp(-score):.1f}", f"{seconds:.1f}"]
        for name, score, seconds in fits
    ]
    perplexities = math.exp(-second) - math.exp(-first)
    rows.append(["gain", f"{second - first:+.4f}", f"{perplexities:+.1f}", ""])
    return format_table(["", "nats a token", "perplexity", "seconds"], rows)


def format_verdict(gain: float) -> str:
    """Return what a gain of so many nats a token means, in a line."""
    # A gain that is not a number is none.
    if not gain > 0:
        return "tempering did not help here"
    # exp(gain) is a ratio of geometric means.
    return f"tempering helped: a held-out word is {math.expm1(gain):.1%} more probable on average"


def format_course(history: NDArray[Any], n_rows: int = 10) -> str:
    """Return a table of the temperature in the course of a fit.

    Parameters
    ----------
    history : structured array
        `temperature_history_`: fields "pass" and "temperature", perhaps "q50", the median
        temperature of the documents (NaN while there is none).
    n_rows : int, default=10
        Rows to show, spaced evenly from the first to the last.
    """
    rows = np.unique(np.linspace(0, len(history) - 1, min(n_rows, len(history))).astype(int))
    names = history.dtype.names or ()
    columns = {"pass": "pass", "temperature": "temperature", "q50": "median of documents"}
    shown = [name for name in columns if name in names]
    return format_table(
        [columns[name] for name in shown],
        [[_number(history[name][row]) for name in shown] for row in rows],
        left=0,
    )


def format_topics(
    sizes: NDArray[Any], top_words: Sequence[Sequence[str]], n_rows: int | None = None
) -> str:
    """Return the topics with their share of the words, the largest first.

    Parameters
    ----------
    sizes : ndarray of shape (n_components,)
        How much of the corpus each topic explains, in any unit.
    top_words : sequence of sequences of str
        The words of each topic, the most probable first.
    n_rows : int, default=None
        How many to show; by default all.
    """
    shares = sizes / sizes.sum()
    order = np.argsort(-shares, kind="stable")[:n_rows]
    digits = len(str(len(shares) - 1))
    return "\n".join(
        f"  {k:{digits}d}  {shares[k]:6.1%}  {printable(' '.join(top_words[k]))}" for k in order
    )


def format_documents(
    inverse_temperatures: NDArray[Any],
    names: Sequence[str],
    text: Sequence[str],
    n_rows: int = 5,
    width: int = 100,
) -> str:
    """Return the hottest documents: temperature, name, and the first line of text below.

    Parameters
    ----------
    inverse_temperatures : ndarray of shape (n_samples,)
        `document_temperatures`, in (0, 1]; the lowest is the hottest.
    names, text : sequences of str, of length n_samples
        The documents.
    n_rows : int, default=5
        How many to show.
    width : int, default=100
        Where that line is cut off.
    """
    lines = []
    for row in np.argsort(inverse_temperatures, kind="stable")[:n_rows]:
        first = next((line.strip() for line in text[row].splitlines() if line.strip()), "")
        lines.append(f"  {1.0 / inverse_temperatures[row]:5.2f}  {printable(names[row])}")
        if first:
            lines.append(_cut(f"         {printable(first)}", width))
    return "\n".join(lines)


def format_score(n_documents: int, n_tokens: int, score: float) -> str:
    """Return a held-out score in nats a token, with its perplexity and what it was taken on."""
    rows = [
        ("documents", f"{n_documents:,}"),
        ("tokens", f"{n_tokens:,}"),
        ("score", f"{score:.4f} nats a token"),
        ("perplexity", f"{math.exp(-score):.1f}"),
    ]
    return "\n".join(f"{name:<12}{value}" for name, value in rows)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."
