"""The global state lambda: sparse steps with lazy decay, totals, fractional moments."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from math import frexp
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from scipy.special import gammaln, psi

from .._core import _lda as kernels
from .._core._workers import Workers
from .._utils._state import Stateful
from .._utils._typing import Floats
from ._minibatch import LocalParameters, Minibatch

#: The prior of topics: one number, or (n_features, 1), or (n_features, n_components).
Eta = float | NDArray[Any]

# M is rescaled when its factor `a` leaves this range: far from the limits of float32.
_SMALLEST_FACTOR = 1e-20
_WORDS_AT_ONCE = 1024
# From this total on, differences of log-gammas, which are rounded to a share of themselves, are
# less precise than the first term of Stirling's series.
_LARGE_TOTAL = 2.0**30
# Entries of M that a thread mixes with those of others at a time: so many that threads seldom wait
# for each other, and few enough to need little memory.
_ENTRIES_AT_ONCE = 2**19


class Topics(Stateful):
    """Dirichlet parameters ``lambda_kv = base + a M[v, k]`` of all topics.

    The decay of a natural-gradient step, ``(1 - rho) lambda``, changes the scalars only; rows
    of `M` change for the words of the minibatch. So the cost of a step does not depend on the
    vocabulary. A word's topics lie side by side, because a document gathers its words.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_components), float32 or float64
        What lambda has over its prior, word by word. Owned by the object from here on.
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        The prior. Where it differs between words or topics, ``lambda = base + b H + a M``, with
        its smallest value in the base and the rest of it in H.
    point : bool, default=False
        Whether documents see the mean of the topics, E[beta], instead of exp(E[log beta]).
    """

    STATE = ("M", "a", "b", "base", "column_sums")

    def __init__(self, M: NDArray[Any], eta: Eta, *, point: bool = False) -> None:
        self.point = point
        self.M = np.ascontiguousarray(M)
        self.a = self.b = 1.0
        self.base = self._smallest = float(np.min(eta))
        self.H: NDArray[Any] | None = None
        self._extra: float | Floats = 0.0  # column sums of H
        if isinstance(eta, np.ndarray):
            self.H = np.ascontiguousarray(eta - eta.min(), dtype=self.M.dtype)
            self._extra = self.H.sum(axis=0, dtype=np.float64)
        self.column_sums: Floats = self.M.sum(axis=0, dtype=np.float64)

    @classmethod
    def random(
        cls,
        n_features: int,
        n_components: int,
        eta: Eta,
        dtype: DTypeLike,
        random_state: np.random.RandomState,
    ) -> Topics:
        """Start as scikit-learn does, from Gamma(100, 1/100): alike but for 10% of noise."""
        M = np.empty((n_features, n_components), dtype=dtype)
        for start in range(0, n_features, _WORDS_AT_ONCE):  # draws are of double precision
            rows = M[start : start + _WORDS_AT_ONCE]
            rows[:] = random_state.gamma(100.0, 0.01, size=rows.shape)
        return cls(M, eta)

    @classmethod
    def start_from(cls, components: NDArray[Any], eta: Eta, dtype: DTypeLike) -> Topics:
        """Start from lambda, (n_components, n_features), but nowhere below the prior."""
        return cls(np.maximum(components.T - eta, 0.0).astype(dtype), eta)

    def copy(self) -> Topics:
        """The same topics, which do not follow the steps of these."""
        return self._combined([(self, 1.0)], Workers())

    def mixed(self, other: Topics, weight: float, workers: Workers) -> Topics:
        """New topics with ``(1 - weight)`` of these and `weight` of others over the prior."""
        return other._combined([(self, 1.0 - weight), (other, weight)], workers)

    def _combined(self, shares: list[tuple[Topics, float]], workers: Workers) -> Topics:
        result, dtype = copy(self), self.M.dtype
        result.M = np.empty_like(self.M)

        def combine(rows: slice) -> None:
            out, factors = result.M[rows], [dtype.type(share * each.a) for each, share in shares]
            np.multiply(shares[0][0].M[rows], factors[0], out=out)
            for (each, _), factor in zip(shares[1:], factors[1:], strict=True):
                out += each.M[rows] * factor

        at_once = max(1, _ENTRIES_AT_ONCE // self.n_components)
        starts = range(0, self.n_features, at_once)
        workers.spread(combine, [slice(start, start + at_once) for start in starts])
        result.a = 1.0
        result.b = sum(share * topics.b for topics, share in shares)
        result.column_sums = np.sum(
            [share * topics.a * topics.column_sums for topics, share in shares], axis=0
        )
        return result

    def smallest_prior(self, eta: Eta) -> float:
        """The part of eta that the base follows."""
        return self._smallest if isinstance(eta, np.ndarray) else eta

    @property
    def n_features(self) -> int:
        """Words in the vocabulary."""
        return int(self.M.shape[0])

    @property
    def n_components(self) -> int:
        """Number of topics."""
        return int(self.M.shape[1])

    @property
    def totals(self) -> Floats:
        """Lambda_k = sum_v lambda_kv, shape (n_components,)."""
        return self.n_features * self.base + self.b * self._extra + self.a * self.column_sums

    def components(self) -> NDArray[Any]:
        """Lambda as a new array of shape (n_components, n_features)."""
        return np.ascontiguousarray(self.rows(slice(None)).T)

    def rows(self, words: Any, dtype: Any = None) -> NDArray[Any]:
        """Lambda of some words, (n_words, n_components), in the precision of M or another."""
        return self._over_base(words, dtype) + self.base

    def _over_base(self, words: Any, dtype: Any = None) -> NDArray[Any]:
        dtype = np.dtype(dtype or self.M.dtype)
        over = self.M[words].astype(dtype, copy=False) * dtype.type(self.a)
        return over if self.H is None else over + self.H[words] * dtype.type(self.b)

    def for_kernels(
        self, words: NDArray[np.int32]
    ) -> tuple[NDArray[Any], float, float, NDArray[np.int32]]:
        """M, a, base and places in M, which stand for lambda of some words in a kernel."""
        if self.H is None:
            return self.M, self.a, self.base, words
        places = np.arange(len(words), dtype=np.int32)
        return self._over_base(words), 1.0, self.base, places

    def step(
        self,
        batch: Minibatch,
        local: LocalParameters,
        doc_weight: NDArray[Any],
        *,
        decay: float,
        scale: float,
        offset: float,
        workers: Workers,
        rate: float = 0.0,
    ) -> TopicsStep:
        """Natural-gradient step ``lambda <- (1 - decay) lambda + scale * statistics + offset``.

        With the statistics of each document weighted by its inverse temperature (VT eqs. 8 and 11).

        Parameters
        ----------
        batch, local
            The minibatch and what the E-step found for it.
        doc_weight : ndarray of shape (n_documents,)
            Weight s_d of each document's statistics.
        decay : float
            rho (rho T for posterior tempering), in (0, 1].
        scale : float
            rho D / |B|.
        offset : float
            rho eta (rho (eta + T - 1) for posterior tempering), with the smallest eta.
        workers : Workers
            Threads to use.
        rate : float
            rho, for what eta has over its smallest value.

        Returns
        -------
        TopicsStep
            The step, which is still to be taken: the topics have not changed yet.
        """
        a, M, column_sums = (1.0 - decay) * self.a, self.M, self.column_sums
        if a < _SMALLEST_FACTOR:
            M = M * M.dtype.type(a)
            a, column_sums = 1.0, M.sum(axis=0, dtype=np.float64)
        after = {
            "M": M,
            "a": a,
            "b": (1.0 - decay) * self.b + rate,
            "base": (1.0 - decay) * self.base + offset,
        }
        sums = np.empty((kernels.statistics_blocks(len(batch.words)), self.n_components))
        arguments = (
            batch,
            local,
            np.ascontiguousarray(doc_weight, dtype=np.float64),
            scale / a,
            M,
            sums,
        )
        return TopicsStep(self, after, column_sums, sums, arguments, workers)

    def add(self, parts: Iterable[tuple[NDArray[np.int32], NDArray[np.int64], Floats]]) -> None:
        """Add values to what lambda has over its base.

        Parameters
        ----------
        parts : iterable of tuple of ndarray
            Words, topics and values. Places may come twice, and words ascend from part to part.
        """
        M, gains = self.M.copy(), np.zeros(self.n_components)
        for words, topics, values in parts:
            # Summed in double precision, so that their order makes no difference to M.
            sums = sp.coo_array((values / self.a, (words, topics)), shape=M.shape).tocsr().tocoo()
            M[sums.coords] += sums.data.astype(M.dtype)
            # What M has gained, which is cheaper than the sum of M, and has the same bits if M has.
            gain = M[sums.coords].astype(np.float64) - self.M[sums.coords].astype(np.float64)
            np.add.at(gains, sums.coords[1], gain)
        self.M, self.column_sums = M, self.column_sums + gains

    def rescale(self, factor: float) -> None:
        """Multiply what lambda has over its base."""
        self.a *= factor

    def log_fractional_moments(self, nodes: Floats, workers: Workers) -> Floats:
        """``log S_k(s) = log sum_v E[beta_kv^s]`` at every node, shape (n_nodes, n_components).

        ``E[beta_kv^s] = G(lambda_kv + s) G(Lambda_k) / (G(lambda_kv) G(Lambda_k + s))``, a moment
        of the Dirichlet q(beta_k). Interpolated: up to 1.5e-5 too small, 2e-6 on average.
        """
        totals, s = self.totals[None, :], nodes[:, None]
        octaves = frexp(self.base)[1] - 1, frexp(totals.max())[1]  # around all lambda
        sums = np.empty((self.n_components, len(nodes)))
        M, a = (self.M, self.a) if self.H is None else (self._over_base(slice(None)), 1.0)
        table = _gamma_ratios(tuple(nodes.tolist()), *octaves)
        workers.run(kernels.fractional_moments, M, a, self.base, octaves[0], table, sums)
        log_sums = np.log(sums.T)
        log_moments = np.where(
            totals < _LARGE_TOTAL,
            log_sums + gammaln(totals) - gammaln(totals + s),
            log_sums - s * np.log(totals),
        )
        # NumPy reuses the memory of large intermediate results, and with it their order.
        return np.ascontiguousarray(log_moments)

    def set_prior(self, eta: Eta) -> None:
        """Exchange the prior's part of lambda, where it is the same for all words."""
        self.base = self.smallest_prior(eta)

    def psi_gain(self, eta: float) -> float:
        """``sum_kv [psi(n_kv + eta) - psi(eta)]`` with n = a M."""
        total = 0.0
        for start in range(0, self.n_features, _WORDS_AT_ONCE):
            n = self.M[start : start + _WORDS_AT_ONCE] * self.M.dtype.type(self.a)
            total += float(kernels.psi((n + self.M.dtype.type(eta)).ravel()).sum(dtype=np.float64))
        return total - self.M.size * float(psi(eta))

    def log_totals(self) -> Floats:
        """psi(Lambda_k), or log(Lambda_k) of topics that are a point, shape (n_components,)."""
        return np.log(self.totals) if self.point else psi(self.totals)


