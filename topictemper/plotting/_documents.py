"""Temperatures of documents under a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from ..lda._inspection import largest
from ._axes import COOL, WARM, axes, tidy

_LONGEST_NAME = 38


class DocumentTemperatureDisplay:
    """Histogram of the inverse temperatures of documents, with the hottest ones by name.

    Parameters
    ----------
    inverse_temperatures : ndarray of shape (n_samples,)
        s_d = E[1/T_d], in (0, 1]; the lowest is the hottest.
    names : sequence of str, of length n_samples
        Names of the documents.
    n_hottest : int, default=8
        How many of the hottest to name.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The histogram.
    figure_ : matplotlib Figure
        The figure with it.
    hottest_ : ndarray of shape (min(n_hottest, n_samples),)
        Rows of the documents that are named, the hottest first.

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

    def __init__(
        self,
        inverse_temperatures: NDArray[np.float64],
        names: Sequence[str],
        n_hottest: int = 8,
    ) -> None:
        self.inverse_temperatures = inverse_temperatures
        self.names = names
        self.n_hottest = n_hottest

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        names: Sequence[str] | None = None,
        n_hottest: int = 8,
        ax: Any = None,
    ) -> Self:
        """Draw the temperatures of documents under a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With the method `document_temperatures`.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.
        names : sequence of str, of length n_samples, default=None
            Names of the documents, such as titles; by default the numbers of the rows.
        n_hottest : int, default=8
            How many of the hottest to name, at least 0.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        DocumentTemperatureDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If names are of the wrong number.
        ImportError
            If matplotlib is not installed.
        """
        check_is_fitted(estimator)
        n_hottest = check.integer("n_hottest", n_hottest, 0)
        n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        if names is None:
            names = [f"row {row}" for row in range(n_samples)]
        elif len(names) != n_samples:
            raise ValueError(
                f"names must have {n_samples} names, one for each document, got {len(names)}"
            )
        return cls(estimator.document_temperatures(X), names, n_hottest).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        DocumentTemperatureDisplay
            Itself.
        """
        s = self.inverse_temperatures
        ax = self.ax_ = axes(ax, (8.5, 4.0))
        self.figure_ = ax.figure
        ax.hist(s, bins=min(60, max(10, len(s) // 10)), color=COOL, alpha=0.6, linewidth=0)
        tidy(ax)
        ax.set_xlabel("inverse temperature $E[1/T_d]$  (left: hot, right: cold)")
        ax.set_ylabel("documents")
        self.hottest_ = largest(-s, self.n_hottest) if self.n_hottest else np.empty(0, np.intp)
        if len(self.hottest_):
            # A mark on the axis for each, and a list beside: names never run into each other.
            ax.vlines(
                s[self.hottest_], 0, 0.05, WARM, linewidth=1.5, transform=ax.get_xaxis_transform()
            )
            lines = [f"{1 / s[row]:5.2f}  {_cut(self.names[row])}" for row in self.hottest_]
            ax.annotate(
                "Hottest documents (T)\n" + "\n".join(lines),
                (1.02, 1.0),
                xycoords="axes fraction",
                va="top",
                fontsize="small",
                linespacing=1.6,
                color="0.25",
                parse_math=False,
            )
        return self


def _cut(name: object) -> str:
    line = " ".join(str(name).split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 3].rstrip() + "..."
