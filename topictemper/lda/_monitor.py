"""What happens around the passes of a fit: callbacks, held-out scores, the log."""

from __future__ import annotations

import logging
from time import perf_counter
from typing import Any

from .._core._workers import Workers
from ._stopping import Validation
from ._training import Trainer

logger = logging.getLogger("topictemper")


class Progress:
    """Called before and after every pass of `fit`; says when to stop.

    Parameters
    ----------
    trainer : Trainer
        The model in training.
    n_passes : int
        Passes that are planned.
    validation : Validation or None
        Scores held-out documents after a pass.
    context : CallbackContext
        The task of callbacks that is the fit; every pass becomes a task within it.
    told : dict
        What the hooks of callbacks are called with (see `CallbackContext`).
    verbose : bool
        Whether to log a line for every pass.
    workers : Workers
        Threads to use.
    """

    def __init__(
        self,
        trainer: Trainer,
        n_passes: int,
        validation: Validation | None,
        context: Any,
        told: dict[str, Any],
        *,
        verbose: bool,
        workers: Workers,
    ) -> None:
        self._trainer = trainer
        self._n_passes = n_passes
        self._validation = validation
        self._context, self._told = context, told
        self._verbose = verbose
        self._workers = workers

    def before_pass(self) -> None:
        """Tell the callbacks that a pass begins."""
        self._task = self._context.subcontext(task_name="pass")
        self._task.call_on_fit_task_begin(**self._told)
        self._seen_before, self._began = self._trainer.documents_seen, perf_counter()

    def after_pass(self, done: int) -> bool:
        """Score, log and tell the callbacks; whether held-out scores or a callback say stop."""
        seconds = perf_counter() - self._began
        stop = False
        if self._validation is not None:
            stop = self._validation.evaluate(self._trainer, done, self._workers)
        if self._verbose:
            self._log(done, seconds)
        return bool(self._task.call_on_fit_task_end(**self._told)) or stop

    def _log(self, done: int, seconds: float) -> None:
        """Log a line on the pass just made; to stderr, where logging has not been set up."""
        if not logger.hasHandlers():
            logger.addHandler(logging.StreamHandler())
        if not logger.isEnabledFor(logging.INFO):
            logger.setLevel(logging.INFO)
        score = ""
        if self._validation is not None:
            score = f", validation score {self._validation.scores[-1][1]:.4f} nats a token"
        logger.info(
            "%s pass %d/%d: temperature %.3f, %.0f documents a second%s",
            self._trainer.settings.tempering,
            done,
            self._n_passes,
            self._trainer.temperature,
            (self._trainer.documents_seen - self._seen_before) / max(seconds, 1e-9),
            score,
        )
