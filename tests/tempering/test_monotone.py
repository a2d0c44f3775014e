"""The learned temperatures and a model's own updates climb one bound together."""

import numpy as np
import pytest

from topictemper.tempering import (
    GlobalTemperature,
    LocalTemperature,
    inverse_temperature_grid,
    temperature_grid,
)


class TwoMeans:
    """A mixture of two unit Gaussians at known weights, with q(means) and q(assignments)."""

    weights = np.array([0.3, 0.7])
    prior_var = 100.0

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        side = rng.random(200) < self.weights[0]
        self.x = np.where(side, 4.0, -4.0) + rng.normal(size=200)
        self.m, self.v = rng.normal(size=2), np.full(2, self.prior_var)
        self.phi = np.full((200, 2), 0.5)

    def _log_joint(self):
        squares = (self.x[:, None] - self.m) ** 2 + self.v
        return np.log(self.weights) - 0.5 * np.log(2 * np.pi) - 0.5 * squares

    def update_phi(self, s):
        logits = np.reshape(s, (-1, 1)) * self._log_joint()
        phi = np.exp(logits - logits.max(axis=1, keepdims=True))
        self.phi = phi / phi.sum(axis=1, keepdims=True)

    def update_means(self, s):
        weighted = np.reshape(s, (-1, 1)) * self.phi
        self.v = 1 / (1 / self.prior_var + weighted.sum(axis=0))
        self.m = self.v * (self.x @ weighted)

    def energies(self):
        return (self.phi * self._log_joint()).sum(axis=1)

    def log_partition_of_one(self, s):
        s = np.asarray(s)
        return (
            -0.5 * np.log(s)
            + 0.5 * (1 - s) * np.log(2 * np.pi)
            + np.log((self.weights[:, None] ** s).sum(axis=0))
        )

    def rest(self):
        entropy = -np.sum(self.phi * np.log(self.phi, where=self.phi > 0, out=np.zeros((200, 2))))
        return entropy + np.sum(0.5 * np.log(self.v) - 0.5 * (self.m**2 + self.v) / self.prior_var)


@pytest.mark.parametrize("seed", range(5))
def test_global(seed):
    model = TwoMeans(seed)
    temperatures = temperature_grid(100, 10.0)
    temperature = GlobalTemperature(
        temperatures, 200 * model.log_partition_of_one(1 / temperatures)
    )

    def bound():
        return temperature.elbo_terms(model.energies().sum()) + model.rest()

    history = [bound()]
    for _ in range(30):
        for update in (model.update_phi, model.update_means):
            update(temperature.inverse_temperature)
            history.append(bound())
        temperature.update(model.energies().sum())
        history.append(bound())
    assert np.diff(history).min() > -1e-9 * abs(history[-1])
    assert history[-1] > history[0] + 10


@pytest.mark.parametrize("seed", range(5))
def test_local(seed):
    model = TwoMeans(seed)
    s = inverse_temperature_grid(100)
    temperature = LocalTemperature(s)
    log_c = model.log_partition_of_one(s)
    r = np.full((200, 100), 0.01)

    def bound():
        return temperature.elbo_terms(model.energies(), log_c, r).sum() + model.rest()

    history = [bound()]
    for _ in range(30):
        for update in (model.update_phi, model.update_means):
            update(r @ s)
            history.append(bound())
        r = temperature.responsibilities(model.energies(), log_c)
        history.append(bound())
        np.testing.assert_allclose(temperature.update(model.energies(), log_c), r @ s)
    assert np.diff(history).min() > -1e-9 * abs(history[-1])
    assert history[-1] > history[0] + 10
