"""Measures of models of several sizes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats
from ._axes import COOL, WARM, axes, fit, inches, note_below, panels, tidy

_MEASURES = {
    "score": "held-out score (nats per token)",
    "coherence": "coherence (NPMI)",
    "diversity": "diversity",
    "stability": "stability between seeds",
}
_GAP = 0.1
_FILLED = 0.9  # of a gap, by a title that is wider than its panel
_WIDTH, _HEIGHT = 2.9, 2.9  # inches of a panel, with its surroundings
_TITLE, _FOOT = 0.35, 0.46  # inches above and below a panel


class NComponentsDisplay:
    """Scores, coherence, diversity and stability against the number of topics.

    Bars are one standard error. That of a score is mostly due to which documents are scored, which
    are the same for all sizes: compare sizes by ``below_best`` in the table, not by the bars. The
    size to take is marked.

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

    figure_: Any
    ax_: Any
    axes_: NDArray[Any]

    def __init__(self, comparison: Any) -> None:
        if not hasattr(comparison, "table_"):
            raise TypeError(
                "comparison must be what compare_n_components returns, got "
                f"{type(comparison).__name__}"
            )
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
        given, size = ax is not None, (_WIDTH * len(shown), _HEIGHT)
        ax = self.ax_ = axes(ax, size)
        self.figure_ = ax.figure
        whole, tall = inches(ax) if given else size
        title, foot = (min(part / tall, 0.3) for part in (_TITLE, _FOOT))
        self.axes_, width = panels(ax, len(shown), len(shown), gap=_GAP, title=title, foot=foot)
        place = np.log(sizes / sizes[0]) / np.log(sizes[-1] / sizes[0])
        chosen = int(np.flatnonzero(sizes == self.comparison.n_components_)[0])
        labels = _labels(sizes, place, chosen)
        for name, panel in zip(shown, self.axes_, strict=True):
            errors = np.nan_to_num(np.asarray(table[f"{name}_error"]))
            panel.errorbar(
                sizes, np.asarray(table[name]), yerr=errors, color=COOL, marker="o", markersize=4
            )
            panel.axvline(self.comparison.n_components_, color=WARM, linestyle=":", linewidth=1.2)
            panel.set_xscale("log")
            panel.set_xticks(sizes, labels)
            panel.minorticks_off()
            panel.set_xlabel("topics")
            heading = panel.set_title(_MEASURES[name], fontsize="medium", loc="left")
            fit(heading, whole * (width + _FILLED * _GAP))
            panel.tick_params(labelsize="small")
            tidy(panel)
        left = place[chosen] < 0.5  # where the other side has more room
        self.axes_[0].annotate(
            f"take {self.comparison.n_components_}",
            (self.comparison.n_components_, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(4 if left else -4, 0),
            textcoords="offset points",
            ha="left" if left else "right",
            fontsize="small",
            color=WARM,
        )
        note_below(ax, "bars: one standard error", given=given)
        return self


def _labels(sizes: NDArray[Any], place: Floats, chosen: int) -> list[str]:
    """Labels of ticks at places from 0 to 1; "" where one would overlap one that matters more."""
    last = len(sizes) - 1
    names = [str(size) for size in sizes]
    shown: list[int] = []
    for i in dict.fromkeys([chosen, 0, last, *range(last)]):
        room = [0.02 + 0.02 * len(names[i] + names[j]) for j in shown]
        if (np.abs(place[i] - place[shown]) >= room).all():
            shown.append(i)
    return [name if i in shown else "" for i, name in enumerate(names)]
