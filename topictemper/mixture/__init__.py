"""Mixture models by annealed variational inference."""

from ._dp_gaussian import DPGaussianMixture
from ._two_gaussians import TwoGaussians

__all__ = ["DPGaussianMixture", "TwoGaussians"]
