"""The eta with which topics predict documents that they do not remember."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from ._clock import CorpusSize, StreamClock
from ._comparison import SampledComparison
from ._defaults import (
    ETA_FIRST_TOKENS,
    ETA_LEAST,
    ETA_POINT,
    ETA_SHARE,
    ETA_SHORT,
    ETA_TOGETHER,
    ETA_TOKENS,
    ETA_UNLEARNED,
    ETA_WORDS,
)
from ._e_step import infer, log_likelihoods
from ._minibatch import Minibatch
from ._minibatch_halves import halves, some_rows
from ._plan import shortness
from ._topics import Topics

# Values of eta that are compared, as powers of 2.
_EXPONENTS = np.arange(-9.0, -2.0)
_KEPT = 0.8
_DOCUMENTS = 64  # at a time, about


class PredictiveEta(SampledComparison):
    """Learns a symmetric eta from how well topics predict documents.

    Corpora of the same size differ in the best eta by a factor of five
    (benchmarks/lda/many_topics.py), so that no rule from sizes alone finds it.

    Topics of a short memory are noisier than those that are averaged, and may ask for a larger eta.
    So there is a bound: 0.05; less where topics have few tokens, which a large eta would make
    alike: V eta is a share of the N tokens of a topic that falls with N. But where even the words
    of the corpus have few tokens, eta may be a few tokens over those of a word, as long as V eta is
    a small share of N, or K eta, what all topics together add to a word, is a few tokens. If
    documents are short, the second may not make V eta more than a larger share of N.
    """

    def __init__(self) -> None:
        super().__init__(_EXPONENTS, _KEPT)

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
        if not self._is_due_at(clock):
            return eta
        some = some_rows(batch, _DOCUMENTS, self._steps)
        seen, unseen = halves(some)
        theta = infer(
            topics, seen, alpha, 1.0, want_weights=False, workers=workers, **sweeps
        ).theta()
        cases = []
        for exponent in _EXPONENTS:
            other = copy(topics)  # the same M
            other.set_prior(2.0**exponent)
            cases.append((other, theta))
        gains = [*map(some.total, log_likelihoods(cases, unseen, workers))]
        largest = largest_eta(clock.corpus_size(batch), *topics.M.shape)
        return min(float(2.0 ** self._best(gains)), largest)


def largest_eta(size: CorpusSize, n_features: int, n_components: int) -> float:
    """Return the largest eta that is learned in a corpus of this size."""
    tokens = max(size.tokens, 1.0)
    bound = first_eta(tokens, n_features, n_components, ETA_TOKENS)
    of_words = ETA_WORDS * n_features / tokens
    whole = tokens / (n_components * n_features)  # as many tokens of the prior as of documents
    together = min(ETA_TOGETHER / n_components, ETA_SHORT / shortness(size.length) * whole)
    return max(bound, min(of_words, max(ETA_SHARE * whole, together)))


def unlearned_eta(tokens: float, n_features: int, n_components: int) -> float:
    """Return the eta with which topics have half as many tokens of the prior as of documents."""
    least, largest = ETA_UNLEARNED
    return min(max(0.5 * tokens / (n_components * n_features), least), largest)


def first_eta(
    tokens: float, n_features: int, n_components: int, share: float = ETA_FIRST_TOKENS
) -> float:
    """Return the eta to start with: V eta is the share N / `share` of the N tokens of a topic."""
    return max(ETA_LEAST, min(ETA_POINT, (tokens / n_components) ** 2 / (share * n_features)))
