"""Run one of the planted faults: ``plant.py LIBRARY NAME``. A sanitizer ends the process."""

import ctypes
import sys

import numpy as np

from topictemper._workers import Workers

library = ctypes.CDLL(sys.argv[1])
name = sys.argv[2]
if name == "race":

    def kernel(ticket: np.ndarray) -> None:
        library.race(ctypes.c_void_p(ticket.ctypes.data))

    with Workers(2) as workers:
        for _ in range(20):
            workers.run(kernel)
elif name == "cast_double":
    library.cast_double.argtypes = [ctypes.c_double]
    library.cast_double(1e10)
else:
    getattr(library, name)(1)
print("not seen", name)
