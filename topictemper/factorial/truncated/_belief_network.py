"""SigmoidBeliefNetwork: a belief network of one hidden layer, by truncated variational sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils import gen_batches

from ..._core import _truncated as kernels
from ..._core._workers import Workers
from ..._utils import _validation as check
from ..._utils._numerics import own_numerics
from ..._utils._state import Tree, within
from ..._utils._typing import Floats, Reals
from ...persistence._fitted import ABOVE_ZERO, BELOW_ONE, Numbers
from ...persistence._models import savable
from ...tempering._history import ElboHistory
from ...tempering._modes import Annealing
from ._ascents import bernoulli_maxima, flip_curvatures
from ._config import LOWEST_PI, MARGINALS, BeliefNetworkConfig, belief_network_config
from ._e_step import EStep, StateSets, UnitPrior, merged, row_chunks
from ._estimator import TruncatedModel
from ._gradients import Adam, MarginalNetwork

# Ascents of a datum: more find more, but take as much time as the E-steps
# (docs/guide/measured/truncated.rst, "Starts of new data").
_N_ASCENTS = 8
# Padding with this bias adds nothing.
_NEVER = -1e4
_NETWORK_BATCH = 100
_WEIGHT_SCALE = 0.1


@dataclass(frozen=True)
class BernoulliJoint:
    """``p(s, y) = prod_h pi_h^s_h (1 - pi_h)^(1 - s_h) prod_d p(y_d | sigmoid(a_d))``; TVS eq. 9.

    ``weights`` has shape (H + 1, D): its rows are the components, the last is the bias, and
    ``a = weights^T (s, 1)``.
    """

    weights: Floats
    pi: Floats

    @property
    def n_units(self) -> int:
        """H."""
        return len(self.pi)

    @property
    def prior(self) -> UnitPrior:
        """A probability for each unit."""
        return UnitPrior(self.pi)

    def fields(self, Y: Reals) -> Floats:
        """(n, H): W y + logit pi."""
        fields: Floats = Y @ self.weights[:-1].T
        fields += self.prior.log_odds
        return fields

    def constants(self, Y: Reals) -> Floats:
        """(n,): y.b and the log-prior of the empty state."""
        return Y @ self.weights[-1] + self.prior.log_empty

    def penalties(self, states: Floats) -> Floats:
        """(m,): sum over d of softplus(a_d)."""
        activations = states @ self.weights[:-1] + self.weights[-1]
        return np.logaddexp(0.0, activations).sum(axis=1)

    def local_maxima(self, Y: Reals, most: int) -> NDArray[np.bool_]:
        """(n, m, H): where ascents end, which take an expansion of the penalty."""
        return bernoulli_maxima(
            Y.astype(np.float32),
            self.weights.astype(np.float32),
            self._curvatures,
            self.prior.log_odds.astype(np.float32),
            min(_N_ASCENTS, self.n_units, most),
        )

    @cached_property
    def _curvatures(self) -> NDArray[np.float32]:
        """(D, H): of flips."""
        return np.ascontiguousarray(flip_curvatures(self.weights[:-1].astype(np.float32)).T)

    def padded_weights(self) -> Floats:
        """Weights in the layout of the kernels."""
        n_rows, n_features = self.weights.shape
        padded = np.zeros((n_rows, kernels.padded_width(n_features)))
        padded[:, :n_features] = self.weights
        padded[-1, n_features:] = _NEVER
        return padded

    def kernel_arguments(
        self, n_data: int, n_states: int
    ) -> tuple[Callable[..., None], Floats, Floats]:
        """E-step kernel, padded weights, buffer for responsibilities."""
        return kernels.bernoulli_estep, self.padded_weights(), np.empty((n_data, n_states))


@savable
class SigmoidBeliefNetwork(TruncatedModel):
    """Sigmoid belief network of one hidden layer by truncated variational sampling.

    Hidden units are independent and binary; the log-odds of a binary observation are a sum of the
    weights of the active units, plus a bias. The E-step is that of `BinarySparseCoding`; the
    M-step takes some gradient steps on the bound [1]_. There are local optima: `n_init` selects
    the best of several starts.

    Parameters
    ----------
    n_components : int, default=100
        Number of hidden units, H.
    tempering : {"vi", "avi"}, Annealing or None, default="vi"
        None or "vi": T = 1. "avi" or `Annealing`: a schedule in iterations; by default T falls
        linearly from 3 to 1 over the first 30% of `max_iter` iterations. pi is learned once
        T = 1. Annealing makes this model worse on bars.
    n_states : int, default=50
        States kept for a datum, S. With 2^H states or more the E-step is exact.
    n_prior_samples : int, default=5
        States drawn from the prior for a datum in each E-step.
    n_marginal_samples : int, default=5
        States drawn from approximate marginals. A draw that is among the states of the datum
        already is changed while T = 1, a random unit at a time, until it is new.
    marginal : {"truncated", "mlp", "both"}, default="truncated"
        Source of the marginals: the states of the datum (1st approximation), a network with one
        hidden layer that predicts them from the datum (2nd approximation), or both in turn, E-step
        by E-step. The network learns with the model and is used from the second iteration on. A
        model that has one can be set to any of the three for new data.
    mlp_hidden : int, default=None
        Hidden units of that network; None is 50.
    n_gradient_steps : int, default=10
        Steps of Adam in an M-step.
    learning_rate : float, default=0.1
        Learning rate of Adam; about 0.01 suits small batches.
    batch_size : int, default=None
        Data of an E-step and an M-step; None is all data. Small batches learn large data sets
        faster, as there are more M-steps in an iteration.
    bias_init : float, default=-3.0
        Initial bias. With a low bias, units explain the active features.
    pi_init : float or None, default=0.2
        Initial probability of a unit, from 1e-4 to 1 - 1e-4. None is 1/H, but at least 1e-4 and at
        most 1/2.
    binarize : float, default=None
        Features above this threshold are 1, others 0. None requires zeros and ones in X.
    max_iter : int, default=250
        Passes over the data.
    n_init : int, default=1
        Number of random starts. Each makes a fifth of the iterations; the one with the highest
        bound continues.
    sampler_schedule : tuple of (int, int), default=None
        (hold, end): before iteration hold all samples are from the prior. Then the numbers of
        samples from the prior and from the marginals change linearly, and from iteration end
        they are as given above.
    n_inference_iter : int, default=30
        E-steps for new data. They start from draws of the prior and, for each datum, from up to
        eight states near local maxima of the log-joint.
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
        The weights of each unit, which are the columns of W in [1]_.
    bias_ : ndarray of shape (n_features,)
        b, log-odds of the features where all units are off.
    pi_ : ndarray of shape (n_components,)
        Probabilities of the units, each between 1e-4 and 1 - 1e-4.
    elbo_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", "temperature" and "elbo": the bound after each E-step at its temperature,
        in nats per datum. With batches, each batch has the parameters of its own E-step. Gradient
        steps may lower the bound a little.
    temperature_history_ : structured ndarray of shape (`n_iter_`,)
        Fields "pass", from 0, and "temperature".
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Dimension of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    See Also
    --------
    BinarySparseCoding : The same for real-valued data.

    References
    ----------
    .. [1] Lücke, Dai, Exarchakis (2018). Truncated Variational Sampling for "Black Box"
       Optimization of Generative Models.

    Examples
    --------
    >>> from topictemper.datasets import make_bars
    >>> from topictemper.factorial import SigmoidBeliefNetwork
    >>> bars = make_bars(n_samples=300, kind="sigmoid", random_state=0)
    >>> model = SigmoidBeliefNetwork(10, max_iter=30, random_state=0).fit(bars.data)
    >>> model.transform(bars.data).shape
    (300, 10)
    >>> model.score(bars.data) < model.exact_log_likelihood(bars.data)
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        tempering: Literal["vi", "avi"] | Annealing | None = "vi",
        n_states: int = 50,
        n_prior_samples: int = 5,
        n_marginal_samples: int = 5,
        marginal: Literal["truncated", "mlp", "both"] = "truncated",
        mlp_hidden: int | None = None,
        n_gradient_steps: int = 10,
        learning_rate: float = 0.1,
        batch_size: int | None = None,
        bias_init: float = -3.0,
        pi_init: float | None = 0.2,
        binarize: float | None = None,
        max_iter: int = 250,
        n_init: int = 1,
        sampler_schedule: tuple[int, int] | None = None,
        n_inference_iter: int = 30,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.n_states = n_states
        self.n_prior_samples = n_prior_samples
        self.n_marginal_samples = n_marginal_samples
        self.marginal = marginal
        self.mlp_hidden = mlp_hidden
        self.n_gradient_steps = n_gradient_steps
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.bias_init = bias_init
        self.pi_init = pi_init
        self.binarize = binarize
        self.max_iter = max_iter
        self.n_init = n_init
        self.sampler_schedule = sampler_schedule
        self.n_inference_iter = n_inference_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _FITTED = TruncatedModel._FITTED | {
        "bias": Numbers("D"),
        "pi": Numbers("K", ABOVE_ZERO, BELOW_ONE),
    }
    _network: MarginalNetwork | None
    bias_: Floats
    pi_: Floats

    def _checked(self, X: Any, *, reset: bool = False) -> Reals:
        Y = check.data(self, X, order="C", reset=reset)
        if self.binarize is not None:
            threshold = check.number("binarize", self.binarize, -np.inf)
            return (threshold < Y).astype(np.float64)
        bad = (Y != 0) & (Y != 1)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(
                f"X must hold zeros and ones: row {row} has {Y[row, column]} in column {column}; "
                "give binarize=threshold to make it binary"
            )
        return Y

    def _learn(self, Y: Reals, workers: Workers) -> ElboHistory:
        config = belief_network_config(check.parameters(self), Y)
        best = _best_start(config, Y, workers)
        for iteration in range(len(best.history.rows), config.max_iter):
            best.iterate(iteration)
        best.history.end()
        self.components_ = np.ascontiguousarray(best.weights[:-1])
        self.bias_, self.pi_ = best.weights[-1].copy(), best.pi
        self._network = best.network
        return best.history

    @own_numerics
    def inverse_transform(self, S: ArrayLike) -> Floats:
        """Probabilities of the features, given states or means of states.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_components)
            States or means of the units.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            ``sigmoid(S @ components_ + bias_)``.
        """
        return expit(self._checked_units(S) @ self.components_ + self.bias_)

    def _draw_data(self, states: NDArray[np.uint8], rng: RandomState) -> Floats:
        probabilities = self.inverse_transform(states)
        return (rng.random_sample(probabilities.shape) < probabilities).astype(np.float64)

    def _get_state(self) -> Tree:
        network = None if self._network is None else self._network.get_state()
        return super()._get_state() | {"network": network}

    def _set_state(self, tree: Tree) -> None:
        super()._set_state(tree)
        with within("network"):
            shape = self.components_.shape
            state = tree["network"]
            self._network = None if state is None else MarginalNetwork.of_state(state, *shape)

    def _fitted_joint(self) -> BernoulliJoint:
        return BernoulliJoint(np.vstack([self.components_, self.bias_]), self.pi_)

    def _guesses(self) -> Callable[[Reals], Floats] | None:
        marginal = check.choice("marginal", self.marginal, MARGINALS)
        if marginal == "truncated":
            return None
        if self._network is None:
            raise ValueError(
                f"marginal={marginal!r} takes a network, which this model has not learned; fit it "
                f"with marginal={marginal!r}, or set marginal='truncated'"
            )
        return self._network.marginals


