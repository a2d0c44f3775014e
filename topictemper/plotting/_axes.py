"""Axes to draw in, and what all displays have in common."""

from __future__ import annotations

from typing import Any


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
