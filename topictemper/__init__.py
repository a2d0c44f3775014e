"""Topic models by tempered variational inference."""

from importlib.metadata import version

from ._lda import TemperedLDA
from ._persistence import load

__version__ = version("topictemper")

__all__ = ["TemperedLDA", "__version__", "load"]
