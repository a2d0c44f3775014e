import numpy as np
from numpy.typing import NDArray

def scan(
    text: bytes, pairs: bool, n_whole: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
