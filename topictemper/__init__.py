"""Topic models by tempered variational inference."""

from ._core._isa import available_isas, get_isa, set_isa
from ._utils._version import VERSION
from .lda._callbacks import progress_bar
from .lda._estimator import TemperedLDA
from .persistence._models import load
from .text._model import TopicModel

__version__ = VERSION

__all__ = [
    "TemperedLDA",
    "TopicModel",
    "__version__",
    "available_isas",
    "get_isa",
    "load",
    "progress_bar",
    "set_isa",
]
