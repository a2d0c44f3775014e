"""Conjugate distributions of the means and precisions of Gaussian components.

Both are written as a normal-Wishart over blocks of columns: a component's precision matrix has one
block of all columns ("full") or one block for each column ("diag", where the Wishart distribution
of a 1 x 1 matrix is a gamma distribution).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import gammaln, multigammaln, psi

from .._utils._state import Tree, within
from .._utils._typing import Floats
from ..persistence._fitted import ABOVE_ZERO, Numbers, checked

# Squares this many times as large as their differences leave them half of their digits.
_CANCELS = 1e8
# More degrees of freedom than this leave few digits to differences of log gamma functions, which
# Stirling's series gives to all digits from there on.
_MANY = 1e8
# With a larger precision of the prior mean, means move by less than the rounding of their sums.
_FIRM = 1e12


def _log_gamma_ratio(a: Floats, h: Floats) -> Floats:
    """``log Gamma(a + h) - log Gamma(a)``, h >= 0."""
    ratio = gammaln(a + h) - gammaln(a)
    many = a > 0.5 * _MANY
    if many.any():
        # Differences of Stirling's series; its next term, 1 / (12 a), is less than rounding.
        grown = np.log1p(h / a)
        series = h * np.log(a) + (a * grown - h) + (h - 0.5) * grown
        ratio = np.where(many, series, ratio)
    return ratio


@dataclass(frozen=True)
class NormalWishart(ABC):
    """K independent distributions ``Lambda ~ W(scale^-1, dof), mu ~ N(mean, (k Lambda)^-1)``.

    The components of a Dirichlet process mixture of Gaussians (Blei and Jordan 2006).

    A prior is one with K = 1. ``k`` is `mean_precision`. In terms of the gamma distribution, a
    block of one column has shape ``dof / 2`` and rate ``scale / 2``.
    """

    mean: Floats  # (K, D)
    mean_precision: Floats  # (K,)
    dof: Floats  # (K,)
    scale: Floats  # (K, D) or (K, D, D)

    def get_state(self) -> Tree:
        """Return the parameters, for `restored`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # Depends on the kind of the blocks

    @property
    @abstractmethod
    def block(self) -> int:
        """Columns in a block."""

    @cached_property
    @abstractmethod
    def log_det(self) -> Floats:
        """Log determinant of each block of the scale, (K, blocks)."""

    @abstractmethod
    def squared_distances(self, X: Floats) -> Floats:
        """``(x - mean)^T scale^-1 (x - mean)``, (N, K)."""

    @abstractmethod
    def _trace_ratio(self, prior: Self) -> Floats:
        """``tr(scale_0 scale^-1)``, (K,)."""

    @abstractmethod
    def _shift(self, prior: Self) -> Floats:
        """``(mean - mean_0)^T scale^-1 (mean - mean_0)``, (K,); the prior has one mean."""

    @abstractmethod
    def _ratios(self, prior: Self) -> Floats:
        """Eigenvalues of ``scale_0 scale^-1``, (K, D)."""

    @abstractmethod
    def _scatter(self, X: Floats, phi: Floats, s: float, counts: Floats, centers: Floats) -> Floats:
        """``s sum_n phi_nk (x_n - center_k)(x_n - center_k)^T``, shaped as the scale."""

    @abstractmethod
    def _outer(self, difference: Floats) -> Floats:
        """``d d^T`` of rows, shaped as the scale."""

    # The same for both kinds

    def posterior(self, X: Floats, phi: Floats, s: float) -> Self:
        """Return the posterior of this prior given data with the weights ``s phi`` (N, K)."""
        counts = s * phi.sum(axis=0)
        k0 = self.mean_precision
        k = k0 + counts
        centers = s * (phi.T @ X) / np.maximum(counts, np.finfo(float).tiny)[:, None]
        if k0[0] > _FIRM:
            mean = self.mean + (counts / k)[:, None] * (centers - self.mean)
        else:
            mean = (k0[:, None] * self.mean + counts[:, None] * centers) / k[:, None]
        pull = self._outer(np.sqrt(k0 * counts / k)[:, None] * (centers - self.mean))
        scale = self.scale + self._scatter(X, phi, s, counts, centers) + pull
        return type(self)(mean, k, self.dof + counts, scale)

    def expected_log_likelihood(self, X: Floats) -> Floats:
        """``E[log N(x | mu_k, Lambda_k^-1)]``, (N, K), in nats."""
        D = X.shape[1]
        constant = self._expected_log_det().sum(axis=1) - D * np.log(2 * np.pi)
        result = self.squared_distances(X)
        result *= -0.5 * self.dof
        result += 0.5 * (constant - D / self.mean_precision)
        return result

    def kl(self, prior: Self) -> float:
        """``sum_k KL(q(mu_k, Lambda_k) || p)`` in nats."""
        k, k0, dof, dof0 = self.mean_precision, prior.mean_precision, self.dof, prior.dof
        D, e_log_det = self.mean.shape[1], self._expected_log_det()
        mean = D * (np.log(k / k0) - 1.0 + k0 / k) + k0 * dof * self._shift(prior)
        if dof0[0] > _MANY:
            precision = self._kl_of_many(prior)
        else:
            precision = (dof - dof0) * e_log_det.sum(axis=1) + dof * (self._trace_ratio(prior) - D)
            precision += 2 * (self._log_normalizer() - prior._log_normalizer())
        return float(0.5 * (mean + precision).sum())

    def _kl_of_many(self, prior: Self) -> Floats:
        """Twice the KL divergence of the precisions, (K,), by small differences of large terms."""
        added, shifts = self.dof - prior.dof, np.arange(self.block)
        first, half = 0.5 * (prior.dof[:, None] - shifts), 0.5 * added[:, None]
        gammas = half * psi(0.5 * (self.dof[:, None] - shifts)) - _log_gamma_ratio(first, half)
        ratios = self._ratios(prior)
        r = ratios - 1.0
        logs = np.where(r > -0.5, np.log1p(np.maximum(r, -0.5)), np.log(ratios))
        scales = added[:, None] * r + prior.dof[:, None] * (r - logs)
        return 2 * self.log_det.shape[1] * gammas.sum(axis=1) + scales.sum(axis=1)

    def log_predictive(self, X: Floats) -> Floats:
        """Log density of new data under each component, (N, K): Student's t of each block."""
        p, k = self.block, self.mean_precision
        dof = self.dof - (p - 1)
        # The t distribution's squared distance over its degrees of freedom.
        shrink = k / (k + 1)
        constant = _log_gamma_ratio(0.5 * dof, np.full_like(dof, 0.5 * p))
        constant = self.log_det.shape[1] * (constant - 0.5 * p * np.log(np.pi / shrink))
        constant -= 0.5 * self.log_det.sum(axis=1)
        return constant - 0.5 * (dof + p) * self._log1p_distances(X, shrink)

    def draw(self, component: NDArray[np.intp], rng: np.random.RandomState) -> Floats:
        """Draw from the predictive density of each given component."""
        dof = (self.dof - (self.block - 1))[component, None]
        chi2 = rng.chisquare(dof, size=(len(component), self.log_det.shape[1]))
        noise = self._colored(rng.standard_normal((len(component), self.mean.shape[1])), component)
        spread = np.sqrt(1.0 + 1.0 / self.mean_precision[component])[:, None]
        with np.errstate(divide="ignore"):  # few degrees of freedom: beyond any number
            return self.mean[component] + spread * noise / np.sqrt(chi2)

    @abstractmethod
    def _log1p_distances(self, X: Floats, shrink: Floats) -> Floats:
        """``sum over blocks of log(1 + shrink distance^2)``, (N, K)."""

    @abstractmethod
    def _colored(self, noise: Floats, component: NDArray[np.intp]) -> Floats:
        """White noise with the scale of components as its covariance."""

    def _expected_log_det(self) -> Floats:
        """``E[log |Lambda|]`` of each block, (K, blocks)."""
        p = self.block
        psis = psi(0.5 * (self.dof[:, None] - np.arange(p))).sum(axis=1)
        return (psis + p * np.log(2.0))[:, None] - self.log_det

    def _log_normalizer(self) -> Floats:
        """Log normalizer of the Wishart densities, over all blocks, (K,)."""
        p, blocks = self.block, self.log_det.shape[1]
        of_dof = 0.5 * self.dof * p * np.log(2.0) + multigammaln(0.5 * self.dof, p)
        return 0.5 * self.dof * self.log_det.sum(axis=1) - blocks * of_dof


