"""Warnings at the line of the user's code, where they are shown and filtered."""

from __future__ import annotations

import sys
import sysconfig
import warnings
from collections.abc import Iterator
from types import FrameType

# A pipeline or a search may be in between.
_NOT_THE_USER = ("topictemper", "sklearn")
# Files of other code that may be in between, such as that of joblib.
_STANDARD = (sysconfig.get_path("stdlib"), "<frozen")
_INSTALLED = ("site-packages", "dist-packages")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of this package and scikit-learn that led here.

    In a function of the user's that they have called, such as a callback, it is the line there.
    Python shows the same warning once for each line. At a line of the package, it would be shown
    once in a session.
    """
    frames = list(_callers())
    outermost = max(i for i, frame in enumerate(frames) if _is_ours(frame))
    called = (i for i, frame in enumerate(frames[:outermost]) if _is_a_function_of_the_user(frame))
    warnings.warn(message, category, stacklevel=next(called, outermost + 1) + 2)


def _callers() -> Iterator[FrameType]:
    """Give the callers of `warn`, the last one first."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_THE_USER


def _is_a_function_of_the_user(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    others = file.startswith(_STANDARD) or any(folder in file for folder in _INSTALLED)
    return not (others or _is_ours(frame) or _is_a_method_of_a_subclass(frame))


def _is_a_method_of_a_subclass(frame: FrameType) -> bool:
    """Whether it stands for a method of this package, as that of a subclass of an estimator does.

    Wherever it is called, it calls its parent from the same line.
    """
    kinds = type(frame.f_locals.get("self")).__mro__
    return any(kind.__module__.partition(".")[0] == "topictemper" for kind in kinds)
