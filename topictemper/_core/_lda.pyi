from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Real: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | NDArray[Any]
Index: TypeAlias = NDArray[np.int32] | NDArray[np.int64] | NDArray[Any]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]

def isa() -> str: ...
def available_isas() -> tuple[str, ...]: ...
def use_isa(name: str) -> None: ...
def changes(value: Longs, seen: int, microseconds: int) -> bool: ...
def wait_for_zeros(values: Longs) -> None: ...
def padded_topics(n_topics: int) -> int: ...
def statistics_blocks(n_words: int) -> int: ...
def moment_blocks(n_features: int) -> int: ...
def exp(x: Real) -> NDArray[Any]: ...
def log(x: Real) -> NDArray[Any]: ...
def psi(x: Real) -> NDArray[Any]: ...
def exp_psi(x: Real, s: float) -> NDArray[Any]: ...
def gamma_ratio(x: Real, s: float) -> NDArray[Any]: ...
def gather_rows(
    indptr: Index,
    indices: Index,
    data: NDArray[Any],
    rows: Longs,
    slot: Ints,
    single: bool,
    by_word: bool,
) -> tuple[Longs, Ints, NDArray[Any], Ints, Longs, Ints, Longs]: ...
def topic_rows(
    M: Real,
    a: float,
    base: float,
    log_total: Doubles,
    point: bool,
    words: Ints,
    s: float,
    log_rows: bool,
    B: Real,
    shift: Real,
    mass: Real,
    ticket: Longs,
) -> None: ...
def estep(
    doc_ptr: Longs,
    word_of: Ints,
    counts: Real,
    alpha: Real,
    s: Real,
    log_rows: bool,
    B: Real,
    shift: Real,
    mass: Real,
    tol: float,
    max_iter: int,
    warm: bool,
    gamma: Real,
    topics: Ints,
    weights: Real,
    n_active: Ints,
    ratio: Real,
    energy: Doubles | None,
    sweeps: Ints,
    ticket: Longs,
) -> None: ...
def sample(
    doc_ptr: Longs,
    word_of: Ints,
    counts: Real,
    alpha: Real,
    B: Real,
    keys: NDArray[np.uint64],
    n_burn_in: int,
    n_kept: int,
    gamma: Real,
    topics: Ints,
    weights: Real,
    n_active: Ints,
    ratio: Real,
    ticket: Longs,
) -> None: ...
def add_statistics(
    words: Ints,
    word_ptr: Longs,
    word_doc: Ints,
    word_pos: Longs,
    doc_weight: Doubles,
    s: Real,
    log_rows: bool,
    B: Real,
    topics: Ints,
    weights: Real,
    n_active: Ints,
    ratio: Real,
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
