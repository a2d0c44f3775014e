"""Warnings of fractions that are no counts: frequencies, tf-idf weights, logs of counts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._typing import Floats
from ._warnings import warn

# Rows that are looked at, more of them while they have fewer values, and the fewest that decide.
_ROWS_LOOKED_AT, _VALUES_LOOKED_AT, _MOST_ROWS, _ROWS_THAT_TELL = 100, 5_000, 1_000, 3
# Values that are small multiples of the smallest of their row, and the fewest that decide.
_LARGEST_MULTIPLE, _VALUES_THAT_TELL = 20, 20
# How near to whole numbers they are, and how many multiples they then must be. Ratios of a few
# weights that come again and again are whole by chance, but seldom so many of them; and logs may be
# rounded to some decimals.
_PRECISIONS = ((1e-3, 2), (0.05, 6))
# Of logs. Packages of R for gene expression take logs to the base 2.
_BASES = (np.e, 2.0, 10.0)


def warn_of_fractions(X: Any) -> None:
    """Warn if the first rows of X are frequencies, tf-idf weights or logs of counts.

    Weighted counts, such as multiples of 0.5, do not trigger the warning. Nor do counts per 10,000,
    which give about the same topics as counts (`docs/guide/measured/documents.rst`).

    Parameters
    ----------
    X : sparse matrix of shape (n_samples, n_features)
        Checked CSR counts.
    """
    indptr = X.indptr[:_MOST_ROWS]
    if X.dtype.kind != "f":
        return
    doubled = 2 * X.data[: indptr[-1]]
    # The cheap check comes first: most counts are whole numbers.
    if (doubled == np.rint(doubled)).all():
        return
    # Stored zeros count for nothing. Only the rows that are looked at are copied.
    filled = [
        row for row, (i, j) in enumerate(pairwise(indptr)) if np.count_nonzero(X.data[i:j]) > 1
    ]
    ends = np.cumsum(np.diff(indptr)[filled])
    filled = filled[: max(_ROWS_LOOKED_AT, int(np.searchsorted(ends, _VALUES_LOOKED_AT)))]
    if len(filled) < _ROWS_THAT_TELL:
        return
    rows = X[filled].astype(np.float64)
    rows.eliminate_zeros()
    sums = np.asarray(rows.sum(axis=1)).ravel()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    if _is_one(sums) or _is_one(lengths):
        warn(
            "X holds fractions whose rows have norm 1, like tf-idf weights or frequencies, and "
            "LDA models counts: use CountVectorizer in place of TfidfVectorizer, and do not "
            "normalize",
        )
    elif any(_are_logs(rows, base) for base in _BASES):
        warn(
            "X holds logs of counts, as log1p makes them, and LDA models counts: give the counts "
            "before normalization and logs, such as adata.layers['counts'] of an AnnData"
        )


def _is_one(values: Floats) -> bool:
    return bool(np.abs(values - 1.0).max() < 1e-3)


def _are_logs(rows: Any, base: float) -> bool:
    """Whether values are logs of 1 + multiples of a number that differs between rows.

    The number is taken from the smallest value of a row, which stands for one in nearly all rows.
    """
    smallest = np.repeat(np.minimum.reduceat(rows.data, rows.indptr[:-1]), np.diff(rows.indptr))
    with np.errstate(over="ignore", invalid="ignore"):
        of_logs = np.expm1(rows.data * np.log(base)) / np.expm1(smallest * np.log(base))
    telling = (of_logs > 1.5) & (of_logs < _LARGEST_MULTIPLE)
    if telling.sum() < _VALUES_THAT_TELL:
        return False
    of_logs, as_given = of_logs[telling], rows.data[telling] / smallest[telling]
    for precision, n_multiples in _PRECISIONS:
        whole = _whole(of_logs, precision)
        multiples = np.unique(np.rint(of_logs[whole]))
        # Counts of weighted rows are multiples of the smallest as they are, without logs.
        if (
            whole.mean() > 0.9
            and len(multiples) >= n_multiples
            and _whole(as_given, precision).mean() < 0.5
        ):
            return True
    return False


def _whole(values: Floats, precision: float) -> NDArray[np.bool_]:
    return np.abs(values - np.rint(values)) < precision
