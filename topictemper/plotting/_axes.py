"""What all displays share: axes, colors, limits, and histories of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._ranking import largest
from .._utils._typing import Floats, Integers, Strings

# Distinct for color-blind readers. In gray they are alike, so forms tell apart what they show.
WARM, COOL = "#d6604d", "#4393c3"
# On light and on dark backgrounds: of what is less important, and of lines behind the data.
MUTED = "0.45"
GRID = {"color": "0.5", "alpha": 0.2, "linewidth": 0.8}
LONGEST_NAME = 38  # letters, of a model in a legend or a document in a list
_SHORTEST = 4  # letters of a text, however narrow its room
# Color-blind readers confuse some of Matplotlib's ten colors. No two of those have the same dashes.
_DASHES = ("-", "--", ":", "-.", (0, (6, 1.5, 1, 1.5, 1, 1.5)))
_MOST_DOTS = 30  # of a curve: more would hide its dashes
# Lines of a legend that leave room for the curves, and inches of one line.
_MOST_INSIDE, _LEGEND_LINE = 6, 0.22
_CURVES = (7.0, 4.0)  # inches
_LEGEND_BESIDE = 2.5  # inches


def pyplot() -> Any:
    """``matplotlib.pyplot``, imported when something is drawn.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            "topictemper.plotting needs matplotlib: pip install 'topictemper[plot]'"
        ) from error
    return matplotlib.pyplot


def axes(ax: Any, figsize: tuple[float, float]) -> Any:
    """The axes given, or those of a new figure."""
    plt = pyplot()
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


def chosen_topics(
    topics: int | Integers | Strings, numbers: NDArray[Any], sizes: Floats, labels: Strings
) -> NDArray[Any]:
    """Return the numbers of the topics that are asked for, or of so many of the largest."""
    asked: Any = topics
    if not isinstance(asked, str) and not check.has_entries(asked):
        return np.asarray(numbers[largest(sizes, check.integer("topics", asked, 1))])
    named: dict[Any, list[Any]] = {}
    for label, number in zip(labels, numbers, strict=True):
        named.setdefault(label, []).append(number)
    entries = [] if isinstance(asked, str) else [_number(each, named) for each in asked]
    chosen = np.array([] if any(map(check.has_entries, entries)) else entries)
    if not (chosen.size and chosen.dtype.kind in "iu"):
        raise ValueError(f"topics must be a number or a list of numbers or labels, got {topics!r}")
    if not np.isin(chosen, numbers).all():
        raise ValueError(f"topics must be from {numbers.min()} to {numbers.max()}, got {topics!r}")
    return chosen


def _number(topic: Any, named: Mapping[Any, list[Any]]) -> Any:
    """The number of a topic that is given by its label; anything else as it is."""
    if not isinstance(topic, str):
        return topic
    found = named.get(topic, [])
    if not found:
        raise ValueError(f"no topic has the label {topic!r}")
    if len(found) > 1:
        several = ", ".join(map(str, found))
        raise ValueError(f"several topics have the label {topic!r}; give one by number: {several}")
    return found[0]


def panels(
    ax: Any, n: int, n_columns: int, *, gap: float, title: float, foot: float
) -> tuple[NDArray[Any], float]:
    """Divide axes into panels, row by row; return these, and their width.

    Widths are parts of that of the axes. `title` and `foot`, the room above and below a panel, are
    parts of the height of a row.
    """
    ax.set_axis_off()
    width, height = (1 - gap * (n_columns - 1)) / n_columns, 1 / ceil(n / n_columns)
    made = np.empty(n, dtype=object)
    for i in range(n):
        row, column = divmod(i, n_columns)
        bottom = 1 - (row + 1 - foot) * height
        made[i] = ax.inset_axes(
            (column * (width + gap), bottom, width, (1 - title - foot) * height)
        )
    return made, width


