"""Models with many binary causes: sparse coding and belief networks."""

from ._belief_network import SigmoidBeliefNetwork
from ._sparse_coding import BinarySparseCoding

__all__ = ["BinarySparseCoding", "SigmoidBeliefNetwork"]
