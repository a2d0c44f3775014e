"""DPGaussianMixture: parameters, fitted attributes and the scikit-learn contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._numerics import own_numerics
from .._utils._rollback import unchanged_on_error
from .._utils._state import Tree, within
from .._utils._typing import Floats
from .._utils._warnings import warn
from ..persistence._fitted import History, Numbers, SaveFittedMixin, checked
from ..persistence._models import savable
from ..tempering._mixin import TemperingMixin
from ..tempering._modes import Annealing
from ._config import config_of
from ._normal_wishart import Diagonal, Full, NormalWishart, restored
from ._training import Globals, best_run, soft_max


@savable
class DPGaussianMixture(SaveFittedMixin, DensityMixin, TemperingMixin, BaseEstimator):
    """Dirichlet process mixture of Gaussians by annealed variational inference.

    Truncated stick-breaking mean field [1]_: coordinate ascent over sticks, components and
    responsibilities. With ``tempering="avi"`` the expected log likelihood of data and assignments
    is divided by a temperature that falls to 1 [2]_. Annealing rescues a start with nearly all
    data in one component. After k-means it helps or does harm, depending on the data: compare
    `score` of held-out points.

    Parameters
    ----------
    n_components : int, default=15
        Truncation level: the largest possible number of components.
    concentration : float, default=1.0
        Concentration alpha of the Dirichlet process, from 1e-100 to 1e100.
    covariance_type : {"diag", "full"}, default="diag"
        Diagonal precisions with normal-gamma priors, or any with a normal-Wishart prior.
    tempering : {"vi", "avi"}, Annealing or None, default="vi"
        None or "vi": T = 1. "avi" or `Annealing`: a schedule in iterations; by default T falls
        linearly from 2 to 1 over 50 iterations. A learned temperature ("vt", "lvt") is an error:
        with unknown precisions its normalizer is infinite.
    last_stick : {"one", "beta"}, default="one"
        Whether the last component takes all that is left of the stick [1]_, or a share with a beta
        distribution, as in scikit-learn.
    sort_components : bool, default=True
        Whether components are sorted by decreasing size in every iteration, unless that lowers
        the bound. It may if `concentration` > 1 and `last_stick` is "one".
    mean_prior : array-like of shape (n_features,), default=None
        Prior mean of the components' means. None is the mean of the data.
    mean_precision_prior : float, default=1.0
        Weight of the prior mean, in data, from 1e-100 to 1e100.
    degrees_of_freedom_prior : float, default=None
        Degrees of freedom of the prior of precisions: > n_features - 1 for "full", None is
        n_features; > 1e-100 for "diag", where it is twice the gamma distribution's shape, None is
        1. At most 1e100.
    covariance_prior : array-like, default=None
        Scale of the prior of precisions, the inverse of the Wishart distribution's: positive
        definite of shape (n_features, n_features) for "full"; for "diag" of shape (n_features,),
        twice the gamma distribution's rate. None is the covariance or variance of the data.
    init_params : {"kmeans", "random"} or array-like of shape (n_samples, n_components), \