class Diagonal(NormalWishart):
    """Normal-gamma: a block for each column."""

    block = 1

    @cached_property
    def log_det(self) -> Floats:
        """Log of the scale, (K, D)."""
        return np.log(self.scale)

    def squared_distances(self, X: Floats) -> Floats:
        """Squared distances, (N, K), mostly by two products of matrices."""
        inverse = 1.0 / self.scale
        weighted = inverse * self.mean
        squared_means = (weighted * self.mean).sum(axis=1)
        result: Floats = (X * X) @ inverse.T
        result -= 2.0 * (X @ weighted.T)
        result += squared_means
        np.maximum(result, 0.0, out=result)
        # Products of matrices lose the digits of data near means that are far from the origin for
        # the width of the component. The scale is the degrees of freedom times the variance.
        for k in np.flatnonzero(squared_means > _CANCELS / self.dof):
            result[:, k] = ((X - self.mean[k]) ** 2 / self.scale[k]).sum(axis=1)
        return result

    def _trace_ratio(self, prior: Self) -> Floats:
        return self._ratios(prior).sum(axis=1)

    def _shift(self, prior: Self) -> Floats:
        # Not by products: a large precision of the prior mean would multiply their rounding errors.
        shift = self.mean - prior.mean
        return (1.0 / self.scale * shift * shift).sum(axis=1)

    def _ratios(self, prior: Self) -> Floats:
        return prior.scale / self.scale

    def _scatter(self, X: Floats, phi: Floats, s: float, counts: Floats, centers: Floats) -> Floats:
        scatter: Floats = s * (phi.T @ (X * X)) - counts[:, None] * centers**2
        scatter[scatter < 0] = 0.0  # by rounding only
        narrow = counts[:, None] * centers**2 > _CANCELS * (self.scale + scatter)
        for k in np.flatnonzero(narrow.any(axis=1)):
            scatter[k] = s * (phi[:, k] @ (X - centers[k]) ** 2)
        return scatter

    def _outer(self, difference: Floats) -> Floats:
        return difference * difference

    def _log1p_distances(self, X: Floats, shrink: Floats) -> Floats:
        result = np.empty((len(X), len(self.mean)))
        for k, (mean, scale) in enumerate(zip(self.mean, self.scale, strict=True)):
            result[:, k] = np.log1p(shrink[k] * (X - mean) ** 2 / scale).sum(axis=1)
        return result

    def _colored(self, noise: Floats, component: NDArray[np.intp]) -> Floats:
        return noise * np.sqrt(self.scale[component])


