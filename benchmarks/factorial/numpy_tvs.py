"""The E-step of truncated variational sampling in numpy, without a loop over data.

What one would write without a compiler: all data at once, states as arrays of floats, duplicates
found by sorting and dropped, as in the paper. (The kernel changes draws that are known until they
are new, so its free energy is higher.) It stands beside the kernel in `truncated.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from topictemper._core._reference.truncated import unpack
from topictemper._utils._typing import Flags, Floats
from topictemper.factorial.truncated._belief_network import BernoulliJoint
from topictemper.factorial.truncated._e_step import Samples


class NumpyStates:
    """Sets of states for all data, as an array of shape (N, S, H).

    Parameters
    ----------
    joint : GaussianJoint or BernoulliJoint
        The model.
    Y : ndarray of shape (N, D)
        Data.
    words : ndarray of shape (N, S, W), uint64
        Packed states to start with.
    rng : Generator
        Draws samples.
    """

    def __init__(self, joint: Any, Y: Floats, words: NDArray[np.uint64], rng: Any) -> None:
        self.joint, self.Y, self.rng = joint, Y, rng
        self.states = unpack(words, joint.n_units).astype(np.float64)

    def update(self, samples: Samples) -> Floats:
        """One E-step with expectations; the free energy of each datum."""
        n_data, n_states, n_units = self.states.shape
        fields, constants = self.joint.fields(self.Y), self.joint.constants(self.Y)
        old = self._log_joint(self.states, fields)
        weights = np.exp(old - logsumexp(old, axis=1, keepdims=True))
        marginals = np.einsum("ns,nsh->nh", weights, self.states)
        drawn = self.rng.random((n_data, sum(samples), n_units), dtype=np.float32)
        probabilities = np.concatenate(
            [
                np.broadcast_to(self.joint.prior.probabilities, (n_data, samples.n_prior, n_units)),
                np.broadcast_to(marginals[:, None], (n_data, samples.n_marginal, n_units)),
            ],
            axis=1,
        )
        new = (drawn < probabilities).astype(np.float64)
        states = np.concatenate([self.states, new], axis=1)
        log_joint = np.concatenate([old, self._log_joint(new, fields)], axis=1)
        log_joint[self._repeated(states)] = -np.inf
        best = np.argpartition(-log_joint, n_states - 1, axis=1)[:, :n_states]
        self.states = np.take_along_axis(states, best[:, :, None], axis=1)
        log_joint = np.take_along_axis(log_joint, best, axis=1)
        free_energy = logsumexp(log_joint, axis=1)
        weights = np.exp(log_joint - free_energy[:, None])
        self.means = np.einsum("ns,nsh->nh", weights, self.states)
        if not isinstance(self.joint, BernoulliJoint):
            weighted = (self.states * weights[:, :, None]).reshape(-1, n_units)
            self.second = weighted.T @ self.states.reshape(-1, n_units)
        return free_energy + constants

    def _log_joint(self, states: Floats, fields: Floats) -> Floats:
        flat = states.reshape(-1, states.shape[2])
        penalties = self.joint.penalties(flat).reshape(states.shape[:2])
        return np.einsum("nsh,nh->ns", states, fields) - penalties

    def _repeated(self, states: Floats) -> Flags:
        """Whether a state equals one before it in its set: by a random projection, sorted."""
        values = states @ self.rng.random(states.shape[2])
        order = np.argsort(values, axis=1, kind="stable")
        ranked = np.take_along_axis(values, order, axis=1)
        equal = np.zeros(values.shape, dtype=bool)
        equal[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
        repeated = np.zeros_like(equal)
        np.put_along_axis(repeated, order, equal, axis=1)
        return repeated
