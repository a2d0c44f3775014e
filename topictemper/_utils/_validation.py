"""Checks of parameters: each returns the value in one form, or raises an error that names it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from textwrap import shorten
from typing import Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state, check_scalar
from sklearn.utils.validation import validate_data

from ._memory import usable_memory
from ._typing import Floats

# Squares of larger numbers, in units of a small variance, leave the range of float64.
LARGEST = 1e100
# Kernels count components with 32 bits.
_MOST_COMPONENTS = np.iinfo(np.int32).max


def parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, those that the `__init__` of a subclass hides, too."""
    kinds: list[Any] = [kind for kind in type(estimator).mro() if issubclass(kind, BaseEstimator)]
    names = {name for kind in kinds for name in kind._get_param_names()}
    return {name: getattr(estimator, name) for name in sorted(names)}


def is_real(value: object) -> bool:
    """Whether a value is a real number. A bool is not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def has_entries(value: object) -> bool:
    """Whether a value has entries: no text, and no array without dimensions."""
    # Dask gives an iterator of arrays without dimensions, too, which fails later.
    if isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0:
        return False
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return an int in a range. A bool is not an int."""
    _refuse_flag(name, value, "int")
    return int(check_scalar(value, name, Integral, min_val=low, max_val=high))


def number(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    boundaries: str = "both",
) -> float:
    """Return a finite float in a range; `boundaries` says which ends it includes."""
    _refuse_flag(name, value, "float")
    result = float(
        check_scalar(value, name, Real, min_val=low, max_val=high, include_boundaries=boundaries)
    )
    if not np.isfinite(result):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return result


def variance(name: str, value: Any) -> float:
    """Return a variance: squares of data that `squarable` takes, times or over it, are finite."""
    return number(name, value, 1e-100, 1e200)


def _refuse_flag(name: str, value: Any, wanted: str) -> None:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an instance of {wanted}, not bool.")


