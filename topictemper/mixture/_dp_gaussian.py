"""DPGaussianMixture: parameters, fitted attributes and the scikit-learn contract."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils import _validation as check
from ..tempering import ConstantSchedule, Schedule, as_schedule
from ._normal_wishart import Full
from ._priors import check_range, prior_of, start_of
from ._training import Ascent, Globals, Model, ascend, soft_max

Array = NDArray[np.float64]

# Rescues collapsed starts about as well as hotter and longer courses do.
_T0, _LENGTH = 2.0, 50

_NO_LEARNED_TEMPERATURE = (
    "tempering={!r} is not defined for a mixture whose precisions are unknown: the normaliser C(T) "
    "contains the prior mean of |precision|^(-N (1 - 1/T) / 2), which is infinite unless the prior "
    "has more than about N (1 - 1/T) degrees of freedom. Use tempering='avi', where T follows a "
    "schedule, or 'vi'"
)


class DPGaussianMixture(DensityMixin, BaseEstimator):
    """Dirichlet process mixture of Gaussians by annealed variational inference.

    Truncated stick-breaking mean field [1]_: coordinate ascent over sticks, components and
    responsibilities. With ``tempering="avi"`` the expected log likelihood of data and assignments
    is divided by a temperature that falls to 1 [2]_. That rescues a start with nearly all data in
    one component, makes no difference after a random start, and is better left off after k-means,
    whose components it melts.

    Parameters
    ----------
    n_components : int, default=15
        The truncation, T: most components there can be.
    concentration : float, default=1.0
        Concentration alpha of the Dirichlet process, > 0.
    covariance_type : {"diag", "full"}, default="diag"
        Diagonal precisions with normal-gamma priors, or any with a normal-Wishart prior.
    tempering : {"vi", "avi"}, default="vi"
        T = 1 throughout, or T by `schedule`. A learned temperature ("vt", "lvt") is refused: with
        unknown precisions its normaliser is infinite.
    schedule : {"linear", "exponential", "inverse-linear"}, Schedule or callable, default=None
        Temperature of each iteration, counted from 0; only with "avi". A name, and None for
        "linear", is from 2 to 1 over 50 iterations.
    last_stick : {"one", "beta"}, default="one"
        Whether the last component takes all that is left of the stick [1]_, or a share with a beta
        distribution, as in scikit-learn.
    sort_components : bool, default=True
        Whether components are sorted by decreasing size in every iteration (where that does not
        lower the bound: it may if `concentration` > 1 and `last_stick` is "one").
    mean_prior : array-like of shape (n_features,), default=None
        Prior mean of the components' means. None is the mean of the data.
    mean_precision_prior : float, default=1.0
        Number of data that the prior mean counts for, > 0.
    degrees_of_freedom_prior : float, default=None
        Degrees of freedom of the prior of precisions: > n_features - 1 for "full", None is
        n_features; > 0 for "diag", where it is twice the gamma distribution's shape, None is 1.
    covariance_prior : array-like, default=None
        Scale of the prior of precisions, the inverse of the Wishart distribution's: positive
        definite of shape (n_features, n_features) for "full"; for "diag" of shape (n_features,),
        twice the gamma distribution's rate. None is the covariance or variance of the data.
    init_params : {"kmeans", "random"} or array-like of shape (n_samples, n_components), \
default="kmeans"
        Start of the responsibilities: k-means clusters, Dirichlet(1) draws, or as given.
    n_init : int, default=1
        Starts, of which the one with the highest bound is kept.
    max_iter : int, default=500
        Most iterations of a start.
    tol : float, default=1e-6
        Iterations end when, at T = 1, one changes the bound by less than this many nats a datum; at
        0 there are always `max_iter`.
    random_state : int, RandomState or None, default=None
        Seed of the starts and of `sample`. The same seed gives the same bits
        on one kind of processor.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Expected weights, which sum to 1.
    weight_concentration_ : tuple of two ndarrays
        Parameters a and b of the sticks, ``q(V_t) = Beta(a_t, b_t)``; n_components - 1 of them, or
        n_components if `last_stick` is "beta".
    means_ : ndarray of shape (n_components, n_features)
        Expected means.
    mean_precision_ : ndarray of shape (n_components,)
        k of ``q(mu_t | Lambda_t) = N(means_t, (k_t Lambda_t)^-1)``.
    degrees_of_freedom_ : ndarray of shape (n_components,)
        Degrees of freedom of q of the precisions. For "diag", twice the gamma shape.
    covariances_ : ndarray of shape (n_components, n_features) or \
