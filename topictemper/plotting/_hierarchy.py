"""The tree of topics."""

from __future__ import annotations

import warnings
from typing import Any, Self

from ..topics._hierarchy import Method, Metric, TopicHierarchy, topic_hierarchy
from ._axes import COOL, MUTED, axes, shortened_apart

_LONGEST_LABEL = 40


class TopicHierarchyDisplay:
    """Dendrogram of topics: which are merged, and at which distance.

    Labels stand right of the axes: a figure of your own needs ``layout="constrained"``.

    Parameters
    ----------
    hierarchy : TopicHierarchy
        The tree.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.
    order_ : list of int
        Topics from top to bottom.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import TopicHierarchyDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> lda = TemperedLDA(5, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> display = TopicHierarchyDisplay.from_estimator(lda)
    >>> sorted(display.order_)
    [0, 1, 2, 3, 4]
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    order_: list[int]

    def __init__(self, hierarchy: TopicHierarchy) -> None:
        self.hierarchy = hierarchy

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        metric: Metric = "hellinger",
        method: Method = "average",
        n_groups: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the tree of the topics of an estimator.

        Parameters
        ----------
        estimator : fitted estimator, or array-like of shape (n_components, n_features)
            An estimator with `components_`, or topics.
        metric, method
            As for `topictemper.topics.topic_hierarchy`.
        n_groups : int, default=None
            Where to cut the tree: a line is drawn there. None draws no line.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TopicHierarchyDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there are fewer than two topics, or if a parameter is invalid.
        ImportError
            If matplotlib is not installed.
        """
        hierarchy = topic_hierarchy(estimator, metric=metric, method=method)
        return cls(hierarchy).plot(ax, n_groups=n_groups)

    def plot(self, ax: Any = None, *, n_groups: int | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        n_groups : int, default=None
            Where to cut the tree: a line is drawn there. None draws no line.

        Returns
        -------
        TopicHierarchyDisplay
            The display itself.
        """
        from scipy.cluster.hierarchy import dendrogram

        tree = self.hierarchy
        n_components = len(tree.labels_)
        if n_groups is not None:
            tree.groups(n_groups)  # checks the number
        ax = self.ax_ = axes(ax, (7.0, 0.8 + 0.22 * n_components))
        self.figure_ = ax.figure
        with warnings.catch_warnings():
            # Where all topics are the same SciPy sets an axis from 0 to 0.
            warnings.filterwarnings("ignore", "Attempting to set identical")
            drawn = dendrogram(
                tree.linkage_,
                orientation="left",
                labels=shortened_apart(tree.labels_, _LONGEST_LABEL),
                color_threshold=0,
                above_threshold_color=COOL,
                ax=ax,
            )
        self.order_ = [int(k) for k in drawn["leaves"][::-1]]
        heights = tree.linkage_[:, 2]
        ax.set_xlim(1.03 * heights.max() or 1.0, min(0.0, heights.min()))
        ax.set_xlabel("distance at which topics are merged")
        for label in ax.get_yticklabels():
            label.set_parse_math(False)
            label.set_fontsize("small")
        ax.spines[["top", "left", "right"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        if n_groups is not None and 1 < n_groups < n_components:
            cut = heights[n_components - n_groups - 1 : n_components - n_groups + 1].mean()
            ax.axvline(cut, color="0.5", linestyle=":", linewidth=1.2)
            ax.annotate(
                f"{n_groups} groups",
                (cut, 1.0),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="bottom",
                fontsize="small",
                color=MUTED,
            )
        return self
