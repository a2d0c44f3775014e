"""How much memory Python and NumPy hold at most during a block of code."""

import tracemalloc


class TracedMemory:
    """`peak` is in bytes; those of earlier objects do not count."""

    peak: int

    def __enter__(self) -> "TracedMemory":
        tracemalloc.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.peak = tracemalloc.get_traced_memory()[1]
        # Also after an error: otherwise a later peak would count what this block has left.
        tracemalloc.stop()