def flag(name: str, value: Any) -> bool:
    """Return a bool."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def stream_length(value: Any) -> float | None:
    """Return a checked `total_samples`."""
    return None if value is None else number("total_samples", value, 1.0, 1e15)


def verbosity(value: Any) -> int:
    """Return a checked `verbose`, which may be True."""
    return int(value) if isinstance(value, bool) else integer("verbose", value, 0)


def random_state(value: Any) -> np.random.RandomState:
    """Return the `RandomState` of a seed, as scikit-learn does."""
    try:
        return check_random_state(value)
    except ValueError as error:
        raise ValueError(
            f"random_state must be None, an int from 0 to 2**32 - 1 or a RandomState, got {value!r}"
        ) from error


def threads(value: Any) -> int:
    """Return the number of threads for ``n_jobs``."""
    if value is not None and (
        not isinstance(value, Integral) or isinstance(value, bool) or value == 0
    ):
        raise ValueError(
            f"n_jobs must be None, a number of threads, or -1 for all processors; got {value!r}"
        )
    # Not by joblib's effective_n_jobs, which counts processes: one where a process must not start
    # others, such as a worker of Dask, and those of all machines in `parallel_config("dask")`.
    n = 1 if value is None else int(value)
    if n < 0:
        n = max(1, cpu_count() + 1 + n)
    # The results are the same, and systems have not as many threads as somebody may ask for. (To
    # count processors takes a while, beside the `transform` of a row.)
    return n if n <= 64 else min(n, max(64, 4 * (os.cpu_count() or 1)))


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return one of some names."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {repr(value)[:60]}")
    return value


def precision(value: Any) -> np.dtype[Any]:
    """Return float32 or float64."""
    try:
        dtype = np.dtype(object if value is None else value)  # None would be float64
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {value!r}")
    return dtype


def numbers(name: str, value: Any) -> Floats:
    """Return an array of real numbers, of any shape."""
    if value is None:  # of which NumPy makes NaN
        raise TypeError(f"{name} must hold numbers, got None")
    unmasked(name, value)
    try:
        array = np.asarray(value)
        if array.dtype.kind in "SU":  # NumPy would read text of digits
            raise TypeError("the entries are text")
        is_complex = array.dtype.kind == "c"  # of which NumPy would drop a part
        result = array if is_complex else array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}") from error
    if is_complex:
        raise ValueError(f"{name} must hold real numbers, but they are complex")
    _refuse_dates(name, value, array)
    return result


def table(
    name: str, value: Any, shapes: Iterable[tuple[int, ...]], low: float, high: float
) -> Floats:
    """Return an array of finite numbers in a range, with one of some shapes."""
    shapes, array = list(shapes), numbers(name, value)
    if array.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(f"{name} must be of shape {wanted}, got {array.shape}")
    wrong = ~(np.isfinite(array) & (array >= low) & (array <= high))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name} must hold finite numbers from {low:g} to {high:g}, got {array[place]} at "
            f"{place}"
        )
    return array


def unmasked(name: str, value: Any, filler: str = "value") -> None:
    """Refuse a masked array, which NumPy and scikit-learn read without its mask."""
    if np.ma.is_masked(value):
        raise ValueError(
            f"{name} has masked values, which would count like others; give {name}.filled({filler})"
        )


@contextmanager
def readable(name: str, value: Any, *, counts: bool = False) -> Iterator[None]:
    """Around scikit-learn's checks of an array: refuse what is no number, and say where it is.

    NumPy's own errors name neither the array nor the row, and it reads dates as numbers. Other
    errors of scikit-learn get the name of the array. Of `counts`, columns can be added up.
    """
    columns(name, value, counts=counts)
    kinds = _kinds(value)
    if not kinds and getattr(value, "shape", ())[1:] == (0,):  # of which the error says nothing
        raise ValueError(f"{name} is a table without columns")
    for kind in map(str, kinds):
        if kind.lower().startswith(("date", "time", "duration")):
            raise TypeError(f"{name} must hold numbers, got {kind}")
    if isinstance(value, list | tuple) or "object" in map(str, kinds):
        with suppress(ValueError):  # of rows of different lengths; the error comes below
            _refuse_dates(name, value, np.asarray(value))
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        _refuse_no_numbers(name, value, kinds)
        # Of a wrong shape scikit-learn says that it is that of X, or of no array in particular.
        what = str(error)
        if what.startswith("Expected 2D array"):
            raise _not_two_dimensional(name, value) from None
        if name not in what:
            named = f"{name}{what[1:]}" if what.startswith("X has ") else f"{name}: {what}"
            raise (TypeError if isinstance(error, TypeError) else ValueError)(named) from error
        raise


def _not_two_dimensional(name: str, value: Any) -> ValueError:
    shape = np.shape(value)
    if shape in ((), (0,)):
        return ValueError(f"{name} must be a 2D array, got {value!r:.60}")
    return ValueError(
        f"{name} must be a 2D array, got a 1D array of {shape[0]}. Reshape your data: "
        f"np.reshape({name}, (1, -1)) if it is one row, or (-1, 1) if it is one column"
    )


def columns(name: str, value: Any, *, counts: bool = False) -> None:
    """Refuse a lazy frame, or a data frame of pandas with two columns of the same name.

    From 1.9 on scikit-learn does the latter too, and says neither of what nor what to do.
    """
    # First: to name its columns a LazyFrame works for long, and warns of it.
    if hasattr(type(value), "collect_schema") and hasattr(type(value), "collect"):  # of polars
        raise TypeError(f"{name} is a {type(value).__name__}; give {name}.collect()")
    names: Any = getattr(value, "columns", None)
    if getattr(names, "is_unique", True):
        return
    twice = names[names.duplicated()].tolist()[0]
    # In their order, for those who have a model of the names.
    sums = f", or add up those of the same name by {name}.T.groupby(level=0, sort=False).sum().T"
    raise ValueError(
        f"{name} has more than one column {twice!r}, and names of columns must differ: rename them"
        f"{sums if counts else ''}"
    )


def _kinds(value: Any) -> list[Any]:
    """Return the types of the columns of a table, or the type of an array."""
    # Tables first: their columns may have any names, `dtype` too. A column alone has both.
    if len(getattr(value, "shape", ())) == 2 and hasattr(value, "dtypes"):
        return list(value.dtypes)
    if hasattr(value, "dtype"):
        return [value.dtype]
    return list(getattr(getattr(value, "schema", None), "types", ()))  # of a table of Arrow


def _refuse_dates(name: str, value: Any, array: NDArray[Any]) -> None:
    """Refuse dates and durations of NumPy, also single ones among objects."""
    arrays = [array] if array.dtype.kind in "mMO" else []
    if array.dtype.kind == "m" and isinstance(value, list | tuple):
        # As given: beside a duration NumPy makes durations of numbers, too.
        arrays.insert(0, np.asarray(value, dtype=object))
    for place, cell in (each for cells in arrays for each in np.ndenumerate(cells)):
        if isinstance(cell, np.datetime64 | np.timedelta64):
            raise TypeError(f"{name} must hold numbers: {_in_its_place(cell, place)}")


def _in_its_place(cell: Any, place: tuple[int, ...]) -> str:
    what = repr(cell)[:60]
    if place:
        what = f"row {place[0]} has {what}"
    if len(place) > 1:
        what += f" in column {place[1]}"
    return what


def _refuse_no_numbers(name: str, value: Any, kinds: list[Any]) -> None:
    # Of columns of numbers the error is another one. Those of pandas may have NA, which are read.
    numeric = {i for i, kind in enumerate(kinds) if getattr(kind, "kind", "O") in "biuf"}
    if 0 < len(kinds) == len(numeric):
        return
    if isinstance(value, Mapping | Set | Iterator):
        raise TypeError(f"{name} must hold numbers, got a {type(value).__name__}") from None
    try:
        array = np.asarray(value)
    except ValueError:
        _refuse_rows_of_different_lengths(name, value)
        return
    is_no_array = array.dtype == object and array.ndim == 0  # such as a sparse matrix
    if array.dtype.kind not in "OSU" or is_no_array:
        return
    for place, cell in np.ndenumerate(np.asarray(value, dtype=object)):
        if place[1:] and place[1] in numeric:
            continue
        try:
            float(0.0 if cell is None else cell)  # None is read as NaN
        except (TypeError, ValueError, OverflowError) as error:
            # Python repeats a text in full, which may be a whole document.
            what = f"{_in_its_place(cell, place)} ({shorten(str(error), 80)})"
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{name} must hold numbers: {what}") from None


def _refuse_rows_of_different_lengths(name: str, value: Any) -> None:
    if not isinstance(value, list | tuple):
        return
    lengths = list(map(_length, value))
    for place, length in enumerate(lengths):
        if length != lengths[0]:
            raise ValueError(
                f"{name} must have rows of one length: row {place} is {_described(length)}, and "
                f"row 0 is {_described(lengths[0])}"
            ) from None
    for place, row in enumerate(value if lengths[0] is not None else ()):
        for column, cell in enumerate(row):
            if _length(cell) is not None:
                raise ValueError(
                    f"{name} must hold numbers: row {place} has {cell!r:.60} in column {column}"
                ) from None


def _length(row: Any) -> int | None:
    """Return the length of a row, or None if it is not a list."""
    if isinstance(row, str | bytes):
        return None
    try:
        return len(row)
    except TypeError:  # also of an array without dimensions, and of a sparse one
        return None


def _described(length: int | None) -> str:
    return "not a list" if length is None else f"a list of {length}"


def finite(
    name: str, array: NDArray[Any], *, missing: bool = False, given: Any | None = None
) -> None:
    """Refuse what is not finite, and say where it is.

    Parameters
    ----------
    name : str
        Of the parameter.
    array : ndarray
        The numbers.
    missing : bool
        Whether NaN passes.
    given : array-like, optional
        The numbers before they became those of `array`, whose type may not hold them.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    wrong = np.isinf(array) if missing else ~np.isfinite(array)
    if not wrong.any():
        return
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    value = array[place]
    remedy = "be finite"
    if np.isnan(value):
        remedy = "not be missing: fill them in, or leave the row out"
    elif given is not None and np.isfinite(was := float(np.asarray(given)[place])):
        value, remedy = was, "be finite in single precision: scale them down"
    elif missing:
        remedy = "be finite, or NaN where they are missing"
    column = f" in column {place[1]}" if array.ndim == 2 else ""
    raise ValueError(
        f"{'NaN' if np.isnan(value) else 'Infinite'} values in data passed to {name}: row "
        f"{place[0]} has {value:g}{column}; values must {remedy}"
    )


