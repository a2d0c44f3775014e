"""SigmoidBeliefNetwork: a belief network of one hidden layer, by truncated variational sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ..._core import _truncated as kernels
from ..._core._workers import Workers
from ..._utils import _validation as check
from ...tempering import Schedule
from ._e_step import Floats, Prior, SamplerSchedule, StateSets, chunks
from ._estimator import LOWEST_PI, TruncatedModel
from ._gradients import Adam, MarginalNetwork

# Padding with this bias adds nothing.
_NEVER = -1e4
_NETWORK_RATE, _NETWORK_BATCH = 1e-2, 100
_WEIGHT_SCALE = 0.1
# Of several starts the best goes on after this share of the iterations: by then a start has found
# its optimum, and the rest is refinement.
_TRIAL = 0.2


@dataclass(frozen=True)
class BernoulliJoint:
    """``p(s, y) = prod_h pi_h^s_h (1 - pi_h)^(1 - s_h) prod_d p(y_d | sigmoid(a_d))``; eq. 9.

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
    def prior(self) -> Prior:
        """A probability for each unit."""
        return Prior(self.pi)

    def fields(self, Y: Floats) -> Floats:
        """(n, H): W y + logit pi."""
        fields: Floats = Y @ self.weights[:-1].T
        fields += self.prior.log_odds
        return fields

    def constants(self, Y: Floats) -> Floats:
        """(n,): y.b and the log-prior of the empty state."""
        return Y @ self.weights[-1] + self.prior.log_empty

    def penalties(self, states: Floats) -> Floats:
        """(m,): sum over d of softplus(a_d)."""
        activations = states @ self.weights[:-1] + self.weights[-1]
        penalties: Floats = np.logaddexp(0.0, activations).sum(axis=1)
        return penalties

    def padded_weights(self) -> Floats:
        """The weights, as the kernels want them."""
        n_rows, n_features = self.weights.shape
        padded = np.zeros((n_rows, kernels.padded_width(n_features)))
        padded[:, :n_features] = self.weights
        padded[-1, n_features:] = _NEVER
        return padded

    def kernel_arguments(
        self, n_data: int, n_states: int
    ) -> tuple[Callable[..., None], Floats, Floats]:
        """E-step kernel, padded weights, room for responsibilities."""
        return kernels.bernoulli_estep, self.padded_weights(), np.empty((n_data, n_states))


