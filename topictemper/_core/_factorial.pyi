import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats

Longs = NDArray[np.int64]

def bernoulli_sweep(
    projections: Floats,
    gram: Floats,
    bias: Floats,
    pattern: Longs,
    s: Floats,
    precision: float,
    n_sweeps: int,
    nu: Floats,
    energy: Floats,
    entropy: Floats,
    team: Longs,
) -> None: ...
