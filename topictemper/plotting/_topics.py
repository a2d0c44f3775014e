"""Bars of the top words of topics."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._ranking import largest
from .._utils._topics import fitted_lda_of, topics_of
from .._utils._typing import Floats, Integers, Strings
from ..lda._inspection import names_of_columns
from ._axes import (
    COOL,
    MUTED,
    axes,
    chosen_topics,
    fit,
    inches,
    note_below,
    panels,
    percent,
    shortened,
)

_COLUMNS = 4
_GAP = 0.025
_WIDTH, _LINE = 2.3, 0.22  # inches of a panel and of a word
_TITLE, _FOOT = 0.25, 0.35  # inches above and below the words
_LONGEST_LABEL = 20  # beside the share
_INDENT = 4  # points, of a word on its bar


class TopicsDisplay:
    """Bars of the most probable words of topics, one panel for each topic.

    Titles give the label of a topic and its share of the corpus. Each panel has its own scale,
    because the probabilities of words differ widely between topics. Words and titles that are wider
    than their panel are shortened.

    Parameters
    ----------
    probabilities : ndarray of shape (n_topics, n_top_words)
        Probabilities of the top words, descending.
    words : sequence of sequences of str
        The top words of each topic.
    titles : sequence of str
        One for each topic.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that contain all panels.
    axes_ : ndarray of matplotlib Axes, of shape (n_topics,)
        The panels.
    figure_ : matplotlib Figure
        The figure of the panels.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import TopicsDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> lda = TemperedLDA(5, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> display = TopicsDisplay.from_estimator(
    ...     lda, topics=[0, 3], n_top_words=6, feature_names=[f"word{v}" for v in range(100)]
    ... )
    >>> len(display.axes_)
    2
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    axes_: NDArray[Any]

    def __init__(
        self,
        probabilities: Floats,
        words: Sequence[Sequence[str]],
        titles: Sequence[str],
    ) -> None:
        self.probabilities = probabilities
        self.words = words
        self.titles = titles

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        topics: int | Integers | Strings = 8,
        n_top_words: int = 8,
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw topics of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With the attribute `components_`; or a `TopicModel`.
        topics : int or sequence of int or str, default=8
            Topics to draw, by number or label, or how many of the largest topics to draw.
        n_top_words : int, default=8
            Words of each topic.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns: a sequence; a mapping of words to columns or of columns to
            words, such as ``vocabulary_`` or a gensim ``Dictionary``; or a fitted vectorizer. By
            default the words of a `TopicModel` or `feature_names_in_`, or else their numbers, with
            a warning.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TopicsDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there is no such topic, if a topic has no words, or if the names have the wrong
            length.
        ImportError
            If matplotlib is not installed.
        """
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_", None)  # of a model of texts
        estimator = fitted_lda_of(estimator)
        n_top_words = check.integer("n_top_words", n_top_words, 1)
        names = names_of_columns(estimator, feature_names)
        components = topics_of(estimator).astype(np.float64)
        sizes = components.sum(axis=1)
        numbers = np.arange(len(sizes))
        known = getattr(estimator, "labels_", [f"topic {k}" for k in numbers])
        chosen = chosen_topics(topics, numbers, sizes, known)
        top = [largest(components[k], n_top_words) for k in chosen]
        labels = {k: f"topic {k}" for k in chosen} | dict(getattr(estimator, "_labels", {}))
        display = cls(
            np.array([components[k, v] / sizes[k] for k, v in zip(chosen, top, strict=True)]),
            [[names[v] for v in columns] for columns in top],
            [
                f"{shortened(labels[k], _LONGEST_LABEL)} ({sizes[k] / sizes.sum():.1%})"
                for k in chosen
            ],
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TopicsDisplay
            The display itself.
        """
        n_topics, n_words = self.probabilities.shape
        columns = min(n_topics, _COLUMNS)
        rows = ceil(n_topics / columns)
        tall = _TITLE + _FOOT + _LINE * n_words
        given, size = ax is not None, (_WIDTH * columns, rows * tall + 0.1)
        ax = self.ax_ = axes(ax, size)
        self.figure_ = ax.figure
        self.axes_, width = panels(
            ax, n_topics, columns, gap=_GAP, title=_TITLE / tall, foot=_FOOT / tall
        )
        room = width * (inches(ax) if given else size)[0]
        for i, panel in enumerate(self.axes_):
            self._panel(panel, i, room)
        if n_topics > 1:
            note_below(ax, "probability of a word; each panel has its own scale", given=given)
        return self

    def _panel(self, panel: Any, i: int, room: float) -> None:
        probabilities, places = self.probabilities[i], np.arange(self.probabilities.shape[1])
        panel.barh(places, probabilities, height=0.8, color=COOL, alpha=0.45, linewidth=0)
        panel.set_ylim(len(places) - 0.5, -0.5)
        panel.set_xlim(0, 1.05 * probabilities[0])
        # Words are written on their bars, because long words would leave no room for bars.
        for place, word in zip(places, self.words[i], strict=True):
            text = panel.annotate(
                word,
                (0, place),
                xytext=(_INDENT, 0),
                textcoords="offset points",
                va="center_baseline",
                fontsize="small",
                parse_math=False,
                in_layout=False,  # or a word that fits would make the panels narrower
            )
            fit(text, room - _INDENT / 72)
        panel.set_yticks([])
        panel.locator_params(axis="x", nbins=4)
        panel.xaxis.set_major_formatter(percent)
        panel.tick_params(labelsize="x-small", colors=MUTED, length=2)
        panel.spines[["top", "right", "bottom"]].set_visible(False)
        panel.spines["left"].set_color("0.6")
        title = panel.set_title(self.titles[i], fontsize="medium", loc="left", parse_math=False)
        fit(title, room)
