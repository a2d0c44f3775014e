"""Images with missing pixels, and sums over observed pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ..._utils._typing import Flags, Floats

_CHUNK = 1024  # terms of a sum that are unpacked at a time: bounds the memory
_MOST_NUMBERS = 2**23  # in the Gram matrices of image patterns at a time, likewise


class Images:
    """Observed pixels, and the patterns in which they are observed.

    Images with the same observed pixels share a Gram matrix. So do pixels that are observed in the
    same images. Complete data have a single pattern of either kind, at no extra cost.

    Parameters
    ----------
    X : ndarray of shape (N, D)
        float64; NaN stands for a missing pixel.

    Attributes
    ----------
    X : ndarray of shape (N, D)
        Pixels, with 0 for a missing one.
    squares : ndarray of shape (N,)
        Sum of the squares of an image's observed pixels.
    observed : ndarray of shape (N,)
        Number of an image's observed pixels.
    image_masks : ndarray of shape (n_image_patterns, D), bool
        Distinct sets of pixels that are observed in an image.
    image_pattern : ndarray of shape (N,)
        Index of the set of each image.
    pixel_masks : ndarray of shape (n_pixel_patterns, N), bool
        Distinct sets of images in which a pixel is observed.
    pixel_pattern : ndarray of shape (D,)
        Index of the set of each pixel.
    """

    def __init__(self, X: Floats) -> None:
        X = np.ascontiguousarray(X)  # sums over another order differ in the last bits
        missing = np.isnan(X)
        if missing.any():
            self.X = np.where(missing, 0.0, X)
            self.image_masks, self.image_pattern = _distinct_rows(~missing)
            self.pixel_masks, self.pixel_pattern = _distinct_rows(~missing.T)
        else:
            self.X = X
            self.image_masks = np.ones((1, X.shape[1]), dtype=bool)
            self.image_pattern = np.zeros(X.shape[0], dtype=np.int64)
            self.pixel_masks = np.ones((1, X.shape[0]), dtype=bool)
            self.pixel_pattern = np.zeros(X.shape[1], dtype=np.int64)
        self.squares: Floats = np.einsum("nd,nd->n", self.X, self.X)
        self.observed: Floats = self.image_masks.sum(axis=1).astype(float)[self.image_pattern]

    def parts(self, size: int) -> Iterator[tuple[slice, slice | NDArray[np.intp]]]:
        """Yield patterns of images, and their images: few enough for a Gram matrix of each.

        Parameters
        ----------
        size : int
            Rows of a Gram matrix.

        Yields
        ------
        patterns : slice
            Part of `image_masks`.
        images : slice or ndarray of int
            Images that have these patterns.
        """
        step, n_patterns = max(1, _MOST_NUMBERS // size**2), len(self.image_masks)
        if n_patterns <= step:
            yield slice(0, n_patterns), slice(None)
            return
        order = np.argsort(self.image_pattern, kind="stable")
        ordered = self.image_pattern[order]
        for start in range(0, n_patterns, step):
            first, last = np.searchsorted(ordered, (start, start + step))
            yield slice(start, start + step), order[first:last]

    def pixel_variance(self) -> float:
        """Return the variance of a pixel over its observations, averaged over pixels."""
        counts = self.pixel_masks.sum(axis=1)[self.pixel_pattern]
        seen = counts > 0
        means = self.X.sum(axis=0)[seen] / counts[seen]
        second = np.einsum("nd,nd->d", self.X, self.X)[seen] / counts[seen]
        return float(np.maximum(second - means**2, 0.0).mean())


def masked_sums(masks: Flags, rows: Floats) -> Floats:
    """Return ``sum_n masks_an rows_kn``, of shape (A, K)."""
    if masks.all():
        return np.broadcast_to(rows.sum(axis=1), (len(masks), len(rows)))
    total = np.zeros((len(masks), len(rows)))
    for part in gen_batches(masks.shape[1], _CHUNK):
        total += masks[:, part].astype(float) @ rows[:, part].T
    return total


def masked_gram(masks: Flags, weights: Floats | None, rows: Floats) -> Floats:
    """Return ``sum_n masks_an weights_n rows_kn rows_ln``, of shape (A, K, K)."""
    weighted = rows if weights is None else rows * weights
    if len(masks) == 1:
        if not masks.all():
            weighted = weighted * masks[0]
        return (weighted @ rows.T)[np.newaxis]
    size = len(rows)
    first, second = np.triu_indices(size)
    half = np.zeros((len(masks), len(first)))
    for part in gen_batches(masks.shape[1], _CHUNK):
        pairs = weighted[first, part] * rows[second, part]
        half += masks[:, part].astype(float) @ pairs.T
    gram = np.empty((len(masks), size, size))
    gram[:, first, second] = half
    gram[:, second, first] = half
    return gram


def _distinct_rows(flags: Flags) -> tuple[Flags, NDArray[np.int64]]:
    """Return the distinct rows, and for each row the index of its own."""
    packed = np.ascontiguousarray(np.packbits(flags, axis=1))
    keys: NDArray[Any] = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return np.ascontiguousarray(flags[first]), which.astype(np.int64)
