from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats

Real: TypeAlias = NDArray[np.float32] | Floats | NDArray[Any]
# Kernels are called by `Workers.run`, which passes any arguments on and adds the team.
Kernel: TypeAlias = Callable[..., None]

OCTAVE: int

def padded_topics(n_topics: int) -> int: ...
def topic_blocks(n_topics: int) -> int: ...
def statistics_blocks(n_words: int) -> int: ...
def psi(x: Real) -> NDArray[Any]: ...
def gamma_ratio(x: Real, s: float) -> NDArray[Any]: ...

topic_rows: Kernel
estep: Kernel
cvb0: Kernel
sample: Kernel
add_statistics: Kernel
log_partition: Kernel
fractional_moments: Kernel
mixture_log_likelihood: Kernel
