from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils._typing import Floats

Index: TypeAlias = NDArray[np.int32] | NDArray[np.int64] | NDArray[Any]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]

def gather_rows(
    indptr: Index,
    indices: Index,
    data: NDArray[Any],
    rows: Longs,
    slot: Ints,
    single: bool,
    by_word: bool,
) -> tuple[Longs, Ints, NDArray[Any], Ints, Longs, Ints, Longs]: ...
def hash_rows(
    doc_ptr: Longs, word_of: Ints, counts: NDArray[Any], words: Ints
) -> NDArray[np.uint64]: ...
def sum_rows(doc_ptr: Longs, values: NDArray[Any]) -> Floats: ...
