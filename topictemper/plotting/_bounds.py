"""The ELBO of a fit against its passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import NDArray

from .._utils._topics import fitted_lda_of
from ..lda._estimator import TemperedLDA
from ._axes import draw_curves, history_of, named_models


class BoundDisplay:
    """ELBO against passes over the data, of one or more fitted models.

    While T > 1 this is the tempered ELBO, which may fall as the temperature falls. If early values
    are far lower than the rest, the axis starts above them, and a note says so. Curves differ in
    color and in their dashes.

    Parameters
    ----------
    histories : dict of str to structured ndarray
        Names of the models, and their `elbo_history_`: fields ``pass`` and ``elbo``.
    unit : str, default="nats"
        Unit of the ELBO, for the axis.

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
    >>> from topictemper.datasets import make_shapes
    >>> from topictemper.factorial import FactorialMixture
    >>> from topictemper.plotting import BoundDisplay
    >>> X = make_shapes(100, random_state=0).data
    >>> models = {
    ...     mode: FactorialMixture(8, tempering=mode, max_iter=80, random_state=0).fit(X)
    ...     for mode in ("vi", "vt")
    ... }
    >>> display = BoundDisplay.from_estimator(models)
    >>> display.ax_.get_ylabel()
    'ELBO (nats per datum)'
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]

    def __init__(self, histories: Mapping[str, NDArray[Any]], *, unit: str = "nats") -> None:
        self.histories = dict(histories)
        self.unit = unit

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the ELBO of fitted estimators.

        Parameters
        ----------
        estimator : fitted estimator, or dict of str to fitted estimator
            With the attribute `elbo_history_`; `TemperedLDA` keeps it with
            ``learning_method="batch"``. The keys of a dict are the names in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        BoundDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If an estimator has no history of the ELBO, if the units of several differ, or if the
            dict is empty.
        ImportError
            If matplotlib is not installed.
        """
        histories, units = {}, {}
        for name, model in named_models(estimator).items():
            model = fitted_lda_of(model)
            histories[name] = history_of(
                model, "elbo_history_", "TemperedLDA keeps it with learning_method='batch'"
            )
            units[name] = f"nats per {'token' if isinstance(model, TemperedLDA) else 'datum'}"
        if len(set(units.values())) > 1:
            listed = ", ".join(f"{name!r} has {unit}" for name, unit in units.items())
            raise ValueError(f"ELBOs in one picture must have the same unit, but {listed}")
        return cls(histories, unit=next(iter(units.values()))).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. In a figure of your own the legend of more
            than six curves is on them, unless its layout is "constrained".

        Returns
        -------
        BoundDisplay
            The display itself.
        """
        self.ax_, self.lines_ = draw_curves(
            ax, self.histories, "elbo", format=",.6g", last="last value"
        )
        self.ax_.set_ylabel(f"ELBO ({self.unit})")
        self.figure_ = self.ax_.figure
        return self
