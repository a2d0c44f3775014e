"""Truncated variational sampling once more, in plain NumPy, to be read and to be tested against.

Every function has the name and the meaning of a kernel of ``topictemper._core._truncated``, and
uses the same random numbers, so that both end with the same sets of states. It works on states as
rows of zeros and ones, one datum at a time, and returns its results where the kernel fills arrays.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from ..._utils._typing import Floats
from .special import GOLDEN, mix64

Bits = NDArray[np.uint8]
Words = NDArray[np.uint64]

_SMALLEST_WEIGHT = 1e-12
_LONGEST_WALK = 8


class EStep(NamedTuple):
    """What an E-step gives back for every datum."""

    states: Words
    free_energy: Floats
    means: Floats
    responsibilities: Floats
    second: Floats


class Sampler(NamedTuple):
    """Independent units; see ``unit_sampler`` of the kernels."""

    thresholds: NDArray[np.uint32]
    gaps: Words | None


def pack(bits: Bits) -> Words:
    """Rows of zeros and ones (..., n_units) as words of 64 units (..., n_words)."""
    bytes_ = np.packbits(bits, axis=-1, bitorder="little")
    missing = -bytes_.shape[-1] % 8
    padded = np.pad(bytes_, [(0, 0)] * (bytes_.ndim - 1) + [(0, missing)])
    return np.ascontiguousarray(padded).view("<u8").astype(np.uint64)


def unpack(words: Words, n_units: int) -> Bits:
    """Words of 64 units as rows of zeros and ones."""
    bytes_ = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(bytes_, axis=-1, bitorder="little")[..., :n_units]


class Stream:
    """SplitMix64 over a key made of seed, iteration and datum."""

    def __init__(self, seed: int, iteration: int, key: int) -> None:
        mixed = mix64(seed + GOLDEN)
        mixed = mix64(mixed + iteration + GOLDEN)
        self.key, self.count = mix64(mixed + key + GOLDEN), 0

    def word(self) -> int:
        """64 random bits."""
        self.count += 1
        return mix64(self.key + self.count * GOLDEN)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return (self.word() >> 33) * n >> 31

    def listed(self, units: NDArray[np.intp], thresholds: NDArray[np.uint32]) -> Bits:
        """Units of a list, each with probability thresholds[h] / 2^16; four to a word."""
        bits = np.zeros(len(thresholds), dtype=np.uint8)
        for start in range(0, len(units), 4):
            word = self.word()
            for h in units[start : start + 4]:
                bits[h] = word & 0xFFFF < thresholds[h]
                word >>= 16
        return bits

    def prior(self, sampler: Sampler) -> Bits:
        """A draw from the prior: by geometric gaps if its units are alike."""
        n_units = len(sampler.thresholds)
        if sampler.gaps is None:
            return self.listed(np.arange(n_units), sampler.thresholds)
        bits = np.zeros(n_units, dtype=np.uint8)
        h = self._gap(sampler.gaps)
        while h < n_units:
            bits[h] = 1
            h += 1 + self._gap(sampler.gaps)
        return bits

    def walk(self, bits: Bits, there: set[bytes]) -> Bits:
        """A state that is not there yet, if one is met on a short way from this one."""
        for _ in range(_LONGEST_WALK):
            if bits.tobytes() not in there:
                break
            bits[self.below(len(bits))] ^= 1
        return bits

    def _gap(self, gaps: Words) -> int:
        return int((np.uint64(self.word()) < gaps).sum())


def initial_states(keys: Words, n_states: int, seed: int, iteration: int, prior: Sampler) -> Words:
    """Distinct states for every datum: draws from the prior, which walk until they are new."""
    n_units = len(prior.thresholds)
    sets = []
    for key in keys.tolist():
        random = Stream(seed, iteration, key)
        states: dict[bytes, Bits] = {}
        while len(states) < n_states:
            bits = random.prior(prior)
            while bits.tobytes() in states:
                bits[random.below(n_units)] ^= 1
            states[bits.tobytes()] = bits
        sets.append(list(states.values()))
    return pack(np.array(sets))


def _estep(
    penalty: Callable[[Bits], float],
    states: Words,
    keys: Words,
    seed: int,
    iteration: int,
    prior: Sampler,
    n_prior: int,
    n_marginal: int,
    marginals: Floats | None,
    fields: Floats,
    inverse_temperature: float,
) -> EStep:
    n_states, n_units = states.shape[1], fields.shape[1]
    kept, free_energy, responsibilities = [], [], []
    for n, key in enumerate(keys.tolist()):
        random = Stream(seed, iteration, key)
        joint = {
            bits.tobytes(): float(bits @ fields[n]) - penalty(bits)
            for bits in unpack(states[n], n_units)
        }
        drawn = [random.prior(prior) for _ in range(n_prior)]
        if marginals is None:
            old = np.array([np.frombuffer(state, dtype=np.uint8) for state in joint])
            probability = _weights(np.array(list(joint.values())), inverse_temperature) @ old
        else:
            probability = marginals[n]
        thresholds = (probability * 2**16 + 0.5).astype(np.uint32)
        listed = np.flatnonzero(thresholds)
        hot = inverse_temperature < 1
        # At T = 1 half of the draws are left for walks to new states.
        if 2 ** len(listed) <= (n_marginal if hot else n_marginal // 2):
            drawn += _subsets(listed, n_units)
        there = joint.keys() | {bits.tobytes() for bits in drawn}
        for _ in range(n_prior + n_marginal - len(drawn)):
            bits = random.listed(listed, thresholds)
            if not hot:
                bits = random.walk(bits, there)
            drawn.append(bits)
            there.add(bits.tobytes())
        for bits in drawn:
            joint[bits.tobytes()] = float(bits @ fields[n]) - penalty(bits)
        best = sorted(joint, key=lambda state: -joint[state])[:n_states]
        values = np.array([joint[state] for state in best])
        kept.append([np.frombuffer(state, dtype=np.uint8) for state in best])
        free_energy.append(logsumexp(inverse_temperature * values))
        responsibilities.append(_weights(values, inverse_temperature))
    bits, weights = np.array(kept), np.array(responsibilities)
    return EStep(
        pack(bits),
        np.array(free_energy),
        np.einsum("ns,nsh->nh", weights, bits),
        weights,
        np.einsum("ns,nsg,nsh->gh", weights, bits, bits, optimize=True),
    )


def _subsets(listed: NDArray[np.intp], n_units: int) -> list[Bits]:
    """All states that have listed units only."""
    subsets = np.zeros((2 ** len(listed), n_units), dtype=np.uint8)
    subsets[:, listed] = np.arange(len(subsets))[:, None] >> np.arange(len(listed)) & 1
    return list(subsets)


def _weights(joint: Floats, inverse_temperature: float) -> Floats:
    weights: Floats = np.exp(inverse_temperature * (joint - joint.max()))
    weights /= weights.sum()
    return np.where(weights > _SMALLEST_WEIGHT, weights, 0.0)


def gaussian_estep(*of_any_model: Any, couplings: Floats) -> EStep:
    """E-step of binary sparse coding; the other arguments are those of `_estep`."""
    pairs = np.tril(couplings, -1)
    return _estep(lambda bits: float(bits @ pairs @ bits), *of_any_model)


def bernoulli_estep(*of_any_model: Any, weights: Floats) -> EStep:
    """E-step of a sigmoid belief network; the last row of ``weights`` is the bias."""
    return _estep(
        lambda bits: float(np.logaddexp(0.0, bits @ weights[:-1] + weights[-1]).sum()),
        *of_any_model,
    )


def bernoulli_expectations(states: Words, weights: Floats, responsibilities: Floats) -> Floats:
    """Sum over data of E[s_h sigmoid(a_d)]; in the last row of E[sigmoid(a_d)]."""
    bits = unpack(states, len(weights) - 1).reshape(-1, len(weights) - 1)
    ones = np.ones((len(bits), 1))
    on = np.hstack([bits, ones])
    return (on * responsibilities.reshape(-1, 1)).T @ expit(on @ weights)
