"""Topic models by tempered variational inference."""

from importlib.metadata import version

from ._lda import TemperedLDA

__version__ = version("topictemper")

__all__ = ["TemperedLDA", "__version__"]
