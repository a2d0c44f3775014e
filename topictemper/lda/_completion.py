"""Document completion: how well one half of a document's tokens predicts the other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from .._core._workers import Workers
from .._utils._chunks import parts
from .._utils._typing import Floats
from ._e_step import Workspace, log_likelihood
from ._held_out import split_tokens
from ._prediction import InverseTemperatures, Model, infer_documents, minibatches


def completions(
    model: Model,
    matrices: Iterable[Any],
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
) -> tuple[Floats, Floats]:
    """Log-likelihood of the held-out tokens of each document, and how many tokens these are.

    The documents may come in several matrices.
    """
    likelihoods, n_tokens = [], []
    for X in chain.from_iterable(map(parts, matrices)):
        observed, held_out = split_tokens(X, workers)
        likelihoods.append(_completion(model, observed, held_out, inverse_temperatures, workers))
        n_tokens.append(np.asarray(held_out.sum(axis=1), dtype=np.float64).ravel())
    return np.concatenate(likelihoods), np.concatenate(n_tokens)


def score_of(
    likelihoods: Floats,
    n_tokens: Floats,
    sample_weight: Floats | None = None,
) -> float:
    """Mean log-likelihood of held-out tokens, of `completions`; NaN if none is held out."""
    if sample_weight is not None:
        # Not a matrix product of BLAS, whose bits may depend on threads.
        likelihoods, n_tokens = sample_weight * likelihoods, sample_weight * n_tokens
    total = n_tokens.sum()
    return float(likelihoods.sum() / total) if total else float("nan")


def scores_of_documents(likelihoods: Floats, n_tokens: Floats) -> Floats:
    """Mean log-likelihood of the held-out tokens of each document; NaN where none is held out."""
    out = np.full(len(n_tokens), np.nan)
    return np.divide(likelihoods, n_tokens, out=out, where=n_tokens > 0)


def _completion(
    model: Model,
    observed: Any,
    held_out: Any,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
) -> Floats:
    """Log-likelihood of all held-out tokens of each document given its observed ones."""
    out, workspace = np.empty(observed.shape[0]), Workspace()
    for (rows, seen), (_, unseen) in zip(
        minibatches(observed, model.topics), minibatches(held_out, model.topics), strict=True
    ):
        local = infer_documents(model, seen, inverse_temperatures, workers, workspace)
        out[rows] = log_likelihood(model.topics, unseen, local.theta(), workers)
    return out