def tidy(ax: Any) -> None:
    """Remove lines without information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", **GRID)
    ax.set_axisbelow(True)


def note_below(ax: Any, text: str, *, given: bool) -> None:
    """Write a line below axes with panels, flush right.

    It becomes several lines where a figure that is given would cut it. Figures of this package have
    room for one, but get their layout only when they are drawn.
    """
    note = ax.annotate(
        text,
        (1.0, 0.0),
        xycoords="axes fraction",
        ha="right",
        va="top",
        fontsize="x-small",
        color=MUTED,
    )
    wide = note.get_window_extent().width
    room = ax.get_window_extent().x1 - ax.figure.bbox.x0
    if given and wide > room:
        note.set_text(fill(text, max(1, int(len(text) * room / wide))))


def inches(ax: Any) -> tuple[float, float]:
    """Width and height of axes; before a figure is drawn its layout may still change them a bit."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def shortened(text: Any, longest: int) -> str:
    """Return a text on one line, with an ellipsis where it is longer than that."""
    line = " ".join(str(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def shortened_apart(texts: Iterable[Any], longest: int) -> list[str]:
    """Return texts as `shortened` does, but without the middle where others begin alike."""
    lines = [" ".join(str(text).split()) for text in texts]
    short = [shortened(line, longest) for line in lines]
    alike, end = Counter(short), longest // 2
    return [
        brief
        if alike[brief] == 1 or len(line) <= longest
        else f"{line[: longest - 1 - end].rstrip()}…{line[-end:].lstrip()}"
        for line, brief in zip(lines, short, strict=True)
    ]


def fit(text: Any, width: float) -> None:
    """Shorten a text of a figure until it is no wider than so many inches.

    It is measured, because letters differ widely in width, most of all between scripts.
    """
    whole = " ".join(text.get_text().split())
    text.set_text(whole)
    longest, room = len(whole), width * text.figure.dpi
    while longest > _SHORTEST and (wide := text.get_window_extent().width) > room:
        longest = max(_SHORTEST, min(longest - 1, int(longest * room / wide)))
        text.set_text(shortened(whole, longest))


def percent(share: float, _: Any) -> str:
    """A share as the label of a tick."""
    return f"{100 * share:g}%"


def named_models(estimator: Any) -> dict[str, Any]:
    """Return the estimators of a dict, or one estimator by the name of its class."""
    if not isinstance(estimator, Mapping):
        return {type(estimator).__name__: estimator}
    if not estimator:
        raise ValueError("estimator must not be an empty dict")
    return {str(name): model for name, model in estimator.items()}


def history_of(estimator: Any, attribute: str, advice: str) -> Any:
    """Return a history of a fitted estimator that is not empty."""
    history = getattr(estimator, attribute, None)
    if history is None or len(history) == 0:
        raise ValueError(f"{type(estimator).__name__} has no {attribute}: {advice}")
    return history


def draw_curves(
    ax: Any,
    histories: Mapping[str, NDArray[Any]],
    value: str,
    *,
    format: str,
    last: str,
    dots: bool = False,
) -> tuple[Any, list[Any]]:
    """Draw a value of the histories of models against passes.

    Returns the axes, and a line for each model. If there are several models, a legend with the
    title `last` has the last value of each. Values that are NaN are left out.

    Raises
    ------
    ValueError
        If a history has no other values.
    """
    histories = {name: _known(name, history, value) for name, history in histories.items()}
    ax = _axes_of_curves(ax, len(histories))
    several, lines = len(histories) > 1, []
    names = shortened_apart(histories, LONGEST_NAME)
    for i, (name, history) in enumerate(zip(names, histories.values(), strict=True)):
        # A line of one point is none.
        dotted = len(history) == 1 or (dots and len(history) <= _MOST_DOTS)
        lines += ax.plot(
            history["pass"],
            history[value],
            linewidth=1.8,
            label=f"{name}  {history[value][-1]:{format}}" if several else name,
            marker="o" if dotted else None,
            markersize=3.5 if dots else None,
            **_line_style(i),
        )
    tidy(ax)
    if ax.get_xscale() == "linear":  # ticks at whole numbers of passes
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.set_xlabel("passes over the data")
    _crop_early_passes(ax, [history[value] for history in histories.values()])
    if several:
        _legend_of_curves(ax, last)
    return ax, lines


def _known(name: str, history: NDArray[Any], value: str) -> NDArray[Any]:
    """Return the rows of a history that have a value."""
    known: NDArray[Any] = history[~np.isnan(history[value])]
    if len(known) == 0:
        raise ValueError(f"histories[{name!r}] must have values of {value!r} that are not NaN")
    return known


def _axes_of_curves(ax: Any, n_curves: int) -> Any:
    """The axes given, or those of a new figure that has room for the curves and their legend."""
    width, height = _CURVES
    if n_curves > _MOST_INSIDE:
        width, height = width + _LEGEND_BESIDE, max(height, 1.0 + _LEGEND_LINE * n_curves)
    return axes(ax, (width, height))


def _line_style(number: int) -> dict[str, Any]:
    """Settings of a curve: dashes that no other curve of its color has, nor its neighbors."""
    cycle = pyplot().rcParams["axes.prop_cycle"]
    turn, place = divmod(number, len(cycle))
    if "linestyle" in cycle.keys and turn == 0:  # a style of the user has dashes of its own
        return {}
    dashes = (place + turn) % len(_DASHES)
    return {"linestyle": _DASHES[dashes]} if dashes else {}


def _legend_of_curves(ax: Any, title: str) -> None:
    """A legend; if it would hide the curves, beside the axes, where the layout makes room."""
    place: dict[str, Any] = {"handlelength": 3.5}
    many = len(ax.get_legend_handles_labels()[1]) > _MOST_INSIDE
    if many and ax.figure.get_layout_engine() is not None:
        place |= {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    ax.legend(frameon=False, title=title, **place)


def _crop_early_passes(ax: Any, courses: list[Floats]) -> None:
    """Cut off early values far below the rest, and say so; all last values stay visible."""
    top = max(course.max() for course in courses)
    low = min(
        min(course[-1], np.median(course) - 2.0 * (course.max() - np.median(course)))
        for course in courses
    )
    if top == low:
        return
    margin = 0.05 * (top - low)
    bottom, roof = ax.get_ylim()  # with margins that are wide where early values are far below
    ax.set_ylim(max(low - margin, bottom), min(ax.dataLim.y1 + margin, roof))
    lowest = min(course.min() for course in courses)
    if lowest < ax.get_ylim()[0]:
        # Above the axes, as curves and the legend may be anywhere in them.
        ax.annotate(
            f"early values: down to {lowest:.4g}",
            (1.0, 1.0),
            xycoords="axes fraction",
            ha="right",
            va="bottom",
            fontsize="small",
            color=MUTED,
        )
