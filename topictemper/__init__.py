"""Topic models by tempered variational inference."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from ._core._isa import available_isas, get_isa, set_isa
from ._utils._version import VERSION
from .lda._callbacks import progress_bar
from .lda._estimator import TemperedLDA
from .persistence._models import load
from .text._model import TopicModel

if TYPE_CHECKING:
    from . import dask as dask
    from . import datasets as datasets
    from . import factorial as factorial
    from . import metrics as metrics
    from . import mixture as mixture
    from . import plotting as plotting
    from . import report as report
    from . import tempering as tempering
    from . import topics as topics

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

# `import topictemper` is enough for `topictemper.metrics.coherence`. What estimators do not need is
# imported when it is first used: this costs no time before, and Dask is an extra.
_PACKAGES = (
    "dask",
    "datasets",
    "factorial",
    "metrics",
    "mixture",
    "plotting",
    "report",
    "tempering",
    "topics",
)


def __dir__() -> list[str]:
    return sorted((*__all__, *_PACKAGES))


if not TYPE_CHECKING:  # a module with `__getattr__` has any attribute, for mypy

    def __getattr__(name):
        if name not in _PACKAGES:
            # With the module Python adds a similar name.
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}",
                name=name,
                obj=sys.modules[__name__],
            )
        try:
            return import_module(f".{name}", __name__)
        except ImportError as error:  # without the extra, `hasattr` is to find no such name
            raise AttributeError(str(error), name=name) from error
