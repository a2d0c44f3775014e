import numpy as np
from numpy.typing import NDArray

from ..._utils._typing import Floats

def scan(text: bytes, pairs: bool, n_whole: int) -> tuple[Floats, NDArray[np.int64]]: ...
