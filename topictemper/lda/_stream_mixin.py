"""`partial_fit` of `TemperedLDA`: learning from a stream."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import chain, repeat
from typing import Any, Self

import numpy as np

from .._core._workers import Workers
from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import full_batches, is_chunks, rows_that_count
from .._utils._log import Progress
from .._utils._missing import check_order
from .._utils._rollback import complete, estimator_snapshot, stateful_parts
from ..topics._seeds import SeedTopics
from ._assembly import new_trainer
from ._config import OF_TRAINING, Config, check_parameters
from ._defaults import STREAM_SAMPLES
from ._minibatch import Gatherer
from ._plan import Plan
from ._seeding import (
    ENOUGH,
    first_documents,
    is_seeded,
    kept_seeds,
    same_seeds,
    seed_labels,
    seeded,
    unseeded,
)
from ._trained_with import refusal, same
from ._training import Trainer


class StreamMixin:
    """Gives an estimator `partial_fit`."""

    n_jobs: int | None
    verbose: int
    total_samples: float | None
    topic_word_prior: Any
    n_features_in_: int
    _trainer: Trainer
    _trained_with: dict[str, Any]
    _trained_seeds: SeedTopics | None
    _stream_counts: Callable[..., Any]
    _name_features: Callable[..., None]
    _warn_of_pairs: Callable[[int], None]
    _remember_parameters: Callable[[dict[str, Any]], None]
    _begin_labels: Callable[..., None]

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, feature_names: Any = None
    ) -> Self:
        """Continue training with more documents of a stream.

        The stream is assumed to be seen once, whatever `max_iter`: the temperature falls as in a
        `fit` of one pass over `total_samples` documents, of 20,000 if that is None. It reaches 1
        after about two thirds of them (0.4 for "dasvi"), and training then continues at T = 1. To
        pass the same documents several times, set `total_samples` and the `length` of the tempering
        object. After a `fit`, the documents are added to those of the `fit`.

        Pass at least `batch_size` documents in a call: fewer make an equally large step, and many
        such steps make topics worse. If documents come one by one, pass a generator::

            lda.partial_fit(vectorizer.transform([text]) for text in stream)

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts of words in documents, >= 0. Taken in the order given. An iterable yields chunks
            of any size, which are joined to full minibatches. It is read once, so a generator will
            do.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            As for `fit`; a document counts as often for `total_samples` too. Not for chunks.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Words of the columns, as for `fit`. Once is enough: None keeps them.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If the counts are invalid; if a parameter is invalid, at the first call; or if a
            parameter that training uses has changed since then, such as an array in place. The
            estimator is then unchanged; after an invalid chunk it has learned the minibatches
            before it.

        Notes
        -----
        Each minibatch is learned from completely or not at all. After an interrupt or an error,
        `n_batch_iter_` counts the minibatches that the model has learned.
        """
        learned = getattr(self, "n_batch_iter_", 0)
        restore = estimator_snapshot(self, stateful_parts(self._trainer) if learned else ())
        try:
            self._partial_fit(X, sample_weight, feature_names)
        except BaseException:
            # A call that has learned nothing leaves nothing.
            if getattr(self, "n_batch_iter_", 0) == learned:
                complete(restore)
            raise
        return self

    def _partial_fit(self, X: Any, sample_weight: Any, feature_names: Any) -> None:
        begins = not hasattr(self, "_trainer")
        with Workers(self.n_jobs) as workers, np.errstate(under="ignore"):
            # Before a chunk is taken from a stream, which may not give it again.
            total = check.stream_length(self.total_samples)
            if not begins:
                self._refuse_changes()
            if is_chunks(X):
                if begins:
                    check_parameters(unseeded(self))
                _counts.no_weights_of_chunks(sample_weight)
                resets = chain([begins], repeat(False))
                matrices = _counts.some_chunks(
                    X, lambda X: self._stream_counts(X, next(resets), feature_names)
                )
                first = next(matrices)
                self._name_features(feature_names)
                first = first_documents(self, first, matrices)
                trainer = self._stream_trainer(first[:ENOUGH], total)
                progress = self._progress(trainer)
                for X, rows in full_batches(chain([first], matrices), trainer.plan.largest_batch):
                    trainer.run(Gatherer(X, trainer.topics.M.dtype), rows, workers, progress.add)
            else:
                check_order("X", X, sample_weight=sample_weight)
                X = self._stream_counts(X, begins, feature_names, "X")
                self._name_features(feature_names, X.shape[0])
                sample_weight = _counts.sample_weights(sample_weight, X.shape[0])
                trainer = self._stream_trainer(X, total, sample_weight)
                gatherer = Gatherer(X, trainer.topics.M.dtype, sample_weight)
                rows = rows_that_count(X, sample_weight)
                progress = self._progress(trainer, len(rows))
                trainer.run(gatherer, rows, workers, progress.add)

    def _progress(self, trainer: Trainer, n_rows: int | None = None) -> Progress:
        """The log of a call, which learns so many rows; None: what is left of the stream."""
        total: float | None = n_rows
        if total is None and self.total_samples is not None:
            total = trainer.clock.documents_left
        return Progress("learning", bool(self.verbose), total)

    def _stream_trainer(self, X: Any, total: float | None, sample_weight: Any = None) -> Trainer:
        """The model in training; a new one at the first call of `partial_fit`."""
        if not hasattr(self, "_trainer"):
            n_documents = X.shape[0] if sample_weight is None else sample_weight.sum()
            scale = (total or STREAM_SAMPLES) / max(n_documents, 1e-9)
            parameters = seeded(self, X, sample_weight, scale=scale)
            # A stream needs memory for two copies of the topics, one less than `fit`.
            config = Config.of(parameters, X.shape[1], copies=2)
            self._warn_of_pairs(config.n_components)
            n_given = X.shape[0] if sample_weight is None else int(np.count_nonzero(sample_weight))
            trainer = new_trainer(config, Plan.of(config, total, 1), n_given=n_given)
            self._begin_labels(seed_labels(self.topic_word_prior), config.n_components)
            self._remember_parameters(parameters)
            self._trainer = trainer
        elif not self._trainer.topics.M.flags.writeable:  # joblib has mapped it into memory
            self._trainer = deepcopy(self._trainer)
        self._trainer.expect(total)
        return self._trainer

    def _refuse_changes(
        self, learner: str = "partial_fit", called: Callable[[str], str] = str
    ) -> None:
        """Refuse parameters that would have no effect, because training began with others.

        The error names the method that learns, and each parameter as the user calls it.
        """
        before = self._trained_with
        changed = [name for name in OF_TRAINING if not same(getattr(self, name), before[name])]
        if not changed:
            return
        now = {name: value for name, value in unseeded(self).items() if name in OF_TRAINING}
        config, trained = Config.of({**before, **now}, self.n_features_in_), self._trainer.config
        for name in changed:
            value, began = getattr(self, name), before[name]
            if name == "topic_word_prior" and self._trained_seeds is not None:
                began = self._trained_seeds  # of which training has made an array
            if is_seeded(value):
                other = not same_seeds(kept_seeds(value), self._trained_seeds)
            else:
                other = any(
                    not same(getattr(config, field), getattr(trained, field))
                    for field in OF_TRAINING[name]
                )
            if other:
                raise refusal(called(name), value, began, learner)
