"""Waiting for other threads without the GIL and without a call of the system."""

from libc.stdint cimport int64_t

cdef extern from "spin.h" nogil:
    int changes_within(const int64_t *value, int64_t seen, int64_t nanoseconds)
    int64_t wait_for_zero(const int64_t *value)


def changes(const int64_t[::1] value, int64_t seen, int64_t microseconds):
    """Whether ``value[0]`` differs from ``seen`` before that time has passed."""
    cdef int changed
    with nogil:
        changed = changes_within(&value[0], seen, 1000 * microseconds)
    return changed != 0


def wait_for_zeros(const int64_t[::1] values, int64_t[::1] waited):
    """Return when all values are 0; ``waited`` has the nanoseconds for each, after the last."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            waited[i] = wait_for_zero(&values[i])
