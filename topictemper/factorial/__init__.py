"""Models of data that many hidden causes make together."""

from .fmm._estimator import FactorialMixture
from .truncated._belief_network import SigmoidBeliefNetwork
from .truncated._sparse_coding import BinarySparseCoding

__all__ = ["BinarySparseCoding", "FactorialMixture", "SigmoidBeliefNetwork"]
