"""Fitted attributes of `TemperedLDA`, and its state for `save` and `load`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._utils import _validation as check
from .._utils._chunks import Chunks, row_sums
from .._utils._names import MOST_WORDS, names_of_topics
from .._utils._state import Tree, within
from .._utils._typing import Floats
from .._utils._warnings import warn
from ..persistence._fitted import History
from ..persistence._models import parameters_of, plain_parameters
from ..tempering._history import record
from ..topics._seeds import SeedTopics
from ..topics._twins import TWINS_WITHIN, effective_topics, groups_within
from ._assembly import check_topics, restored_trainer, trainer_tree
from ._config import Config
from ._monitor import Validation
from ._seeding import kept_seeds, same_seeds
from ._state_checks import check_trainer
from ._trained_with import kept, same
from ._training import Trainer

# The share of twins among the topics that gives a warning, and the fewest topics where it does.
_MANY_TWINS, _LEAST_TOPICS = 0.1, 50
# A learned sum of alpha grows by a larger factor; rounding changes others by a smaller one.
_LEARNED = 1.01
# What is kept so that it need not be computed for every request; pickles are without it.
_FOUND_AGAIN = ("_components", "_names_by_words")
_HISTORIES = {"score_history": ("pass", "score"), "elbo_history": ("pass", "temperature", "elbo")}


class FittedMixin:
    """Gives an estimator the attributes that follow from its ``_trainer``, and its state."""

    _trainer: Trainer
    _trained_with: dict[str, Any]
    #: The seeded topics of `_trained_with`, of which an array has been made there.
    _trained_seeds: SeedTopics | None
    topic_word_prior: Any
    n_features_in_: int
    score_history_: NDArray[Any]
    elbo_history_: NDArray[Any]
    _names_of_frame: bool
    #: What `components_` has returned, and of which state of the topics; None for a new one.
    _components: tuple[Any, NDArray[Any]] | None = None
    #: Names of topics by their words, after the state, labels and words that they follow from.
    _names_by_words: tuple[Any, Any, Any, list[str]] | None = None

    @property
    def components_(self) -> NDArray[Any]:
        """Lambda, (n_components, n_features); a new array when topics have changed.

        It is read-only: change a copy, such as ``components_.copy()``.
        """
        topics = self._learned("components_").predictive_topics
        state, known = self._state_of_topics, self._components
        if known is None or known[0] != state:
            components = topics.components()
            components.flags.writeable = False  # what is written there would be seen there alone
            known = self._components = state, components
        return known[1]

    @property
    def _state_of_topics(self) -> tuple[int, float]:
        """What differs after every change of the topics of one fit."""
        return self._trainer.clock.n_updates, self._trainer.predictive_topics.a

    def _names_beside(self, labels: Mapping[int, str]) -> list[str]:
        """Names of all topics by their words, which are ranked once: a table needs the names."""
        estimator: Any = self
        state, names = self._state_of_topics, estimator.feature_names_in_
        known = self._names_by_words
        if known is None or known[0] != state or known[1] is not labels or known[2] is not names:
            words = estimator.top_words(MOST_WORDS)
            known = self._names_by_words = state, labels, names, names_of_topics(words, labels)
        return known[3]

    @property
    def n_effective_topics_(self) -> float:
        """The exponential of the entropy of the topics' sizes, at most n_components."""
        trainer = self._learned("n_effective_topics_")
        return effective_topics(trainer.predictive_topics.totals)

    def _warn_of_topics(self, X: Any, sample_weight: Floats | None, *, keeps: bool) -> None:
        """Warn if the documents of X say little of topics, or if many topics are alike.

        Where a fit `keeps` its model, Ctrl-C ends only this.
        """
        try:
            self._warn_of_weak_documents(X, sample_weight)
            if self._trainer.predictive_topics.n_components >= _LEAST_TOPICS:
                self._warn_of_twins()
        except KeyboardInterrupt:
            if not keeps:
                raise
            warn(
                "fit was interrupted after its passes, while it compared the topics with each "
                "other, or with the documents. The model is kept; whether many topics are nearly "
                "the same, or documents say little of them, is not known",
                ConvergenceWarning,
            )

    def _warn_of_weak_documents(self, X: Any, sample_weight: Floats | None) -> None:
        """Warn if the proportions of a document follow their learned prior more than its tokens."""
        trainer = self._trainer
        if not (trainer.has_sampled and trainer.config.alpha_is_default):
            return
        prior, first = (float(a.sum()) for a in (trainer.predictive_alpha, trainer.first_alpha))
        # Not where nothing has been learned, as of documents of one word. With those that have no
        # words documents are shorter, never longer.
        if prior <= max(_LEARNED * first, trainer.clock.length):
            return
        lengths = np.concatenate([*map(row_sums, X if isinstance(X, Chunks) else [X])])
        weights = (lengths > 0) * (1.0 if sample_weight is None else sample_weight)
        length = float(np.average(lengths, weights=weights))
        if prior > length:
            warn(
                "documents say little of the topics: the learned prior of their proportions weighs "
                f"{prior:.3g} tokens, and a document has {length:.3g}. Fewer topics, or one, may "
                "predict as well: see topictemper.metrics.compare_n_components"
            )

    def _warn_of_twins(self) -> None:
        """Warn if many topics are alike."""
        topics = self._trainer.predictive_topics
        # Not `components_`, which keeps a copy: a fit has memory for three copies in all.
        components = topics.components()
        single = components.dtype == np.float32
        roots = components if single else np.empty(components.shape, np.float32)
        groups = groups_within(components, TWINS_WITHIN, roots)
        extra = sum(len(group) - 1 for group in groups)
        if extra >= _MANY_TWINS * topics.n_components:
            warn(
                f"{extra} of {topics.n_components} topics are nearly the same as another one. Fit "
                "with fewer topics (n_components), or merge them: "
                "model.merge_topics(topictemper.topics.twin_topics(model))",
            )

    def _warn_of_heat(self) -> None:
        """Warn of a fit that has ended at T > 1."""
        plan, tempering = self._trainer.plan, self._trainer.config.tempering
        if tempering.length is None and not tempering.is_whole_course:
            cure = "make all passes, or choose a smaller max_iter, and T falls faster"
        else:
            cure = "make more passes, or give tempering a shorter schedule or its max_temperature"
        warn(
            f"fit ended at the temperature {self.temperature_:.4g}, after {self.n_iter_} of "
            f"{plan.planned_passes} passes, and predicts worse than at 1: {cure}",
            ConvergenceWarning,
        )

    @property
    def temperature_(self) -> float:
        """T of the next minibatch."""
        return self._learned("temperature_").temperature

    @property
    def max_temperature_(self) -> float:
        """Where annealing starts; NaN while that is being looked for."""
        course = self._learned("max_temperature_").control.course
        hottest = None if course is None else course.max_temperature
        return float("nan") if hottest is None else hottest

    @property
    def temperature_history_(self) -> NDArray[Any]:
        """The course of the temperature, as a structured array."""
        control = self._learned("temperature_history_").control
        return record(control.history, *control.fields)

    @property
    def doc_topic_prior_(self) -> NDArray[Any]:
        """The alpha of documents that are not learned from, (n_components,)."""
        return self._learned("doc_topic_prior_").predictive_alpha

    @property
    def topic_word_prior_(self) -> float | NDArray[Any]:
        """Eta: a number, or an array by words or by topics and words."""
        eta = self._learned("topic_word_prior_").eta
        if isinstance(eta, np.ndarray):  # by words (V, 1), or by words and topics (V, K)
            return eta[:, 0].copy() if eta.shape[1] == 1 else eta.T.copy()
        return eta

    @property
    def n_batch_iter_(self) -> int:
        """Minibatches learned from."""
        return self._learned("n_batch_iter_").clock.n_updates

    @property
    def n_iter_(self) -> int:
        """Passes begun."""
        return ceil(self._learned("n_iter_").clock.passes - 1e-9)  # a sum of weights is rounded

    @property
    def _n_features_out(self) -> int:
        return self._trainer.topics.n_components

    def __getstate__(self) -> dict[str, Any]:
        parent: Any = super()
        state: dict[str, Any] = parent.__getstate__()
        return {name: value for name, value in state.items() if name not in _FOUND_AGAIN}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_trainer")

    def _learned(self, attribute: str) -> Trainer:
        try:
            return self._trainer
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} has no {attribute} before fit", name=attribute, obj=self
            ) from None

    def _remember_parameters(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters that training uses, which may be set to others later."""
        self._trained_with = {
            # Of an array that was made here, from seed words, nobody else knows.
            name: kept(value) if value is getattr(self, name) else value
            for name, value in parameters.items()
        }
        self._trained_seeds = kept_seeds(self.topic_word_prior)

    def _set_fitted(
        self,
        trainer: Trainer,
        validation: Validation | None,
        elbos: list[tuple[float, float, float]],
    ) -> None:
        """Become what `fit` has made."""
        self._trainer, self._components = trainer, None
        vars(self).pop("_names_by_words", None)
        scores = validation.scores if validation is not None else None
        for (name, fields), history in zip(_HISTORIES.items(), (scores, elbos), strict=True):
            # Attributes that exist only where they were asked for.
            if history:
                setattr(self, f"{name}_", record(history, *fields))
            else:
                vars(self).pop(f"{name}_", None)

    def _snapshot(
        self,
        trainer: Trainer,
        validation: Validation | None,
        elbos: list[tuple[float, float, float]],
    ) -> Self:
        """Another estimator, fitted as if training had ended here."""
        other = copy(self)
        other._set_fitted(deepcopy(trainer), validation, elbos)
        return other

    def _moment(self) -> tuple[Trainer, int] | None:
        trainer = self._trainer
        return None if trainer.in_step else (trainer, trainer.n_begun)

    def _get_state(self) -> Tree:
        """All that training has made, and its parameters, for `save`."""
        estimator: Any = self
        tree = trainer_tree(self._trainer)
        check_trainer(tree["trainer"])
        changed = not same_seeds(self._trained_seeds, kept_seeds(self.topic_word_prior))
        return {
            "parameters": plain_parameters(
                {
                    name: value
                    for name, value in self._trained_with.items()
                    if not same(value, getattr(self, name))
                }
            ),
            **tree,
            "seeds": plain_parameters({"seeds": self._trained_seeds}) if changed else None,
            "labels": estimator._labels_state(),
            "names_of_frame": self._names_of_frame,
            **{name: getattr(self, f"{name}_", None) for name in _HISTORIES},
        }

    def _set_state(self, tree: Tree) -> None:
        """Continue from what `_get_state` returned, with `n_features_in_` set."""
        estimator: Any = self
        with within("parameters"):
            own = estimator.get_params(deep=False)
            trained = own | parameters_of(tree["parameters"])
            self._trained_with = {name: kept(value) for name, value in trained.items()}
        check_topics(tree, self.n_features_in_, self._trained_with["n_components"])
        with within("parameters"):
            config = Config.of(self._trained_with, self.n_features_in_)
        self._trainer = restored_trainer(config, tree)
        with within("seeds"):
            self._trained_seeds = kept_seeds(self.topic_word_prior)
            if tree["seeds"] is not None:
                self._trained_seeds = kept_seeds(parameters_of(tree["seeds"])["seeds"])
        with within("labels"):
            estimator._set_labels_state(tree["labels"])
        with within("names_of_frame"):
            of_frame = tree["names_of_frame"]
            self._names_of_frame = check.flag("names_of_frame", of_frame)
        for name, fields in _HISTORIES.items():
            with within(name):
                if tree[name] is not None:
                    setattr(self, f"{name}_", History(fields).checked(name, tree[name], {}))
