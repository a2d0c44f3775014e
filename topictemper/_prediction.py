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
from ._workers import Workers

_ROWS_AT_ONCE = 2048

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


def chunks(X: Any, dtype: Any) -> Iterator[tuple[slice, Minibatch]]:
    """All rows of X, some at a time."""
    gatherer = Gatherer(X, dtype)
    for start in range(0, X.shape[0], _ROWS_AT_ONCE):
        rows = slice(start, min(start + _ROWS_AT_ONCE, X.shape[0]))
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
    sample_weight: NDArray[np.float64] | None = None,
) -> float:
    """Mean log-likelihood of held-out tokens given the observed ones."""
    by_document = document_completion(trainer, observed, held_out, inverse_temperatures, workers)
    if sample_weight is None:
        return float(by_document.sum()) / float(held_out.data.sum())
    # Not a matrix product of BLAS, whose bits may depend on threads.
    tokens = np.asarray(held_out.sum(axis=1), dtype=np.float64).ravel()
    return float((sample_weight * by_document).sum() / (sample_weight * tokens).sum())


def document_completion(
    trainer: Trainer,
    observed: Any,
    held_out: Any,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
) -> NDArray[np.float64]:
    """Log-likelihood of all held-out tokens of each document given its observed ones."""
    out, workspace = np.empty(observed.shape[0]), Workspace()
    dtype = trainer.topics.M.dtype
    for (rows, seen), (_, unseen) in zip(
        chunks(observed, dtype), chunks(held_out, dtype), strict=True
    ):
        gamma = infer_documents(trainer, seen, inverse_temperatures, workers, workspace).gamma
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        out[rows] = log_likelihood(trainer.topics, unseen, theta, workers)
    return out
