"""What happens around the passes of a fit: callbacks, held-out scores, early stopping, the log."""

from __future__ import annotations

from copy import deepcopy
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._core._workers import Workers
from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import Chunks, parts, rows_that_count
from .._utils._log import Progress, say, time_left
from .._utils._typing import Floats
from .._utils._warnings import warn
from ._completion import completions, score_of
from ._config import Config
from ._held_out import split_tokens
from ._prediction import cold, predictor
from ._training import Trainer

# Lines of quick passes that come faster than people read are left out.
_SECONDS_BETWEEN_LINES = 1.0


class Validation:
    """Scores held-out documents after a pass, and keeps the best model for early stopping.

    Early stopping compares only models at T = 1 whose documents are sampled, if they are to be.
    Before that, a score may fall before it rises.

    Parameters
    ----------
    X : CSR matrix or Chunks
        Counts of the held-out documents.
    name : str
        What they are called in errors.
    sample_weight : ndarray or None
        How often each document counts.

    Attributes
    ----------
    scores : list of tuple of float
        Passes made and nats per token, for each evaluation.
    best : Trainer or None
        A copy of the model with the best score, if it is to stop a fit.
    """

    def __init__(
        self,
        X: Any,
        name: str,
        sample_weight: Floats | None = None,
    ) -> None:
        self._sample_weight = sample_weight
        self._matrices = X if isinstance(X, Chunks) else [X]
        unseen = (split_tokens(part)[1] for X in self._matrices for part in parts(X))
        _counts.check_held_out(unseen, name)
        self._best_score, self._waited = -np.inf, 0
        self.scores: list[tuple[float, float]] = []
        self.best: Trainer | None = None

    def evaluate(self, trainer: Trainer, done: int, workers: Workers) -> bool:
        """Score the model after so many passes; whether to stop."""
        found = completions(predictor(trainer), self._matrices, cold, workers)
        score = score_of(*found, self._sample_weight)
        self.scores.append((done, score))
        patience = trainer.config.patience(trainer.plan.planned_passes)
        if patience is None or not trainer.settled:
            return False
        if score > self._best_score:
            self.best = None  # before the copy: three models at once would take too much memory
            self.best = deepcopy(trainer)
            self._best_score, self._waited = score, 0
        else:
            self._waited += 1
        return self._waited >= patience


def held_out(
    config: Config, X: Any, validation_X: Any, sample_weight: Floats | None
) -> tuple[Any, Validation | None]:
    """Decide which documents are learned from, and which are scored after every pass.

    Returns
    -------
    rows : ndarray or None
        Rows of X to learn from, in ascending order. They are not copied, since X may be larger than
        the memory. None: chunks, of which all rows are learned from.
    validation : Validation or None
        Of the other rows, or of `validation_X`.
    """
    rows: Any = None if isinstance(X, Chunks) else rows_that_count(X, sample_weight)
    if validation_X is not None:
        return rows, Validation(validation_X, "validation_X")
    if not config.stops:
        return rows, None
    fraction = config.validation_fraction
    rows, others = _split_rows(rows, fraction, check.random_state(config.random_state))
    weight = None if sample_weight is None else sample_weight[others]
    name = f"the validation_fraction={fraction} of X"
    validation = Validation(X[others], name, weight)
    _counts.check_words(X, "X without the documents held out", rows)
    return rows, validation


class Monitor:
    """Called before, in and after every pass of `fit`; says when to stop.

    Parameters
    ----------
    trainer : Trainer
        The model in training.
    validation : Validation or None
        Scores held-out documents after a pass.
    context : CallbackContext
        The task of the fit, for callbacks; every pass becomes a subtask.
    hook_arguments : dict
        Arguments of the hooks of callbacks (see `CallbackContext`).
    verbose : bool
        Whether to log lines of passes, one a second at most, and every few seconds of a long pass.
        The first pass and the last one always have theirs.
    workers : Workers
        Threads to use.
    keeps : bool
        Whether to keep a copy of the model after every pass, for `kept_model`.
    """

    def __init__(
        self,
        trainer: Trainer,
        validation: Validation | None,
        context: Any,
        hook_arguments: dict[str, Any],
        *,
        verbose: bool,
        workers: Workers,
        keeps: bool,
    ) -> None:
        self._keeps = keeps
        self._kept: tuple[int, Trainer] | None = None
        self._trainer = trainer
        self._n_passes, self._n_begun = trainer.plan.planned_passes, 0
        self._validation = validation
        self._context, self._hook_arguments = context, hook_arguments
        self._verbose = verbose
        self._line, self._last_line_at = "", -np.inf
        self._workers = workers
        config = trainer.config
        self._may_end_early = config.whole or config.stops

    def before_pass(self) -> None:
        """Tell the callbacks that a pass begins."""
        self._task = self._context.subcontext(task_name="pass")
        self._task.call_on_fit_task_begin(**self._hook_arguments)
        self._n_begun += 1
        self._progress = Progress(
            f"pass {self._n_begun}/{self._n_passes}",
            self._verbose,
            self._trainer.plan.n_rows * (self._n_passes - self._n_begun + 1),
            may_end_early=self._may_end_early,
        )
        self._seen_before = self._trainer.clock.documents_seen
        self._began = perf_counter()

    def after_step(self, n_documents: int) -> None:
        """Log every few seconds how far a long pass is."""
        self._progress.add(n_documents)

    def after_pass(self, done: int) -> bool:
        """Score, log and tell the callbacks; whether held-out scores or a callback say stop."""
        now = perf_counter()
        if self._keeps:
            self._kept = done, deepcopy(self._trainer)
        stop = False
        if self._validation is not None:
            stop = self._validation.evaluate(self._trainer, done, self._workers)
        if self._verbose:
            self._line = self._line_of(done, now - self._began)
            if now - self._last_line_at >= _SECONDS_BETWEEN_LINES:
                self._last_line_at = now
                self._log()
        return bool(self._task.call_on_fit_task_end(**self._hook_arguments)) or stop

    def after_passes(self) -> None:
        """Log the line of the last pass, unless it is logged."""
        if self._line:
            self._log()

    def kept_model(self, elbos: list[tuple[float, float, float]]) -> Trainer:
        """The model of the last whole pass, after an interrupt; raises it if there is none.

        ELBOs of later passes are removed.
        """
        if self._kept is None:
            raise  # the interrupt that is being handled
        done, trainer = self._kept
        del elbos[done:]
        hot = (
            f" It is still hot, at T = {trainer.temperature:.4g}, and predicts worse than a cold "
            "one."
            if trainer.is_hot
            else ""
        )
        best = "best " if self._validation is not None and self._validation.best else ""
        warn(
            f"fit was interrupted after {done} of {self._n_passes} whole passes, and keeps the "
            f"{best}model of these passes.{hot}",
            ConvergenceWarning,
        )
        return trainer

    def _log(self) -> None:
        say(self._line)
        self._line = ""

    def _line_of(self, done: int, seconds: float) -> str:
        """What is said of a pass."""
        score = ""
        if self._validation is not None:
            score = f", validation score {self._validation.scores[-1][1]:.4f} nats per token"
        rate = (self._trainer.clock.documents_seen - self._seen_before) / max(seconds, 1e-9)
        # At the speed of this pass: passes at T > 1 and those that sample take their own time.
        seconds_left = seconds * (self._n_passes - done)
        left = time_left(seconds_left, may_end_early=self._may_end_early)
        return (
            f"pass {done}/{self._n_passes}: temperature {self._trainer.temperature:.3f}, "
            f"{rate:,.0f} documents a second{score}{left}"
        )


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
