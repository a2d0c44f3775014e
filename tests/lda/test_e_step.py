"""The memory of E-steps, and the topics that they see."""

import pickle

import numpy as np
import pytest

from topictemper.lda._e_step import Workspace, cvb0, sample
from topictemper.lda._topics import Topics

from ..small_lda import ONE_THREAD, minibatch, random_counts


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


@pytest.mark.parametrize("method", ["cvb0", "sample"])
def test_documents_are_collapsed_and_sampled_at_a_temperature_of_one(method):
    topics = Topics(np.random.default_rng(0).gamma(0.2, 20.0, (30, 4)), 0.05, point=True)
    batch, alpha = minibatch(random_counts()), np.full(4, 0.1)
    if method == "cvb0":
        local = cvb0(topics, batch, alpha, tol=1e-3, max_iter=100, workers=ONE_THREAD)
    else:
        local = sample(topics, batch, alpha, 0, workers=ONE_THREAD)
    assert (local.s == 1.0).all()
    beta = topics.components() / topics.components().sum(axis=1, keepdims=True)
    ratios = local.B[:, :4] / beta.T[batch.words]  # of one word they are all the same
    np.testing.assert_allclose(ratios, np.repeat(ratios[:, :1], 4, axis=1), rtol=1e-10)
