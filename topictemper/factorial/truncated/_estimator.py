"""Base class of the estimators fitted by truncated variational sampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._numerics import own_numerics
from ..._utils._rollback import unchanged_on_error
from ..._utils._typing import Floats, Reals
from ..._utils._warnings import warn
from ...persistence._fitted import History, Numbers, SaveFittedMixin
from ...tempering._history import ElboHistory
from ...tempering._mixin import TemperingMixin
from ._config import inference_of
from ._e_step import MOST_UNITS, Joint, exact_log_likelihood
from ._inference import infer_units


class TruncatedModel(
    SaveFittedMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    TemperingMixin,
    BaseEstimator,
    ABC,
):
    """Base of `BinarySparseCoding` and `SigmoidBeliefNetwork`.

    A subclass checks data in `_checked`, learns in `_learn`, makes a `Joint` of its fitted
    attributes in `_fitted_joint`, and draws data in `_draw_data`.
    """

    __metadata_request__inverse_transform: ClassVar = {"S": UNUSED}  # it is no metadata
    _FITTED: ClassVar[dict[str, Numbers | History]] = {
        "components": Numbers("KD"),
        "elbo_history": History(("pass", "temperature", "elbo")),
        "temperature_history": History(("pass", "temperature")),
    }
    n_jobs: int | None
    components_: Floats

    @abstractmethod
    def _checked(self, X: Any, *, reset: bool = False) -> Reals:
        """Return validated data, contiguous row by row."""

    @abstractmethod
    def _learn(self, Y: Reals, workers: Workers) -> ElboHistory:
        """Check the parameters, learn, and set the fitted attributes of the model."""

    @abstractmethod
    def _fitted_joint(self) -> Joint:
        """Return the learned model."""

    @abstractmethod
    def _draw_data(self, states: NDArray[np.uint8], rng: np.random.RandomState) -> Floats:
        """Draw a datum for each state."""

    def _guesses(self) -> Callable[[Reals], Floats] | None:
        """Return a function from data to marginals, if the model has learned one."""
        return None

    @own_numerics
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the parameters from scratch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data are invalid, or if the states and sums of the fit do not fit
            into memory. The estimator then stays unchanged.

        Warns
        -----
        ConvergenceWarning
            If the last iteration was at T > 1.
        """
        with unchanged_on_error(self):
            Y = self._checked(X, reset=True)
            with Workers(self.n_jobs) as workers:
                history = self._learn(Y, workers)
            self.elbo_history_ = history.elbos
            self.temperature_history_ = history.temperatures
            self.n_iter_ = len(history.rows)
        last = self.temperature_history_["temperature"][-1]
        if last > 1.0:
            warn(
                f"fit ended at the temperature {last:.6g}, not at 1; raise "
                f"max_iter={self.max_iter}, or shorten the schedule",
                ConvergenceWarning,
            )
        return self

    @own_numerics
    def elbo(self, X: Any, n_iter: int | None = None) -> float:
        """Evidence lower bound of data at T = 1 (TVS eq. 3, where it is the free energy).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        n_iter : int, optional
            Number of E-steps, by default `n_inference_iter`. The bound never falls with it.

        Returns
        -------
        float
            Nats per datum.
        """
        return float(self._infer(X, n_iter)[0].mean())

    def score(self, X: Any, y: Any = None) -> float:
        """Evidence lower bound of data after `n_inference_iter` E-steps; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats per datum.
        """
        return self.elbo(X)

    @own_numerics
    def exact_log_likelihood(self, X: Any) -> float:
        """Log-likelihood of data, the sum over all 2^H states.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        float
            Nats per datum.

        Raises
        ------
        ValueError
            If there are more than 16 components.
        """
        check_is_fitted(self)
        Y, joint = self._checked(X), self._fitted_joint()
        if joint.n_units > MOST_UNITS:
            raise ValueError(
                f"exact_log_likelihood sums over 2^n_components states, so it is for at most "
                f"{MOST_UNITS} components, and this model has {joint.n_units}; use elbo"
            )
        return float(exact_log_likelihood(joint, Y).mean())

    @own_numerics
    def transform(self, X: Any) -> Floats:
        """Posterior means of the units, E[s] under the truncated distribution (TVS eq. 5).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            In [0, 1]. The random numbers of a row follow from its values, so its result does not
            depend on other rows, but for rounding.
        """
        return self._infer(X)[1]

    @own_numerics
    def sample(
        self, n_samples: int = 1, *, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Floats, NDArray[np.uint8]]:
        """Draw data from the model.

        Parameters
        ----------
        n_samples : int, default=1
            Number of data.
        random_state : int, RandomState or None, default=None
            Seed. None is the `random_state` of the estimator, as in scikit-learn.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Data; the same at every call if the seed is an int.
        S : ndarray of shape (n_samples, n_components), uint8
            Their states.
        """
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        rng = check.random_state(self.random_state if random_state is None else random_state)
        pi = self._fitted_joint().prior.probabilities
        states = (rng.random_sample((n_samples, len(pi))) < pi).astype(np.uint8)
        return self._draw_data(states, rng), states

    def _infer(self, X: Any, n_iter: int | None = None) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        Y, joint = self._checked(X), self._fitted_joint()
        inference = inference_of(check.parameters(self))
        if n_iter is not None:
            inference = replace(inference, n_iter=check.integer("n_iter", n_iter, 1))
        with Workers(self.n_jobs) as workers:
            return infer_units(joint, Y, inference, workers, self._guesses())

    def _checked_units(self, S: Any) -> Floats:
        """Validated states or means of the units."""
        check_is_fitted(self)
        return check.units("S", S, self._n_features_out)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