class SigmoidBeliefNetwork(TruncatedModel):
    """Sigmoid belief network of one hidden layer by truncated variational sampling.

    Hidden units are independent and binary; the log-odds of a binary observation are a sum of the
    weights of the units that are on, plus a bias. The E-step is that of `BinarySparseCoding`, the
    M-step goes some steps up the gradient of the free energy [1]_. There are local optima: where
    it matters, give `n_init`.

    Parameters
    ----------
    n_components : int, default=100
        Number of hidden units, H.
    n_states : int, default=50
        States kept for a datum, S. At most 2^H are kept, and the E-step is then exact.
    n_prior_samples : int, default=5
        States drawn from the prior for a datum in each E-step.
    n_marginal_samples : int, default=5
        States drawn from approximate marginals.
    marginal : {"truncated", "mlp"}, default="truncated"
        Which marginals: those under the datum's states, which are its own (1st approximation), or
        those that a network with one hidden layer predicts from the datum (2nd approximation). The
        network learns while the model does; it is used from the second iteration on.
    mlp_hidden : int, default=50
        Hidden units of that network.
    n_gradient_steps : int, default=10
        Steps of Adam in an M-step.
    learning_rate : float, default=0.1
        Of Adam; about 0.01 suits small batches.
    batch_size : int, optional
        Data of an E-step and an M-step; None is all of them. For many data small batches learn
        faster, as there are more M-steps in an iteration.
    bias_init : float, default=-3.0
        Bias to start with. A low one lets units explain what is on.
    pi_init : float, default=0.2
        Probability of a unit to start with.
    binarize : float, optional
        Features above this threshold are 1, the others 0. By default X must be of zeros and ones.
    max_iter : int, default=250
        Passes over the data.
    n_init : int, default=1
        Random starts. Each makes a fifth of the iterations, and the one with the highest free
        energy goes on.
    sampler_schedule : tuple of (int, int), optional
        (hold, end): up to iteration hold all samples are from the prior, then their numbers
        change linearly, and from iteration end on they are as given above.
    schedule : Schedule or callable, optional
        Temperature of each iteration, counted from 0, for the posteriors in the E-step; by
        default 1 throughout. pi stays as it is while T > 1. Annealing makes this model worse
        on the bars that we tried.
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
    bias_ : ndarray of shape (n_features,)
        b, log-odds of the features where no unit is on.
    pi_ : ndarray of shape (n_components,)
        Probabilities of the units.
    free_energy_history_ : ndarray of shape (max_iter,)
        Free energy after each E-step, at T = 1, nats a datum; with batches, each batch under the
        parameters of its time. Gradient steps may lower it a little.
    n_iter_ : int
        Iterations made.
    n_features_in_ : int
        Dimension of the data, D.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    See Also
    --------
    BinarySparseCoding : the same for real-valued data.

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
        n_states: int = 50,
        n_prior_samples: int = 5,
        n_marginal_samples: int = 5,
        marginal: Literal["truncated", "mlp"] = "truncated",
        mlp_hidden: int = 50,
        n_gradient_steps: int = 10,
        learning_rate: float = 0.1,
        batch_size: int | None = None,
        bias_init: float = -3.0,
        pi_init: float = 0.2,
        binarize: float | None = None,
        max_iter: int = 250,
        n_init: int = 1,
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
        self.schedule = schedule
        self.n_inference_iter = n_inference_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _checked(self, X: Any, *, reset: bool = False) -> Floats:
        Y = super()._checked(X, reset=reset)
        if self.binarize is not None:
            threshold = check.number("binarize", self.binarize, -np.inf)
            return (threshold < Y).astype(np.float64)
        bad = (Y != 0) & (Y != 1)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(
                f"X must be of zeros and ones: row {row} has {Y[row, column]} in column {column}; "
                "give binarize=threshold to make it binary"
            )
        return Y

    def _learn(self, Y: Floats, random_state: RandomState, workers: Workers) -> None:
        max_iter = check.integer("max_iter", self.max_iter, 1)
        check.integer("n_inference_iter", self.n_inference_iter, 1)
        n_init = check.integer("n_init", self.n_init, 1)
        n_trial = max_iter if n_init == 1 else int(np.ceil(_TRIAL * max_iter))
        history = np.full(max_iter, -np.inf)
        for _ in range(n_init):
            start = _Trainer(self, Y, random_state, workers)
            course = [start.iterate(iteration) for iteration in range(n_trial)]
            if course[-1] >= history[n_trial - 1]:
                trainer, history[:n_trial] = start, course
        for iteration in range(n_trial, max_iter):
            history[iteration] = trainer.iterate(iteration)
        self.components_ = np.ascontiguousarray(trainer.weights[:-1])
        self.bias_, self.pi_ = trainer.weights[-1].copy(), trainer.pi
        self.free_energy_history_, self.n_iter_ = history, max_iter
        self._network = trainer.network

    def inverse_transform(self, S: ArrayLike) -> Floats:
        """Probabilities of the features to be on, given states or means of states.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_components)
            States or means of the units.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            ``sigmoid(S @ components_ + bias_)``.
        """
        probabilities: Floats = expit(self._checked_units(S) @ self.components_ + self.bias_)
        return probabilities

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
            Data, of zeros and ones.
        S : ndarray of shape (n_samples, n_components), uint8
            The states that they were drawn from.
        """
        states, rng = self._draw_states(n_samples, random_state)
        probabilities = self.inverse_transform(states)
        return (rng.random_sample(probabilities.shape) < probabilities).astype(np.float64), states

    def _fitted_joint(self) -> BernoulliJoint:
        return BernoulliJoint(np.vstack([self.components_, self.bias_]), self.pi_)

    def _guesses(self) -> Callable[[Floats], Floats] | None:
        return None if self._network is None else self._network.marginals


