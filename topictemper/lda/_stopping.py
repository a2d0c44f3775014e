"""Held-out documents in the course of a fit: their scores, and when to stop by them."""

from __future__ import annotations

from copy import deepcopy
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import Chunks, rows_that_count
from ._completion import cold, completion, predictor
from ._elbo import split_tokens
from ._training import Trainer

if TYPE_CHECKING:
    from ._estimator import TemperedLDA


class Validation:
    """Scores held-out documents after a pass, and keeps the best model if it is to stop a fit.

    Only models that have settled count, at T = 1 and, if documents are to be sampled, when they
    are: before that a score may well fall before it rises, and topics that have not yet separated
    are not what was asked for, even if documents are so few that they predict best.

    Parameters
    ----------
    X : CSR matrix
        Counts of the held-out documents.
    name : str
        What they are called, for errors.
    patience : int or None
        Evaluations of settled models in a row without a new best after which to stop; None: do
        not stop, and keep no model.

    Attributes
    ----------
    scores : list of tuple of float
        Passes made and nats a token, one pair for each evaluation.
    best : Trainer or None
        A copy of the settled model with the best score.
    """

    def __init__(self, X: Any, name: str, patience: int | None) -> None:
        self._halves = split_tokens(X)
        _counts.check_held_out(self._halves[1], name)
        self._patience = patience
        self._best_score, self._waited = -np.inf, 0
        self.scores: list[tuple[float, float]] = []
        self.best: Trainer | None = None

    def evaluate(self, trainer: Trainer, done: int, workers: Workers) -> bool:
        """Score the model after so many passes; whether to stop."""
        score = completion(predictor(trainer), *self._halves, cold, workers)
        self.scores.append((done, score))
        if self._patience is None or not trainer.settled:
            return False
        if score > self._best_score:
            self.best = None  # before the next: three models at once would be one too many
            self.best = deepcopy(trainer)
            self._best_score, self._waited = score, 0
        else:
            self._waited += 1
        return self._waited >= self._patience


def new_validation(
    lda: TemperedLDA,
    X: Any,
    validation_X: Any,
    sample_weight: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int64] | None, Validation | None]:
    """Check what an estimator says of validation.

    Returns
    -------
    rows : ndarray or None
        The rows of X to learn from; None: all.
    validation : Validation or None
        Of the other rows, or of `validation_X`.
    """
    stops = check.flag("early_stopping", lda.early_stopping)
    patience = check.integer("n_iter_no_change", lda.n_iter_no_change, 1)
    fraction = check.number(
        "validation_fraction", lda.validation_fraction, 0.0, 1.0, boundaries="neither"
    )
    rows = None
    name = "validation_X"
    if validation_X is None:
        if not stops:
            return rows, None
        if isinstance(X, Chunks):
            raise ValueError(
                "early_stopping=True on chunks of documents needs validation_X: rows are not "
                "held out of chunks"
            )
        rows, held_out = _split_rows(
            rows_that_count(X, sample_weight), fraction, check.random_state(lda.random_state)
        )
        name, validation_X = f"the validation_fraction={fraction} of X", X[held_out]
    return rows, Validation(validation_X, name, patience if stops else None)


def _split_rows(
    rows: NDArray[np.int64], fraction: float, random_state: np.random.RandomState
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to learn from and rows held out, chosen at random, each in their order."""
    n = len(rows)
    n_held_out = ceil(fraction * n)
    if n_held_out == n:
        raise ValueError(
            f"validation_fraction={fraction} of n_samples={n} leaves no document to learn from; "
            "give validation_X, or set early_stopping=False"
        )
    order = random_state.permutation(rows)
    return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])
