"""Fewer topics: merged, dropped or reduced along their hierarchy, as a model that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._counts import LARGEST_COUNT
from .._utils._state import Tree
from .._utils._typing import Floats
from ..topics._hierarchy import TopicHierarchy, topic_hierarchy
from ..topics._seeds import SeedTopics
from ._assembly import restored_trainer, trainer_tree
from ._config import PRIOR_RANGE, Config, has_entries
from ._labels import topic_number
from ._seeding import kept_seeds, merged_seeds, same_seeds
from ._trained_with import kept

Topic = int | str
_MOST_VALUES = 2**20  # by topic, which are summed at once and fit into the cache
_LARGEST = {
    "doc_topic_prior": PRIOR_RANGE[1],
    "topic_word_prior": LARGEST_COUNT,
    "init": LARGEST_COUNT,
}


class ReductionMixin:
    """Gives `TemperedLDA` `merge_topics`, `drop_topics` and `reduce_to`."""

    def merge_topics(self, groups: Sequence[Topic] | Sequence[Sequence[Topic]]) -> Self:
        """A model in which topics are merged.

        A merged topic has the words of all its topics, and the sum of their `doc_topic_prior_`. It
        takes the place of its first topic, and the label of its largest topic that has one.

        Parameters
        ----------
        groups : sequence of topics, or of sequences of topics
            Topics to merge into one, by number or label; or several such groups.

        Returns
        -------
        TemperedLDA
            A new estimator with fewer topics, which predicts, can be saved, and continues with
            `partial_fit`. This one does not change. Priors, seed words and `init` that were set
            after training are left out: the new ones follow from those that the topics were learned
            with.

        Raises
        ------
        ValueError
            If there is no such topic, if one is in two groups, or if a sum is larger than a prior
            or `init` may be.
        sklearn.exceptions.NotFittedError
            If the model is not fitted.

        Examples
        --------
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
        >>> lda = TemperedLDA(6, max_iter=5, batch_size=20, random_state=0).fit(X)
        >>> merged = lda.merge_topics([[0, 3], [1, 2]])
        >>> merged.transform(X).shape
        (200, 4)
        >>> merged.merge_topics([0, 1]).n_components
        3
        """
        check_is_fitted(self)
        return self._reduced(merged_groups(self, groups))

    def drop_topics(self, topics: Topic | Sequence[Topic] | NDArray[Any]) -> Self:
        """A model without some topics. Their words go to the topics that are left.

        Parameters
        ----------
        topics : int, str or sequence of these
            The topics, by number or label. One topic has to be left.

        Returns
        -------
        TemperedLDA
            A new estimator with fewer topics, which predicts, can be saved, and continues with
            `partial_fit`. This one does not change.

        Raises
        ------
        ValueError
            If there is no such topic, or if none is left.
        sklearn.exceptions.NotFittedError
            If the model is not fitted.

        Examples
        --------
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
        >>> lda = TemperedLDA(6, max_iter=5, batch_size=20, random_state=0).fit(X)
        >>> lda.set_labels({5: "noise"}).drop_topics("noise").n_components
        5
        """
        check_is_fitted(self)
        return self._reduced(groups_left(self, topics))

    def reduce_to(self, n_components: int, *, hierarchy: TopicHierarchy | None = None) -> Self:
        """A model with fewer topics: the nearest ones are merged, along their hierarchy.

        Parameters
        ----------
        n_components : int
            Number of topics of the new model.
        hierarchy : TopicHierarchy, optional
            The tree to follow. None is ``topictemper.topics.topic_hierarchy(self)``.

        Returns
        -------
        TemperedLDA
            A new estimator, as from `merge_topics`.

        Raises
        ------
        ValueError
            If the model has fewer topics than that, or if the hierarchy has other topics.
        sklearn.exceptions.NotFittedError
            If the model is not fitted.

        Examples
        --------
        >>> from topictemper import TemperedLDA
        >>> from topictemper.datasets import make_lda_corpus
        >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
        >>> lda = TemperedLDA(8, max_iter=10, batch_size=20, random_state=0).fit(X)
        >>> lda.reduce_to(4).components_.shape
        (4, 100)
        """
        check_is_fitted(self)
        return self._reduced(nearest_groups(self, n_components, hierarchy))

    def _reduced(self, groups: list[list[int]]) -> Self:
        """The model whose topics are such groups of topics."""
        model: Any = self
        sizes = model._trainer.topics.totals
        # In one copy, so that a schedule that is an object stays one.
        own, trained = deepcopy((check.parameters(model), model._trained_with))
        other = clone(model)
        as_trained = _as_trained(own, trained, model._trained_seeds)
        for name, value in _parameters(as_trained, groups, sizes).items():
            setattr(other, name, value)
        for name in ("n_features_in_", "feature_names_in_", "_names_of_frame"):
            if hasattr(model, name):
                setattr(other, name, getattr(model, name))
        trained = _parameters(trained, groups, sizes)
        other._trained_with = {name: kept(value) for name, value in trained.items()}
        seeds = merged_seeds(model._trained_seeds, groups, sizes, trained["inference"])
        other._trained_seeds = kept_seeds(seeds)
        if model._trained_seeds is not None and other._trained_seeds is None:
            # Not an array any longer: all words have the same prior.
            other._trained_with["topic_word_prior"] = seeds
        config = Config.of(other._trained_with, model.n_features_in_)
        tree = _merged_tree(trainer_tree(model._trainer), groups)
        # A number as parameter stays one, but the topics have sums of it.
        _check_sums("doc_topic_prior", tree["trainer"]["alpha"])
        other._trainer = restored_trainer(config, tree)
        for k, group in enumerate(groups):
            labeled = [j for j in group if j in model._labels]
            if labeled:
                largest = max(labeled, key=lambda j: sizes[j])
                other._labels = {**other._labels, k: model._labels[largest]}
        return other


def merged_groups(lda: Any, groups: Any) -> list[list[int]]:
    """Groups of topics after a merge, ascending, in the order of their first topics."""
    if not check.has_entries(groups):
        raise TypeError(f"groups must be a list of topics, or of such lists, got {groups!r}")
    groups = list(groups)
    single = [not check.has_entries(group) for group in groups]
    if groups and all(single):
        groups = [groups]
    elif any(single):
        raise TypeError(
            "groups must be a list of topics, or of such lists, but "
            f"{groups[single.index(True)]!r} is a topic beside lists"
        )
    labels, result = lda.labels_, []
    seen: set[int] = set()
    for group in groups:
        numbers = sorted({topic_number(topic, labels) for topic in group})
        if not numbers:
            raise ValueError("groups must not have empty groups")
        twice = seen.intersection(numbers)
        if twice:
            raise ValueError(f"topic {min(twice)} is in two groups")
        seen |= set(numbers)
        result.append(numbers)
    return sorted([*result, *([k] for k in range(len(labels)) if k not in seen)])


def groups_left(lda: Any, topics: Any) -> list[list[int]]:
    """Topics without those that are dropped, each a group."""
    if isinstance(topics, str | int | np.integer):
        topics = [topics]
    if not check.has_entries(topics):
        raise TypeError(f"topics must be a topic or a list of topics, got {topics!r}")
    labels = lda.labels_
    dropped = {topic_number(topic, labels) for topic in topics}
    left = [[k] for k in range(len(labels)) if k not in dropped]
    if not left:
        raise ValueError("topics are all topics of the model; one topic has to be left")
    return left


def nearest_groups(
    lda: Any, n_components: int, hierarchy: TopicHierarchy | None
) -> list[list[int]]:
    """Topics in so many groups, along a hierarchy."""
    n_topics = lda._n_features_out
    n_components = check.integer("n_components", n_components, 1, n_topics)
    if n_topics == 1:
        return [[0]]
    tree = topic_hierarchy(lda) if hierarchy is None else hierarchy
    if not isinstance(tree, TopicHierarchy):
        raise TypeError(f"hierarchy must be a TopicHierarchy or None, got {type(tree).__name__}")
    if len(tree.labels_) != n_topics:
        raise ValueError(f"hierarchy has {len(tree.labels_)} topics, but this model has {n_topics}")
    return tree.groups(n_components)


def _as_trained(
    own: dict[str, Any], trained: dict[str, Any], seeds: SeedTopics | None
) -> dict[str, Any]:
    """Parameters with the priors, seeds and `init` that the topics were learned with.

    Those that were set after training may be for another number of topics.
    """
    as_trained = {name: trained[name] for name in ("doc_topic_prior", "topic_word_prior", "init")}
    if seeds is not None:  # of which training made an array
        given = own["topic_word_prior"]
        as_trained["topic_word_prior"] = given if same_seeds(kept_seeds(given), seeds) else seeds
    return own | as_trained


def _parameters(
    parameters: dict[str, Any], groups: list[list[int]], sizes: Floats
) -> dict[str, Any]:
    """Parameters of the model with merged topics."""
    eta = merged_seeds(parameters["topic_word_prior"], groups, sizes, parameters["inference"])
    new = {**parameters, "n_components": len(groups), "topic_word_prior": eta}
    for name in ("doc_topic_prior", "init"):
        if has_entries(new[name]):
            new[name] = _summed(np.asarray(new[name], dtype=np.float64).T, groups).T
            _check_sums(name, new[name])
    if np.ndim(eta) == 2:
        eta = np.asarray(eta, dtype=np.float64)
        new["topic_word_prior"] = _merged_eta(eta.T, groups).T
        _check_sums("topic_word_prior", new["topic_word_prior"])
    return new


def _check_sums(name: str, values: NDArray[Any]) -> None:
    """Raise an error if values of merged topics are larger than the parameter may be."""
    if (largest := float(values.max())) > _LARGEST[name]:
        raise ValueError(
            f"{name} of merged topics is the sum of theirs, which is {largest:.4g} here and may be "
            f"at most {_LARGEST[name]:g}: merge fewer topics, or fit with a smaller {name}"
        )


def _merged_tree(tree: Tree, groups: list[list[int]]) -> Tree:
    """The tree of a model with merged topics."""
    return {
        **tree,
        "first_alpha": _summed(tree["first_alpha"], groups),
        "first_eta": _merged_eta(tree["first_eta"], groups),
        "trainer": _merged_state(tree["trainer"], groups),
    }


def _merged_state(tree: Tree, groups: list[list[int]]) -> Tree:
    """The state of a trainer with merged topics."""
    eta, average = tree["eta"], tree["average"]
    merged = _merged_eta(eta, groups)
    # The smallest eta may have been in a topic that is gone.
    rise = float(merged.min() - eta.min()) if isinstance(eta, np.ndarray) else 0.0
    normalizer, means = tree["normalizer"], tree["priors"]["means"]
    if normalizer and "moments" in normalizer:  # they follow from the topics
        moments = normalizer["moments"]
        moments = np.zeros((len(moments), len(groups)), moments.dtype)
        normalizer = {**normalizer, "moments": moments, "refreshed": -np.inf}
    if means is not None:
        means = np.append(_summed(means[:-1], groups), means[-1])
    return {
        **tree,
        "topics": _merged_topics(tree["topics"], groups, rise),
        "average": {
            **average,
            "topics": average["topics"] and _merged_topics(average["topics"], groups, rise),
        },
        "alpha": _summed(tree["alpha"], groups),
        "eta": merged,
        "normalizer": normalizer,
        "priors": {**tree["priors"], "means": means},
    }


def _merged_topics(topics: Tree, groups: list[list[int]], rise: float) -> Tree:
    """The state of merged topics, if the smallest eta rises."""
    M = _summed(topics["M"], groups)
    return {
        **topics,
        "M": M,
        "base": topics["base"] + topics["b"] * rise,
        "column_sums": M.sum(0, dtype=np.float64),
    }


def _summed(values: NDArray[Any], groups: list[list[int]]) -> NDArray[Any]:
    """Values by topic, which is the last axis, summed over groups."""
    several = [(k, group) for k, group in enumerate(groups) if len(group) > 1]
    summed = values.take([group[0] for group in groups], axis=-1)
    n_parts = 1 if values.ndim == 1 else max(1, min(len(values) // 2, values.size // _MOST_VALUES))
    for part, sums in zip(
        np.array_split(values, n_parts), np.array_split(summed, n_parts), strict=True
    ):
        for k, group in several:
            sums[..., k] = part[..., group].sum(axis=-1, dtype=np.float64)
    return summed


def _merged_eta(eta: Any, groups: list[list[int]]) -> Any:
    """Eta of groups: what their topics have over the smallest eta adds up."""
    if not isinstance(eta, np.ndarray) or eta.shape[1] == 1:
        return eta
    return _summed(eta - eta.min(), groups) + eta.min()
