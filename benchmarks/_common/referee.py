"""One score for the topics of any system: the better of two ways to complete documents.

Half of each test document gives its topic proportions, by mean-field inference or by Gibbs
sampling, each with the multiple of the system's own alpha that completes 500 of the training
documents best. Nobody gains by how its topics were learned, nor by how its alpha was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topictemper.metrics import predictive_log_likelihood

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
N_TRAINING = 500


class Reading(NamedTuple):
    """A score, in nats a held-out token, its standard error, and how it came about."""

    score: float
    error: float
    inference: str
    factor: float


def best_of_two(topics: NDArray[Any], alpha: Any, X: Any, X_test: Any, jobs: int) -> Reading:
    """Score topics (n_components, n_features) on test documents."""
    return max(reading(topics, alpha, X, X_test, way, jobs) for way in ("mean_field", "gibbs"))


def reading(
    topics: NDArray[Any], alpha: Any, X: Any, X_test: Any, inference: Any, jobs: int
) -> Reading:
    """Score topics on test documents that are completed in one way."""
    # Dirichlet parameters are read by mean field as they were learned: with exp(E[log beta]).
    if inference != "mean_field":
        topics = topics / topics.sum(axis=1, keepdims=True)
    alpha = np.broadcast_to(np.asarray(alpha, dtype=float), len(topics))
    some = X[:: max(1, X.shape[0] // N_TRAINING)][:N_TRAINING]

    def score(X: Any, factor: float, **more: Any) -> Any:
        return predictive_log_likelihood(
            topics, X, factor * alpha, inference=inference, n_jobs=jobs, **more
        )

    factor = max(FACTORS, key=lambda factor: score(some, factor))
    found, error = score(X_test, factor, standard_error=True)
    return Reading(found, error, inference, factor)
