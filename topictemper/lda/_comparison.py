"""Values of a prior, compared by how well halves of documents predict the other halves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._state import Stateful
from .._utils._typing import Floats
from ._clock import StreamClock
from ._e_step import log_likelihoods
from ._minibatch import LocalParameters, Minibatch
from ._minibatch_halves import halves, some_rows
from ._topics import Topics


class Comparison(Stateful):
    """Compares values of a prior before some steps: after 1, 2, 4, ... of them at first.

    Parameters
    ----------
    exponents : ndarray of shape (n_values,)
        The values, as powers of 2, evenly spaced.
    kept : float
        Weight of earlier comparisons at each new one.
    most_waited : int
        Steps between two comparisons, at most.
    """

    STATE: ClassVar[tuple[str, ...]] = ("_gains", "_steps", "_next")

    def __init__(self, exponents: Floats, kept: float, most_waited: int) -> None:
        self._exponents, self._kept, self._most_waited = exponents, kept, most_waited
        self._gains = np.zeros(len(exponents))
        self._steps, self._next = 0, 1

    def _is_due(self) -> bool:
        """Whether to compare before the next step, which is counted."""
        self._steps += 1
        if self._steps < self._next:
            return False
        self._next += min(self._steps, self._most_waited)
        return True

    def _best(self, gains: list[float]) -> float:
        """The exponent of the best value, with the log-likelihoods of one more comparison."""
        # A new array: states are not copied. Words that are certain round to more than 0.
        self._gains = self._kept * self._gains + np.minimum(gains, 0.0)
        return peak(self._exponents, self._gains)

    def _best_multiple(
        self,
        e_step: Callable[..., LocalParameters],
        topics: Topics,
        batch: Minibatch,
        alpha: NDArray[Any],
        n_documents: int,
        *,
        workers: Workers,
        **sweeps: Any,
    ) -> float:
        """The exponent of the multiple of alpha with which halves of documents predict best."""
        some = some_rows(batch, n_documents, self._steps)
        seen, unseen = halves(some)
        cases, local = [], None
        for exponent in self._exponents:
            scaled = times(alpha, 2.0**exponent)
            local = e_step(topics, seen, scaled, again=local, workers=workers, **sweeps)
            cases.append((topics, local.theta()))
        return self._best([*map(some.total, log_likelihoods(cases, unseen, workers))])


class SampledComparison(Comparison):
    """Compares values of a prior while documents are sampled.

    Documents are sampled under topics with a short memory: a pass later a document has left next to
    no trace in them, and is as good as new.
    """

    STATE = (*Comparison.STATE, "_begin")

    def __init__(self, exponents: Floats, kept: float) -> None:
        super().__init__(exponents, kept, most_waited=16)
        self._begin = -1.0  # not known yet

    def _is_due_at(self, clock: StreamClock) -> bool:
        """Whether to compare before the next step, which is counted once all are as good as new."""
        if self._begin < 0.0:
            self._begin = clock.documents_seen + (0.0 if clock.only_new else clock.total_samples)
        return clock.documents_seen >= self._begin and self._is_due()


def times(alpha: NDArray[Any], factor: float) -> NDArray[Any]:
    """A multiple of alpha, of its precision."""
    return alpha * alpha.dtype.type(factor)


def peak(x: Floats, y: Floats) -> float:
    """Where the parabola through the highest of evenly spaced points and its neighbors peaks."""
    i = int(y.argmax())
    if i in (0, len(x) - 1):
        return float(x[i])
    # The former is more than 0: of several that are highest it is the first.
    below, above = y[i] - y[i - 1], y[i] - y[i + 1]
    return float(x[i] + (x[1] - x[0]) * (below - above) / (2.0 * (below + above)))
