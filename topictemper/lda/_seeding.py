"""Seeded topics of an estimator: from words to the array that training uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from .._utils import _validation as check
from .._utils._chunks import Chunks
from .._utils._typing import Floats
from ..topics._seeds import SeedTopics
from ._defaults import ETA_DIRICHLET, ETA_POINT

#: Documents of a stream from which a prior is made.
ENOUGH = 500

#: Seeded topics, as the parameter `topic_word_prior` takes them.
Seeds = Mapping[str, Sequence[str]] | SeedTopics


def unseeded(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator, with the usual prior in place of seeded topics.

    Raises
    ------
    TypeError, ValueError
        If the seeded topics are no labels with words.
    """
    parameters = check.parameters(estimator)
    if kept_seeds(estimator.topic_word_prior) is not None:
        parameters["topic_word_prior"] = None
    return parameters


def seeded(
    estimator: Any,
    X: Any,
    sample_weight: Floats | None,
    rows: NDArray[np.int64] | None = None,
    scale: float = 1.0,
) -> dict[str, Any]:
    """Parameters of an estimator, with an array in place of seeded topics.

    Parameters
    ----------
    estimator : TemperedLDA
        With names of the columns, if it has seeds.
    X : CSR matrix or Chunks
        Documents to learn from.
    sample_weight : ndarray or None
        How often each counts.
    rows : ndarray or None
        Those to learn from; None: all.
    scale : float
        Documents that each document stands for.
    """
    parameters = check.parameters(estimator)
    seeds = kept_seeds(estimator.topic_word_prior)
    if seeds is None:
        return parameters
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            "topic_word_prior has seed words, so the columns of X need names: give fit or "
            "partial_fit feature_names=..., or a data frame with names"
        )
    weight = sample_weight
    if rows is not None:
        weight = np.zeros(X.shape[0])
        weight[rows] = 1.0 if sample_weight is None else sample_weight[rows]
    of_corpus = ((chunk, None) for chunk in X) if isinstance(X, Chunks) else [(X, weight)]
    base = _base(seeds, parameters["inference"])
    eta = seeds.prior_of(
        of_corpus, names, parameters["n_components"], X.shape[1], scale=scale, base=base
    )
    parameters["topic_word_prior"] = eta.astype(check.precision(parameters["dtype"]))
    return parameters


def first_documents(estimator: Any, first: Any, matrices: Iterator[Any]) -> Any:
    """The first chunk of a stream, or so many that a prior of seeded topics follows from them."""
    if hasattr(estimator, "_trainer") or not is_seeded(estimator.topic_word_prior):
        return first
    chunks, n_documents = [first.copy()], first.shape[0]  # the next may be in the same arrays
    while n_documents < ENOUGH:
        chunk = next(matrices, None)
        if chunk is None:
            break
        chunks.append(chunk.copy())
        n_documents += chunk.shape[0]
    return sp.vstack(chunks, format="csr")


def seed_labels(topic_word_prior: Any) -> dict[int, str]:
    """Labels of the seeded topics, by number."""
    seeds = _seeds(topic_word_prior)
    return {} if seeds is None else seeds.labels()


def merged_seeds(
    topic_word_prior: Any, groups: list[list[int]], sizes: Floats, inference: str
) -> Any:
    """The parameter of a model whose topics are such groups of topics, in ascending order.

    A group that has a seeded topic is one, with the words of all of them and the label of the
    largest. If none is left, it is the prior of all other words.
    """
    seeds = _seeds(topic_word_prior)
    if seeds is None:
        return topic_word_prior
    labels, merged = seeds.labels(), {}
    for group in groups:
        of_group = [labels[k] for k in group if k in labels]
        if of_group:
            words = [word for label in of_group for word in seeds.topics[label]]
            largest = max((k for k in group if k in labels), key=lambda k: sizes[k])
            merged[labels[largest]] = list(dict.fromkeys(words))
    if not merged:
        return _base(seeds, inference)
    if isinstance(topic_word_prior, SeedTopics):
        return clone(seeds).set_params(topics=merged)
    return merged


def is_seeded(topic_word_prior: Any) -> bool:
    """Whether the parameter gives seeded topics."""
    return _seeds(topic_word_prior) is not None


def kept_seeds(topic_word_prior: Any) -> SeedTopics | None:
    """Seeded topics that later changes of the parameter do not reach; None: it gives none."""
    seeds = _seeds(topic_word_prior)
    if seeds is None:
        return None
    topics = {label: list(seeds.topics[label]) for label in seeds.labels().values()}
    return SeedTopics(topics, strength=seeds.strength, base=seeds.base)


def same_seeds(seeds: SeedTopics | None, other: SeedTopics | None) -> bool:
    """Whether two of `kept_seeds` make the same prior.

    The order of topics is part of it, but that of their words is not. Sets have another one in each
    process.
    """
    if seeds is None or other is None:
        return seeds is other
    settings = (seeds.strength, seeds.base) == (other.strength, other.base)
    topics, others = (
        [(label, set(words)) for label, words in each.topics.items()] for each in (seeds, other)
    )
    return settings and topics == others


def _base(seeds: SeedTopics, inference: str) -> float:
    """The prior of all other words."""
    if seeds.base is not None:
        return seeds.base
    return ETA_DIRICHLET if inference == "vb" else ETA_POINT


def _seeds(topic_word_prior: Any) -> SeedTopics | None:
    if isinstance(topic_word_prior, Mapping):
        return SeedTopics(topic_word_prior)
    return topic_word_prior if isinstance(topic_word_prior, SeedTopics) else None
