"""Images of components, with the true ones if these are known."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from .._utils import _validation as check
from .._utils._distances import pairs
from .._utils._topics import fitted_lda_of
from .._utils._typing import Floats
from ._axes import COOL, axes, inches

_ERROR, _UPRIGHT = 0.38, 0.3  # inches: of the number below a pair, and more if it is upright
_NOT_WORDS = "ComponentsDisplay is for images; for words use TopicsDisplay"


class ComponentsDisplay:
    """Images of components, below the true components if these are given.

    Components and true components are paired so that the sum of their distances is smallest
    (Hungarian method). If all are in one row, the number below a pair is its relative error: its
    distance divided by the norm of the true component. Components without a partner come last. All
    have the gray scale of the true ones.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Components.
    image_shape : tuple of int
        Height and width of an image.
    truth : ndarray of shape (n_true, n_features), optional
        True components.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    image_ : matplotlib AxesImage
        All images, in one sheet.
    relative_errors_ : ndarray of shape (min(n_components, n_true),)
        The relative distances, in the order of the true components; with `truth` only.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper.datasets import make_shapes
    >>> from topictemper.factorial import FactorialMixture
    >>> from topictemper.plotting import ComponentsDisplay
    >>> shapes = make_shapes(1000, random_state=0)
    >>> model = FactorialMixture(8, random_state=0).fit(shapes.data)
    >>> display = ComponentsDisplay.from_estimator(model, truth=shapes.components)
    >>> display.relative_errors_.shape
    (8,)
    >>> matplotlib.pyplot.close(display.figure_)
    """

    ax_: Any
    figure_: Any
    image_: Any
    relative_errors_: Floats

    def __init__(
        self, components: Floats, image_shape: tuple[int, int], truth: Floats | None = None
    ) -> None:
        self.components = components
        self.image_shape = image_shape
        self.truth = truth

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        image_shape: tuple[int, int] | None = None,
        truth: ArrayLike | None = None,
        n_columns: int = 8,
        ax: Any = None,
    ) -> Self:
        """Draw the components of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With the attribute `components_`.
        image_shape : tuple of int, optional
            Height and width of an image; None takes a square.
        truth : array-like of shape (n_true, n_features), optional
            True components.
        n_columns : int, default=8
            Images in a row.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ComponentsDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there are no components, they are not images of `image_shape`, or `truth` is not
            finite, has another shape or a component of zeros.
        ImportError
            If matplotlib is not installed.
        """
        estimator = fitted_lda_of(estimator)
        if not hasattr(estimator, "components_"):
            raise ValueError(
                f"{type(estimator).__name__} has no components_, which are drawn here; "
                "ComponentsDisplay(array, (height, width)).plot() draws an array, such as means_"
            )
        components = np.asarray(estimator.components_, dtype=np.float64)
        size = components.shape[1]
        if image_shape is None:
            image_shape = (isqrt(size), isqrt(size))
            if image_shape[0] ** 2 != size:
                raise ValueError(
                    f"the components have {size} pixels, which are no square: give image_shape, "
                    f"their height and width. {_NOT_WORDS}"
                )
        # Others, such as sets and generators, have no order or no length.
        ordered = hasattr(image_shape, "__getitem__") and not isinstance(image_shape, Mapping)
        if not ordered or not check.has_entries(image_shape) or len(image_shape) != 2:
            raise ValueError(f"image_shape must be a height and a width, got {image_shape!r}")
        height, width = (check.integer("image_shape", side, 1) for side in image_shape)
        if height * width != size:
            raise ValueError(
                f"image_shape must be a height and a width with {size} pixels; "
                f"got {height} x {width}. {_NOT_WORDS}"
            )
        known = None if truth is None else _known(truth, size)
        return cls(components, (height, width), known).plot(ax, n_columns=n_columns)

    def plot(self, ax: Any = None, *, n_columns: int = 8) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        n_columns : int, default=8
            Images in a row.

        Returns
        -------
        ComponentsDisplay
            The display itself.
        """
        n_columns = check.integer("n_columns", n_columns, 1)
        rows = [_padded(self.components, np.arange(len(self.components)))]
        scale = self.components
        if self.truth is not None:
            scale = self.truth  # makes displays of several models comparable
            found, true, self.relative_errors_ = matched(self.components, self.truth)
            rows = [_padded(self.truth, true), _padded(self.components, found)]
        count = len(rows[0])
        n_columns = min(n_columns, count)
        height, width = self.image_shape
        bands = -(-count // n_columns)
        gap = max(1, height // 16)
        tall, wide = height + gap, width + gap
        sheet = np.full((bands * len(rows) * tall + gap, n_columns * wide + gap), np.nan)
        for i in range(count):
            band, column = divmod(i, n_columns)
            for j, row in enumerate(rows):
                y, x = (band * len(rows) + j) * tall + gap, column * wide + gap
                sheet[y : y + height, x : x + width] = row[i].reshape(height, width)
        tallness = 7.0 * sheet.shape[0] / sheet.shape[1]
        given = ax is not None
        ax = self.ax_ = axes(ax, (8.0, max(1.0, tallness + 0.5)))
        self.figure_ = ax.figure
        self.image_ = ax.imshow(
            sheet, cmap="gray", interpolation="nearest", vmin=scale.min(), vmax=scale.max()
        )
        ax.set_facecolor(COOL)
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[])
        if self.truth is not None:
            names = ["truth", "found"] * bands
            ax.set_yticks([gap + height / 2 + i * tall for i in range(2 * bands)], names)
            ax.tick_params(length=0)
            if bands == 1:
                places = [gap + width / 2 + i * wide for i in range(len(self.relative_errors_))]
                ax.set_xticks(places, [f"{error:.2f}" for error in self.relative_errors_])
                ax.set_xlabel("relative error")
                if inches(ax)[0] / n_columns < _ERROR:
                    ax.tick_params(axis="x", rotation=90)
                    if not given:
                        self.figure_.set_figheight(self.figure_.get_figheight() + _UPRIGHT)
        return self


def _known(truth: ArrayLike, n_features: int) -> Floats:
    """Return checked true components."""
    known = check.numbers("truth", truth)
    if known.ndim != 2 or known.shape[1] != n_features or not len(known):
        raise ValueError(
            f"truth must have shape (n_true, {n_features}), with n_true >= 1; got {known.shape}"
        )
    check.finite("truth", known)
    empty = np.flatnonzero(~known.any(axis=1))
    if len(empty):
        raise ValueError(
            "truth must not have a component of zeros, to which no error is relative; row "
            f"{empty[0]} is one"
        )
    return known


def matched(components: Floats, truth: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Pair components with true ones.

    Returns the rows of both, in the order of the true components, with -1 for no partner; and the
    distance of each pair, divided by the norm of the true component.
    """
    found, true, distance = pairs(cdist(components, truth))
    order = np.argsort(true)
    found, true = found[order], true[order]
    errors = distance[order] / np.linalg.norm(truth[true], axis=1)
    lonely = np.setdiff1d(np.arange(len(components)), found)
    missed = np.setdiff1d(np.arange(len(truth)), true)
    none = np.full(max(len(lonely), len(missed)), -1)
    return (
        np.concatenate([found, lonely, none[: len(missed)]]),
        np.concatenate([true, none[: len(lonely)], missed]),
        errors,
    )


def _padded(images: Floats, chosen: NDArray[np.intp]) -> Floats:
    """Return the chosen rows; -1 gives NaN, which is not drawn."""
    return np.vstack([images, np.full(images.shape[1], np.nan)])[chosen]
