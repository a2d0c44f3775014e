"""Passes over the documents of a fit: of minibatches, or a single step each, with its ELBO."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._core._workers import Workers
from .._utils._chunks import full_batches
from .._utils._typing import Floats
from .._utils._warnings import warn
from ._minibatch import Gatherer
from ._monitor import Monitor
from ._topics import Topics
from ._training import Trainer

# Every E-step starts from the same point and stops before its fixed point, so the ELBO may fall a
# little. (Started from their last gamma, documents keep the first topics that they found, and plain
# variational inference ends in a far worse optimum.)
_SLACK = 5e-3
# Topics are alike if their mean total variation from their average is smaller, in [0, 1].
_ALIKE = 0.05


def train(
    trainer: Trainer,
    X: Any,
    rows: NDArray[np.int64] | None,
    sample_weight: Floats | None,
    workers: Workers,
    monitor: Monitor,
) -> None:
    """Make the planned passes over rows of a CSR matrix, or over `Chunks` (their rows: None).

    Each pass has a new random order, if that is wanted.
    """
    gathered = trainer.topics.M.dtype, sample_weight
    random_state = trainer.random_state if trainer.config.shuffle else None
    for done in range(1, trainer.plan.planned_passes + 1):
        monitor.before_pass()
        blocks: Iterable[tuple[Any, NDArray[np.int64]]]
        if rows is None:
            blocks = full_batches(X, trainer.plan.largest_batch, random_state)
        else:
            blocks = [(X, rows if random_state is None else random_state.permutation(rows))]
        for block, order in blocks:
            trainer.run(Gatherer(block, *gathered), order, workers, monitor.after_step)
        if monitor.after_pass(done):
            break
    monitor.after_passes()


def train_in_full(
    trainer: Trainer,
    X: Any,
    rows: NDArray[np.int64],
    sample_weight: Floats | None,
    workers: Workers,
    monitor: Monitor,
    history: list[tuple[float, float, float]],
) -> None:
    """Make at most the planned passes over rows of a CSR matrix, each a single step.

    Stops when the ELBO has grown by less than `tol` in a pass at T = 1, but not while all topics
    are alike: there the ELBO hardly grows until they have parted. Warns, once, where it falls
    by more than that, and more than 0.005, at an unchanged temperature. Where topics are a point,
    it may fall as a learned eta rises, which gives no warning.

    The annealed ELBO before each pass, in nats per token, is added to `history`, as
    (pass, temperature, elbo).
    """
    tol = trainer.config.tol
    batch = Gatherer(X, trainer.topics.M.dtype, sample_weight).rows(rows)
    tokens = batch.total_tokens
    fallen, eta = False, trainer.eta
    for done in range(1, trainer.plan.planned_passes + 1):
        monitor.before_pass()
        passes, last_eta, eta = trainer.clock.passes, eta, trainer.eta
        s, elbo = trainer.step_in_full(batch, workers)
        history.append((passes, 1.0 / s, elbo / tokens))
        if monitor.after_pass(done):
            break
        if done == 1 or history[-2][1] != history[-1][1]:
            continue
        gain = history[-1][2] - history[-2][2]
        moved = trainer.topics.point and not np.array_equal(eta, last_eta)
        if not fallen and not moved and gain < -max(tol, _SLACK):
            fallen = True
            warn(
                f"the ELBO fell by {-gain:.3g} nats per token in pass {done}; documents may need "
                "more sweeps: set a smaller mean_change_tol, or a larger max_doc_update_iter",
                ConvergenceWarning,
            )
        if s == 1.0 and abs(gain) < tol and not _are_alike(trainer.topics):
            break
    monitor.after_passes()
    trainer.release()  # it was of all documents


def _are_alike(topics: Topics) -> bool:
    average = topics.totals / topics.totals.sum()
    share = topics.rows(slice(None)) / topics.totals
    apart = 0.5 * np.abs(share - (share @ average)[:, None]).sum(axis=0)
    return topics.n_components > 1 and bool(apart.mean() < _ALIKE)
