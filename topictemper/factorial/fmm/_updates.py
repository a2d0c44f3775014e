"""Mean-field posterior of the factorial mixture model: updates, energies, bounds.

X_n = sum_k Z_nk mu_k + noise, with Z_nk ~ Bernoulli(pi_k), mu_k ~ N(0, prior_var I) and noise of
variance noise_var in each pixel; q(mu_kd) = N(m_kd, v_kd), q(Z_nk) = Bernoulli(nu_kn). Sums over
pixels are over the observed ones, which gives the exact likelihood of these. s = 1 / T tempers the
likelihood of an image and its p(Z), but not the prior of mu. See Mandt et al. (2016), "Variational
Tempering", equation 12 and supplement C, whose sigma are variances. It omits the power 1 / T of the
Gaussian's normalizer, which cancels. For the updates it refers to Doshi et al. (2009), "Variational
inference for the Indian buffet process".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import gen_batches

from ..._core import _factorial
from ..._core._workers import Workers
from ..._utils._typing import Floats
from ._images import Images, masked_gram, masked_sums

_COLUMNS = 1024  # pixels whose linear systems are solved at a time


@dataclass(frozen=True)
class Prior:
    """Fixed parameters of the model."""

    pi: Floats
    noise_var: float
    prior_var: float

    @property
    def log_odds(self) -> Floats:
        """Log pi / (1 - pi) of each component."""
        return np.log(self.pi) - np.log1p(-self.pi)

    def log_partition(self, inverse_temperatures: Floats, observed: Floats) -> Floats:
        """Return log C(s) of images with so many observed pixels each (VT eqs. 22 to 24).

        C is the normalizer of the tempered p(X_n, Z_n | mu), and does not depend on mu. Like
        `Assignments.energies` it omits the Gaussian's factor (2 pi noise_var)^(-1/2) of each pixel.

        Parameters
        ----------
        inverse_temperatures : ndarray of shape (M,)
        observed : ndarray of shape (N,) or (1,)

        Returns
        -------
        ndarray of shape (N, M) or (1, M)
            In nats.
        """
        s = inverse_temperatures[:, np.newaxis]
        bits = np.logaddexp(s * np.log(self.pi), s * np.log1p(-self.pi)).sum(axis=1)
        return bits - 0.5 * observed[:, np.newaxis] * np.log(inverse_temperatures)

    def expected_energy(self, inverse_temperature: float, observed: Floats) -> Floats:
        """Return the mean energy of images drawn at a temperature, the slope of log C(s).

        Parameters
        ----------
        inverse_temperature : float
        observed : ndarray of shape (N,)

        Returns
        -------
        ndarray of shape (N,)
            In nats.
        """
        s, other = inverse_temperature, np.log1p(-self.pi)
        bits = float((expit(s * self.log_odds) * self.log_odds + other).sum())
        return bits - 0.5 * observed / s

    def log_scale(self, observed: Floats) -> Floats:
        """Return the log of the Gaussian's factor that energies omit, for each image."""
        return -0.5 * observed * np.log(2 * np.pi * self.noise_var)


class Components(NamedTuple):
    """q(mu): means m and variances v, both of shape (K, D)."""

    m: Floats
    v: Floats


class Assignments(NamedTuple):
    """q(Z), with its energies and entropies.

    `nu` has shape (K, N); `energies` are E_q log p(X_n, Z_n | mu) at T = 1 without the Gaussian's
    factor, `entropies` those of q(Z_n), both of shape (N,) and in nats.
    """

    nu: Floats
    energies: Floats
    entropies: Floats


def update_components(images: Images, prior: Prior, nu: Floats, s: Floats) -> Components:
    """Return the q(mu) that maximizes the bound, jointly for all components (model: VT eq. 12).

    (I / prior_var + G / noise_var) m = B / noise_var with B = (s nu) X and G = (s nu) nu^T, except
    for its diagonal, sum_n s_n nu_kn. Each pixel has the G of the images in which it is observed.
    """
    weighted = nu * s
    counts = masked_sums(images.pixel_masks, weighted)
    A = masked_gram(images.pixel_masks, s, nu)
    diagonal = np.arange(len(nu))
    A[:, diagonal, diagonal] = counts
    A /= prior.noise_var
    A[:, diagonal, diagonal] += 1.0 / prior.prior_var
    B = weighted @ images.X
    B /= prior.noise_var
    if len(A) == 1:
        m = _solved(A[0], B, prior)
    else:
        m = np.empty_like(B)
        for part in gen_batches(B.shape[1], _COLUMNS):
            columns = B[:, part].T[:, :, np.newaxis]
            m[:, part] = _solved(A[images.pixel_pattern[part]], columns, prior)[:, :, 0].T
    v = 1.0 / (1.0 / prior.prior_var + counts / prior.noise_var)
    return Components(m, v[images.pixel_pattern].T)


