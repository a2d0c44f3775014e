"""The bound of the factorial mixture, pixel by pixel, from nothing but its definition."""

import numpy as np
from scipy.special import entr


def energies(X, prior, m, v, nu):
    """E_q log p(X_n, Z_n | mu) with all constants, over observed pixels; nu is (K, N)."""
    mean = nu.T @ m
    second = mean**2 + (nu * (1 - nu)).T @ m**2 + nu.T @ v
    squares = np.where(np.isnan(X), 0, X**2 - 2 * np.nan_to_num(X) * mean + second)
    likelihood = -squares.sum(axis=1) / (2 * prior.noise_var)
    likelihood -= 0.5 * np.log(2 * np.pi * prior.noise_var) * (~np.isnan(X)).sum(axis=1)
    return likelihood + np.log(prior.pi) @ nu + np.log1p(-prior.pi) @ (1 - nu)


def rest(prior, m, v, nu):
    """Entropies and the prior of mu: what is not tempered."""
    mu = -0.5 * np.log(2 * np.pi * prior.prior_var) - (m**2 + v) / (2 * prior.prior_var)
    return (mu + 0.5 * np.log(2 * np.pi * np.e * v)).sum() + (entr(nu) + entr(1 - nu)).sum()


def bound(X, prior, m, v, nu, s=1.0):
    """The annealed bound; s is a number or one for each image."""
    return (s * energies(X, prior, m, v, nu)).sum() + rest(prior, m, v, nu)
