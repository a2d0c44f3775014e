from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Real: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | NDArray[Any]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]

def padded_topics(n_topics: int) -> int: ...
def statistics_blocks(n_words: int) -> int: ...
def moment_blocks(n_features: int) -> int: ...
def psi(x: Real) -> NDArray[Any]: ...
def gamma_ratio(x: Real, s: float) -> NDArray[Any]: ...
def topic_rows(
    M: Real,
    a: float,
    base: float,
    log_total: Doubles,
    point: bool,
    places: Ints,
    s: float,
    batch: Any,
    local: Any,
    ticket: Longs,
) -> None: ...
def estep(batch: Any, local: Any, tol: float, max_iter: int, ticket: Longs) -> None: ...
def sample(
    batch: Any,
    local: Any,
    keys: NDArray[np.uint64],
    n_burn_in: int,
    n_kept: int,
    ticket: Longs,
) -> None: ...
def add_statistics(
    batch: Any,
    local: Any,
    doc_weight: Doubles,
    rate: float,
    M: Real,
    block_sums: Doubles,
    ticket: Longs,
) -> None: ...
def log_partition(
    gamma: Real,
    topics: Ints,
    n_active: Ints,
    moments: Real,
    prior_moments: Real,
    nodes: Doubles,
    out: Doubles,
    ticket: Longs,
) -> None: ...
def fractional_moments(
    M: Real, a: float, base: float, nodes: Doubles, out: Doubles, ticket: Longs
) -> None: ...
def mixture_log_likelihood(
    doc_ptr: Longs,
    indices: Ints,
    counts: Real,
    t: Real,
    M: Real,
    a: float,
    base: float,
    out: Doubles,
    ticket: Longs,
) -> None: ...
