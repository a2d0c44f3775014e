"""The alpha of prediction: a multiple of the alpha of training, from halves of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._hashing import splitmix64
from .._utils._state import Stateful
from ._e_step import Workspace, infer, log_likelihood
from ._minibatch import Minibatch
from ._topics import Topics

# Multiples of alpha that are compared, as powers of 2. New documents are predicted with one more
# doubling: training documents prefer fewer topics than new ones (benchmarks/lda/priors.py).
_DOUBLINGS, _MORE = np.arange(-2.0, 4.0), 1.0
# Multiples are compared after 1, 2, 4, ... steps at T = 1, and after every 64th from then on.
_MOST_WAITED = 64
_KEPT = 0.8  # weight of earlier comparisons at each new one
_MOST_DOCUMENTS = 8192  # at a time
_MOST_BITS = 64


class PriorScale(Stateful):
    """Finds the multiple of alpha with which one half of a document best predicts the other.

    The best alpha for training is similar in all corpora; the best alpha for prediction is not.
    Mean-field inference is overconfident, the more so the more topics a document has. Before some
    steps at T = 1, the documents of the minibatch are halved, and multiples of alpha are compared
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
        tol: float,
        max_iter: int,
        workers: Workers,
        workspace: Workspace,
    ) -> None:
        """Compare multiples of alpha on a minibatch, before the step that learns from it."""
        if not self._learned:
            return
        self._steps += 1
        if self._steps < self._next:
            return
        self._next += min(self._steps, _MOST_WAITED)
        gains = _KEPT * self._gains  # a new array: states are not copied
        for part in parts(batch):
            seen, unseen = halves(part)
            for i, doublings in enumerate(_DOUBLINGS):
                gamma = infer(
                    topics,
                    seen,
                    times(alpha, 2.0**doublings),
                    1.0,
                    tol=tol,
                    max_iter=max_iter,
                    workers=workers,
                    want_weights=False,
                    workspace=workspace,
                ).gamma
                theta = gamma / gamma.sum(axis=1, keepdims=True)
                gains[i] += part.total(log_likelihood(topics, unseen, theta, workers))
        self._gains = gains
        self.scale = float(2.0 ** (_peak(_DOUBLINGS, self._gains) + _MORE))


def times(alpha: NDArray[Any], factor: float) -> NDArray[Any]:
    """A multiple of alpha, of its precision."""
    return alpha * alpha.dtype.type(factor)


def parts(batch: Minibatch) -> Iterator[Minibatch]:
    """Some documents of a minibatch at a time, for the sake of memory; not by word."""
    for start in range(0, batch.n_documents, _MOST_DOCUMENTS):
        rows = slice(start, start + _MOST_DOCUMENTS)
        doc_ptr = batch.doc_ptr[start : start + _MOST_DOCUMENTS + 1]
        entries = slice(doc_ptr[0], doc_ptr[-1])
        yield batch._replace(
            doc_ptr=doc_ptr - doc_ptr[0],
            word_of=batch.word_of[entries],
            counts=batch.counts[entries],
            weight=None if batch.weight is None else batch.weight[rows],
        )


def halves(batch: Minibatch) -> tuple[Minibatch, Minibatch]:
    """Each token of a document goes to either half, as its words have it: no order matters.

    Nor does it matter whether a document is there once with the weight 2, or twice.
    """
    documents = np.repeat(np.arange(batch.n_documents), np.diff(batch.doc_ptr))
    data = batch.counts.astype(np.float64)
    words = splitmix64(batch.words[batch.word_of].astype(np.uint64))
    bits = splitmix64(words + batch.hashes()[documents])
    # The number of heads in so many throws, of a count beyond the bits that there are a half.
    tossed = np.minimum(np.floor(data), _MOST_BITS - 1)
    heads = np.bitwise_count(bits & ((np.uint64(1) << tossed.astype(np.uint64)) - np.uint64(1)))
    rest = data - tossed
    last = (bits >> np.uint64(_MOST_BITS - 1)).astype(np.float64)
    seen = heads + np.where(rest < 1.0, rest * last, rest / 2.0)
    return _with_counts(batch, seen), _with_counts(batch, data - seen)


def _with_counts(batch: Minibatch, counts: NDArray[np.float64]) -> Minibatch:
    return batch._replace(counts=counts.astype(batch.counts.dtype), n_tokens=float(counts.sum()))


def _peak(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Where the parabola through the highest of evenly spaced points and its neighbours peaks."""
    i = int(y.argmax())
    if i in (0, len(x) - 1):
        return float(x[i])
    below, above = y[i] - y[i - 1], y[i] - y[i + 1]
    if below + above == 0.0:
        return float(x[i])
    return float(x[i] + (x[1] - x[0]) * (below - above) / (2.0 * (below + above)))
