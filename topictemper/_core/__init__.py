"""Cython kernels (`_kernels`) and the same mathematics in plain numpy (`_reference`)."""