@lru_cache(maxsize=16)
def _gamma_ratios(nodes: tuple[float, ...], first: int, last: int) -> Floats:
    """G(x + s) / G(x) for nodes s and x from 2^first to 2^last, as `fractional_moments` wants."""
    steps = np.arange(kernels.OCTAVE * (last - first) + 1)
    x = np.ldexp(1.0 + steps % kernels.OCTAVE / kernels.OCTAVE, first + steps // kernels.OCTAVE)
    return np.column_stack([kernels.gamma_ratio(x, s) for s in nodes])


class TopicsStep:
    """A step of the topics that can be brought to its end wherever it is interrupted.

    Rows of M change in place, by blocks that the workers hand out, each once. Those that have not
    been handed out are done by `finish`.
    """

    def __init__(
        self,
        topics: Topics,
        after: dict[str, Any],
        column_sums: Floats,
        sums: Floats,
        arguments: tuple[Any, ...],
        workers: Workers,
    ) -> None:
        self._topics, self._after = topics, after
        self._column_sums, self._sums = column_sums, sums
        self._arguments, self._workers = arguments, workers
        self._run = workers.next_run

    def take(self) -> None:
        """Take the step."""
        if len(self._sums):
            self._workers.run(kernels.add_statistics, *self._arguments)
        self._become()

    def finish(self) -> None:
        """Take what is left of the step, once or several times."""
        if len(self._sums):
            self._workers.resume(self._run, kernels.add_statistics, *self._arguments)
        self._become()

    def _become(self) -> None:
        column_sums = self._column_sums + self._sums.sum(axis=0)
        vars(self._topics).update(self._after, column_sums=column_sums)
