"""Run one of the planted faults: ``plant.py LIBRARY NAME``. A sanitizer ends the process."""

import ctypes
import sys

import numpy as np

from topictemper._core._workers import Workers


def main() -> None:
    """Call the function of that name; a race needs two threads."""
    library, name = ctypes.CDLL(sys.argv[1]), sys.argv[2]
    library.cast_double.argtypes = [ctypes.c_double]
    if name == "race":

        def kernel(ticket: np.ndarray) -> None:
            library.race(ctypes.c_void_p(ticket.ctypes.data))

        with Workers(2) as workers:
            for _ in range(20):
                workers.run(kernel)
    else:
        getattr(library, name)(10**10 if name == "cast_double" else 1)


if __name__ == "__main__":
    main()
