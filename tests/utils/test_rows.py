"""Rows that come some at a time."""

import numpy as np
from numpy.testing import assert_array_equal

from topictemper._utils._rows import Rows


def rows_of(parts):
    rows = Rows()
    for part in parts:
        rows.add(part)
    return rows


def test_rows_of_one_part_are_not_copied():
    part = np.ones((2, 3))
    assert rows_of([part]).array() is part
    assert len(rows_of([]).array()) == 0


def test_rows_of_several_parts():
    first = np.arange(6.0).reshape(2, 3)
    parts = [first.T, np.float32(first.T), np.empty((0, 2)), first.T[::-1]]
    rows = rows_of(parts)
    joined = rows.array()
    assert len(rows) == 9
    assert joined.dtype == np.float64
    assert_array_equal(joined, np.concatenate(parts))
    joined[:] = 0.0
    assert_array_equal(first, np.arange(6.0).reshape(2, 3))


def test_rows_of_empty_parts():
    assert rows_of([np.empty((0, 3)), np.empty((0, 3))]).array().shape == (0, 3)
