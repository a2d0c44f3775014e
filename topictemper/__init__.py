"""Topic models by tempered variational inference."""

from importlib.metadata import version

from ._isa import available_isas, get_isa, set_isa
from ._lda import TemperedLDA
from ._persistence import load

__version__ = version("topictemper")

__all__ = ["TemperedLDA", "__version__", "available_isas", "get_isa", "load", "set_isa"]