default="kmeans"
        Start of the responsibilities: k-means clusters, Dirichlet(1) draws, or as given.
    n_init : int, default=1
        Number of starts; the fit keeps the one with the highest bound.
    max_iter : int, default=500
        Maximum number of iterations of a start.
    tol : float, default=1e-6
        Iterations end when, at T = 1, one changes the bound by less than `tol` nats per datum. At
        0 there are always `max_iter` iterations.
    random_state : int, RandomState or None, default=None
        Seed of the starts and of `sample`. The same seed gives the same bits on one kind of
        processor.
    verbose : int, default=0
        1: log the iteration, the temperature and the ELBO every few seconds, and after a start,
        with the logger "topictemper".

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
        Evidence lower bound at T = 1, with the terms of q of sticks and components and all
        constants, in nats per datum.
    elbo_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", "temperature" and "elbo": the annealed bound after each iteration at its
        temperature, in nats per datum.
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", from 0, and "temperature".
    n_iter_ : int
        Number of iterations of the best start.
    converged_ : bool
        Whether the best start converged by `tol`.
    mean_prior_, mean_precision_prior_, degrees_of_freedom_prior_, covariance_prior_
        The prior as used.
    n_features_in_ : int
        Columns of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where they were strings.

    See Also
    --------
    sklearn.mixture.BayesianGaussianMixture : The same variational family at T = 1; for "diag" its
        expected log determinants are those of a Wishart distribution. The guide says which names
        and defaults differ, and with which settings the two are the same.

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
        tempering: Literal["vi", "avi"] | Annealing | None = "vi",
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
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.concentration = concentration
        self.covariance_type = covariance_type
        self.tempering = tempering
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
        self.verbose = verbose

    _FITTED: ClassVar[dict[str, Numbers | History]] = {
        "elbo": Numbers(),
        "elbo_history": History(("pass", "temperature", "elbo")),
        "temperature_history": History(("pass", "temperature")),
    }
    _globals: Globals
    weights_: Floats
    weight_concentration_: tuple[Floats, Floats]
    means_: Floats
    mean_precision_: Floats
    degrees_of_freedom_: Floats
    covariances_: Floats
    precisions_: Floats
    elbo_: float
    converged_: bool
    mean_prior_: Floats
    mean_precision_prior_: float
    degrees_of_freedom_prior_: float
    covariance_prior_: Floats

    # Learning

    @own_numerics
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the mixture from scratch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data; at least two rows.
        y : None
            Ignored.

        Returns
        -------
        DPGaussianMixture
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data are invalid. The estimator then stays unchanged.

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge in `max_iter` iterations.
        """
        self._fit(X)
        return self

    @own_numerics
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

    def _fit(self, X: Any) -> Floats:
        """Fit, and return the responsibilities at T = 1."""
        with unchanged_on_error(self):
            X = self._data(X, reset=True, ensure_min_samples=2)
            config = config_of(check.parameters(self), X)
            offset, prior = X.mean(axis=0), config.prior
            # Coordinates relative to the mean of the data keep rounding errors small.
            centered = replace(prior, mean=prior.mean - offset)
            best = best_run(X - offset, replace(config, prior=centered))
            self._publish(best.found, prior, offset)
            self.elbo_ = best.elbo / len(X)
            self.elbo_history_ = best.history.elbos
            self.temperature_history_ = best.history.temperatures
            self.n_iter_ = len(best.history.rows)
            self.converged_ = best.converged
        if not best.converged:
            warn(
                f"not converged after {self.n_iter_} iterations, the last at a temperature of "
                f"{best.history.rows[-1][1]:g}; raise max_iter or tol, or shorten the schedule",
                ConvergenceWarning,
            )
        return best.phi

    def _publish(self, found: Globals, prior: NormalWishart, offset: Floats) -> None:
        """Set the fitted attributes that follow from q and the prior."""
        self.mean_prior_ = prior.mean[0]
        self.mean_precision_prior_ = float(prior.mean_precision[0])
        self.degrees_of_freedom_prior_ = float(prior.dof[0])
        self.covariance_prior_ = prior.scale[0]
        self._globals, self._prior, self._offset = found, prior, offset
        sticks, components = found.sticks, found.components
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

    def _get_state(self) -> Tree:
        own = {
            "full": isinstance(self._prior, Full),
            "globals": self._globals.get_state(),
            "prior": self._prior.get_state(),
            "offset": self._offset,
            "converged": self.converged_,
        }
        return super()._get_state() | own

    def _set_state(self, tree: Tree) -> None:
        super()._set_state(tree)
        n_features = self.n_features_in_
        with within("full"):
            kind = Full if check.flag("full", tree["full"]) else Diagonal
        with within("globals"):
            found = Globals.of_state(kind, tree["globals"], n_features)
        with within("prior"):
            prior = restored(kind, tree["prior"], n_features, 1)
        offset = checked(tree, {"offset": Numbers("D")}, D=n_features)["offset"]
        with within("converged"):
            self.converged_ = check.flag("converged", tree["converged"])
        self._publish(found, prior, offset)

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
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> Floats:
        """Responsibilities q(z_n) of each row at T = 1, given the learned sticks and components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Rows sum to one.
        """
        return self._responsibilities(X)[0]

    def elbo(self, X: Any) -> float:
        """Evidence lower bound of rows at T = 1, with the learned q of sticks and components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        float
            Nats per datum: the mean of ``log sum_t exp E_q[log p(x_n, z_n = t)]``. It is at most
            `score`.
        """
        return self._responsibilities(X)[1] / len(X)

    @own_numerics
    def score_samples(self, X: Any) -> Floats:
        """Log predictive density of each row, that of a mixture of Student's t distributions.

        That of Blei and Jordan 2006, which has the mean of each weight and density under q.

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
        return logsumexp(self._globals.components.log_predictive(X) + log_weights, axis=1)

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
            Nats per datum; higher is better.
        """
        return float(self.score_samples(X).mean())

    @own_numerics
    def sample(
        self, n_samples: int = 1, *, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Floats, NDArray[np.intp]]:
        """Draw from the predictive density that `score_samples` gives.

        Parameters
        ----------
        n_samples : int, default=1
            Number of draws.
        random_state : int, RandomState or None, default=None
            Seed. None is the `random_state` of the estimator, as in scikit-learn.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The draws; the same at every call if the seed is an int.
        y : ndarray of shape (n_samples,)
            Their components.
        """
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        rng = check.random_state(self.random_state if random_state is None else random_state)
        y = rng.choice(len(self.weights_), size=n_samples, p=self.weights_)
        return self._globals.components.draw(y, rng) + self._offset, y

    @own_numerics
    def _responsibilities(self, X: Any) -> tuple[Floats, float]:
        """Responsibilities of rows at T = 1, and the sum of their bounds."""
        X = self._fitted_data(X)
        return soft_max(self._globals.log_joint(X))

    def _fitted_data(self, X: Any) -> Floats:
        """Validated data, relative to the mean of the training data."""
        check_is_fitted(self)
        return self._data(X, reset=False) - self._offset

    def _data(self, X: Any, **options: Any) -> Floats:
        X = check.data(self, X, order="C", **options)
        check.squarable("X", X)
        return X
