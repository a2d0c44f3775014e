"""Distances between the topics of a model, and the tree of merges that follows from them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from scipy.spatial.distance import pdist, squareform

from .._utils import _validation as check
from .._utils._distances import distributions, hellinger_of_roots, jensen_shannon, roots
from .._utils._numerics import own_numerics
from .._utils._topics import topics_of
from .._utils._typing import Floats, Strings
from ._checks import labels_of

Metric = Literal["hellinger", "jensenshannon"]
Method = Literal["average", "complete", "single", "weighted", "ward"]
_ROUNDING = 1e-3  # of distances, in single precision
# Shorter ones are computed from differences, which takes long: by products they are 1e-13 off.
_NEAR = 0.01


def topic_distances(components: Any, metric: Metric = "hellinger") -> Floats:
    r"""Distances between the topics of a model.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`.
    metric : {"hellinger", "jensenshannon"}, default="hellinger"
        Hellinger distance :math:`(1 - \sum_v \sqrt{p_v q_v})^{1/2}`, or Jensen-Shannon distance,
        the square root of the divergence to base 2.

    Returns
    -------
    ndarray of shape (n_components, n_components)
        In [0, 1]: 0 for the same words, 1 for no word in common.

    Raises
    ------
    ValueError
        If the components are invalid, or if there is no such metric.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import topic_distances
    >>> topic_distances(np.array([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1]])).round(6)
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    check.choice("metric", metric, get_args(Metric))
    topics = topics_of(components)
    if metric == "jensenshannon":
        return jensen_shannon(distributions(topics))
    return _hellinger(roots(topics))


@own_numerics
def _hellinger(topics: Floats) -> Floats:
    """Hellinger distances of topics, given as their roots, 0 to the last bit for the same words."""
    distances = hellinger_of_roots(topics, topics)
    np.fill_diagonal(distances, 0.0)
    near = distances < _NEAR
    rows = np.flatnonzero(np.count_nonzero(near, axis=1) > 1)  # near to others, too
    if len(rows):
        among = np.ix_(rows, rows)
        exact = squareform(pdist(topics[rows]) / np.sqrt(2.0))
        distances[among] = np.where(near[among], exact, distances[among])
    return distances


class TopicHierarchy:
    """The tree of topics: the two nearest are merged again and again, until one is left.

    Parameters
    ----------
    distances : array-like of shape (n_components, n_components)
        Distances between topics, such as from `topic_distances`.
    method : {"average", "complete", "single", "weighted", "ward"}, default="average"
        Distance between groups of topics, as for `scipy.cluster.hierarchy.linkage`.
    labels : sequence of str of length n_components, optional
        Labels of the topics. None is "topic 0", "topic 1" ...

    Attributes
    ----------
    distances_ : ndarray of shape (n_components, n_components)
        The distances.
    labels_ : list of str
        The labels.
    linkage_ : ndarray of shape (n_components - 1, 4)
        The merges, as `scipy.cluster.hierarchy` represents them.

    Raises
    ------
    ValueError
        If the distances are not symmetric, not 0 on the diagonal or negative, if there are fewer
        than two topics, or if a parameter is invalid.

    See Also
    --------
    topic_hierarchy : Makes it from topics.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import TopicHierarchy, topic_distances
    >>> topics = np.array([[4, 4, 1, 1], [1, 1, 4, 4], [4, 3, 1, 1]])
    >>> TopicHierarchy(topic_distances(topics)).groups(2)
    [[0, 2], [1]]
    """

    def __init__(
        self, distances: Any, *, method: Method = "average", labels: Strings | None = None
    ) -> None:
        check.choice("method", method, get_args(Method))
        distances = check.numbers("distances", distances)
        if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or len(distances) < 2:
            raise ValueError(
                "distances must have a row and a column for each of at least two topics, got shape "
                f"{distances.shape}"
            )
        if not np.isfinite(distances).all() or not np.allclose(distances, distances.T):
            raise ValueError("distances must be finite and symmetric")
        if distances.min() < -_ROUNDING or np.abs(distances.diagonal()).max() > _ROUNDING:
            raise ValueError(
                "distances must be >= 0, and 0 on the diagonal; of similarities up to 1 give "
                "1 - similarities"
            )
        labels = labels_of(labels, len(distances))
        from scipy.cluster.hierarchy import linkage  # slow to import

        self.distances_: Floats = distances.copy()  # which nobody changes
        self.labels_: list[str] = labels
        self.linkage_: Floats = linkage(squareform(distances, checks=False), method=method)

    def __repr__(self) -> str:
        return (
            f"<TopicHierarchy of {len(self.labels_)} topics: groups(n) cuts it into n groups, "
            "topictemper.plotting.TopicHierarchyDisplay draws it>"
        )

    def groups(self, n_groups: int) -> list[list[int]]:
        """Topics in so many groups, by cutting the tree.

        Parameters
        ----------
        n_groups : int
            From 1 to the number of topics.

        Returns
        -------
        list of list of int
            Topics of each group, ascending; the groups are in the order of their first topics.
        """
        n_components = len(self.labels_)
        n_groups = check.integer("n_groups", n_groups, 1, n_components)
        # The heights of "maxclust" do not separate merges at equal distances: cut the tree by hand.
        members: dict[int, list[int]] = {k: [k] for k in range(n_components)}
        for i, (first, second) in enumerate(self.linkage_[: n_components - n_groups, :2]):
            members[n_components + i] = members.pop(int(first)) + members.pop(int(second))
        return sorted(sorted(group) for group in members.values())


def topic_hierarchy(
    components: Any, *, metric: Metric = "hellinger", method: Method = "average"
) -> TopicHierarchy:
    """Tree of the topics of a model, from topics that are nearly the same to all of them.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`. The tree has
        its `labels_`.
    metric : {"hellinger", "jensenshannon"}, default="hellinger"
        Distance between topics, see `topic_distances`.
    method : {"average", "complete", "single", "weighted", "ward"}, default="average"
        Distance between groups of topics, as for `scipy.cluster.hierarchy.linkage`.

    Returns
    -------
    TopicHierarchy
        The tree. `topictemper.plotting.TopicHierarchyDisplay` draws it, and
        ``TemperedLDA.reduce_to`` merges topics along it.

    Raises
    ------
    ValueError
        If the components are invalid, if there are fewer than two topics, or if a parameter is
        invalid.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.topics import topic_hierarchy
    >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
    >>> lda = TemperedLDA(6, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> tree = topic_hierarchy(lda)
    >>> len(tree.groups(4))
    4
    >>> lda.merge_topics(tree.groups(4)).n_components
    4
    """
    distances = topic_distances(components, metric)
    if len(distances) < 2:
        raise ValueError("components must have at least two topics, or there is nothing to merge")
    labels = getattr(components, "labels_", None)
    # An estimator of another library may have labels of other things.
    if labels is not None and len(labels) != len(distances):
        labels = None
    return TopicHierarchy(distances, method=method, labels=labels)
