"""The instruction set of the compiled code: one for all kernels of the process."""

from __future__ import annotations

import os
import platform
from importlib.util import find_spec
from pathlib import Path

from .._utils._warnings import warn

try:  # the first import of compiled code
    from . import _dispatch
except ImportError as error:
    if find_spec(f"{__package__}._dispatch") is not None:  # it is there, and cannot be loaded
        raise
    raise ImportError(
        f"the compiled code of topictemper is not in {Path(__file__).parents[1]}. If this is its "
        "source, run Python in another folder, where it finds the installed package, or install "
        "with pip install -e . to use the source itself. A zip archive cannot hold compiled code"
    ) from error

#: Environment variable that names the instruction set to start with.
VARIABLE = "TOPICTEMPER_ISA"

#: All that there are, on any processor.
ISAS = ("avx512", "avx2", "baseline")


def available_isas() -> tuple[str, ...]:
    """Return the names of the instruction sets that this processor can use.

    Returns
    -------
    tuple of str
        The best first, which is the default: "avx512" and "avx2" on x86-64 where the processor
        has them, and always "baseline", which every processor of its architecture has.

    See Also
    --------
    set_isa : Choose one of them.

    Examples
    --------
    >>> import topictemper
    >>> topictemper.available_isas()[-1]
    'baseline'
    """
    return _dispatch.available_isas()


def get_isa() -> str:
    """Return the name of the instruction set in use.

    Returns
    -------
    str
        One of `available_isas`.

    See Also
    --------
    set_isa : Choose another one.

    Examples
    --------
    >>> import topictemper
    >>> topictemper.get_isa() in topictemper.available_isas()
    True
    """
    return _dispatch.isa()


def set_isa(name: str) -> None:
    """Choose the instruction set of all estimators, for the whole process.

    Different instruction sets round differently, so the same seed gives models that differ
    slightly; the user guide says what the same bits need (:ref:`bits`). The environment variable
    ``TOPICTEMPER_ISA`` makes the same choice when the package is imported.

    Parameters
    ----------
    name : str
        One of `available_isas`.

    Raises
    ------
    ValueError
        If this processor does not have that instruction set, or there is none of that name.

    Notes
    -----
    Call it while no estimator is fitting or predicting in another thread: a fit that is under way
    would go on with the new instruction set.

    A model remembers the instruction set that it was trained with, also in files and pickles.
    `TemperedLDA.partial_fit` warns where it goes on with another one.

    Examples
    --------
    >>> import topictemper
    >>> before = topictemper.get_isa()
    >>> topictemper.set_isa("baseline")
    >>> topictemper.get_isa()
    'baseline'
    >>> topictemper.set_isa(before)
    """
    names = available_isas()
    if name not in names:
        listed = ", ".join(map(repr, names))
        raise ValueError(f"This processor has the instruction sets {listed}, not {name!r}.")
    _dispatch.use_isa(name)


def description() -> str:
    """Return the instruction set in use and the architecture that it belongs to."""
    return f"{get_isa()} ({platform.machine()})"


def going_on(trained_with: str) -> str:
    """Return `description()`; warn if a model that goes on learning was trained with another."""
    now = description()
    if now != trained_with:
        warn(
            f"This model was trained with the instruction set {trained_with} and goes on with "
            f"{now}: results differ in their last bits from those of one instruction set. "
            "topictemper.set_isa chooses another one, if the processor has it.",
        )
    return now


def _start_with(name: str) -> None:
    """Use the instruction set that the environment names, if it names one."""
    if not name:
        return
    try:
        set_isa(name)
    except ValueError as error:
        raise ImportError(f"{VARIABLE}={name}: {error} Set another one, or none.") from error


_start_with(os.environ.get(VARIABLE, ""))
