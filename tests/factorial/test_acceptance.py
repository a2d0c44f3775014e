"""What tempering is for: better optima of the bound, on data where plain inference gets stuck."""

import numpy as np

from topictemper.datasets import make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.tempering import Annealing, GlobalTempering

SEEDS, N = range(16), 2000


def mean_bound(**parameters):
    """ELBO an image, on average over seeds; little noise, so that temperatures matter most."""
    bounds = []
    for seed in SEEDS:
        X = make_shapes(N, noise_var=0.01, random_state=seed).data
        model = FactorialMixture(
            8, noise_var=0.01, prior_var=0.1225, random_state=seed, tol=1e-4,
            **parameters,
        )  # fmt: skip
        bounds.append(model.fit(X).elbo_)
    return np.mean(bounds)


def test_a_learned_temperature_finds_better_optima():
    """Over 60 other seeds it is 14.5 ahead of VI and 3.2 of AVI, with deviations of 9.0 and 5.4."""
    plain = mean_bound(tempering="vi")
    annealed = mean_bound(
        tempering=Annealing(schedule="linear", max_temperature=100, length=100), final_sweeps=100
    )
    learned = mean_bound(tempering=GlobalTempering(max_temperature=100), final_sweeps=100)
    assert learned - plain >= 6
    assert learned - annealed >= -3


def test_heat_leaves_hardly_a_component_without_images():
    """With many pixels the likelihood of a hot sweep does not pay for a component's variances."""
    clean = np.repeat(make_shapes(100, noise_var=0, random_state=0).data, 64, axis=1)
    X = clean + np.random.RandomState(0).normal(scale=0.5**0.5, size=clean.shape)
    for tempering in (Annealing(max_temperature=200), GlobalTempering(max_temperature=200)):
        model = FactorialMixture(
            8, tempering=tempering, noise_var=0.5, max_iter=25, random_state=0
        ).fit(X)
        # Sweeps at T = 1 empty a component in one fit of 800. If none starts anew, all eight are.
        assert (model.transform(X).sum(axis=0) > 0.5).sum() >= 7
