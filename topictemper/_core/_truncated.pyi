import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
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
    ticket: Longs,
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
    marginals: Doubles | None,
    fields: Doubles | NDArray[np.float32],
    inverse_temperature: float,
    free_energy: Doubles,
    means: Doubles,
    couplings: Doubles,
    second: Doubles,
    ticket: Longs,
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
    marginals: Doubles | None,
    fields: Doubles,
    inverse_temperature: float,
    free_energy: Doubles,
    means: Doubles,
    weights: Doubles,
    responsibilities: Doubles,
    ticket: Longs,
) -> None: ...
def bernoulli_expectations(
    states: Words,
    weights: Doubles,
    responsibilities: Doubles,
    out: Doubles,
    ticket: Longs,
) -> None: ...
