"""Seeded topics of an estimator: from words to the array that training uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._chunks import Chunks
from ..topics._seeds import SeedTopics
from ._defaults import ETA_DIRICHLET, ETA_POINT

#: Seeded topics, as the parameter `topic_word_prior` takes them.
Seeds = Mapping[str, Sequence[str]] | SeedTopics


def without_seeds(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters with the usual prior in place of seeded topics."""
    if _seeds(parameters["topic_word_prior"]) is None:
        return parameters
    return {**parameters, "topic_word_prior": None}


def with_seeds(
    parameters: dict[str, Any],
    feature_names: Any,
    X: Any,
    sample_weight: NDArray[np.float64] | None,
    scale: float = 1.0,
) -> dict[str, Any]:
    """Parameters with an array in place of seeded topics.

    Parameters
    ----------
    parameters : dict
        Of an estimator.
    feature_names : array-like of str or None
        Words of the columns.
    X : CSR matrix or Chunks
        Documents to learn from.
    sample_weight : ndarray or None
        How often each counts.
    scale : float
        Documents that each document stands for.
    """
    seeds = _seeds(parameters["topic_word_prior"])
    if seeds is None:
        return parameters
    if feature_names is None:
        raise ValueError(
            "topic_word_prior has seed words, so the columns of X need names: give "
            "fit(X, feature_names=...), or a data frame with names"
        )
    # One row at a time makes whole chunks: no row is left over for the next.
    parts = (
        ((rows, None) for rows, _ in X.blocks(1, None))
        if isinstance(X, Chunks)
        else [(X, sample_weight)]
    )
    base = ETA_DIRICHLET if parameters["inference"] == "vb" else ETA_POINT
    eta = seeds.prior_of(
        parts, feature_names, parameters["n_components"], X.shape[1], scale=scale, base=base
    )
    return {**parameters, "topic_word_prior": eta}


def seed_labels(topic_word_prior: Any) -> dict[int, str]:
    """Labels of the seeded topics, by number."""
    seeds = _seeds(topic_word_prior)
    return {} if seeds is None else seeds.labels()


def _seeds(topic_word_prior: Any) -> SeedTopics | None:
    if isinstance(topic_word_prior, Mapping):
        return SeedTopics(topic_word_prior)
    return topic_word_prior if isinstance(topic_word_prior, SeedTopics) else None
