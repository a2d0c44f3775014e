"""Truncated variational sampling of any model of binary units: sets of states, and samplers.

Lücke, Dai, Exarchakis (2018), "Truncated Variational Sampling for 'Black Box' Optimization of
Generative Models". The log-joint of a state s and a datum y must have the form
``constant(y) + fields(y).s - penalty(s)``; see `Joint`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from ..._core import _truncated as kernels
from ..._core._workers import Workers
from ..._utils._typing import Floats, Reals

# Rows of one call of the kernels: enough for many threads, few enough to keep buffers small.
CHUNK = 16 * kernels.row_block
# Rows of a product of matrices in one thread.
_PART = 2 * kernels.row_block
# Units that exact_log_likelihood can enumerate, and the numbers in one of its tables.
MOST_UNITS, _TABLE = 16, 2**22
# Up to this probability, gaps between active units cost less than a random number for each unit.
_RARE = 0.125


@dataclass(frozen=True)
class UnitPrior:
    """Independent binary units.

    Parameters
    ----------
    probabilities : ndarray of shape (n_units,)
        Probability of each unit to be active, in (0, 1).
    """

    probabilities: Floats

    @property
    def log_odds(self) -> Floats:
        """Term of each active unit in the log-prior of a state."""
        return np.log(self.probabilities) - np.log1p(-self.probabilities)

    @property
    def log_empty(self) -> float:
        """Log-prior of the state without an active unit."""
        return float(np.log1p(-self.probabilities).sum())

    def draw_arguments(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64] | None]:
        """Return 16-bit thresholds and, for rare units, a table of gaps between active ones."""
        first = float(self.probabilities[0])
        thresholds = (self.probabilities * 2**16 + 0.5).astype(np.uint32)
        if first > _RARE or (self.probabilities != first).any():
            return thresholds, None
        # A gap is longer than k with probability (1 - p)^(k + 1).
        longer = np.exp(np.log1p(-first) * np.arange(1, len(self.probabilities) + 1))
        return thresholds, (longer * 2.0**64).astype(np.uint64)


class Samples(NamedTuple):
    """Numbers of states drawn for each datum, from the prior and from marginals."""

    n_prior: int
    n_marginal: int


@dataclass(frozen=True)
class Inference:
    """E-steps of new data: states kept for a datum, states drawn in an E-step, E-steps.

    With `takes_turns`, given marginals and those of the states are used in turn.
    """

    n_states: int
    samples: Samples
    n_iter: int
    takes_turns: bool


@dataclass(frozen=True)
class SamplerSchedule:
    """The paper's sampler adjustment: prior samples first, then gradually marginal ones.

    Parameters
    ----------
    last : Samples
        Numbers from iteration `end` on.
    hold : int
        Iterations in which all samples are from the prior.
    end : int
        Between `hold` and `end` the numbers change linearly.
    """

    last: Samples
    hold: int
    end: int

    def samples(self, iteration: int) -> Samples:
        """Return the numbers of samples in an iteration, counted from 0; their sum is constant."""
        total = sum(self.last)
        if iteration >= self.end:
            return self.last
        if iteration < self.hold:
            return Samples(total, 0)
        passed = (iteration - self.hold) / (self.end - self.hold)
        n_prior = round(total - passed * self.last.n_marginal)
        return Samples(n_prior, total - n_prior)


class Joint(Protocol):
    """A generative model at fixed parameters: ``log p(s, y) = constant + fields.s - penalty``."""

    @property
    def n_units(self) -> int:
        """Number of binary units, H."""
        ...

    @property
    def prior(self) -> UnitPrior:
        """Prior of the units."""
        ...

    def fields(self, Y: Reals) -> Reals:
        """(n, H): term of each active unit in the log-joint of each datum."""
        ...

    def constants(self, Y: Reals) -> Floats:
        """(n,): log-joint of each datum with the empty state, plus the penalty of that state."""
        ...

    def penalties(self, states: Floats) -> Floats:
        """(m,): for (m, H) states, minus the part of the log-joint that all data share."""
        ...

    def local_maxima(self, Y: Reals, most: int) -> NDArray[np.bool_]:
        """(n, m, H): m local maxima of the log-joint of each datum, or nearly; m is at most `most`.

        Some may be equal.
        """
        ...

    def kernel_arguments(
        self, n_data: int, n_states: int
    ) -> tuple[Callable[..., None], Floats, Floats]:
        """Return the E-step kernel, the table of its penalty, and a buffer for its last result."""
        ...


class EStep(NamedTuple):
    """Result of an E-step for some data.

    ``elbo`` (n,) is the bound at the temperature of the E-step, in nats: the log of the sum of
    p(s, y)^(1/T) over the states. ``means`` (n, H) are E[s]; ``extra`` is what the kernel of the
    model computes for its M-step.
    """

    elbo: Floats
    means: Floats
    extra: Floats


class StateSets:
    """The sets K of distinct states, the variational parameters (TVS algorithm 1, eqs. 1 and 4).

    Parameters
    ----------
    keys : ndarray of shape (n_data,), uint64
        Seeds of the random numbers of each datum.
    n_states : int
        States in a set, S; at most 2^H are kept.
    prior : UnitPrior
        Distribution of the initial states.
    seed : int
        Seed of all random numbers.
    workers : Workers
        Threads.
    """

    def __init__(
        self, keys: NDArray[np.uint64], n_states: int, prior: UnitPrior, seed: int, workers: Workers
    ) -> None:
        n_units = len(prior.probabilities)
        self.keys, self.seed = keys, seed
        shape = (len(keys), possible_states(n_units, n_states), n_words(n_units))
        self.states = np.empty(shape, dtype=np.uint64)
        workers.run(kernels.initial_states, self.states, keys, seed, 0, *prior.draw_arguments())

    def update(
        self,
        rows: slice,
        joint: Joint,
        Y: Reals,
        iteration: int,
        samples: Samples,
        workers: Workers,
        *,
        inverse_temperature: float = 1.0,
        marginals: Floats | None = None,
        constants: Floats | None = None,
    ) -> EStep:
        """Draw, deduplicate and select states for some rows, and average over them (TVS eq. 2).

        ``Y``, ``marginals`` and ``constants`` (those of `Joint`, where the caller has them) are
        those of the rows.

        Raises
        ------
        ValueError
            If log-joints overflow.
        """
        states, fields = self.states[rows], np.empty((len(Y), joint.n_units), dtype=Y.dtype)
        if constants is None:
            constants = joint.constants(Y)

        def multiply(part: slice) -> None:
            fields[part] = joint.fields(Y[part])

        workers.spread(multiply, row_parts(len(Y)))
        with np.errstate(over="ignore", invalid="ignore"):
            total = fields.sum()
        if not (np.isfinite(total) and np.isfinite(constants).all()):
            raise ValueError(
                "log-joints overflow: scale X down, or choose a larger sigma_init or a smaller "
                "learning_rate"
            )
        elbo, means = np.empty(len(Y)), np.empty(fields.shape)
        kernel, table, extra = joint.kernel_arguments(len(Y), states.shape[1])
        workers.run(
            kernel,
            states,
            self.keys[rows],
            self.seed,
            iteration + 1,  # 0 was the start
            *joint.prior.draw_arguments(),
            *samples,
            marginals,
            fields,
            inverse_temperature,
            elbo,
            means,
            table,
            extra,
        )
        return EStep(elbo + inverse_temperature * constants, means, extra)


def possible_states(n_units: int, n_states: int) -> int:
    """As many states as wanted, but not more than there are."""
    # Not min(n_states, 2**n_units): that would be a huge number of many digits.
    return min(n_states, 2**n_units) if n_units < n_states.bit_length() else n_states


def n_words(n_units: int) -> int:
    """Words of 64 bits of a packed state."""
    return -(-n_units // 64)


def row_chunks(start: int, stop: int) -> Iterator[slice]:
    """Yield rows from `start` to `stop` in chunks that keep buffers small."""
    for first in range(start, stop, CHUNK):
        yield slice(first, min(first + CHUNK, stop))


def row_parts(n_data: int) -> list[slice]:
    """Rows of a chunk in parts that threads multiply, whatever their number."""
    return [slice(first, first + _PART) for first in range(0, n_data, _PART)]


def merged(parts: list[tuple[NDArray[np.uint64], Floats]]) -> tuple[NDArray[np.uint64], Floats]:
    """Return the distinct states of many data, and the sum of the weights of each.

    Parameters
    ----------
    parts : list of (ndarray of shape (n_data, n_states, n_words), ndarray of (n_data, n_states))
        Packed states and their weights, in parts. States whose weights do not count are left out.
        The list is emptied, so that the memory of parts is free where nothing else has them.

    Returns
    -------
    states : ndarray of shape (m, n_states, n_words)
        Distinct states, and empty ones to fill the last row.
    weights : ndarray of shape (m, n_states)
        Their sums of weights; 0 for what fills the last row.
    """
    n_states, width = parts[0][0].shape[1:]
    kept: list[tuple[NDArray[np.uint64], Floats]] = []
    while parts:
        states, weights = parts.pop(0)
        heavy = weights > kernels.smallest_weight
        kept.append((states[heavy], weights[heavy]))
    del states, weights
    flat, own = map(np.concatenate, zip(*kept, strict=True))
    del kept
    order = _order(flat)
    flat, own = flat[order], own[order]
    del order
    first = np.ones(len(flat), dtype=bool)
    first[1:] = (flat[1:] != flat[:-1]).any(axis=1)
    places = np.cumsum(first)
    places -= 1
    flat, totals = flat[first], np.bincount(places, weights=own)
    del first, places, own
    shape = (-(-len(flat) // n_states), n_states)
    distinct, sums = np.zeros((*shape, width), dtype=np.uint64), np.zeros(shape)
    distinct.reshape(-1, width)[: len(flat)], sums.ravel()[: len(flat)] = flat, totals
    return distinct, sums


def _order(states: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Order of packed states (n, n_words) that brings equal ones together; stable.

    By parts of 16 bits, for which NumPy's stable sort takes linear time, without those in which no
    state has a unit.
    """
    used = np.bitwise_or.reduce(states, axis=0, initial=0)
    parts = [
        (states[:, word] >> np.uint64(shift)).astype(np.uint16)
        for word in range(states.shape[1])
        for shift in range(0, 64, 16)
        if int(used[word]) >> shift & 0xFFFF
    ]
    return np.lexsort(parts) if parts else np.arange(len(states))


def exact_log_likelihood(joint: Joint, Y: Reals) -> Floats:
    """(n,): log p(y) of each datum, the sum over all 2^H states."""
    numbers = np.arange(2**joint.n_units)[:, None]
    states = (numbers >> np.arange(joint.n_units) & 1).astype(np.float64)
    penalties = joint.penalties(states)
    size = max(_TABLE // len(states), 1)
    parts: list[Any] = []
    for rows in gen_batches(len(Y), size):
        table = joint.fields(Y[rows]) @ states.T
        table -= penalties
        parts.append(joint.constants(Y[rows]) + logsumexp(table, axis=1))
    return np.concatenate(parts)
