import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Longs = NDArray[np.int64]

def bernoulli_sweep(
    projections: Doubles,
    gram: Doubles,
    bias: Doubles,
    pattern: Longs,
    s: Doubles,
    precision: float,
    n_sweeps: int,
    nu: Doubles,
    energy: Doubles,
    entropy: Doubles,
    ticket: Longs,
) -> None: ...
