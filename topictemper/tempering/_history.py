"""What a fit records: rows of numbers as tables, and the bound after every pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._log import Iterations


def record(rows: Sequence[tuple[float, ...]], *fields: str) -> NDArray[Any]:
    """Return rows of numbers as a structured array."""
    return np.array(list(rows), dtype=[(field, float) for field in fields])


class ElboHistory:
    """The bound that a fit climbs, pass by pass.

    Parameters
    ----------
    log : Iterations, optional
        Where to say how far the fit is.
    n_data : int, default=1
        Number of data in the bounds that are added. What is kept and said is per datum.

    Attributes
    ----------
    rows : list of tuple of float
        Pass, temperature, and the bound at that temperature, of all data.
    """

    def __init__(self, log: Iterations | None = None, n_data: int = 1) -> None:
        self.rows: list[tuple[float, float, float]] = []
        self._n_data = n_data
        self._log = log
        self._start = "" if log is None else log.new_start()

    def append(self, temperature: float, elbo: float) -> None:
        """Add a pass."""
        self.rows.append((float(len(self.rows)), temperature, elbo))
        if self._log is not None:
            self._log.add(self._start, len(self.rows), self._state())

    def end(self) -> None:
        """There are no more passes."""
        if self._log is not None:
            self._log.end(self._start, len(self.rows), self._state())

    def _state(self) -> str:
        _, temperature, elbo = self.rows[-1]
        return f"T = {temperature:.4g}, ELBO {elbo / self._n_data:,.4f}"

    def has_converged(self, tol: float) -> bool:
        """Whether both of the last two passes are at T = 1, and their bounds differ by < tol."""
        if len(self.rows) < 2:
            return False
        (_, before, old), (_, now, new) = self.rows[-2:]
        return before == now == 1.0 and abs(new - old) < tol

    @property
    def last(self) -> float:
        """The bound after the last pass, of all data."""
        return self.rows[-1][2]

    @property
    def elbos(self) -> NDArray[Any]:
        """Fields "pass", "temperature" and "elbo", per datum."""
        result = record(self.rows, "pass", "temperature", "elbo")
        result["elbo"] /= self._n_data
        return result

    @property
    def temperatures(self) -> NDArray[Any]:
        """Fields "pass" and "temperature"."""
        return record([row[:2] for row in self.rows], "pass", "temperature")
