"""Temperatures and held-out scores during a fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import NDArray

from .._utils._topics import fitted_lda_of
from ._axes import COOL, WARM, axes, draw_curves, history_of, named_models, tidy

_BANDS = (("q05", "q95", 0.15), ("q25", "q75", 0.3))


class TemperatureDisplay:
    """Temperature against passes over the data.

    If every document or image has its own temperature ("lvt"), bands show the middle 90% and 50%
    of the temperatures learned in each step, and a thin line shows their median. They may lie
    above the temperature itself, which bounds them in training.

    Parameters
    ----------
    history : structured ndarray
        `temperature_history_`: fields ``pass`` and ``temperature``; for "lvt" also ``q05``,
        ``q25``, ``q50``, ``q75`` and ``q95``, quantiles over the data (NaN before the first step).
    unit : str, default="data"
        What has a temperature, for the legend, such as "documents".

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    line_ : matplotlib Line2D
        The temperature.
    bands_ : list of matplotlib collections
        The bands, the wider one first; empty without quantiles.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import TemperatureDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> lda = TemperedLDA(5, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> display = TemperatureDisplay.from_estimator(lda)
    >>> display.ax_.get_xlabel()
    'passes over the data'
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    line_: Any
    bands_: list[Any]

    def __init__(self, history: NDArray[Any], *, unit: str = "data") -> None:
        self.history = history
        self.unit = unit

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the temperature of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With the attribute `temperature_history_`; or a `TopicModel`.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TemperatureDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator has no history of the temperature, or an empty one.
        ImportError
            If matplotlib is not installed.
        """
        estimator = fitted_lda_of(estimator)
        history = history_of(
            estimator,
            "temperature_history_",
            "fit an estimator that keeps its temperatures, such as TemperedLDA",
        )
        unit = "documents" if hasattr(estimator, "document_temperatures") else "data"
        return cls(history, unit=unit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TemperatureDisplay
            The display itself.
        """
        ax = self.ax_ = axes(ax, (7.0, 4.0))
        self.figure_ = ax.figure
        history = self.history
        passes, names = history["pass"], history.dtype.names or ()
        marker = "o" if len(passes) == 1 else None  # a line of one point is none
        (self.line_,) = ax.plot(
            passes,
            history["temperature"],
            color=WARM,
            linewidth=2.2,
            zorder=3,
            label="temperature",
            marker=marker,
        )
        self.bands_ = []
        if "q50" in names:
            for low, high, strength in _BANDS:
                share = int(high[1:]) - int(low[1:])
                band = ax.fill_between(
                    passes,
                    history[low],
                    history[high],
                    color=COOL,
                    alpha=strength,
                    linewidth=0,
                    label=f"{share}% of {self.unit}",
                )
                self.bands_.append(band)
            ax.plot(
                passes,
                history["q50"],
                color=COOL,
                linewidth=1.2,
                label=f"median of {self.unit}",
                marker=marker,
            )
        tidy(ax)
        ax.set_xlim(0.0, max(passes[-1], 1e-3))
        ax.set_ylim(bottom=min(1.0, ax.get_ylim()[0]))
        ax.set_xlabel("passes over the data")
        ax.set_ylabel("temperature $T$")
        if self.bands_:
            ax.legend(frameon=False)
        return self


class LearningCurveDisplay:
    """Held-out score against passes over the data, of one or more models.

    If early scores are far lower than the rest, the axis starts above them, and a note says so.
    Curves differ in color and in their dashes. A dot is a score; more than 30 dots are left out.

    Parameters
    ----------
    histories : dict of str to structured ndarray
        Names of the models, and their `score_history_`: fields ``pass`` and ``score``. Scores that
        are NaN are left out.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    lines_ : list of matplotlib Line2D
        One for each model.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import LearningCurveDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> models = {
    ...     mode: TemperedLDA(5, tempering=mode, max_iter=5, batch_size=20, random_state=0)
    ...     for mode in ("svi", "lvt")
    ... }
    >>> for model in models.values():
    ...     _ = model.fit(X[20:], validation_X=X[:20])
    >>> display = LearningCurveDisplay.from_estimator(models)
    >>> [line.get_label()[:3] for line in display.lines_]
    ['svi', 'lvt']
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]

    def __init__(self, histories: Mapping[str, NDArray[Any]]) -> None:
        self.histories = dict(histories)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the scores of fitted estimators.

        Parameters
        ----------
        estimator : fitted estimator, or dict of str to fitted estimator
            With the attribute `score_history_`, which `fit` keeps if it gets `validation_X`; or a
            `TopicModel`. The keys of a dict are the names in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        LearningCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If an estimator has no history of scores, or if the dict is empty.
        ImportError
            If matplotlib is not installed.
        """
        histories = {
            name: history_of(
                fitted_lda_of(model),
                "score_history_",
                "TemperedLDA keeps it where fit is given documents to score, validation_X; "
                "for other models use BoundDisplay",
            )
            for name, model in named_models(estimator).items()
        }
        return cls(histories).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. In a figure of your own the legend of more
            than six curves is on them, unless its layout is "constrained".

        Returns
        -------
        LearningCurveDisplay
            The display itself.
        """
        self.ax_, self.lines_ = draw_curves(
            ax, self.histories, "score", format=".3f", last="last score", dots=True
        )
        self.ax_.set_ylabel("held-out score (nats per token)")
        self.figure_ = self.ax_.figure
        return self
