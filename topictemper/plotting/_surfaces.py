"""The annealed ELBO of two Gaussians as a function of their means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._typing import Floats
from ._axes import pyplot

if TYPE_CHECKING:
    from ..mixture import TwoGaussians


class AnnealedSurfaceDisplay:
    """Annealed ELBO over the means of two Gaussians, one panel for each temperature.

    Contours divide the area into equal shares, because the range of the ELBO depends strongly on
    the temperature. A red dot is the best optimum; white dots are other local optima.

    Parameters
    ----------
    m1, m2 : ndarray of shape (n1,) and (n2,)
        Means of the first and of the second component, ascending.
    surfaces : ndarray of shape (n_temperatures, n2, n1)
        The ELBO, in nats.
    temperatures : sequence of float, of length n_temperatures
        Temperatures of the panels.
    optima : sequence of ndarrays of shape (n_optima, 2)
        Local optima at each temperature, the best first.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes, of shape (n_temperatures,)
        The panels.
    figure_ : matplotlib Figure
        The figure of the panels.

    References
    ----------
    Mandt et al. (2016), "Variational Tempering", figure 1.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper.datasets import make_two_gaussians
    >>> from topictemper.mixture import TwoGaussians
    >>> from topictemper.plotting import AnnealedSurfaceDisplay
    >>> model = TwoGaussians(make_two_gaussians(random_state=0)[0])
    >>> display = AnnealedSurfaceDisplay.from_model(model, (20, 1), resolution=21)
    >>> display.axes_[1].get_title()
    'T = 1'
    >>> matplotlib.pyplot.close(display.figure_)
    """

    figure_: Any
    axes_: NDArray[Any]

    def __init__(
        self,
        m1: Floats,
        m2: Floats,
        surfaces: Floats,
        *,
        temperatures: Sequence[float] | Floats,
        optima: Sequence[Floats],
    ) -> None:
        self.m1 = m1
        self.m2 = m2
        self.surfaces = surfaces
        self.temperatures = temperatures
        self.optima = optima

    @classmethod
    def from_model(
        cls,
        model: TwoGaussians,
        temperatures: Sequence[float] | Floats = (20.0, 13.0, 8.5, 1.0),
        *,
        limits: tuple[float, float] | None = None,
        resolution: int = 101,
        axes: Any = None,
    ) -> Self:
        """Compute the surfaces and draw them.

        Parameters
        ----------
        model : TwoGaussians
            The model, with its data.
        temperatures : sequence of float, default=(20, 13, 8.5, 1)
            Temperatures >= 1. The default is the paper's.
        limits : tuple of two floats, default=None
            Range of both means; None takes the range of the data.
        resolution : int, default=101
            Points along each side, >= 2.
        axes : sequence of matplotlib Axes, default=None
            Where to draw, one for each temperature; None makes a new figure.

        Returns
        -------
        AnnealedSurfaceDisplay
            The display, drawn.

        Raises
        ------
        TypeError, ValueError
            If an argument is out of range, or there is not one axes for each temperature.
        ImportError
            If matplotlib is not installed.
        """
        pyplot()  # raises before the computation if matplotlib is missing
        if not hasattr(model, "surface"):
            raise TypeError(f"model must be a TwoGaussians, got {type(model).__name__}")
        if check.numbers("temperatures", temperatures).ndim != 1:
            raise ValueError(f"temperatures must be a sequence of numbers, got {temperatures!r}")
        _check_panels(axes, len(temperatures))
        given = (model.x.min(), model.x.max()) if limits is None else limits
        ends = check.numbers("limits", given)
        if limits is None and ends[0] == ends[1]:
            raise ValueError("limits must be given, because all data are the same number")
        if not (ends.shape == (2,) and np.isfinite(ends).all() and ends[0] < ends[1]):
            raise ValueError(
                f"limits must be two finite numbers, the lower one first; got {limits}"
            )
        m = np.linspace(ends[0], ends[1], check.integer("resolution", resolution, 2))
        return cls(
            m,
            m,
            np.stack([model.surface(m, m, T) for T in temperatures]),
            temperatures=tuple(temperatures),
            optima=[model.optima(T) for T in temperatures],
        ).plot(axes)

    def plot(self, axes: Any = None, *, cmap: str = "viridis", n_levels: int = 24) -> Self:
        """Draw the surfaces.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, default=None
            Where to draw, one for each temperature; None makes a new figure.
        cmap : str or matplotlib Colormap, default="viridis"
            Colors, from low to high.
        n_levels : int, default=24
            Number of contours, >= 2.

        Returns
        -------
        AnnealedSurfaceDisplay
            The display itself.

        Raises
        ------
        ValueError
            If there is not one axes for each temperature.
        ImportError
            If matplotlib is not installed.
        """
        plt = pyplot()
        n_levels = check.integer("n_levels", n_levels, 2)
        panels = len(self.temperatures)
        _check_panels(axes, panels)
        if axes is None:
            size = (3.0 * panels + 0.3, 3.6)
            _, axes = plt.subplots(
                1, panels, figsize=size, sharey=True, squeeze=False, layout="constrained"
            )
        self.axes_ = np.ravel(axes)
        self.figure_ = self.axes_[0].figure
        for ax, surface, temperature, optima in zip(
            self.axes_, self.surfaces, self.temperatures, self.optima, strict=True
        ):
            # Quantiles can be equal, by rounding or on a constant surface; levels must increase.
            levels = np.unique(np.quantile(surface, np.linspace(0, 1, n_levels)))
            colors = plt.get_cmap(cmap)(np.linspace(0, 1, max(len(levels) - 1, 1)))
            ax.contourf(self.m1, self.m2, surface, levels=levels, colors=colors)
            ax.contour(
                self.m1,
                self.m2,
                surface,
                levels=levels[1:-1],
                colors="k",
                linewidths=0.3,
                linestyles="solid",
                alpha=0.5,
            )
            ax.plot(*optima[1:].T, "o", color="white", markeredgecolor="k", markersize=6)
            ax.plot(*optima[0], "o", color="red", markeredgecolor="white", markersize=8)
            ax.set(title=f"T = {temperature:g}", xlabel=r"$\mu_1$")
            ax.set_box_aspect(1)
            ax.locator_params(nbins=7)
        self.axes_[0].set_ylabel(r"$\mu_2$")
        return self


def _check_panels(axes: Any, panels: int) -> None:
    if panels == 0:
        raise ValueError("temperatures must not be empty")
    if axes is not None and np.size(axes) != panels:
        raise ValueError(f"axes must be {panels}, one for each temperature, got {np.size(axes)}")
