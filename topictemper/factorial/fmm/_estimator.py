"""The factorial mixture model as an estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._numerics import own_numerics
from ..._utils._rollback import unchanged_on_error
from ..._utils._state import Tree
from ..._utils._typing import Flags, Floats
from ..._utils._warnings import warn
from ...persistence._fitted import ABOVE_ZERO, BELOW_ONE, History, Numbers, SaveFittedMixin, checked
from ...persistence._models import savable
from ...tempering._control import QUANTILE_FIELDS
from ...tempering._mixin import TemperingMixin
from ...tempering._modes import Annealing
from ._config import Config, config_of
from ._images import Images
from ._inference import infer_assignments
from ._prediction import density_of_pixels
from ._training import Run, best_run
from ._updates import Assignments, Components, Prior

# Parameters that fitted models keep.
_VARIANCES = {"noise_var": Numbers("", ABOVE_ZERO), "prior_var": Numbers("", ABOVE_ZERO)}


@savable
class FactorialMixture(
    SaveFittedMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    TemperingMixin,
    BaseEstimator,
):
    """Factorial mixture model: each image is a sum of components.

    ``x_n = sum_k z_nk mu_k + noise`` with bits ``z_nk ~ Bernoulli(pi_k)``, components
    ``mu_k ~ N(0, prior_var I)`` and noise of variance `noise_var` in each pixel [1]_. Learned by
    batch mean-field variational inference; tempering helps to avoid its many local optima. NaN
    stands for a missing pixel: the bound is then that of the observed pixels, and exact. There is
    no constant term: unless images are sums of components and nothing else, subtract the mean of
    each pixel first.

    Most fits need only `n_components`, `noise_var`, `tempering` and `random_state`.

    Parameters
    ----------
    n_components : int, default=8
        Number of components, K. An iteration solves a system of K equations in one call of LAPACK,
        which Ctrl-C stops only at its end: its time grows with K cubed, to minutes for 20,000.
    tempering : {"vt", "lvt", "avi", "vi"}, object of `topictemper.tempering` or None, default="vt"
        "vt" or `GlobalTempering`: one learned temperature; "lvt" or `LocalTempering`: one for
        each image; "avi" or `Annealing`: a schedule; None or "vi": T = 1. See Notes.
    pi : float or array-like of shape (n_components,), default=0.3
        Prior probability of each component, in (0, 1). Not learned.
    noise_var, prior_var : float, default=0.1 and 0.35
        Variances (not standard deviations) of the noise and of the components, from 1e-100 to
        1e200. The defaults are for data with a scale of about 1, not for pixels from 0 to 255.
    final_sweeps : int, default=None
        Number of sweeps at T = 1 after the tempered ones. None is 15% of `max_iter`.
    max_iter : int, default=400
        Maximum number of sweeps over the data.
    tol : float, default=1e-6
        Stop when a sweep at T = 1 changes the bound by less than this, in nats per image, and after
        tempering, when q(Z) inferred anew does not raise it either (see Notes). At 0 there are
        always `max_iter` sweeps.
    n_init : int, default=1
        Number of starts; the fit keeps the one with the highest ELBO.
    random_state : int, RandomState or None, default=None
        Seed of the starts.
    n_jobs : int or None, default=None
        Number of threads. None is 1, -1 is all processors. The bits of the result do not depend
        on it.
    verbose : int, default=0
        1: log the iteration, the temperature and the ELBO every few seconds, and after a start,
        with the logger "topictemper".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Posterior means of the components.
    component_variances_ : ndarray of shape (n_components, n_features)
        Posterior variances.
    pi_ : ndarray of shape (n_components,)
        Prior probabilities.
    elbo_ : float
        Evidence lower bound of the training data at T = 1, with the terms of q(mu), in nats per
        image.
    elbo_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", "temperature" and "elbo": the bound after each sweep at its temperature,
        averaged over q(T) where T is learned, in nats per image. It may fall in the first sweep at
        T = 1 after tempered ones, where q(Z) is inferred anew (see Notes).
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", from 0, and "temperature", which is 1 / E[1/T]. With "lvt" also quantiles
        "q05" to "q95" over the temperatures of images, as learned last.
    temperature_ : float
        Temperature of the last tempered sweep; 1 if there is none. If it stays well above 1.1
        with "vt" or "lvt", the residuals are larger than `noise_var`, or the optimum is poor.
    temperatures_ : ndarray of shape (n_temperatures,)
        With "vt" and "lvt" only: the grid of temperatures.
    temperature_responsibilities_ : ndarray of shape (n_temperatures,)
        With "vt" and "lvt" only: q(T) after the tempered sweeps; with "lvt" averaged over images.
    n_iter_ : int
        Number of sweeps of the best start.
    n_features_in_ : int
        Pixels of an image, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    Notes
    -----
    One pass over the data is one sweep. By default,

    - `Annealing` falls exponentially from T0 to 1 over all tempered sweeps. T0 is a fifth of the
      temperature above which all components are the same, ``lambda_max(Cov X) / noise_var``, but
      at least 2.
    - `GlobalTempering` starts there too, and has a grid of 100 temperatures from 1 to T0, with
      evenly spaced logarithms. It learns T from an average of energies, in which a sweep has the
      share ``1 - exp(-1 / inertia)``; `inertia` is a tenth of the tempered sweeps. The average
      starts with the energy that the model expects at T0, so T falls from T0 to the value that the
      images ask for. With ``inertia=0``, as in [1]_, q(T) is uniform in the first sweep, and T
      falls to 1 within ten sweeps. A `schedule` or a `length` sets an upper bound of T, which
      falls from `max_temperature`.
    - `LocalTempering` has a grid of 20 temperatures from 1 to 10, or to twice the variance of a
      pixel divided by `noise_var` if that is higher. q(T) of an image is uniform in the first
      sweep.

    With many pixels, high temperatures can empty components: no image has them. After each tempered
    sweep these start anew, from random assignments.

    When tempering ends, the assignments of images are often poor optima, found while the components
    were different. So in the first sweep at T = 1 after tempered ones, all images get the q(z_n)
    that they would have as new images. This is repeated every 100 sweeps and when the fit has
    converged, and then an image keeps its own q(z_n) unless the new one has a higher bound. Plain
    inference has no such step.

    `transform`, `elbo`, `score` and `predictive_log_likelihood` find q(z_n) by 70 sweeps, annealed
    whatever `tempering` is. There are two courses from `pi`, in which T falls exponentially to 1
    within 20 sweeps. It starts at ``max_k |m_k|^2 / (4 noise_var)``, with the components m_k, but
    at 1e6 at most: above this temperature the bound of an image has a single optimum. The first
    course tempers the likelihood and p(z_n), as training does. The second tempers the likelihood
    alone. Each image keeps the result with the higher bound. Nothing is random, and no image has an
    effect on another.

    References
    ----------
    .. [1] Mandt, McInerney, Abrol, Ranganath and Blei (2016), "Variational Tempering",
       equation 12 and supplement C; after Ghahramani (1995), "Factorial learning and the EM
       algorithm".

    Examples
    --------
    >>> from topictemper.datasets import make_shapes
    >>> from topictemper.factorial import FactorialMixture
    >>> shapes = make_shapes(500, random_state=0)
    >>> model = FactorialMixture(8, random_state=0, max_iter=200).fit(shapes.data)
    >>> model.components_.shape
    (8, 16)
    >>> model.transform(shapes.data[:3]).shape
    (3, 8)
    """

    def __init__(
        self,
        n_components: int = 8,
        *,
        tempering: Literal["vt", "lvt", "avi", "vi"] | Annealing | None = "vt",
        pi: ArrayLike = 0.3,
        noise_var: float = 0.1,
        prior_var: float = 0.35,
        final_sweeps: int | None = None,
        max_iter: int = 400,
        tol: float = 1e-6,
        n_init: int = 1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.pi = pi
        self.noise_var = noise_var
        self.prior_var = prior_var
        self.final_sweeps = final_sweeps
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    __metadata_request__inverse_transform: ClassVar = {"Z": UNUSED}  # it is no metadata
    _FITTED: ClassVar[dict[str, Numbers | History]] = {
        "components": Numbers("KD"),
        "component_variances": Numbers("KD", ABOVE_ZERO),
        "pi": Numbers("K", ABOVE_ZERO, BELOW_ONE),
        "elbo": Numbers(),
        "elbo_history": History(("pass", "temperature", "elbo")),
        "temperature_history": History(("pass", "temperature"), QUANTILE_FIELDS),
        "temperature": Numbers(low=1.0),
        "temperatures": Numbers("M", 1.0, optional=True),
        "temperature_responsibilities": Numbers("M", 0.0, 1.0, optional=True),
    }
    _prior: Prior
    components_: Floats
    component_variances_: Floats
    pi_: Floats
    elbo_: float
    temperature_: float
    temperatures_: Floats
    temperature_responsibilities_: Floats

    # Learning

    @own_numerics
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images in rows; NaN for a missing pixel.
        y : None
            Ignored.

        Returns
        -------
        FactorialMixture
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data are invalid. The estimator then stays unchanged.

        Warns
        -----
        ConvergenceWarning
            If the last sweep was at T > 1, as it may be with ``final_sweeps=0``.
        """
        with unchanged_on_error(self):
            images = Images(self._checked(X, reset=True))
            if not images.observed.any():
                raise ValueError("X has no observed pixel: all values are NaN")
            config = config_of(check.parameters(self), images)
            with Workers(self.n_jobs) as workers:
                self._publish(config, best_run(images, config, workers), len(images.X))
        last = self.temperature_history_["temperature"][-1]
        if last > 1.0:
            warn(
                f"fit ended at the temperature {last:.6g}, not at 1; choose a larger final_sweeps",
                ConvergenceWarning,
            )
        return self

    def _publish(self, config: Config, run: Run, n_images: int) -> None:
        self._prior = config.prior
        self.components_, variances = run.components
        # In the order of a file: sums over another one differ in the last bits.
        self.component_variances_ = np.array(variances, order="C")
        self.pi_ = config.prior.pi
        self.elbo_ = run.elbo / n_images
        self.elbo_history_ = run.history.elbos
        self.temperature_history_ = run.temperature_history
        self.temperature_ = run.temperature
        self.n_iter_ = len(run.history.rows)
        for name, value in (
            ("temperatures_", config.temperatures),
            ("temperature_responsibilities_", run.responsibilities),
        ):
            self.__dict__.pop(name, None)
            if value is not None:
                setattr(self, name, value)

    def _get_state(self) -> Tree:
        prior = self._prior
        return super()._get_state() | {name: getattr(prior, name) for name in _VARIANCES}

    def _set_state(self, tree: Tree) -> None:
        super()._set_state(tree)
        self._prior = Prior(self.pi_, **checked(tree, _VARIANCES))

    # Using the components

    @own_numerics
    def transform(self, X: Any) -> Floats:
        """Probability of each component in each image, by annealed inference.

        See Notes of the class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            nu, each in [0, 1]. Rows do not sum to one.
        """
        return np.ascontiguousarray(self._inferred(self._fitted_images(X)).nu.T)

    @own_numerics
    def inverse_transform(self, Z: ArrayLike) -> Floats:
        """Images without noise, ``Z components_``.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Bits or probabilities.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return check.units("Z", Z, self._n_features_out) @ self.components_

    @own_numerics
    def elbo(self, X: Any) -> float:
        """Evidence lower bound of images at T = 1, with the learned q(mu).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel.

        Returns
        -------
        float
            Nats per image: the mean of ``E_q log p(x_n, z_n | mu) + H(q(z_n))``, with q(z_n) by
            annealed inference (see Notes of the class).
        """
        images = self._fitted_images(X)
        result = self._inferred(images)
        bounds = result.energies + self._prior.log_scale(images.observed) + result.entropies
        return float(bounds.mean())

    def score(self, X: Any, y: Any = None) -> float:
        """Evidence lower bound of images, as `elbo`; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats per image.
        """
        return self.elbo(X)

    @own_numerics
    def predictive_log_likelihood(self, X: Any, mask: ArrayLike) -> float:
        """Log density of some pixels of images, given the others.

        q(z_n) is found on the observed pixels without mask, by annealed inference (see Notes of the
        class); a pixel with mask then has mean ``sum_k nu_nk m_kd`` and variance
        ``noise_var + sum_k [nu_nk (1 - nu_nk) m_kd^2 + nu_nk v_kd]``, as if Gaussian.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel, which is neither given nor predicted.
        mask : array-like of bool, of shape (n_samples, n_features) or (n_features,)
            True for a pixel to predict.

        Returns
        -------
        float
            Nats per predicted pixel; higher is better.

        Raises
        ------
        ValueError
            If the mask has the wrong shape or type, or leaves nothing to predict.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        hidden = np.asarray(mask)
        if hidden.dtype != np.bool_:
            raise ValueError(f"mask must be boolean, got an array of {hidden.dtype}")
        if hidden.shape not in (X.shape, X.shape[1:]):
            raise ValueError(
                f"mask must have shape {X.shape} or {X.shape[1:]}, as X has, got {hidden.shape}"
            )
        targets = hidden & ~np.isnan(X)
        if not targets.any():
            raise ValueError(
                "mask must be True for at least one observed pixel of X, or nothing is predicted"
            )
        nu = self._inferred(Images(np.where(hidden, np.nan, X))).nu
        return density_of_pixels(X, targets, nu, self._q, self._prior.noise_var)

    @own_numerics
    def sample(
        self, n_samples: int = 1, *, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Floats, Flags]:
        """Draw images from the model, with components at their posterior means.

        Parameters
        ----------
        n_samples : int, default=1
            Number of images.
        random_state : int, RandomState or None, default=None
            Seed. None is the `random_state` of the estimator, as in scikit-learn.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Images; the same at every call if the seed is an int.
        Z : ndarray of shape (n_samples, n_components), bool
            The components in each.
        """
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        random = check.random_state(self.random_state if random_state is None else random_state)
        Z = random.random_sample((n_samples, len(self.pi_))) < self.pi_
        X = Z @ self.components_
        X += random.normal(scale=np.sqrt(self._prior.noise_var), size=X.shape)
        return X, Z

    @property
    def _q(self) -> Components:
        return Components(self.components_, self.component_variances_)

    def _inferred(self, images: Images) -> Assignments:
        with Workers(self.n_jobs) as workers:
            return infer_assignments(images, self._prior, self._q, workers)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Floats:
        values = check.data(self, X, missing=True, reset=reset)
        check.squarable("X", values)
        return values

    def _fitted_images(self, X: Any) -> Images:
        check_is_fitted(self)
        return Images(self._checked(X, reset=False))