class _Trainer:
    """A network in training; its parameters are checked here."""

    def __init__(
        self,
        model: SigmoidBeliefNetwork,
        Y: Floats,
        random_state: RandomState,
        workers: Workers,
    ) -> None:
        n_units = check.integer("n_components", model.n_components, 1)
        self.n_steps = check.integer("n_gradient_steps", model.n_gradient_steps, 1)
        rate = check.number("learning_rate", model.learning_rate, 0.0, boundaries="neither")
        bias = check.number("bias_init", model.bias_init, -1e6)
        pi = check.number("pi_init", model.pi_init, 0.0, 1.0, boundaries="neither")
        n_hidden = check.integer("mlp_hidden", model.mlp_hidden, 1)
        marginal = check.choice("marginal", model.marginal, ("truncated", "mlp"))
        n_states = model._n_states()
        self.samplers: SamplerSchedule = model._sampler_schedule()
        self.temperatures: Schedule = model._temperatures()
        self.random_state, self.workers = random_state, workers

        n_data, n_features = Y.shape
        order = np.arange(n_data)
        self.batch_size = n_data
        if model.batch_size is not None:
            self.batch_size = min(check.integer("batch_size", model.batch_size, 1), n_data)
            # Batches are neighbours in memory, and the data may have come sorted.
            order = random_state.permutation(n_data)
            Y = Y[order]
        self.Y = Y
        self.pi = np.full(n_units, np.clip(pi, LOWEST_PI, 1 - LOWEST_PI))
        self.weights = np.vstack(
            [
                random_state.normal(scale=_WEIGHT_SCALE, size=(n_units, n_features)),
                np.full(n_features, bias),
            ]
        )
        self.adam = Adam(rate, self.weights.shape)
        self.network: MarginalNetwork | None = None
        if marginal == "mlp":
            start = self._joint().prior.log_odds
            self.network = MarginalNetwork(
                n_features, n_hidden, n_units, start, _NETWORK_RATE, random_state
            )
        seed = model._seed(random_state)
        keys = order.astype(np.uint64)
        self.sets = StateSets(keys, n_states, self._joint().prior, seed, workers)
        # Sums of E[s] over every batch, when it was last seen: pi is their mean over all data.
        self._on = np.zeros((len(list(self._batches())), n_units))

    def _joint(self) -> BernoulliJoint:
        return BernoulliJoint(self.weights, self.pi)

    def _batches(self) -> Iterator[slice]:
        for start in range(0, len(self.Y), self.batch_size):
            yield slice(start, min(start + self.batch_size, len(self.Y)))

    def iterate(self, iteration: int) -> float:
        """E-step and M-step of every batch, in random order; the free energy, nats a datum."""
        batches = list(self._batches())
        total = 0.0
        for i in self.random_state.permutation(len(batches)):
            rows = batches[i]
            free_energy, means, responsibilities = self._expect(rows, iteration)
            total += float(free_energy.sum())
            self._climb(rows, means, responsibilities)
            self._on[i] = means.sum(axis=0)
            # In the first iteration some batches have not been seen.
            if self.temperatures.temperature(iteration) == 1.0 and (iteration or len(batches) == 1):
                pi = self._on.sum(axis=0) / len(self.Y)
                self.pi = np.clip(pi, LOWEST_PI, 1 - LOWEST_PI)
            if self.network is not None:
                for first in range(0, len(means), _NETWORK_BATCH):
                    part = slice(first, first + _NETWORK_BATCH)
                    self.network.train(self.Y[rows][part], means[part])
        return total / len(self.Y)

    def _expect(self, rows: slice, iteration: int) -> tuple[Floats, Floats, Floats]:
        """The E-step of some rows: free energies, means, responsibilities."""
        joint, parts = self._joint(), []
        for chunk in chunks(rows.start, rows.stop):
            guesses = None
            if self.network is not None and iteration > 0:
                guesses = self.network.marginals(self.Y[chunk])
            parts.append(
                self.sets.update(
                    chunk,
                    joint,
                    self.Y[chunk],
                    iteration,
                    self.samplers.samples(iteration),
                    self.workers,
                    inverse_temperature=1.0 / self.temperatures.temperature(iteration),
                    marginals=guesses,
                )
            )
        free_energy, means, responsibilities = map(np.concatenate, zip(*parts, strict=True))
        return free_energy, means, responsibilities

    def _climb(self, rows: slice, means: Floats, responsibilities: Floats) -> None:
        """The M-step of W and b: ``dF/dW_hd = sum_n E[s_h (y_d - sigmoid(a_d))]``, and alike b."""
        Y = self.Y[rows]
        observed = np.vstack([means.T @ Y, Y.sum(axis=0)])
        for _ in range(self.n_steps):
            padded = self._joint().padded_weights()
            expected = np.zeros(padded.shape)
            for chunk in chunks(0, len(Y)):
                n_blocks = -(-(chunk.stop - chunk.start) // kernels.row_block)
                sums = np.empty((n_blocks, *padded.shape))
                self.workers.run(
                    kernels.bernoulli_expectations,
                    self.sets.states[rows][chunk],
                    padded,
                    responsibilities[chunk],
                    sums,
                )
                expected += sums.sum(axis=0)
            gradient = observed - expected[:, : Y.shape[1]]
            self.weights = self.weights + self.adam.step(gradient / len(Y))
