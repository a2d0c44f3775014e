"""The eta with which topics predict documents that they do not remember."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._state import Stateful
from ._clock import StreamClock
from ._defaults import ETA_FIRST_TOKENS, ETA_LEAST, ETA_POINT, ETA_TOKENS, ETA_WORDS
from ._e_step import log_likelihood
from ._halves import halves, peak, proportions, some_rows
from ._minibatch import Minibatch
from ._topics import Topics

# Values of eta that are compared, as powers of 2.
_EXPONENTS = np.arange(-9.0, -2.0)
# They are compared after 1, 2, 4, ... steps, and after every 16th from then on.
_MOST_WAITED = 16
_KEPT = 0.8  # weight of earlier comparisons at each new one
_DOCUMENTS = 64  # at a time, about


class PredictiveEta(Stateful):
    """Learns a symmetric eta from how well topics predict documents.

    Documents are sampled under topics with a short memory: a pass later a document has left next to
    no trace in them, and is as good as new. Before some steps, documents of the minibatch are
    halved, and values of eta are compared by the likelihood of one half given the other. Corpora of
    the same size differ in the best eta by a factor of five (benchmarks/lda/many_topics.py), so
    that no rule from sizes alone finds it.

    Topics of a short memory are noisier than those that are averaged, and may ask for a larger eta.
    So there is a bound: 0.05; less where topics have few tokens, which a large eta would make
    alike: V eta is a share of the N tokens of a topic that falls with N. But where even the words
    of the corpus have few tokens, eta may be a few tokens over those of a word.
    """

    STATE = ("_gains", "_begin", "_steps", "_next")

    def __init__(self) -> None:
        self._gains = np.zeros(len(_EXPONENTS))
        self._begin = -1.0  # not known yet
        self._steps, self._next = 0, 1

    def update(
        self,
        topics: Topics,
        batch: Minibatch,
        alpha: NDArray[Any],
        eta: float,
        clock: StreamClock,
        *,
        workers: Workers,
        **sweeps: Any,
    ) -> float:
        """Compare values on a minibatch that is to be sampled; returns the new eta."""
        if self._begin < 0.0:
            self._begin = clock.documents_seen + (0.0 if clock.only_new else clock.total_samples)
        if clock.documents_seen < self._begin:
            return eta
        self._steps += 1
        if self._steps < self._next:
            return eta
        self._next += min(self._steps, _MOST_WAITED)
        some = some_rows(batch, _DOCUMENTS, self._steps)
        seen, unseen = halves(some)
        theta = proportions(topics, seen, alpha, workers=workers, **sweeps)
        gains = _KEPT * self._gains  # a new array: states are not copied
        for i, exponent in enumerate(_EXPONENTS):
            other = copy(topics)  # the same M
            other.set_prior(2.0**exponent)
            gains[i] += some.total(log_likelihood(other, unseen, theta, workers))
        self._gains = gains
        largest = largest_eta(clock.corpus_size(batch).tokens, *topics.M.shape)
        return min(float(2.0 ** peak(_EXPONENTS, gains)), largest)


def largest_eta(tokens: float, n_features: int, n_components: int) -> float:
    """Return the largest eta that is learned in a corpus of so many tokens."""
    bound = first_eta(tokens, n_features, n_components, ETA_TOKENS)
    return max(bound, ETA_WORDS * n_features / max(tokens, 1.0))


def first_eta(
    tokens: float, n_features: int, n_components: int, share: float = ETA_FIRST_TOKENS
) -> float:
    """Return the eta to start with: V eta is the share N / `share` of the N tokens of a topic."""
    if n_features == 0:
        return ETA_POINT
    return max(ETA_LEAST, min(ETA_POINT, (tokens / n_components) ** 2 / (share * n_features)))
