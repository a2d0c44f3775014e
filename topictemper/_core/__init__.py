"""Compiled kernels (`_lda`, `_factorial`, `_truncated`), and the same in NumPy (`_reference`)."""
