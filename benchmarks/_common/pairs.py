"""Means over seeds with their standard errors, as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def with_error(values: Any, digits: int, sign: str = "+") -> str:
    """Mean and standard error of one value for each seed; no error for a single one."""
    found = np.asarray(values, dtype=float)
    mean = f"{found.mean():{sign},.{digits}f}"
    if len(found) == 1:
        return mean
    return f"{mean} ± {found.std(ddof=1) / np.sqrt(len(found)):.{digits}f}"
