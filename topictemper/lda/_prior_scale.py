"""The alpha of prediction: a multiple of the alpha of training, from halves of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._state import Stateful
from ._e_step import log_likelihood
from ._halves import halves, peak, proportions, some_rows
from ._minibatch import Minibatch
from ._topics import Topics

# Multiples of alpha that are compared, as powers of 2. New documents are predicted with one more
# doubling: training documents prefer fewer topics than new ones (benchmarks/lda/priors.py).
_DOUBLINGS, _MORE = np.arange(-2.0, 4.0), 1.0
# Multiples are compared after 1, 2, 4, ... steps at T = 1, and after every 256th from then on.
MOST_WAITED = 256
_KEPT = 0.8  # weight of earlier comparisons at each new one
_DOCUMENTS = 256  # at a time, about


class PriorScale(Stateful):
    """Finds the multiple of alpha for mean-field inference.

    The best alpha for training is similar in all corpora; the best alpha for prediction is not.
    Mean-field inference is overconfident, the more so the more topics a document has. Before some
    steps at T = 1, some documents of the minibatch are halved, and multiples of alpha are compared
    by the likelihood of one half given the other.

    Parameters
    ----------
    learned : bool
        Whether to estimate the multiple; otherwise it stays 1.

    Attributes
    ----------
    scale : float
        The multiple.
    """

    STATE = ("scale", "_gains", "_steps", "_next")

    def __init__(self, learned: bool) -> None:
        self._learned = learned
        self.scale = 1.0
        self._gains = np.zeros(len(_DOUBLINGS))
        self._steps, self._next = 0, 1

    def update(
        self,
        topics: Topics,
        batch: Minibatch,
        alpha: NDArray[Any],
        *,
        workers: Workers,
        **sweeps: Any,
    ) -> None:
        """Compare multiples of alpha on a minibatch, before the step that learns from it."""
        if not self._learned:
            return
        self._steps += 1
        if self._steps < self._next:
            return
        self._next += min(self._steps, MOST_WAITED)
        gains = _KEPT * self._gains  # a new array: states are not copied
        some = some_rows(batch, _DOCUMENTS, self._steps)
        seen, unseen = halves(some)
        for i, doublings in enumerate(_DOUBLINGS):
            scaled = times(alpha, 2.0**doublings)
            theta = proportions(topics, seen, scaled, workers=workers, **sweeps)
            gains[i] += some.total(log_likelihood(topics, unseen, theta, workers))
        self._gains = gains
        self.scale = float(2.0 ** (peak(_DOUBLINGS, self._gains) + _MORE))


def times(alpha: NDArray[Any], factor: float) -> NDArray[Any]:
    """A multiple of alpha, of its precision."""
    return alpha * alpha.dtype.type(factor)
