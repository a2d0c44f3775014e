"""The objective of a fit against its iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._axes import axes, crop_early_passes, tidy

# What models keep, in which unit; no model has two of them.
_UNITS = {
    "bound_history_": "bound (nats a token)",
    "elbo_history_": "bound (nats)",
    "free_energy_history_": "free energy (nats a datum)",
}


class BoundDisplay:
    """Bound on the log-likelihood against iterations, of one fitted model or several.

    What is drawn is what the model keeps: of LDA and of an annealed DP mixture the tempered bound,
    which may fall as the temperature does; of the others the bound at T = 1.

    Parameters
    ----------
    histories : dict of str to ndarray of shape (n_iter, 2)
        Names of the models, and their courses: iterations made and the bound.
    label : str, default="bound (nats)"
        What the bound is, for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure with it.
    lines_ : list of matplotlib Line2D
        One for each model.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper.datasets import make_shapes
    >>> from topictemper.factorial import FactorialMixture
    >>> from topictemper.plotting import BoundDisplay
    >>> X = make_shapes(100, random_state=0).X
    >>> models = {
    ...     mode: FactorialMixture(8, tempering=mode, max_iter=80, random_state=0).fit(X)
    ...     for mode in ("vi", "vt")
    ... }
    >>> display = BoundDisplay.from_estimator(models)
    >>> display.ax_.get_ylabel()
    'bound (nats)'
    >>> matplotlib.pyplot.close(display.figure_)
    """

    def __init__(
        self, histories: Mapping[str, NDArray[np.float64]], *, label: str = "bound (nats)"
    ) -> None:
        self.histories = dict(histories)
        self.label = label

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the bounds of fitted estimators.

        Parameters
        ----------
        estimator : fitted estimator, or dict of str to fitted estimator
            With `bound_history_` (LDA), `elbo_history_` (mixtures) or `free_energy_history_`
            (binary sparse coding, belief networks). Of several, the keys are their names in the
            legend, and all have the same kind of history.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        BoundDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If an estimator keeps no such history, if the kinds of history differ, or if there is
            no estimator in the dict.
        ImportError
            If matplotlib is not installed.
        """
        models = (
            estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        )
        if not models:
            raise ValueError("estimator must not be an empty dict")
        histories, kinds = {}, {}
        for name, model in models.items():
            check_is_fitted(model)
            kind = next((k for k in _UNITS if len(getattr(model, k, ()))), "")
            if not kind:
                raise ValueError(
                    f"{type(model).__name__} has no history of its bound: a model that has one "
                    f"keeps {', '.join(_UNITS)} when it is fitted"
                )
            kinds[str(name)] = kind
            histories[str(name)] = _course(getattr(model, kind))
        if len(set(kinds.values())) > 1:
            listed = ", ".join(f"{name!r} has {kind}" for name, kind in kinds.items())
            raise ValueError(f"bounds in one picture must be of one kind, but {listed}")
        return cls(histories, label=_UNITS[kind]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        BoundDisplay
            Itself.
        """
        ax = self.ax_ = axes(ax, (7.0, 4.0))
        self.figure_ = ax.figure
        several = len(self.histories) > 1
        self.lines_ = []
        for name, course in self.histories.items():
            text = f"{name}  {course[-1, 1]:,.6g}" if several else name
            self.lines_ += ax.plot(*course.T, linewidth=1.8, label=text)
        tidy(ax)
        crop_early_passes(ax, [course[:, 1] for course in self.histories.values()])
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("iterations")
        ax.set_ylabel(self.label)
        if several:
            ax.legend(frameon=False, loc="lower right", title="last bound")
        return self


def _course(history: NDArray[Any]) -> NDArray[np.float64]:
    """(n, 2): iterations made and the bound."""
    if history.dtype.names:
        return np.column_stack([history["pass"], history["bound"]])
    return np.column_stack([np.arange(1.0, len(history) + 1), history])
