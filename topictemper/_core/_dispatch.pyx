"""The instruction set in use: one for all kernels of the process.

This extension holds the compiled kernels for every instruction set. The typed entries (`_lda`,
`_factorial`, `_truncated`) take them from the table `active`, as it is when they are called.
"""

cdef const kernel_table *active = available_kernels()[0]


def isa():
    """Name of the instruction set in use."""
    return active.isa.decode()


def available_isas():
    """Names of the instruction sets that this CPU has, the fastest first."""
    cdef const kernel_table *const *tables = available_kernels()
    names = []
    while tables[len(names)] != NULL:
        names.append(tables[len(names)].isa.decode())
    return tuple(names)


def use_isa(name):
    """Use another one of `available_isas`."""
    global active
    active = available_kernels()[<Py_ssize_t>available_isas().index(name)]


cdef int run(shared_kernel *kernel, const void *problem, int64_t[::1] team) except -1:
    """Run a kernel in all threads of a team."""
    cdef int status
    with nogil:
        status = share(&team[0], team.shape[0], kernel, problem)
    if status != 0:
        raise MemoryError("no memory for the working set of a kernel")
    return 0