def squarable(name: str, array: NDArray[Any], largest: float = LARGEST) -> None:
    """Refuse numbers whose squares leave the range of their type; NaN passes."""
    large = (array > largest) | (array < -largest)
    if large.any():
        place = tuple(int(i) for i in np.argwhere(large)[0])
        raise ValueError(
            f"{name} must be within ±{largest:g}, got {array[place]:g} at {place}; scale it down"
        )


def data(
    estimator: Any, X: Any, *, dtype: Any = np.float64, missing: bool = False, **options: Any
) -> NDArray[Any]:
    """Return the finite data of an estimator, checked by scikit-learn with more options.

    NaN passes if values may be `missing`.
    """
    unmasked("X", X, "np.nan" if missing else "value")
    # Not by scikit-learn: `finite` names the row, also of what single precision cannot hold.
    options |= {"dtype": dtype, "ensure_all_finite": False}
    with readable("X", X), np.errstate(over="ignore", invalid="ignore"):
        values = np.asarray(validate_data(estimator, X, **options))
    finite("X", values, missing=missing, given=X)
    return values


def units(name: str, value: Any, n_units: int) -> Floats:
    """Return finite states or means of hidden units, the columns."""
    unmasked(name, value)
    with readable(name, value):
        array: Floats = check_array(
            value, dtype=np.float64, ensure_all_finite=False, input_name=name
        )
    if array.shape[1] != n_units:
        raise ValueError(
            f"{name} must have {n_units} columns, one for each component, got {array.shape[1]}"
        )
    finite(name, array)
    return array


