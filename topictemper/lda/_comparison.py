"""Values of a prior, compared by how well topics predict documents that they do not remember."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._utils._state import Stateful
from ._clock import StreamClock
from ._halves import peak

# Values are compared after 1, 2, 4, ... steps, and after every 16th from then on.
_MOST_WAITED = 16


class Comparison(Stateful):
    """Compares values of a prior while documents are sampled.

    Documents are sampled under topics with a short memory: a pass later a document has left next to
    no trace in them, and is as good as new. Before some steps, documents of the minibatch are
    halved, and values are compared by the likelihood of one half given the other.

    Parameters
    ----------
    exponents : ndarray of shape (n_values,)
        The values, as powers of 2, evenly spaced.
    kept : float
        Weight of earlier comparisons at each new one.
    """

    STATE: ClassVar[tuple[str, ...]] = ("_gains", "_begin", "_steps", "_next")

    def __init__(self, exponents: NDArray[np.float64], kept: float) -> None:
        self._exponents, self._kept = exponents, kept
        self._gains = np.zeros(len(exponents))
        self._begin = -1.0  # not known yet
        self._steps, self._next = 0, 1

    def _is_due(self, clock: StreamClock) -> bool:
        """Whether to compare before the next step, which is counted."""
        if self._begin < 0.0:
            self._begin = clock.documents_seen + (0.0 if clock.only_new else clock.total_samples)
        if clock.documents_seen < self._begin:
            return False
        self._steps += 1
        if self._steps < self._next:
            return False
        self._next += min(self._steps, _MOST_WAITED)
        return True

    def _best(self, gains: list[float]) -> float:
        """The best value, with the log-likelihoods of one more comparison."""
        # A new array: states are not copied. Words that are certain round to more than 0.
        self._gains = self._kept * self._gains + np.minimum(gains, 0.0)
        return float(2.0 ** peak(self._exponents, self._gains))
