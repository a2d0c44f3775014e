"""Differences that are paired by seed, as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def with_error(differences: Any, digits: int) -> str:
    """Mean and standard error of one difference for each seed; NaN for a single one."""
    found = np.asarray(differences, dtype=float)
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
    return f"{found.mean():+,.{digits}f} ± {error:.{digits}f}"
