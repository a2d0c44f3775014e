import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._utils._distances import hellinger, pairs


def test_hellinger_distances_of_all_pairs():
    first = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    second = np.array([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.02, 0.72, 0.26]])
    roots = np.sqrt(first)[:, None] - np.sqrt(second)
    expected = np.sqrt((roots**2).sum(axis=2) / 2)
    assert_allclose(hellinger(first, second), expected, atol=1e-7)
    assert_allclose(hellinger(first.astype(np.float32), second), expected, atol=1e-3)


def test_pairs_have_the_least_sum():
    rows, columns, distance = pairs(np.array([[1.0, 2.0, 9.0], [1.0, 4.0, 9.0]]))
    assert_array_equal(rows, [0, 1])
    assert_array_equal(columns, [1, 0])
    assert_array_equal(distance, [2.0, 1.0])
