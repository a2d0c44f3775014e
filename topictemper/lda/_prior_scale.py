"""The multiple of alpha with which mean-field inference predicts new documents."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._comparison import Comparison
from ._e_step import infer
from ._minibatch import Minibatch
from ._topics import Topics

# Multiples of alpha that are compared, as powers of 2. New documents are predicted with one more
# doubling: training documents prefer fewer topics than new ones (benchmarks/lda/priors.py).
_DOUBLINGS, _MORE = np.arange(-2.0, 4.0), 1.0
#: Steps at T = 1 between two comparisons, at most.
MOST_WAITED = 256
_KEPT = 0.8  # weight of earlier comparisons at each new one
_DOCUMENTS = 256  # at a time, about


class PriorScale(Comparison):
    """Finds the multiple of alpha for mean-field inference.

    The best alpha for training is similar in all corpora; the best alpha for prediction is not.
    Mean-field inference is overconfident, the more so the more topics a document has. Multiples of
    alpha are compared before some steps at T = 1, on halves of some documents of the minibatch.

    Parameters
    ----------
    learned : bool
        Whether to estimate the multiple; otherwise it stays 1.

    Attributes
    ----------
    scale : float
        The multiple.
    """

    STATE = ("scale", *Comparison.STATE)

    def __init__(self, learned: bool) -> None:
        super().__init__(_DOUBLINGS, _KEPT, MOST_WAITED)
        self._learned = learned
        self.scale = 1.0

    def update(self, topics: Topics, batch: Minibatch, alpha: NDArray[Any], **sweeps: Any) -> None:
        """Compare multiples of alpha on a minibatch, before the step that learns from it."""
        if not self._learned or not self._is_due():
            return
        e_step = partial(infer, s=1.0, want_weights=False)
        best = self._best_multiple(e_step, topics, batch, alpha, _DOCUMENTS, **sweeps)
        self.scale = float(2.0 ** (best + _MORE))
