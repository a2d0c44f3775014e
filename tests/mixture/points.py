"""Points, starts and fits for the tests of DP mixtures."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from topictemper._utils._typing import Floats
from topictemper.mixture import DPGaussianMixture


def clusters(seed: int, n_samples: int = 500, n_features: int = 2, n_clusters: int = 6) -> Floats:
    """Points of clusters in the plane."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(0, 5, (n_clusters, n_features))
    deviations = rng.uniform(0.5, 1.5, (n_clusters, n_features))
    z = rng.integers(0, n_clusters, n_samples)
    return centers[z] + deviations[z] * rng.standard_normal((n_samples, n_features))


def random_start(seed: int, n_samples: int = 500, n_components: int = 15) -> Floats:
    """Dirichlet(1) responsibilities."""
    return np.random.default_rng(seed).dirichlet(np.ones(n_components), n_samples)


def fitted(X: Floats, n_components: int = 15, **parameters: Any) -> DPGaussianMixture:
    """A fit that need not have converged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return DPGaussianMixture(n_components, **{"random_state": 0, **parameters}).fit(X)