def _solved(A: Floats, B: Floats, prior: Prior) -> Floats:
    """Solve systems of equations, which the inverse of `prior_var` keeps from being singular.

    Raises
    ------
    ValueError
        If they are singular all the same, by rounding.
    """
    try:
        return np.asarray(np.linalg.solve(A, B))
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"noise_var={prior.noise_var:g} is too small for prior_var={prior.prior_var:g}: "
            "components that the same images have cannot be told apart, by rounding; choose a "
            "larger noise_var, or a smaller prior_var or n_components"
        ) from error


@dataclass(frozen=True)
class Part:
    """Images whose q(Z) is updated together, and what the updates need of them and of q(mu).

    `projections`, of shape (K, n), are ``m_k . x_n``. `gram`, of shape (P, K, K), and `bias`, of
    shape (P, K), are those of the sets of observed pixels that `pattern` names for each image.
    `constants` are the terms of energies that do not depend on q(Z), of shape (n,).
    """

    chosen: slice | NDArray[np.intp]
    projections: Floats
    gram: Floats
    bias: Floats
    pattern: NDArray[np.int64]
    constants: Floats
    precision: float

    def blocks(self, n_images: int) -> Iterator[Part]:
        """Yield the images in blocks of so many."""
        chosen = self.chosen
        for rows in gen_batches(len(self.constants), n_images):
            yield replace(
                self,
                chosen=rows if isinstance(chosen, slice) else chosen[rows],  # a slice has them all
                projections=np.ascontiguousarray(self.projections[:, rows]),
                pattern=self.pattern[rows],
                constants=self.constants[rows],
            )

    def sweep(
        self, nu: Floats, s: Floats, workers: Workers, n_sweeps: int = 1, shift: Floats | float = 0
    ) -> tuple[Floats, Floats]:
        """Update `nu` in place, a component at a time; return energies and entropies.

        Parameters
        ----------
        nu : ndarray of shape (K, n)
        s : ndarray of shape (n,)
            Inverse temperatures.
        workers : Workers
        n_sweeps : int
        shift : ndarray of shape (K,) or float
            Added to `bias`; energies then have ``nu . shift`` too.

        Returns
        -------
        energies, entropies : ndarray of shape (n,)
            As in `Assignments`.
        """
        energies, entropies = np.empty(len(s)), np.empty(len(s))
        workers.run(
            _factorial.bernoulli_sweep,
            self.projections,
            self.gram,
            self.bias + shift,
            self.pattern,
            s,
            self.precision,
            n_sweeps,
            *(nu, energies, entropies),
        )
        energies += self.constants
        return energies, entropies


def parts_of(images: Images, prior: Prior, components: Components) -> Iterator[Part]:
    """Yield all images, in parts with few enough Gram matrices."""
    m, v = components
    constant = float(np.log1p(-prior.pi).sum())
    for patterns, chosen in images.parts(len(m)):
        masks = images.image_masks[patterns]
        gram = masked_gram(masks, None, m)
        norms = np.einsum("pkk->pk", gram) + masked_sums(masks, v)
        yield Part(
            chosen,
            m @ images.X[chosen].T,
            gram,
            prior.log_odds - norms / (2 * prior.noise_var),
            images.image_pattern[chosen] - patterns.start,
            constant - images.squares[chosen] / (2 * prior.noise_var),
            1.0 / prior.noise_var,
        )


def update_assignments(
    images: Images, prior: Prior, components: Components, nu: Floats, s: Floats, workers: Workers
) -> Assignments:
    """Update q(Z), a component at a time, in one sweep (model: VT eq. 12).

    ``logit nu_nk = s_n [logit pi_k - E|mu_k|^2 / (2 noise_var)
    + m_k . (x_n - sum_(l != k) nu_nl m_l) / noise_var]``. The initial `nu` stays unchanged.
    """
    n_images = len(images.X)
    result = Assignments(
        np.array(nu, order="C", dtype=float), np.empty(n_images), np.empty(n_images)
    )
    for part in parts_of(images, prior, components):
        chosen = part.chosen
        own = np.ascontiguousarray(result.nu[:, chosen])  # a view where these are all images
        result.energies[chosen], result.entropies[chosen] = part.sweep(own, s[chosen], workers)
        if not isinstance(chosen, slice):
            result.nu[:, chosen] = own
    return result


def components_bound(prior: Prior, components: Components) -> float:
    """Return minus the divergence of q(mu) from its prior, in nats."""
    m, v = components
    ratio = v / prior.prior_var
    terms = np.log(ratio).sum() + m.size - ratio.sum() - np.vdot(m, m) / prior.prior_var
    return 0.5 * float(terms)
