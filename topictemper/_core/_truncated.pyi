import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats

Words = NDArray[np.uint64]
Thresholds = NDArray[np.uint32]
Longs = NDArray[np.int64]

row_block: int
smallest_weight: float

def padded_width(n_features: int) -> int: ...
def initial_states(
    states: Words,
    keys: Words,
    seed: int,
    iteration: int,
    thresholds: Thresholds,
    gaps: Words | None,
    team: Longs,
) -> None: ...
def gaussian_estep(
    states: Words,
    keys: Words,
    seed: int,
    iteration: int,
    thresholds: Thresholds,
    gaps: Words | None,
    n_prior: int,
    n_marginal: int,
    marginals: Floats | None,
    fields: Floats | NDArray[np.float32],
    inverse_temperature: float,
    free_energy: Floats,
    means: Floats,
    couplings: Floats,
    second: Floats,
    team: Longs,
) -> None: ...
def bernoulli_estep(
    states: Words,
    keys: Words,
    seed: int,
    iteration: int,
    thresholds: Thresholds,
    gaps: Words | None,
    n_prior: int,
    n_marginal: int,
    marginals: Floats | None,
    fields: Floats,
    inverse_temperature: float,
    free_energy: Floats,
    means: Floats,
    weights: Floats,
    responsibilities: Floats,
    team: Longs,
) -> None: ...
def bernoulli_expectations(
    states: Words,
    weights: Floats,
    responsibilities: Floats,
    out: Floats,
    team: Longs,
) -> None: ...
