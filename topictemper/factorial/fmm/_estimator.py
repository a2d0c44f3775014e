"""The factorial mixture model as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._typing import Floats
from ...tempering import Schedule
from ._config import new_prior, new_thermostat
from ._images import Images
from ._prediction import density_of_pixels
from ._training import Run, ascend, infer
from ._updates import Components, Prior


class FactorialMixture(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Factorial mixture model: images as sums of components, each of which is there or not.

    ``x_n = sum_k z_nk mu_k + noise`` with bits ``z_nk ~ Bernoulli(pi_k)``, components
    ``mu_k ~ N(0, prior_var I)`` and noise of variance `noise_var` in each pixel [1]_. Learned by
    batch mean-field variational inference, whose many local optima tempering helps to avoid. NaN
    stands for a missing pixel: what is learned is the exact posterior bound of what is observed.

    Parameters
    ----------
    n_components : int, default=8
        Number of components, K.
    tempering : {"vt", "lvt", "avi", "vi"}, default="vt"
        "vt": one learned temperature; "lvt": one for each image; "avi": a schedule; "vi": none.
    pi : float or array-like of shape (n_components,), default=0.3
        Prior probability of each component, in (0, 1). Not learned.
    noise_var, prior_var : float, default=0.1 and 0.35
        Variances (not standard deviations) of the noise and of the components, > 0.
    schedule : Schedule or callable, optional
        Only for "avi": temperature over sweeps. By default exponential from T0 to 1 over all
        sweeps but the final ones. T0 is 1.2 times the temperature above which all components
        are the same, ``lambda_max(Cov X) / noise_var``, but at least 2; and 2 where there are more
        than 10 components, for which hot starts do harm.
    temperatures : array-like of shape (n_temperatures,), optional
        Only for "vt" and "lvt": temperatures >= 1 that are possible. By default 100 ("lvt": 20)
        between 1 and 10, or twice the variance of a pixel over `noise_var` if that is higher;
        evenly spaced logarithms.
    temperature_step : float, default=0.03
        Only for "vt": share of each sweep in the averaged energy from which the temperature is
        learned, in (0, 1]. At 1 the temperature falls to its end within ten sweeps, which is a
        quench. 0.1 suits short runs.
    final_sweeps : int, default=60
        The last of `max_iter` sweeps are at exactly T = 1.
    max_iter : int, default=400
        Most sweeps over the data.
    tol : float, default=1e-6
        Stop when a sweep at T = 1 raises the bound by less than this, in nats an image. Never
        while T > 1; never if 0.
    n_init : int, default=1
        Fits from different starts, of which the one with the highest bound is kept.
    random_state : int, RandomState or None, default=None
        Source of the starts.
    n_jobs : int or None, default=None
        Threads of the sweep; None is 1, -1 all processors. Results have the same bits for any.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Posterior means of the components.
    component_variances_ : ndarray of shape (n_components, n_features)
        Posterior variances.
    pi_ : ndarray of shape (n_components,)
        Prior probabilities.
    elbo_ : float
        Evidence lower bound of all data at T = 1, in nats.
    elbo_history_ : ndarray of shape (`n_iter_`,)
        It after every sweep.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The bound that the sweep climbed: annealed or tempered, then that at T = 1.
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        ``pass`` and ``temperature`` (1 / E[1/T], averaged over images) of every sweep; with "lvt"
        also quantiles ``q05`` to ``q95`` of what images ask for, as learned last.
    temperature_ : float
        The temperature of the last tempered sweep; 1 if there was none. Well over 1.05 with "vt"
        or "lvt": the residuals are larger than `noise_var`, or the optimum is poor.
    temperatures_ : ndarray of shape (n_temperatures,)
        With "vt" and "lvt" only: the temperatures that were possible.
    temperature_responsibilities_ : ndarray of shape (n_temperatures,)
        With "vt" and "lvt" only: q(T) after the tempered sweeps; with "lvt" averaged over images.
    n_iter_ : int
        Sweeps of the fit that was kept.

    References
    ----------
    .. [1] Mandt, McInerney, Abrol, Ranganath and Blei (2016), "Variational Tempering",
       section 4.2 and supplement C; after Ghahramani (1995), "Factorial learning and the EM
       algorithm".

    Examples
    --------
    >>> from topictemper.datasets import make_shapes
    >>> from topictemper.factorial import FactorialMixture
    >>> shapes = make_shapes(500, random_state=0)
    >>> model = FactorialMixture(8, random_state=0, max_iter=200).fit(shapes.X)
    >>> model.components_.shape
    (8, 16)
    >>> model.transform(shapes.X[:3]).shape
    (3, 8)
    """

    def __init__(
        self,
        n_components: int = 8,
        *,
        tempering: Literal["vt", "lvt", "avi", "vi"] = "vt",
        pi: ArrayLike = 0.3,
        noise_var: float = 0.1,
        prior_var: float = 0.35,
        schedule: Schedule | Callable[[float], float] | None = None,
        temperatures: ArrayLike | None = None,
        temperature_step: float = 0.03,
        final_sweeps: int = 60,
        max_iter: int = 400,
        tol: float = 1e-6,
        n_init: int = 1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.pi = pi
        self.noise_var = noise_var
        self.prior_var = prior_var
        self.schedule = schedule
        self.temperatures = temperatures
        self.temperature_step = temperature_step
        self.final_sweeps = final_sweeps
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    _prior: Prior

    # Learning

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
            If a parameter or the data make no sense. The estimator is then as it was before.
        """
        with check.unchanged_on_error(self):
            images = self._images(X, reset=True)
            if not images.observed.any():
                raise ValueError("X has no observed pixel: all values are NaN")
            prior = new_prior(self, images.X.shape[1])
            max_iter = check.integer("max_iter", self.max_iter, 1)
            final = check.integer("final_sweeps", self.final_sweeps, 0)
            tol = check.number("tol", self.tol, 0.0) * len(images.X)
            n_init = check.integer("n_init", self.n_init, 1)
            random_state = check.random_state(self.random_state)
            n_tempered = max(0, max_iter - final)
            temperatures, start = new_thermostat(self, images, prior, n_tempered)
            best: Run | None = None
            with Workers(self.n_jobs) as workers:
                for _ in range(n_init):
                    run = ascend(
                        images,
                        prior,
                        random_state.random_sample((len(prior.pi), len(images.X))),
                        start(),
                        max_iter=max_iter,
                        n_tempered=n_tempered,
                        tol=tol,
                        workers=workers,
                    )
                    if best is None or run.elbo > best.elbo:
                        best = run
            assert best is not None
            self._publish(prior, best, temperatures)
        return self

    def _publish(self, prior: Prior, run: Run, temperatures: Floats | None) -> None:
        self._prior = prior
        self.components_, variances = run.components
        self.component_variances_ = np.array(variances)
        self.pi_ = prior.pi
        self.elbo_ = run.elbo
        self.elbo_history_ = run.elbo_history
        self.objective_history_ = run.objective_history
        self.temperature_history_ = run.temperature_history
        self.temperature_ = run.temperature
        self.n_iter_ = len(run.elbo_history)
        for name, value in (
            ("temperatures_", temperatures),
            ("temperature_responsibilities_", run.responsibilities),
        ):
            if value is not None:
                setattr(self, name, value)
            elif hasattr(self, name):
                delattr(self, name)

    # Using the components

    def transform(self, X: Any) -> Floats:
        """Probabilities that components are in images, by 50 sweeps at T = 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            nu, each in [0, 1]. Rows do not sum to one.
        """
        images = self._fitted_images(X)
        with Workers(self.n_jobs) as workers:
            nu = infer(images, self._prior, self._q, workers).nu
        return np.ascontiguousarray(nu.T)

    def inverse_transform(self, Z: ArrayLike) -> Floats:
        """Images without noise that components make, ``Z components_``.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Bits or probabilities.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        bits: Floats = check_array(Z, dtype=np.float64, input_name="Z")
        if bits.shape[1] != len(self.components_):
            raise ValueError(
                f"Z must have {len(self.components_)} columns, one for each component, "
                f"got {bits.shape[1]}"
            )
        return bits @ self.components_

    def score(self, X: Any, y: Any = None) -> float:
        """Evidence lower bound of images at T = 1, with the learned q(mu).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats an image: the mean of ``E_q log p(x_n, z_n | mu) + H(q(z_n))``, with q(z_n) by 50
            sweeps. Higher is better.
        """
        images = self._fitted_images(X)
        with Workers(self.n_jobs) as workers:
            result = infer(images, self._prior, self._q, workers)
        bounds = result.energies + self._prior.log_scale(images.observed) + result.entropies
        return float(bounds.mean())

    def predictive_log_likelihood(self, X: Any, mask: ArrayLike) -> float:
        """Log density of some pixels of images, given the others.

        q(z_n) is found on the observed pixels without mask by 50 sweeps at T = 1; a pixel with mask
        then has mean ``sum_k nu_nk m_kd`` and variance
        ``noise_var + sum_k [nu_nk (1 - nu_nk) m_kd^2 + nu_nk v_kd]``, as if Gaussian.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images; NaN for a missing pixel, which is neither given nor predicted.
        mask : array-like of bool, of shape (n_samples, n_features) or (n_features,)
            True for a pixel that is to be predicted.

        Returns
        -------
        float
            Nats a predicted pixel; higher is better.

        Raises
        ------
        ValueError
            If the mask has the wrong shape or type, or leaves nothing to predict.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        hidden = np.asarray(mask)
        if hidden.dtype != np.bool_:
            raise ValueError(f"mask must be of bool, got an array of {hidden.dtype}")
        if hidden.shape not in (X.shape, X.shape[1:]):
            raise ValueError(
                f"mask must have shape {X.shape} or {X.shape[1:]}, as X has, got {hidden.shape}"
            )
        targets = hidden & ~np.isnan(X)
        if not targets.any():
            raise ValueError(
                "mask must be True for an observed pixel of X, or nothing is predicted"
            )
        given = Images(np.where(hidden, np.nan, X))
        with Workers(self.n_jobs) as workers:
            nu = infer(given, self._prior, self._q, workers).nu
        return density_of_pixels(X, targets, nu, self._q, self._prior.noise_var)

    def sample(
        self, n_samples: int = 1, *, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Draw images from the model, with components at their posterior means.

        Parameters
        ----------
        n_samples : int, default=1
            Number of images.
        random_state : int, RandomState or None, default=None
            Pass an int for the same images at every call.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Images.
        Z : ndarray of shape (n_samples, n_components), bool
            The components in each.
        """
        check_is_fitted(self)
        n_samples = check.integer("n_samples", n_samples, 1)
        random = check.random_state(random_state)
        Z = random.random_sample((n_samples, len(self.pi_))) < self.pi_
        X = Z @ self.components_
        X += random.normal(scale=np.sqrt(self._prior.noise_var), size=X.shape)
        return X, Z

    @property
    def _q(self) -> Components:
        return Components(self.components_, self.component_variances_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Floats:
        checked: Floats = validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        return checked

    def _images(self, X: Any, *, reset: bool) -> Images:
        return Images(self._checked(X, reset=reset))

    def _fitted_images(self, X: Any) -> Images:
        check_is_fitted(self)
        return self._images(X, reset=False)
