"""The multiple of alpha with which collapsed inference predicts new documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._clock import StreamClock
from ._comparison import SampledComparison
from ._e_step import cvb0
from ._minibatch import Minibatch
from ._topics import Topics

# Multiples of alpha that are compared, as powers of 2.
_EXPONENTS = np.arange(-1.0, 3.0)
_KEPT = 0.9
_DOCUMENTS = 64  # at a time, about


class PredictiveScale(SampledComparison):
    """Finds the multiple of alpha with which collapsed inference predicts best.

    Topics suit the documents that they were learned from, which therefore need fewer of them than
    new documents do. alpha is learned from the former. Where documents are short, new ones want
    more.

    Topics remember a little of every document after all, and what is found is rather too small: it
    is never taken to be less than 1 (docs/guide/measured/priors.rst, "The alpha of prediction").

    Parameters
    ----------
    learned : bool
        Whether to estimate the multiple; otherwise it stays 1.

    Attributes
    ----------
    scale : float
        The multiple.
    """

    STATE = (*SampledComparison.STATE, "scale")

    def __init__(self, learned: bool) -> None:
        super().__init__(_EXPONENTS, _KEPT)
        self._learned = learned
        self.scale = 1.0

    def update(
        self,
        topics: Topics,
        batch: Minibatch,
        alpha: NDArray[Any],
        clock: StreamClock,
        **sweeps: Any,
    ) -> None:
        """Compare multiples of alpha on a minibatch that is to be sampled."""
        if not self._learned or not self._is_due_at(clock):
            return
        best = self._best_multiple(cvb0, topics, batch, alpha, _DOCUMENTS, **sweeps)
        self.scale = max(1.0, 2.0**best)
