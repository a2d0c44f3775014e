"""The memory of E-steps."""

import pickle

import numpy as np
import pytest

from topictemper.lda._e_step import Workspace


@pytest.mark.parametrize("shape", [(1,), (7, 5), (1000, 33)])
def test_arrays_begin_with_a_cache_line_and_are_used_again(shape):
    workspace = Workspace()
    for name in ("a", "b", "c"):
        array = workspace.array(name, shape, np.float32)
        assert array.shape == shape
        assert array.dtype == np.float32
        assert array.ctypes.data % 64 == 0
        array[:] = 3.0  # all of it is there
        again = workspace.array(name, (shape[0] // 2, *shape[1:]), np.float64)
        assert again.ctypes.data == array.ctypes.data
    assert workspace.array("a", shape, np.float32)[0].max() == 3.0


def test_memory_that_is_too_small_is_not_used_again():
    workspace = Workspace()
    small = workspace.array("a", (10,), np.float64)
    small[:] = 1.0
    large = workspace.array("a", (10_000,), np.float64)
    large[:] = 2.0
    assert (small == 1.0).all()


def test_memory_is_not_pickled():
    workspace = Workspace()
    workspace.array("a", (10_000,), np.float64)
    assert len(pickle.dumps(workspace)) < 1000