def topics(name: str, value: Any) -> NDArray[Any]:
    """Return finite weights of words, the columns, in topics that all have words."""
    unmasked(name, value)
    with readable(name, value):
        if np.ndim(value) == 1:
            raise ValueError(
                f"{name} must be of shape (n_components, n_features), but has one dimension; give "
                "one topic as [topic]"
            )
        array: NDArray[Any] = check_array(value, dtype=[np.float64, np.float32], input_name=name)
    if array.min() < 0:
        row, column = np.argwhere(array < 0)[0]
        raise ValueError(
            f"{name} must be >= 0, but row {row} has {array[row, column]} in column {column}"
        )
    empty = np.flatnonzero(~array.any(axis=1))
    if len(empty):
        raise ValueError(f"{name} must have words in every topic, but row {empty[0]} is all zeros")
    return array


def check_size(bytes_of: Callable[..., int], n_features: int, **sizes: int) -> None:
    """Refuse sizes of a model that takes more bytes than there are.

    The error advises to make those sizes smaller that help alone; all of them if none does.

    Parameters
    ----------
    bytes_of : callable
        Bytes of the sizes, which it takes by name.
    n_features : int
        Number of features.
    **sizes : int
        `n_components`, and those of `n_states` and `n_samples` that count too.

    Raises
    ------
    ValueError
        If it does, or if kernels cannot count the components.
    """
    integer("n_components", sizes["n_components"], 1, _MOST_COMPONENTS)
    n_bytes, (memory, owner) = bytes_of(**sizes), usable_memory()
    if n_bytes <= memory:
        return
    helpful = [name for name in sizes if bytes_of(**{**sizes, name: 1}) <= memory] or list(sizes)
    smaller = " or ".join(name for name in helpful if name != "n_samples")
    remedies = [f"choose a smaller {smaller}"] if smaller else []
    remedies += ["fit fewer rows"] if "n_samples" in helpful else []
    given = " and ".join(f"{name}={sizes[name]}" for name in sizes if name != "n_samples")
    rows = f" and {sizes['n_samples']:,} rows" if "n_samples" in sizes else ""
    raise ValueError(
        f"{given} need{'' if ' and ' in given else 's'} {n_bytes / 2**30:,.1f} GiB for "
        f"{n_features:,} features{rows}, and {owner} has {memory / 2**30:,.1f} GiB; "
        f"{', or '.join(remedies)}"
    )
