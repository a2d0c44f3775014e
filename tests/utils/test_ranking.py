import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper._utils._ranking import largest, largest_in_rows


@pytest.mark.parametrize("n", [1, 3, 10, 11, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_largest_in_rows_are_the_first_of_a_stable_sort(n, dtype):
    values = np.random.default_rng(0).integers(0, 5, (50, 20)).astype(dtype)  # many are equal
    values[7] = np.nan
    before = values.copy()
    assert_array_equal(
        largest_in_rows(values, n), np.argsort(-values, axis=1, kind="stable")[:, :n]
    )
    assert_array_equal(values, before)


@pytest.mark.parametrize("n", [1, 3, 10, 40])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "float64"])
def test_largest_are_the_first_of_a_stable_sort(n, dtype):
    values = np.random.default_rng(0).integers(-2, 3, 30).astype(dtype)  # many are equal
    before = values.copy()
    expected = sorted(range(30), key=lambda i: -int(values[i]))[:n]
    assert_array_equal(largest(values, n), expected)
    assert_array_equal(values, before)


def test_the_least_integer_is_not_the_largest():
    assert_array_equal(largest(np.array([-128, 5, 0], dtype=np.int8), 2), [1, 2])
