"""Warnings at the line of the user's code, where they are shown and filtered."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

# A pipeline or a search may be in between.
_NOT_THE_USER = ("topictemper", "sklearn")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of this package and scikit-learn that led here.

    Python shows the same warning once for each line. At a line of the package, it would be shown
    once in a session.
    """
    level, outermost = 1, 1
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_THE_USER:
            outermost = level
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=outermost + 1)