class Full(NormalWishart):
    """Normal-Wishart: one block of all columns."""

    @property
    def block(self) -> int:
        """Columns in the block: all."""
        return self.mean.shape[1]

    def posterior(self, X: Floats, phi: Floats, s: float) -> Self:
        """Return the posterior of this prior given data with the weights ``s phi`` (N, K).

        Raises
        ------
        ValueError
            If a covariance is singular, by rounding.
        """
        found = super().posterior(X, phi, s)
        try:
            _ = found.cholesky
        except np.linalg.LinAlgError as error:
            raise ValueError(
                "the covariance of a component is singular, by rounding: mean_prior is too far "
                "from the data, or columns are nearly linearly dependent; choose another "
                "mean_prior, or covariance_type='diag'"
            ) from error
        return found

    @cached_property
    def cholesky(self) -> Floats:
        """Lower triangular L, ``scale = L L^T``, (K, D, D)."""
        return np.asarray(np.linalg.cholesky(self.scale), dtype=np.float64)

    @cached_property
    def whitening(self) -> Floats:
        """L^-T, upper triangular, (K, D, D)."""
        eye = np.eye(self.block)
        return np.stack([solve_triangular(L, eye, lower=True).T for L in self.cholesky])

    @cached_property
    def log_det(self) -> Floats:
        """Log determinant of the scale, (K, 1)."""
        diagonal = np.diagonal(self.cholesky, axis1=1, axis2=2)
        return 2.0 * np.log(diagonal).sum(axis=1, keepdims=True)

    def squared_distances(self, X: Floats) -> Floats:
        """Squared distances, (N, K)."""
        result = np.empty((len(X), len(self.mean)))
        for k, (mean, whiten) in enumerate(zip(self.mean, self.whitening, strict=True)):
            white = (X - mean) @ whiten
            result[:, k] = np.einsum("nd,nd->n", white, white)
        return result

    def _trace_ratio(self, prior: Self) -> Floats:
        return ((prior.cholesky[0].T @ self.whitening) ** 2).sum(axis=(1, 2))

    def _shift(self, prior: Self) -> Floats:
        return self.squared_distances(prior.mean)[0]

    def _ratios(self, prior: Self) -> Floats:
        roots = np.linalg.svd(prior.cholesky[0].T @ self.whitening, compute_uv=False)
        return np.maximum(roots**2, np.finfo(float).tiny)

    def _scatter(self, X: Floats, phi: Floats, s: float, counts: Floats, centers: Floats) -> Floats:
        result = np.empty((len(centers), X.shape[1], X.shape[1]))
        for k, center in enumerate(centers):
            weighted = (X - center) * np.sqrt(s * phi[:, k, None])
            result[k] = weighted.T @ weighted
        return result

    def _outer(self, difference: Floats) -> Floats:
        return difference[:, :, None] * difference[:, None, :]

    def _log1p_distances(self, X: Floats, shrink: Floats) -> Floats:
        return np.log1p(shrink * self.squared_distances(X))

    def _colored(self, noise: Floats, component: NDArray[np.intp]) -> Floats:
        return np.einsum("nij,nj->ni", self.cholesky[component], noise)


def restored(
    kind: type[NormalWishart], tree: Tree, n_features: int, n_components: int | None = None
) -> NormalWishart:
    """Return the distributions that `NormalWishart.get_state` has written.

    Raises
    ------
    ValueError
        If something is missing or invalid; the error names it.
    """
    full = kind is Full
    lowest = np.nextafter(n_features - 1.0, np.inf) if full else 0.0
    kinds = {
        "mean": Numbers("KD"),
        "mean_precision": Numbers("K", ABOVE_ZERO),
        "dof": Numbers("K", max(ABOVE_ZERO, lowest)),
        "scale": Numbers("KDD") if full else Numbers("KD", ABOVE_ZERO),
    }
    sizes = {"D": n_features} | ({} if n_components is None else {"K": n_components})
    found = kind(**checked(tree, kinds, **sizes))
    with within("scale"):
        _ = found.log_det  # of which that of no definite matrix is an error
    return found
