"""The multiples of alpha with which mean-field and collapsed inference predict new documents."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._clock import StreamClock
from ._comparison import Comparison, SampledComparison
from ._e_step import cvb0, infer
from ._minibatch import Minibatch
from ._topics import Topics

# Multiples of alpha that are compared, as powers of 2. By mean field new documents are predicted
# with one more doubling: training documents prefer fewer topics (benchmarks/lda/priors.py).
_OF_MEAN_FIELD, _MORE = np.arange(-2.0, 4.0), 1.0
_OF_COLLAPSED = np.arange(-1.0, 3.0)
#: Steps at T = 1 between two comparisons, at most.
MOST_WAITED = 256
# Weights of earlier comparisons at each new one, and documents of each, about.
_KEPT, _KEPT_OF_SAMPLED = 0.8, 0.9
_DOCUMENTS, _SAMPLED_DOCUMENTS = 256, 64


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
        super().__init__(_OF_MEAN_FIELD, _KEPT, MOST_WAITED)
        self._learned = learned
        self.scale = 1.0

    def update(self, topics: Topics, batch: Minibatch, alpha: NDArray[Any], **sweeps: Any) -> None:
        """Compare multiples of alpha on a minibatch, before the step that learns from it."""
        if not self._learned or not self._is_due():
            return
        e_step = partial(infer, s=1.0, want_weights=False)
        best = self._best_multiple(e_step, topics, batch, alpha, _DOCUMENTS, **sweeps)
        self.scale = float(2.0 ** (best + _MORE))


class PredictiveScale(SampledComparison):
    """Finds the multiple of alpha with which collapsed inference predicts best.

    Topics suit the documents that they were learned from, which therefore need fewer of them than
    new documents do. alpha is learned from the former. Where documents are short, new ones want
    more.

    Topics remember a little of every document after all, and what is found is rather too small: it
    is never taken to be less than 1 (docs/guide/measured/priors.rst, "The alpha of prediction").

    Parameters and attributes are those of `PriorScale`.
    """

    STATE = (*SampledComparison.STATE, "scale")

    def __init__(self, learned: bool) -> None:
        super().__init__(_OF_COLLAPSED, _KEPT_OF_SAMPLED)
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
        best = self._best_multiple(cvb0, topics, batch, alpha, _SAMPLED_DOCUMENTS, **sweeps)
        self.scale = max(1.0, 2.0**best)
