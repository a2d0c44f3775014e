"""Fitted attributes of `TemperedLDA`, which always say what its model in training is."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tempering import QUANTILES
from ._thermostat import LocalThermostat
from ._training import Trainer


class FittedMixin:
    """Gives an estimator the attributes that follow from its ``_trainer``."""

    _trainer: Trainer
    #: What `components_` has returned, and of which state of the trainer; None for a new one.
    _components: tuple[Any, NDArray[Any]] | None = None

    @property
    def components_(self) -> NDArray[Any]:
        """Lambda, (n_components, n_features); a new array when topics have changed."""
        trainer = self._learned("components_")
        state = trainer.n_updates, trainer.topics.a
        if self._components is None or self._components[0] != state:
            self._components = state, trainer.topics.components()
        return self._components[1]

    @property
    def temperature_(self) -> float:
        """T of the next minibatch."""
        return self._learned("temperature_").temperature

    @property
    def max_temperature_(self) -> float:
        """Where annealing starts; NaN while that is being looked for."""
        hottest = self._learned("max_temperature_").thermostat.cooling.max_temperature
        return float("nan") if hottest is None else hottest

    @property
    def temperature_history_(self) -> NDArray[Any]:
        """The course of the temperature, as a structured array."""
        thermostat = self._learned("temperature_history_").thermostat
        fields = ["pass", "temperature"]
        if isinstance(thermostat, LocalThermostat):
            fields += [f"q{round(100 * q):02d}" for q in QUANTILES]
        return np.array(thermostat.history, dtype=[(field, float) for field in fields])

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
        return self._learned("n_batch_iter_").n_updates

    @property
    def n_iter_(self) -> int:
        """Passes begun."""
        return ceil(self._learned("n_iter_").passes - 1e-9)  # a sum of weights is rounded

    def _learned(self, attribute: str) -> Trainer:
        try:
            return self._trainer
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} has no {attribute} before fit", name=attribute, obj=self
            ) from None
