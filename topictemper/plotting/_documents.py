"""Temperatures of documents under a fitted model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._missing import check_order
from .._utils._ranking import largest
from .._utils._topics import fitted_lda_of
from .._utils._typing import Column, Floats
from ._axes import COOL, LONGEST_NAME, WARM, axes, shortened, tidy

_HEIGHT, _LINE = 4.0, 0.19  # inches of the figure, and of a line of the list


class DocumentTemperatureDisplay:
    """Histogram of the temperatures of documents, and a list of the hottest ones.

    The temperature of a document is high if its words are improbable under its own topic mixture.
    The list stands right of the axes, and a new figure is as tall as it. A figure of your own needs
    ``layout="constrained"``, and room for the list.

    Parameters
    ----------
    temperatures : ndarray of shape (n_samples,)
        `document_temperatures` of a model, >= 1.
    names : sequence of str, of length n_samples
        Names of the documents.
    n_hottest : int, default=8
        How many of the hottest documents to list.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The histogram.
    figure_ : matplotlib Figure
        The figure of the axes.
    hottest_ : ndarray of shape (min(n_hottest, n_samples),)
        Rows of the documents in the list, the hottest first.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import DocumentTemperatureDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> lda = TemperedLDA(5, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> display = DocumentTemperatureDisplay.from_estimator(lda, X, n_hottest=3)
    >>> len(display.hottest_)
    3
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    hottest_: NDArray[np.intp]

    def __init__(
        self,
        temperatures: Floats,
        names: Column,
        n_hottest: int = 8,
    ) -> None:
        self.temperatures = temperatures
        self.names = list(names)
        self.n_hottest = n_hottest

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        names: Column | None = None,
        n_hottest: int = 8,
        ax: Any = None,
    ) -> Self:
        """Draw the temperatures of documents under a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With the method `document_temperatures`; or a `TopicModel`.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts; of a `TopicModel`, ``model.vectorizer_.transform(texts)``.
        names : sequence of str, of length n_samples, default=None
            Names of the documents, such as titles; None takes the numbers of the rows.
        n_hottest : int, default=8
            How many of the hottest documents to list, >= 0.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        DocumentTemperatureDisplay
            The display, drawn.

        Raises
        ------
        TypeError
            If the estimator has no `document_temperatures`.
        ValueError
            If `names` has the wrong length, or if its index in pandas has another order.
        ImportError
            If matplotlib is not installed.
        """
        estimator = fitted_lda_of(estimator)
        n_hottest = check.integer("n_hottest", n_hottest, 0)
        check_order("X", X, names=names)
        if not hasattr(estimator, "document_temperatures"):
            raise TypeError(
                "estimator must have document_temperatures, as TemperedLDA has; got "
                f"{type(estimator).__name__}"
            )
        temperatures = estimator.document_temperatures(X)
        n_samples = len(temperatures)
        if names is None:
            names = [f"row {row}" for row in range(n_samples)]
        elif not check.has_entries(names) or not hasattr(names, "__len__"):
            raise TypeError(f"names must be a list, one for each document; got {names!r:.60}")
        elif len(names) != n_samples:
            raise ValueError(
                f"names must have {n_samples} names, one for each document; got {len(names)}"
            )
        return cls(temperatures, names, n_hottest).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        DocumentTemperatureDisplay
            The display itself.
        """
        T = self.temperatures
        n_lines = 1 + min(self.n_hottest, len(T))
        ax = self.ax_ = axes(ax, (8.5, max(_HEIGHT, _LINE * n_lines + 0.6)))
        self.figure_ = ax.figure
        ax.hist(T, bins=min(60, max(10, len(T) // 10)), color=COOL, alpha=0.6, linewidth=0)
        tidy(ax)
        ax.set_xlabel("temperature $T$  (left: cold, right: hot)")
        ax.set_ylabel("documents")
        self.hottest_ = largest(T, self.n_hottest)
        if len(self.hottest_):
            # Ticks for the documents, and a list beside the axes, where names cannot overlap.
            ax.vlines(
                T[self.hottest_], 0, 0.05, WARM, linewidth=1.5, transform=ax.get_xaxis_transform()
            )
            lines = [
                f"{T[row]:5.2f}  {shortened(self.names[row], LONGEST_NAME)}"
                for row in self.hottest_
            ]
            ax.annotate(
                "Hottest documents (T)\n" + "\n".join(lines),
                (1.02, 1.0),
                xycoords="axes fraction",
                va="top",
                fontsize="small",
                linespacing=1.6,
                parse_math=False,
            )
        return self
