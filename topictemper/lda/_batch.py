"""Batch variational inference: every step is of the whole corpus, and has its bound."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._core._workers import Workers
from .._utils._chunks import rows_that_count
from ._e_step import Gatherer
from ._training import Trainer

# Documents start afresh in every pass, and stop short of their fixed points: from where they
# ended before, they would stay with the first topics that they found, and plain variational
# inference ends in a far worse bound. So it may fall a little; measured are 1e-3 nats a token, and
# 2e-3 where topics are a point, on small texts of flat topics; on AP news nothing.
_SLACK = 5e-3


def train_in_full(
    trainer: Trainer,
    X: Any,
    n_passes: int,
    *,
    tol: float,
    sample_weight: NDArray[np.float64] | None,
    workers: Workers,
    before_pass: Callable[[], None],
    after_pass: Callable[[int], bool],
) -> list[tuple[float, float, float]]:
    """Make at most `n_passes` over the rows of a CSR matrix, each a single step.

    Stops when the bound has grown by less than `tol` nats a token in a pass at T = 1. Warns, once,
    where it falls by more than that, and more than 0.005, at an unchanged temperature. Where topics
    are a point, it may fall as a learned eta rises, of which there is no warning.

    Parameters
    ----------
    trainer : Trainer
        The model; changed.
    X : CSR matrix of shape (n_documents, n_features)
        Counts.
    n_passes : int
        Most passes.
    tol : float
        Nats a token.
    sample_weight : ndarray of shape (n_documents,) or None
        How often each row counts.
    workers : Workers
        Threads to use.
    before_pass, after_pass : callable
        As for `train`.

    Returns
    -------
    list of (pass, temperature, bound)
        The bound, in nats a token, of the topics that a pass began with.
    """
    batch = Gatherer(X, trainer.topics.M.dtype, sample_weight).rows(
        rows_that_count(X, sample_weight)
    )
    tokens = batch.total_tokens()
    history: list[tuple[float, float, float]] = []
    fallen, eta = False, trainer.eta
    for done in range(1, n_passes + 1):
        before_pass()
        passes, last_eta, eta = trainer.passes, eta, trainer.eta
        s, bound = trainer.step_in_full(batch, workers)
        history.append((passes, 1.0 / s, bound / tokens))
        if after_pass(done):
            break
        if done == 1 or history[-2][1] != history[-1][1]:
            continue
        gain = history[-1][2] - history[-2][2]
        moved = trainer.topics.point and not np.array_equal(eta, last_eta)
        if not fallen and not moved and gain < -max(tol, _SLACK):
            fallen = True
            warnings.warn(
                f"the bound fell by {-gain:.3g} nats a token in pass {done}; documents may need "
                "more sweeps: a smaller mean_change_tol, or a larger max_doc_update_iter",
                ConvergenceWarning,
                stacklevel=4,
            )
        if s == 1.0 and abs(gain) < tol:
            break
    trainer.release()  # it was of all documents
    return history
