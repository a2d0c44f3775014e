"""What all displays share: axes, colors, limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Distinct for color-blind readers and in gray.
WARM, COOL = "#d6604d", "#4393c3"


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


def tidy(ax: Any) -> None:
    """Remove lines without information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def note_below(ax: Any, text: str) -> None:
    """Write a line below axes with panels, flush right."""
    ax.annotate(
        text,
        (1.0, 0.0),
        xycoords="axes fraction",
        ha="right",
        va="top",
        fontsize="x-small",
        color="0.45",
    )


def whole_passes(ax: Any) -> None:
    """Ticks at whole numbers of passes, unless the axis has another scale."""
    if ax.get_xscale() == "linear":
        ax.xaxis.get_major_locator().set_params(integer=True)


def crop_early_passes(ax: Any, courses: list[NDArray[np.float64]]) -> None:
    """Cut off early values far below the rest, and say so; all last values stay visible."""
    top = max(course.max() for course in courses)
    low = min(
        min(course[-1], np.median(course) - 2.0 * (course.max() - np.median(course)))
        for course in courses
    )
    if top == low:
        return
    ax.set_ylim(bottom=max(low - 0.05 * (top - low), ax.get_ylim()[0]))
    lowest = min(course.min() for course in courses)
    if lowest < ax.get_ylim()[0]:
        ax.annotate(
            f"early values below the axis, down to {lowest:.4g}",
            (0.01, 0.02),
            xycoords="axes fraction",
            zorder=1,
            fontsize="small",
            color="0.45",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )


def history_of(estimator: Any, attribute: str, advice: str) -> Any:
    """Return a history of a fitted estimator that is not empty."""
    history = getattr(estimator, attribute, None)
    if history is None or len(history) == 0:
        raise ValueError(f"{type(estimator).__name__} has no {attribute}: {advice}")
    return history
