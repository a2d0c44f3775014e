"""Models of data that many hidden causes make together."""

from ._belief_network import SigmoidBeliefNetwork
from ._mixture import FactorialMixture
from ._sparse_coding import BinarySparseCoding

__all__ = ["BinarySparseCoding", "FactorialMixture", "SigmoidBeliefNetwork"]
