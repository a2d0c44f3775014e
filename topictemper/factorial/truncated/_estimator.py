"""What the models fitted by truncated variational sampling have in common as estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._rollback import unchanged_on_error
from ...tempering import ConstantSchedule, Schedule, as_schedule
from ._e_step import (
    MOST_UNITS,
    Floats,
    Joint,
    SamplerSchedule,
    Samples,
    exact_log_likelihood,
    infer,
)

# Priors of units stay inside: a unit that is never or always on could not come back.
LOWEST_PI = 1e-4


class TruncatedModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of `BinarySparseCoding` and `SigmoidBeliefNetwork`.

    A subclass has the parameters used here, learns in `_learn`, and makes its `Joint` from its
    fitted attributes in `_fitted_joint`.
    """

    n_components: int
    n_states: int
    n_prior_samples: int
    n_marginal_samples: int
    sampler_schedule: tuple[int, int] | None
    schedule: Schedule | Callable[[float], float] | None
    n_inference_iter: int
    max_iter: int
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    components_: Floats

    @abstractmethod
    def _learn(self, Y: Floats, random_state: np.random.RandomState, workers: Workers) -> None:
        """Check the parameters of the model's own, then set the fitted attributes."""

    @abstractmethod
    def _fitted_joint(self) -> Joint:
        """The model that was learned."""

    def _checked(self, X: Any, *, reset: bool = False) -> Floats:
        """Validated data."""
        Y: Floats = validate_data(self, X, reset=reset, dtype=np.float64, order="C")
        return Y

    def _guesses(self) -> Callable[[Floats], Floats] | None:
        """A function from data to marginals, if the model learned one."""
        return None

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
            If a parameter or the data make no sense. The estimator is then as it was before.
        """
        with unchanged_on_error(self):
            Y = self._checked(X, reset=True)
            random_state = check.random_state(self.random_state)
            with Workers(self.n_jobs) as workers:
                self._learn(Y, random_state, workers)
        return self

    def free_energy(self, X: Any, n_iter: int | None = None) -> float:
        """Free energy of data, a lower bound of their log-likelihood (paper, eq. 3).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        n_iter : int, optional
            E-steps, by default `n_inference_iter`. The bound never falls with their number.

        Returns
        -------
        float
            Nats a datum.
        """
        n_iter = self.n_inference_iter if n_iter is None else n_iter
        return float(self._infer(X, check.integer("n_iter", n_iter, 1))[0].mean())

    def score(self, X: Any, y: Any = None) -> float:
        """Free energy of data after `n_inference_iter` E-steps; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats a datum.
        """
        return self.free_energy(X)

    def exact_log_likelihood(self, X: Any) -> float:
        """Log-likelihood of data, by a sum over all 2^H states.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        float
            Nats a datum.

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
                f"{MOST_UNITS} components, and this model has {joint.n_units}; use free_energy"
            )
        return float(exact_log_likelihood(joint, Y).mean())

    def transform(self, X: Any) -> Floats:
        """Posterior means of the units, E[s] under the truncated distribution (paper, eq. 5).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            In [0, 1]. The random numbers of a row follow from its values, so that its result does
            not depend on the other rows.
        """
        return self._infer(X, check.integer("n_inference_iter", self.n_inference_iter, 1))[1]

    def _infer(self, X: Any, n_iter: int) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        Y, joint = self._checked(X), self._fitted_joint()
        with Workers(self.n_jobs) as workers:
            return infer(
                joint, Y, self._n_states(), self._samples(), n_iter, workers, self._guesses()
            )

    def _checked_units(self, S: Any) -> Floats:
        """Validated states or means of the units."""
        check_is_fitted(self)
        units: Floats = check_array(S, dtype=np.float64, ensure_all_finite=False, input_name="S")
        if units.shape[1] != self._n_features_out:
            raise ValueError(
                f"S must have shape (n_samples, {self._n_features_out}), got {units.shape}"
            )
        if not np.isfinite(units).all():
            raise ValueError("S must be finite")
        return units

    def _draw_states(
        self, n_samples: int, random_state: int | np.random.RandomState | None
    ) -> tuple[NDArray[np.uint8], np.random.RandomState]:
        """States from the prior, and what to go on drawing with."""
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        rng, prior = check.random_state(random_state), self._fitted_joint().prior
        drawn = rng.random_sample((n_samples, len(prior.probabilities)))
        return (drawn < prior.probabilities).astype(np.uint8), rng

    # Parameters that the models share

    def _n_states(self) -> int:
        return check.integer("n_states", self.n_states, 1)

    def _samples(self) -> Samples:
        return Samples(
            check.integer("n_prior_samples", self.n_prior_samples, 0),
            check.integer("n_marginal_samples", self.n_marginal_samples, 0),
        )

    def _sampler_schedule(self) -> SamplerSchedule:
        last, spec = self._samples(), self.sampler_schedule
        if spec is None:
            return SamplerSchedule(last, 0, 0)
        if not isinstance(spec, tuple | list) or len(spec) != 2:
            raise TypeError(
                f"sampler_schedule must be None or a pair of iterations (hold, end), got {spec!r}"
            )
        hold = check.integer("sampler_schedule[0]", spec[0], 0)
        return SamplerSchedule(last, hold, check.integer("sampler_schedule[1]", spec[1], hold))

    def _temperatures(self) -> Schedule:
        if self.schedule is None:
            return ConstantSchedule()
        if isinstance(self.schedule, str):
            raise TypeError(
                "schedule must be None, a schedule of topictemper.tempering or a callable, whose "
                f"time is the iteration; got {self.schedule!r}"
            )
        return as_schedule(self.schedule, 1.0, 0.0)

    def _seed(self, random_state: np.random.RandomState) -> int:
        return int(random_state.randint(2**63, dtype=np.int64))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