def _best_start(config: BeliefNetworkConfig, Y: Reals, workers: Workers) -> _Training:
    """Return the best of several starts, after the first iterations."""

    def start() -> _Training:
        training = _Training(config, Y, workers)
        for iteration in range(config.n_trial):
            training.iterate(iteration)
        return training

    return max((start() for _ in range(config.n_init)), key=lambda one: one.history.last)


class _Training:
    """A network in training, with the history of its bound."""

    def __init__(self, config: BeliefNetworkConfig, Y: Reals, workers: Workers) -> None:
        self.config, self.workers, self.history = config, workers, ElboHistory(config.log)
        n_units, random_state = config.n_components, config.random_state
        n_data, n_features = Y.shape
        order = np.arange(n_data)
        if config.is_batched:
            # Batches are neighbors in memory, and the data may be sorted.
            order = random_state.permutation(n_data)
            Y = Y[order]
        self.Y = Y
        self.pi = np.full(n_units, config.pi)
        self.weights = np.vstack(
            [
                random_state.normal(scale=_WEIGHT_SCALE, size=(n_units, n_features)),
                np.full(n_features, config.bias),
            ]
        )
        self.adam = Adam(config.learning_rate, self.weights.shape)
        self.network: MarginalNetwork | None = None
        if config.mlp_hidden:
            start = self._joint().prior.log_odds
            self.network = MarginalNetwork.random(
                n_features, config.mlp_hidden, n_units, start, random_state
            )
        seed, keys = config.draw_seed(), order.astype(np.uint64)
        self.sets = StateSets(keys, config.inference.n_states, self._joint().prior, seed, workers)
        # Sums of E[s] over each batch when it was last visited: pi is their mean over all data.
        self._batches = list(gen_batches(n_data, config.batch_size))
        self._on = np.zeros((len(self._batches), n_units))

    def _joint(self) -> BernoulliJoint:
        return BernoulliJoint(self.weights, self.pi)

    def iterate(self, iteration: int) -> None:
        """E-step and M-step of every batch, in random order."""
        temperature = self.config.schedule.temperature(iteration)
        total = 0.0
        for i in self.config.random_state.permutation(len(self._batches)):
            rows = self._batches[i]
            elbo, means, responsibilities = self._expect(rows, iteration, 1.0 / temperature)
            total += float(elbo.sum())
            self._climb(rows, means, responsibilities)
            self._on[i] = means.sum(axis=0)
            # In the first iteration some batches have no sums yet.
            if temperature == 1.0 and (iteration or len(self._batches) == 1):
                pi = self._on.sum(axis=0) / len(self.Y)
                self.pi = np.clip(pi, LOWEST_PI, 1 - LOWEST_PI)
            if self.network is not None:
                for part in gen_batches(len(means), _NETWORK_BATCH):
                    self.network.train(self.Y[rows][part], means[part])
        self.history.append(temperature, total / len(self.Y))

    def _expect(self, rows: slice, iteration: int, inverse_temperature: float) -> EStep:
        """The E-step of some rows; its ``extra`` are responsibilities."""
        own = self.config.inference.takes_turns and iteration % 2 == 0
        network = None if own or iteration == 0 else self.network
        joint, parts = self._joint(), []
        for chunk in row_chunks(rows.start, rows.stop):
            parts.append(
                self.sets.update(
                    chunk,
                    joint,
                    self.Y[chunk],
                    iteration,
                    self.config.samplers.samples(iteration),
                    self.workers,
                    inverse_temperature=inverse_temperature,
                    marginals=None if network is None else network.marginals(self.Y[chunk]),
                )
            )
        return EStep(*map(np.concatenate, zip(*parts, strict=True)))

    def _climb(self, rows: slice, means: Floats, responsibilities: Floats) -> None:
        """The M-step of W and b: ``dF/dW_hd = sum_n E[s_h (y_d - sigmoid(a_d))]``."""
        Y = self.Y[rows]
        observed = np.vstack([means.T @ Y, Y.sum(axis=0)])
        # sigmoid(a) depends on the state alone, and many data share their states.
        states, weights = self._merged(rows, responsibilities)
        for _ in range(self.config.n_gradient_steps):
            padded = self._joint().padded_weights()
            expected = np.zeros(padded.shape)
            for chunk in row_chunks(0, len(states)):
                n_blocks = -(-(chunk.stop - chunk.start) // kernels.row_block)
                sums = np.empty((n_blocks, *padded.shape))
                self.workers.run(
                    kernels.bernoulli_expectations, states[chunk], padded, weights[chunk], sums
                )
                expected += sums.sum(axis=0)
            gradient = observed - expected[:, : Y.shape[1]]
            self.weights = self.weights + self.adam.step(gradient / len(Y))

    def _merged(self, rows: slice, responsibilities: Floats) -> tuple[NDArray[np.uint64], Floats]:
        """Distinct states of some rows, with their weights; first of each chunk, to save memory."""
        states = self.sets.states[rows]
        chunks = row_chunks(0, len(states))
        parts = [merged([(states[chunk], responsibilities[chunk])]) for chunk in chunks]
        return parts[0] if len(parts) == 1 else merged(parts)
