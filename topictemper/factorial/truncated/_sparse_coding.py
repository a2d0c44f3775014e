"""BinarySparseCoding: sparse coding with binary causes, by truncated variational sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lstsq

from ..._core import _truncated as kernels
from ..._core._workers import Workers
from ..._utils import _validation as check
from ...tempering import Schedule
from ._e_step import Floats, Prior, StateSets, chunks
from ._estimator import LOWEST_PI, TruncatedModel

# Of the mean square of the data: where they fit exactly, sigma would run to 0, F to infinity.
_LOWEST_VARIANCE = 1e-9
# Sums of squares of this stay finite.
_LARGEST = 1e100


@dataclass(frozen=True)
class GaussianJoint:
    """``p(s, y) = prod_h pi^s_h (1 - pi)^(1 - s_h) N(y; W^T s, sigma^2 I)``; paper, eq. 6.

    ``W`` has shape (H, D): its rows are the components.
    """

    W: Floats
    variance: float
    pi: float

    @property
    def n_units(self) -> int:
        """H."""
        return len(self.W)

    @property
    def prior(self) -> Prior:
        """All units alike."""
        return Prior(np.full(self.n_units, self.pi))

    def fields(self, Y: Floats) -> Floats:
        """(n, H): W y / sigma^2 - |W_h|^2 / (2 sigma^2) + logit pi."""
        squares = np.einsum("hd,hd->h", self.W, self.W)
        fields = Y @ self.W.T
        fields -= 0.5 * squares
        fields /= self.variance
        fields += self.prior.log_odds
        return fields

    def constants(self, Y: Floats) -> Floats:
        """(n,): log-joint of the empty state."""
        normaliser = -0.5 * Y.shape[1] * np.log(2 * np.pi * self.variance) + self.prior.log_empty
        return normaliser - np.einsum("nd,nd->n", Y, Y) / (2 * self.variance)

    def penalties(self, states: Floats) -> Floats:
        """(m,): couplings of pairs of units."""
        couplings = self._couplings()
        np.fill_diagonal(couplings, 0.0)
        return 0.5 * np.einsum("mh,mh->m", states @ couplings, states)

    def _couplings(self) -> Floats:
        return self.W @ self.W.T / self.variance

    def kernel_arguments(
        self, n_data: int, n_states: int
    ) -> tuple[Callable[..., None], Floats, Floats]:
        """E-step kernel, couplings, room for E[s s^T] of every block."""
        n_blocks = -(-n_data // kernels.row_block)
        room = np.empty((n_blocks, self.n_units, self.n_units))
        return kernels.gaussian_estep, self._couplings(), room


class Statistics:
    """Sums over data that the M-step needs, of shapes (H, D) and (H, H), and their number."""

    def __init__(self, n_units: int, n_features: int) -> None:
        self.sy = np.zeros((n_units, n_features))
        self.ss = np.zeros((n_units, n_units))
        self.yy, self.free_energy, self.n_data = 0.0, 0.0, 0

    def add(self, Y: Floats, free_energy: Floats, means: Floats, second: Floats) -> None:
        """Add data; ``second`` holds lower triangles by blocks."""
        lower = second.sum(axis=0)  # block by block, in order
        self.ss += np.tril(lower) + np.tril(lower, -1).T
        self.sy += means.T @ Y
        self.yy += float(np.einsum("nd,nd->", Y, Y))
        self.free_energy += float(free_energy.sum())
        self.n_data += len(Y)


class BinarySparseCoding(TruncatedModel):
    """Binary sparse coding by truncated variational sampling.

    A datum is a sum of components, each of which is there or not, plus Gaussian noise. Posteriors
    are truncated to a set of states for every datum; samples from the prior and from approximate
    marginals improve the sets in every E-step, and the free energy never falls [1]_.

    Parameters
    ----------
    n_components : int, default=100
        Number of components, H.
    n_states : int, default=64
        States kept for a datum, S. At most 2^H are kept, and the E-step is then exact.
    n_prior_samples : int, default=32
        States drawn from the prior for a datum in each E-step.
    n_marginal_samples : int, default=32
        States drawn from the marginals under the datum's states, which are its own.
    max_iter : int, default=200
        Iterations of E-step and M-step.
    learn_components, learn_sigma, learn_pi : bool, default=True
        Whether the M-step changes these parameters.
    components_init : array-like of shape (n_components, n_features), optional
        Components to start with. By default the mean of the data plus Gaussian noise of a
        quarter of sigma.
    sigma_init : float, optional
        Standard deviation of the noise to start with, by default the mean of those of the
        features.
    pi_init : float, optional
        Probability of a component to start with, by default 1/H, but at most 1/2.
    sampler_schedule : tuple of (int, int), optional
        (hold, end): up to iteration hold all samples are from the prior, then their numbers
        change linearly, and from iteration end on they are as given above. The paper has (100,
        200) for natural images, with `n_prior_samples=0`.
    schedule : Schedule or callable, optional
        Temperature of each iteration, counted from 0, for the posteriors in the E-step; by
        default 1 throughout. sigma and pi stay as they are while T > 1. A gentle course,
        such as from 3 in 30 iterations, helps a little on bars; a hot one does harm.
    n_inference_iter : int, default=30
        E-steps for new data.
    random_state : int, RandomState or None, default=None
        Seed of everything that is drawn. The same seed gives the same bits with one
        instruction set (`topictemper.set_isa`).
    n_jobs : int, default=None
        Threads. None is 1, -1 is all processors. Results have the same bits for any number.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        W.
    sigma_ : float
        Standard deviation of the noise.
    pi_ : float
        Probability of a component to be there.
    free_energy_history_ : ndarray of shape (max_iter,)
        Free energy after each E-step, at T = 1, nats a datum.
    sigma_history_, pi_history_ : ndarray of shape (max_iter,)
        The parameters of each of these E-steps.
    n_iter_ : int
        Iterations made.
    n_features_in_ : int
        Dimension of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    See Also
    --------
    SigmoidBeliefNetwork : the same for binary data.

    References
    ----------
    .. [1] Lücke, Dai, Exarchakis (2018). Truncated Variational Sampling for "Black Box"
       Optimization of Generative Models. Its eq. 7 lacks the 1/H in the update of pi.

    Examples
    --------
    >>> from topictemper.datasets import make_bars
    >>> from topictemper.factorial import BinarySparseCoding
    >>> bars = make_bars(n_samples=500, random_state=0)
    >>> model = BinarySparseCoding(10, max_iter=50, random_state=0).fit(bars.data)
    >>> model.transform(bars.data).shape
    (500, 10)
    >>> model.score(bars.data) < model.exact_log_likelihood(bars.data)
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        n_states: int = 64,
        n_prior_samples: int = 32,
        n_marginal_samples: int = 32,
        max_iter: int = 200,
        learn_components: bool = True,
        learn_sigma: bool = True,
        learn_pi: bool = True,
        components_init: ArrayLike | None = None,
        sigma_init: float | None = None,
        pi_init: float | None = None,
        sampler_schedule: tuple[int, int] | None = None,
        schedule: Schedule | Callable[[float], float] | None = None,
        n_inference_iter: int = 30,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_states = n_states
        self.n_prior_samples = n_prior_samples
        self.n_marginal_samples = n_marginal_samples
        self.max_iter = max_iter
        self.learn_components = learn_components
        self.learn_sigma = learn_sigma
        self.learn_pi = learn_pi
        self.components_init = components_init
        self.sigma_init = sigma_init
        self.pi_init = pi_init
        self.sampler_schedule = sampler_schedule
        self.schedule = schedule
        self.n_inference_iter = n_inference_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _checked(self, X: Any, *, reset: bool = False) -> Floats:
        Y = super()._checked(X, reset=reset)
        if np.abs(Y).max() > _LARGEST:
            raise ValueError(f"X has values too large to be squared: scale it to {_LARGEST:g}")
        return Y

    def _learn(self, Y: Floats, random_state: RandomState, workers: Workers) -> None:
        max_iter = check.integer("max_iter", self.max_iter, 1)
        check.integer("n_inference_iter", self.n_inference_iter, 1)
        n_states, samplers, temperatures = (
            self._n_states(),
            self._sampler_schedule(),
            self._temperatures(),
        )
        learn = (
            check.flag("learn_components", self.learn_components),
            check.flag("learn_sigma", self.learn_sigma),
            check.flag("learn_pi", self.learn_pi),
        )
        joint = self._start(Y, random_state)
        keys = np.arange(len(Y), dtype=np.uint64)
        sets = StateSets(keys, n_states, joint.prior, self._seed(random_state), workers)
        history = np.empty((3, max_iter))
        for iteration in range(max_iter):
            temperature = temperatures.temperature(iteration)
            sums = Statistics(*joint.W.shape)
            for rows in chunks(0, len(Y)):
                local = sets.update(
                    rows,
                    joint,
                    Y[rows],
                    iteration,
                    samplers.samples(iteration),
                    workers,
                    inverse_temperature=1.0 / temperature,
                )
                sums.add(Y[rows], *local)
            history[:, iteration] = sums.free_energy / len(Y), joint.variance**0.5, joint.pi
            hot = temperature > 1.0
            joint = maximised(joint, sums, learn[0], learn[1] and not hot, learn[2] and not hot)
        self.components_, self.sigma_, self.pi_ = joint.W, joint.variance**0.5, joint.pi
        self.free_energy_history_, self.sigma_history_, self.pi_history_ = history
        self.n_iter_ = max_iter

    def _start(self, Y: Floats, random_state: RandomState) -> GaussianJoint:
        """Parameters to start with, as in the paper where they are not given."""
        n_units = check.integer("n_components", self.n_components, 1)
        if self.sigma_init is None:
            sigma = float(Y.std(axis=0).mean()) or 1.0
        else:
            sigma = check.number("sigma_init", self.sigma_init, 0.0, boundaries="neither")
        if self.pi_init is None:
            pi = min(1.0 / n_units, 0.5)
        else:
            pi = check.number("pi_init", self.pi_init, 0.0, 1.0, boundaries="neither")
        shape = (n_units, Y.shape[1])
        if self.components_init is None:
            W = Y.mean(axis=0) + random_state.normal(scale=sigma / 4, size=shape)
        else:
            W = np.array(self.components_init, dtype=np.float64, order="C")
            if W.shape != shape or not np.isfinite(W).all():
                raise ValueError(
                    f"components_init must be finite, of shape {shape} (n_components, "
                    f"n_features), got shape {W.shape}"
                )
        return GaussianJoint(W, sigma**2, float(np.clip(pi, LOWEST_PI, 1 - LOWEST_PI)))

    def inverse_transform(self, S: ArrayLike) -> Floats:
        """Noise-free data of states, or the mean of data under means of states.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_components)
            States or means of the units.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            ``S @ components_``.
        """
        return self._checked_units(S) @ self.components_

    def sample(
        self, n_samples: int = 1, *, random_state: int | RandomState | None = None
    ) -> tuple[Floats, NDArray[np.uint8]]:
        """Draw data from the model.

        Parameters
        ----------
        n_samples : int, default=1
            Number of data.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Data.
        S : ndarray of shape (n_samples, n_components), uint8
            The states that they were drawn from.
        """
        states, rng = self._draw_states(n_samples, random_state)
        noise = rng.normal(scale=self.sigma_, size=(len(states), self.components_.shape[1]))
        return states @ self.components_ + noise, states

    def _fitted_joint(self) -> GaussianJoint:
        return GaussianJoint(self.components_, self.sigma_**2, self.pi_)


def maximised(
    joint: GaussianJoint,
    sums: Statistics,
    learn_components: bool,
    learn_sigma: bool,
    learn_pi: bool,
) -> GaussianJoint:
    """The M-step (paper, eqs. 7 and 8, with the 1/H that eq. 7 lacks)."""
    n_units, n_features = sums.sy.shape
    if learn_components:
        # The smallest change to a maximum: a component that no state has stays as it is.
        change: Any = lstsq(sums.ss, sums.sy - sums.ss @ joint.W, check_finite=False)[0]
        joint = replace(joint, W=joint.W + change)
    if learn_sigma:
        squares = sums.yy - 2 * np.vdot(joint.W, sums.sy) + np.vdot(sums.ss, joint.W @ joint.W.T)
        scale = (sums.yy or 1.0) / (sums.n_data * n_features)
        variance = max(float(squares) / (sums.n_data * n_features), _LOWEST_VARIANCE * scale)
        joint = replace(joint, variance=variance)
    if learn_pi:
        pi = float(np.trace(sums.ss)) / (sums.n_data * n_units)
        joint = replace(joint, pi=min(max(pi, LOWEST_PI), 1 - LOWEST_PI))
    return joint