(n_components, n_features, n_features)
        Inverses of the expected precisions. Times `degrees_of_freedom_`, the scale of q of the
        precisions: for "diag", twice the gamma rate.
    precisions_ : ndarray, of the shape of `covariances_`
        Expected precisions.
    elbo_ : float
        Evidence lower bound at T = 1, all constants included, in nats.
    elbo_history_ : ndarray of shape (`n_iter_`,)
        After each iteration, the bound that it raised: the annealed bound at its temperature, which
        is the evidence lower bound once T = 1. In nats.
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        Fields ``pass``, from 1, and ``temperature``.
    n_iter_ : int
        Iterations made by the best start.
    converged_ : bool
        Whether it ended by `tol`.
    mean_prior_, mean_precision_prior_, degrees_of_freedom_prior_, covariance_prior_
        The prior as used.
    n_features_in_ : int
        Columns of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where they were strings.

    See Also
    --------
    sklearn.mixture.BayesianGaussianMixture : The same variational family at T = 1; for "diag" its
        expected log determinants are those of a Wishart distribution.

    References
    ----------
    .. [1] Blei, Jordan (2006). Variational inference for Dirichlet process mixtures. Bayesian
       Analysis 1(1).
    .. [2] Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS,
       equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.mixture import DPGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-5, 1, (100, 2)), rng.normal(5, 1, (50, 2))])
    >>> dp = DPGaussianMixture(10, tempering="avi", random_state=0).fit(X)
    >>> dp.weights_[:3].round(2)
    array([0.66, 0.33, 0.  ])
    >>> dp.predict([[-4.0, -6.0], [5.0, 4.0]])
    array([0, 1])
    """

    def __init__(
        self,
        n_components: int = 15,
        *,
        concentration: float = 1.0,
        covariance_type: Literal["diag", "full"] = "diag",
        tempering: Literal["vi", "avi"] = "vi",
        schedule: str | Schedule | Callable[[float], float] | None = None,
        last_stick: Literal["one", "beta"] = "one",
        sort_components: bool = True,
        mean_prior: ArrayLike | None = None,
        mean_precision_prior: float = 1.0,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: ArrayLike | None = None,
        init_params: Literal["kmeans", "random"] | ArrayLike = "kmeans",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.concentration = concentration
        self.covariance_type = covariance_type
        self.tempering = tempering
        self.schedule = schedule
        self.last_stick = last_stick
        self.sort_components = sort_components
        self.mean_prior = mean_prior
        self.mean_precision_prior = mean_precision_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.init_params = init_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _globals: Globals

    # Learning

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the mixture from scratch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data; two rows at least.
        y : None
            Ignored.

        Returns
        -------
        DPGaussianMixture
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data make no sense. The estimator is then as it was before.

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge in `max_iter` iterations.
        """
        self._fit(X)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """Learn the mixture and return the component of each row, as `predict` would.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
            The most probable components.
        """
        return self._fit(X).argmax(axis=1)

    def _fit(self, X: Any) -> Array:
        """Fit, and return the responsibilities at T = 1."""
        before = self.__dict__.copy()
        try:
            X = self._data(X, reset=True, ensure_min_samples=2)
            schedule = self._schedule()
            offset = X.mean(axis=0)
            prior = prior_of(
                X,
                self.covariance_type,
                self.mean_prior,
                self.mean_precision_prior,
                self.degrees_of_freedom_prior,
                self.covariance_prior,
            )
            # Everything inside is about the mean of the data, for the sake of rounding.
            centred = type(prior)(prior.mean - offset, prior.mean_precision, prior.dof, prior.scale)
            model = Model(
                centred,
                check.number("concentration", self.concentration, 0.0, boundaries="neither"),
                check.choice("last_stick", self.last_stick, ("one", "beta")) == "one",
                check.flag("sort_components", self.sort_components),
            )
            best = self._best_start(X - offset, model, schedule)
            self._publish(best, offset)
            self.mean_prior_ = prior.mean[0]
            self.mean_precision_prior_ = float(prior.mean_precision[0])
            self.degrees_of_freedom_prior_ = float(prior.dof[0])
            self.covariance_prior_ = prior.scale[0]
        except BaseException:
            self.__dict__ = before
            raise
        if not best.converged:
            warnings.warn(
                f"not converged after {self.n_iter_} iterations, the last at a temperature of "
                f"{best.temperatures[-1]:g}; raise max_iter or tol, or let the schedule end sooner",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best.phi

    def _best_start(self, X: Array, model: Model, schedule: Schedule) -> Ascent:
        n_components = check.integer("n_components", self.n_components, 1)
        n_init = check.integer("n_init", self.n_init, 1)
        max_iter = check.integer("max_iter", self.max_iter, 1)
        tol = check.number("tol", self.tol, 0.0)
        rng = check.random_state(self.random_state)
        if n_init > 1 and not isinstance(self.init_params, str):
            raise ValueError("n_init must be 1 where init_params gives the start")
        best: Ascent | None = None
        for _ in range(n_init):
            phi = start_of(X, self.init_params, n_components, rng)
            found = ascend(X, phi, model, schedule, max_iter, tol)
            if best is None or found.elbo > best.elbo:
                best = found
        assert best is not None
        return best

    def _schedule(self) -> Schedule:
        if self.tempering in ("vt", "lvt"):
            raise ValueError(_NO_LEARNED_TEMPERATURE.format(self.tempering))
        if check.choice("tempering", self.tempering, ("vi", "avi")) == "avi":
            return as_schedule("linear" if self.schedule is None else self.schedule, _T0, _LENGTH)
        if self.schedule is not None:
            raise ValueError("schedule must be None for tempering='vi'; 'avi' follows a schedule")
        return ConstantSchedule(1.0)

    def _publish(self, best: Ascent, offset: Array) -> None:
        """Set the fitted attributes."""
        self._globals, self._offset = best.found, offset
        sticks, components = best.found.sticks, best.found.components
        self.weights_ = sticks.expected_weights()
        self.weight_concentration_ = (sticks.a, sticks.b)
        self.means_ = components.mean + offset
        self.mean_precision_ = components.mean_precision
        self.degrees_of_freedom_ = components.dof
        if isinstance(components, Full):
            dof = components.dof[:, None, None]
            whitening = components.whitening
            self.precisions_ = dof * (whitening @ whitening.transpose(0, 2, 1))
        else:
            dof = components.dof[:, None]
            self.precisions_ = dof / components.scale
        self.covariances_ = components.scale / dof
        self.elbo_ = best.elbo
        self.elbo_history_ = np.array(best.elbo_history)
        self.temperature_history_ = np.array(
            list(enumerate(best.temperatures, start=1)),
            dtype=[("pass", float), ("temperature", float)],
        )
        self.n_iter_ = len(best.elbo_history)
        self.converged_ = best.converged

    # Using the mixture

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Most probable component of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of components.
        """
        return self._globals_of(X)[0].argmax(axis=1)

    def predict_proba(self, X: Any) -> Array:
        """Responsibilities: q(z_n) of each row at T = 1, with q of sticks and components as found.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Rows sum to one.
        """
        return self._globals_of(X)[0]

    def score_samples(self, X: Any) -> Array:
        """Log predictive density of each row: of a mixture of Student's t distributions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``log sum_t E[pi_t] E_q[N(x | mu_t, Lambda_t^-1)]``, in nats. It is a density: it
            integrates to one.
        """
        X = self._fitted_data(X)
        with np.errstate(divide="ignore"):  # the weight of a far component may underflow
            log_weights = np.log(self.weights_)
        return np.asarray(
            logsumexp(self._globals.components.log_predictive(X) + log_weights, axis=1)
        )

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log predictive density.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats a datum; higher is better.
        """
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1) -> tuple[Array, NDArray[np.intp]]:
        """Draw from the predictive density that `score_samples` gives.

        Parameters
        ----------
        n_samples : int, default=1
            Number of draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The draws; the same at every call if `random_state` is an int.
        y : ndarray of shape (n_samples,)
            Their components.
        """
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        rng = check.random_state(self.random_state)
        y = rng.choice(len(self.weights_), size=n_samples, p=self.weights_)
        return self._globals.components.draw(y, rng) + self._offset, y

    def _globals_of(self, X: Any) -> tuple[Array, float]:
        X = self._fitted_data(X)
        return soft_max(self._globals.log_joint(X))

    def _fitted_data(self, X: Any) -> Array:
        """Checked data, about the mean of those that were fitted."""
        check_is_fitted(self)
        return self._data(X, reset=False) - self._offset

    def _data(self, X: Any, **options: Any) -> Array:
        X = np.asarray(validate_data(self, X, dtype=np.float64, **options))
        check_range(X)
        return X
