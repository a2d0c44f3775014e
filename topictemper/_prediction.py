"""Documents under a fitted model: their proportions, temperatures and predictive scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._documents import Gatherer, Locals, Minibatch, Workspace, infer, log_likelihood
from ._normalizers import PosteriorNormalizer
from ._svi import Trainer
from ._thermostat import document_inverse_temperatures
from ._topics import Topics
from ._workers import Workers

_MOST_ROWS = 8192
_MOST_PROPORTIONS = 2**22  # of rows that are worked on at once

#: Inverse temperatures of the documents of a minibatch, one for all or one each.
InverseTemperatures = Callable[[Minibatch, Workers], float | NDArray[np.float64]]


def cold(batch: Minibatch, workers: Workers) -> float:
    """T = 1 for every document."""
    return 1.0


def tempered(trainer: Trainer, grid: NDArray[np.float64], workers: Workers) -> InverseTemperatures:
    """E[1/T_d] under the fitted topics (VT eq. 10), from the fixed point at the corpus mean."""
    normalizer = PosteriorNormalizer(grid, trainer.alpha, trainer.eta)
    normalizer.refresh(trainer.topics, workers)
    mean = trainer.thermostat.learned
    workspace = Workspace()

    def inverse_temperatures(batch: Minibatch, workers: Workers) -> NDArray[np.float64]:
        local = infer_documents(
            trainer, batch, lambda *_: mean, workers, workspace, want_energy=True
        )
        return document_inverse_temperatures(grid, normalizer, batch, local, mean, workers)

    return inverse_temperatures


def chunks(X: Any, topics: Topics) -> Iterator[tuple[slice, Minibatch]]:
    """All rows of X, some at a time."""
    gatherer = Gatherer(X, topics.M.dtype)
    size = max(1, min(_MOST_ROWS, _MOST_PROPORTIONS // topics.n_components))
    for start in range(0, X.shape[0], size):
        rows = slice(start, min(start + size, X.shape[0]))
        yield rows, gatherer.rows(np.arange(rows.start, rows.stop, dtype=np.int64))


def infer_documents(
    trainer: Trainer,
    batch: Minibatch,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
    workspace: Workspace,
    *,
    want_energy: bool = False,
) -> Locals:
    """E-step of documents at the temperatures that are given by a function."""
    return infer(
        trainer.topics,
        batch,
        trainer.alpha,
        inverse_temperatures(batch, workers),
        tol=trainer.settings.mean_change_tol,
        max_iter=trainer.settings.max_doc_update_iter,
        workers=workers,
        want_energy=want_energy,
        workspace=workspace,
    )


def completion(
    trainer: Trainer,
    observed: Any,
    held_out: Any,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
) -> float:
    """Mean log-likelihood of held-out tokens given the observed ones."""
    total, workspace = 0.0, Workspace()
    for (_, seen), (_, unseen) in zip(
        chunks(observed, trainer.topics), chunks(held_out, trainer.topics), strict=True
    ):
        gamma = infer_documents(trainer, seen, inverse_temperatures, workers, workspace).gamma
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        total += float(log_likelihood(trainer.topics, unseen, theta, workers).sum())
    return total / float(held_out.data.sum())
