"""A team of threads, for `_workers`: what its thread and its helpers do without the interpreter.

A team is an int64 array (``src/common/team.h``), which kernels take.
"""

from libc.stdint cimport int64_t

from ._dispatch cimport share

import numpy as np

cdef extern from "team.h" nogil:
    int64_t team_size(int64_t n_helpers)
    void set_terms(int64_t *team, int64_t late, int64_t longest, int64_t rest)
    void want_helper(int64_t *team, int64_t i)
    bint helper_is_called(int64_t *team, int64_t i)
    bint helper_is_resting(int64_t *team, int64_t i)
    bint help_out(int64_t *team, int64_t i, int64_t nanoseconds)


def new_team(int64_t n_helpers, int64_t late, int64_t longest, int64_t rest):
    """A team of a thread and so many helpers.

    A helper that is waited for longer than ``late`` nanoseconds, and than the work took, but not
    for ``longest``, gets no work for ``rest`` times as long.
    """
    result = np.zeros(team_size(n_helpers), dtype=np.int64)
    cdef int64_t[::1] team = result
    set_terms(&team[0], late, longest, rest)
    return result


def begin(int64_t[::1] team):
    """Begin a run: no block is handed out. At once, as no interrupt comes between."""
    team[0] = 0
    team[1] += 1


def is_called(int64_t[::1] team, int64_t helper):
    """Whether a helper is called, and has not come yet."""
    return helper_is_called(&team[0], helper)


def is_resting(int64_t[::1] team, int64_t helper):
    """Whether a helper gets no work for a while."""
    return helper_is_resting(&team[0], helper)


def want(int64_t[::1] team, int64_t helper):
    """Make a helper return from `serve`."""
    want_helper(&team[0], helper)


def serve(int64_t[::1] team, int64_t helper, int64_t microseconds):
    """Help with kernels, until the helper is wanted, or for that time without a call.

    Returns whether it is wanted.
    """
    cdef bint wanted
    with nogil:
        wanted = help_out(&team[0], helper, 1000 * microseconds)
    return wanted


cdef struct python_call:
    void *function
    void *errors


cdef int make_call(const void *problem, int64_t *ticket) noexcept nogil:
    cdef const python_call *made = <const python_call *>problem
    with gil:
        try:
            (<object>made.function)()
        except BaseException as error:
            (<list>made.errors).append(error)
    return 0


def call(function, int64_t[::1] team):
    """Call a function from every thread, as if it were a kernel; raises the first error.

    An interrupt comes before errors.
    """
    errors = []
    cdef python_call made = python_call(<void *>function, <void *>errors)
    with nogil:
        share(&team[0], team.shape[0], make_call, &made)
    errors.sort(key=lambda error: isinstance(error, Exception))
    if errors:
        raise errors[0]
