"""Measures of models of several sizes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ._axes import COOL, WARM, axes, tidy

_MEASURES = {
    "score": "held-out score (nats per token)",
    "coherence": "coherence (NPMI)",
    "diversity": "diversity",
    "stability": "stability between seeds",
}
_GAP = 0.1


class NComponentsDisplay:
    """Scores, coherence, diversity and stability against the number of topics.

    Bars are one standard error. The size to take is marked.

    Parameters
    ----------
    comparison : NComponentsComparison
        From `topictemper.metrics.compare_n_components`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that contain all panels.
    axes_ : ndarray of matplotlib Axes
        The panels. There is none for stability if there was only one seed.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.metrics import compare_n_components
    >>> from topictemper.plotting import NComponentsDisplay
    >>> X = make_lda_corpus(200, 100, 4, random_state=0).counts
    >>> lda = TemperedLDA(max_iter=5, batch_size=20)
    >>> comparison = compare_n_components(X, [2, 4, 8], estimator=lda, n_seeds=2)
    >>> display = NComponentsDisplay(comparison).plot()
    >>> len(display.axes_)
    4
    >>> matplotlib.pyplot.close(display.figure_)
    """

    def __init__(self, comparison: Any) -> None:
        self.comparison = comparison

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        NComponentsDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        table = self.comparison.table_
        sizes = np.asarray(table["n_components"])
        shown = [name for name in _MEASURES if not np.isnan(np.asarray(table[name])).all()]
        ax = self.ax_ = axes(ax, (2.9 * len(shown), 2.9))
        self.figure_ = ax.figure
        ax.set_axis_off()
        width = (1 - _GAP * (len(shown) - 1)) / len(shown)
        panels = []
        for i, name in enumerate(shown):
            panel = ax.inset_axes((i * (width + _GAP), 0.16, width, 0.72))
            errors = np.nan_to_num(np.asarray(table[f"{name}_error"]))
            panel.errorbar(
                sizes, np.asarray(table[name]), yerr=errors, color=COOL, marker="o", markersize=4
            )
            panel.axvline(self.comparison.n_components_, color=WARM, linestyle=":", linewidth=1.2)
            panel.set_xscale("log")
            panel.set_xticks(sizes, [str(size) for size in sizes])
            panel.minorticks_off()
            panel.set_xlabel("topics")
            panel.set_title(_MEASURES[name], fontsize="medium", loc="left")
            panel.tick_params(labelsize="small")
            tidy(panel)
            panels.append(panel)
        first = self.comparison.n_components_ == sizes[0]
        panels[0].annotate(
            f"take {self.comparison.n_components_}",
            (self.comparison.n_components_, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(4 if first else -4, 0),
            textcoords="offset points",
            ha="left" if first else "right",
            fontsize="small",
            color=WARM,
        )
        self.axes_ = np.array(panels, dtype=object)
        return self
