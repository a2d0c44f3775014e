"""Run one of the planted faults: ``plant.py LIBRARY NAME``. A sanitizer ends the process."""

import ctypes
import sys

from topictemper._core import _team
from topictemper._core._workers import Workers


def main() -> None:
    """Call the function of that name; a race needs two threads."""
    library, name = ctypes.CDLL(sys.argv[1]), sys.argv[2]
    library.cast_double.argtypes = [ctypes.c_double]
    if name == "race":
        ticket = ctypes.c_int64(0)
        with Workers(2) as workers:
            for _ in range(20):
                workers.run(_team.call, lambda: library.race(ctypes.byref(ticket)))
    else:
        getattr(library, name)(10**10 if name == "cast_double" else 1)


if __name__ == "__main__":
    main()
