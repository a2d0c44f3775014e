"""BinarySparseCoding: sparse coding with binary causes, by truncated variational sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lstsq

from ..._core import _truncated as kernels
from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._numerics import own_numerics
from ..._utils._typing import Floats, Reals
from ...persistence._fitted import ABOVE_ZERO, BELOW_ONE, Numbers
from ...persistence._models import savable
from ...tempering._history import ElboHistory
from ...tempering._modes import Annealing
from ._ascents import pairwise_maxima
from ._config import LOWEST_PI, LOWEST_VARIANCE, SparseCodingConfig, sparse_coding_config
from ._e_step import EStep, StateSets, UnitPrior, row_chunks, row_parts
from ._estimator import TruncatedModel

# Ascents of a datum: with eight, gaps of patches are larger (docs/guide/measured/truncated.rst,
# "Starts of new data").
_N_ASCENTS = 16
# Larger values have infinite sums of squares.
_LARGEST = {"float64": check.LARGEST, "float32": 1e15}


@dataclass(frozen=True)
class GaussianJoint:
    """``p(s, y) = prod_h pi^s_h (1 - pi)^(1 - s_h) N(y; W^T s, sigma^2 I)``; TVS eq. 6.

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
    def prior(self) -> UnitPrior:
        """The same probability for all units."""
        return UnitPrior(np.full(self.n_units, self.pi))

    def fields(self, Y: Reals) -> Reals:
        """(n, H): W y / sigma^2 - |W_h|^2 / (2 sigma^2) + logit pi, in the precision of Y."""
        slopes, offsets = self._linear_terms
        # A field that is not finite is an error in the E-step.
        with np.errstate(over="ignore", invalid="ignore"):
            fields: Reals = Y @ slopes.astype(Y.dtype, copy=False).T
            fields += offsets.astype(Y.dtype, copy=False)
        return fields

    @cached_property
    def _linear_terms(self) -> tuple[Floats, Floats]:
        """What fields are made of: (H, D) and (H,)."""
        squares = np.einsum("hd,hd->h", self.W, self.W)
        return self.W / self.variance, self.prior.log_odds - 0.5 * squares / self.variance

    def constants(self, Y: Reals) -> Floats:
        """(n,): log-joint of the empty state."""
        return self.constants_of(_squares(Y), Y.shape[1])

    def constants_of(self, squares: Floats, n_features: int) -> Floats:
        """The same, from the sums of squares of the data."""
        normalizer = -0.5 * n_features * np.log(2 * np.pi * self.variance) + self.prior.log_empty
        return normalizer - squares / (2 * self.variance)

    def penalties(self, states: Floats) -> Floats:
        """(m,): couplings of pairs of units."""
        return 0.5 * np.einsum("mh,mh->m", states @ self._couplings, states)

    @cached_property
    def _couplings(self) -> Floats:
        """(H, H): those of pairs; the diagonal is 0."""
        couplings: Floats = self.W @ self.W.T / self.variance
        np.fill_diagonal(couplings, 0.0)
        return couplings

    def local_maxima(self, Y: Reals, most: int) -> NDArray[np.bool_]:
        """(n, m, H): where ascents end; those of pairs are exact."""
        fields, couplings = self.fields(Y), self._couplings
        return pairwise_maxima(
            fields.astype(np.float32),
            couplings.astype(np.float32),
            min(_N_ASCENTS, self.n_units, most),
        )

    def kernel_arguments(
        self, n_data: int, n_states: int
    ) -> tuple[Callable[..., None], Floats, Floats]:
        """E-step kernel, couplings, buffer for E[s s^T] of every block (lower triangles)."""
        n_blocks, n_pairs = -(-n_data // kernels.row_block), self.n_units * (self.n_units + 1) // 2
        return kernels.gaussian_estep, self._couplings, np.empty((n_blocks, n_pairs))


def _squares(Y: Reals) -> Floats:
    """(n,): |y|^2 in double precision."""
    return np.einsum("nd,nd->n", Y, Y, dtype=np.float64)


class Statistics:
    """Sums over data for the M-step, of shapes (H, D) and (H, H), and the number of data."""

    def __init__(self, n_units: int, n_features: int) -> None:
        self.sy = np.zeros((n_units, n_features))
        self._lower = np.zeros(n_units * (n_units + 1) // 2)
        self.yy, self.elbo, self.n_data = 0.0, 0.0, 0
        self.lowest_variance = 0.0  # as a share of the mean square of the data

    def add(self, Y: Reals, squares: Floats, local: EStep, workers: Workers) -> None:
        """Add data; the E-step's ``extra`` holds the lower triangle of E[s s^T] for each block."""
        self._lower += local.extra.sum(axis=0)  # block by block, in order
        parts = row_parts(len(Y))
        sums: list[Any] = [None] * len(parts)

        def multiply(i: int) -> None:
            sums[i] = local.means[parts[i]].astype(Y.dtype, copy=False).T @ Y[parts[i]]

        workers.spread(multiply, range(len(parts)))
        for sy in sums:
            self.sy += sy
        self.yy += float(squares.sum())
        self.elbo += float(local.elbo.sum())
        self.n_data += len(Y)
        self.lowest_variance = LOWEST_VARIANCE[Y.dtype.name]

    @property
    def ss(self) -> Floats:
        """Sum of E[s s^T]."""
        sums = np.zeros((len(self.sy), len(self.sy)))
        rows, columns = np.tril_indices(len(self.sy))
        sums[rows, columns] = sums[columns, rows] = self._lower
        return sums


@savable
class BinarySparseCoding(TruncatedModel):
    """Binary sparse coding by truncated variational sampling.

    A datum is a sum of components, each of which is present or absent, plus Gaussian noise. The
    posterior of a datum is truncated to a set of states. Samples from the prior and from
    approximate marginals improve the sets in every E-step, and at T = 1 the bound never falls [1]_.
    There is no constant term: unless the data are sums of components and nothing else, subtract the
    mean of each feature first.

    Parameters
    ----------
    n_components : int, default=100
        Number of components, H.
    tempering : {"avi", "vi"}, Annealing or None, default="avi"
        "avi" or `Annealing`: a schedule in iterations. None or "vi": T = 1. By default T falls
        linearly from 3 to 1 over the first 30% of `max_iter` iterations. sigma and pi are
        learned once T = 1.
    n_states : int, default=64
        States kept for a datum, S. With 2^H states or more the E-step is exact.
    n_prior_samples : int, default=32
        States drawn from the prior for a datum in each E-step.
    n_marginal_samples : int, default=32
        States drawn for a datum from the marginals under its own states, in each E-step. A draw
        that is among its states already is changed while T = 1, a random unit at a time, until it
        is new.
    max_iter : int, default=200
        Iterations of E-step and M-step.
    learn_components, learn_sigma, learn_pi : bool, default=True
        Whether the M-step updates these parameters.
    components_init : array-like of shape (n_components, n_features), default=None
        Initial components. None is the mean of the data plus Gaussian noise with a quarter of
        the initial sigma.
    sigma_init : float, default=None
        Initial standard deviation of the noise. None is the mean over the features' standard
        deviations, but not below the lowest `sigma_` that is learned.
    pi_init : float, default=None
        Initial probability of a component, from 1e-4 to 1 - 1e-4. None is 1/H, but at least 1e-4
        and at most 1/2.
    sampler_schedule : tuple of (int, int), default=None
        (hold, end): before iteration hold all samples are from the prior. Then the numbers of
        samples from the prior and from the marginals change linearly, and from iteration end
        they are as given above. The paper has (100, 200) for natural images, with
        `n_prior_samples=0`.
    n_inference_iter : int, default=30
        E-steps for new data. They start from draws of the prior and, for each datum, from up to
        16 local maxima of the log-joint.
    dtype : {"float64", "float32"}, default="float64"
        How data are kept and multiplied. "float32" takes half the memory, and less time where
        there are many features. Sums over states and over data are of double precision.
    random_state : int, RandomState or None, default=None
        Seed of all random numbers. The same seed gives the same bits with one instruction set
        (`topictemper.set_isa`).
    n_jobs : int, default=None
        Number of threads. None is 1, -1 is all processors. The bits of the result do not depend
        on it.
    verbose : int, default=0
        1: log the iteration, the temperature and the ELBO every few seconds, and at the end,
        with the logger "topictemper".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The components, which are the columns of W in [1]_.
    sigma_ : float
        Standard deviation of the noise. If learned, it is at least 3e-5 of the root mean square of
        the data, and 1e-3 with float32.
    pi_ : float
        Probability of a component. If learned, it stays between 1e-4 and 1 - 1e-4.
    elbo_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", "temperature" and "elbo": the bound after each E-step at its temperature,
        in nats per datum.
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", from 0, and "temperature".
    sigma_history_, pi_history_ : ndarray of shape (`n_iter_`,)
        The parameters of each of these E-steps.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Dimension of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    See Also
    --------
    SigmoidBeliefNetwork : The same for binary data.

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
    >>> abs(model.score(bars.data) - model.exact_log_likelihood(bars.data)) < 0.1
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        tempering: Literal["avi", "vi"] | Annealing | None = "avi",
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
        n_inference_iter: int = 30,
        dtype: Literal["float64", "float32"] = "float64",
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
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
        self.n_inference_iter = n_inference_iter
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    sigma_: float
    pi_: float
    sigma_history_: Floats
    pi_history_: Floats
    _FITTED = TruncatedModel._FITTED | {
        "sigma": Numbers("", ABOVE_ZERO),
        "pi": Numbers("", ABOVE_ZERO, BELOW_ONE),
        "sigma_history": Numbers("I", ABOVE_ZERO),
        "pi_history": Numbers("I", ABOVE_ZERO, BELOW_ONE),
    }

    def _checked(self, X: Any, *, reset: bool = False) -> Reals:
        dtype = check.precision(self.dtype)
        Y = check.data(self, X, dtype=dtype, order="C", reset=reset)
        check.squarable("X", Y, _LARGEST[dtype.name])
        return Y

    def _learn(self, Y: Reals, workers: Workers) -> ElboHistory:
        config = sparse_coding_config(check.parameters(self), Y)
        training = _Training(config, Y, workers)
        for iteration in range(config.max_iter):
            training.iterate(iteration)
        training.history.end()
        joint = training.joint
        self.components_, self.sigma_, self.pi_ = joint.W, joint.variance**0.5, joint.pi
        self.sigma_history_, self.pi_history_ = np.array(training.course).T
        return training.history

    @own_numerics
    def inverse_transform(self, S: ArrayLike) -> Floats:
        """Data without noise, given states or means of states.

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

    def _draw_data(self, states: NDArray[np.uint8], rng: RandomState) -> Floats:
        means: Floats = states @ self.components_
        return means + rng.normal(scale=self.sigma_, size=means.shape)

    def _fitted_joint(self) -> GaussianJoint:
        return GaussianJoint(self.components_, self.sigma_**2, self.pi_)


class _Training:
    """A model in training, with the history of its bound, and sigma and pi of every E-step."""

    def __init__(self, config: SparseCodingConfig, Y: Reals, workers: Workers) -> None:
        self.config, self.Y, self.workers = config, Y, workers
        self.joint, self.history = _start(config, Y), ElboHistory(config.log)
        self.course: list[tuple[float, float]] = []
        keys = np.arange(len(Y), dtype=np.uint64)
        n_states, seed = config.inference.n_states, config.draw_seed()
        self.sets = StateSets(keys, n_states, self.joint.prior, seed, workers)
        self._squares = np.concatenate([_squares(Y[rows]) for rows in row_chunks(0, len(Y))])

    def iterate(self, iteration: int) -> None:
        """E-step and M-step (TVS algorithm 2)."""
        config, joint = self.config, self.joint
        temperature = config.schedule.temperature(iteration)
        sums = Statistics(*joint.W.shape)
        for rows in row_chunks(0, len(self.Y)):
            Y, squares = self.Y[rows], self._squares[rows]
            local = self.sets.update(
                rows,
                joint,
                Y,
                iteration,
                config.samplers.samples(iteration),
                self.workers,
                inverse_temperature=1.0 / temperature,
                constants=joint.constants_of(squares, Y.shape[1]),
            )
            sums.add(Y, squares, local, self.workers)
        self.history.append(temperature, sums.elbo / len(self.Y))
        self.course.append((joint.variance**0.5, joint.pi))
        cold = temperature == 1.0
        self.joint = maximized(
            joint,
            sums,
            config.learn_components,
            config.learn_sigma and cold,
            config.learn_pi and cold,
        )


def _start(config: SparseCodingConfig, Y: Reals) -> GaussianJoint:
    """Initial parameters, as in the paper where they are not given."""
    W = config.components
    if W is None:
        shape = (config.n_components, Y.shape[1])
        W = Y.mean(axis=0) + config.random_state.normal(scale=config.sigma / 4, size=shape)
    return GaussianJoint(W, config.sigma**2, config.pi)


def maximized(
    joint: GaussianJoint,
    sums: Statistics,
    learn_components: bool,
    learn_sigma: bool,
    learn_pi: bool,
) -> GaussianJoint:
    """The M-step (TVS eqs. 7 and 8, with the 1/H that eq. 7 lacks)."""
    (n_units, n_features), ss = sums.sy.shape, sums.ss
    if learn_components:
        # The smallest change to a maximum: a component that no state uses stays unchanged.
        change: Any = lstsq(ss, sums.sy - ss @ joint.W, check_finite=False)[0]
        joint = replace(joint, W=joint.W + change)
    if learn_sigma:
        squares = sums.yy - 2 * np.vdot(joint.W, sums.sy) + np.vdot(ss, joint.W @ joint.W.T)
        scale = (sums.yy or 1.0) / (sums.n_data * n_features)
        variance = max(float(squares) / (sums.n_data * n_features), sums.lowest_variance * scale)
        joint = replace(joint, variance=variance)
    if learn_pi:
        pi = float(np.trace(ss)) / (sums.n_data * n_units)
        joint = replace(joint, pi=min(max(pi, LOWEST_PI), 1 - LOWEST_PI))
    return joint
