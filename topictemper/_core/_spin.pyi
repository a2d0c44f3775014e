import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

def changes(value: Longs, seen: int, microseconds: int) -> bool: ...
def wait_for_zeros(values: Longs, waited: Longs) -> None: ...
