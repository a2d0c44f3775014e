"""Topics averaged over the last passes: less noisy than those of any one moment."""

from __future__ import annotations

from copy import copy

from .._core._workers import Workers
from .._utils._state import Stateful
from ._clock import StreamClock
from ._topics import Topics

# Averages are taken so often in a pass, but not before there have been so many documents a word:
# each costs as much as adding to all of lambda.
_IN_A_PASS, _DOCUMENTS_A_WORD = 8, 0.1
# The weight of the n-th addition, (p + 1) / (n + p), is that of an average of n^p times each. So
# the window is the last third or so, and grows with training.
_POWER = 2.0


class TopicsAverage(Stateful):
    """Polynomial-decay average of the topics (Shamir and Zhang, ICML 2013, section 4).

    Topics that follow samples at a high rate carry the noise of their last minibatches. Their mean
    over many steps has little of it, and needs no rate that falls to 0.

    Attributes
    ----------
    topics : Topics or None
        The average; None before there is one, and where the topics themselves are the average.
    """

    STATE = ("topics", "n_added", "_due")

    def __init__(self) -> None:
        self.topics: Topics | None = None
        self.n_added = 0
        self._due = 0.0

    def rescale(self, factor: float) -> None:
        """Multiply what lambda has over its base."""
        if self.topics is not None and factor != 1.0:
            self.topics = copy(self.topics)  # one that a failed step can put back
            self.topics.rescale(factor)

    def resume(self, topics: Topics) -> None:
        """Go on from topics that are the average."""
        if self.n_added and self.topics is None:
            self.topics = topics.copy()

    def follow(self, topics: Topics, clock: StreamClock, workers: Workers) -> None:
        """Add the topics as they are after a step, if it is time to."""
        if clock.documents_seen < self._due:
            return
        wait = max(clock.total_samples / _IN_A_PASS, _DOCUMENTS_A_WORD * topics.n_features)
        self._due = clock.documents_seen + wait
        self.n_added += 1
        weight = weight_of(self.n_added)
        self.topics = (
            topics.copy() if self.topics is None else self.topics.mixed(topics, weight, workers)
        )


def weight_of(n: int) -> float:
    """Return the weight of the n-th addition to an average."""
    return (_POWER + 1.0) / (n + _POWER)
