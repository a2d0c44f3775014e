"""Columns whose index says that they are in another order than the documents."""

import numpy as np
import pytest

from topictemper._utils._missing import check_order

pandas = pytest.importorskip("pandas", reason="pandas is not installed")


def check(own, index):
    documents = pandas.DataFrame(np.zeros((len(own), 1)), index=own)
    check_order("X", documents, dates=pandas.Series(np.zeros(len(index)), index=index))


MIDNIGHTS = pandas.date_range("2024-01-01", periods=3, tz="UTC")
PAIRS = pandas.MultiIndex.from_tuples([(0, 1), (0, 2), (1, 1)])
TRIPLES = pandas.MultiIndex.from_tuples([(0, 1, 0), (0, 2, 0), (1, 1, 0)])


@pytest.mark.parametrize(
    ("own", "index"),
    [
        (pandas.RangeIndex(3), pandas.Index([0, 1, 2], dtype="Int64")),
        (pandas.RangeIndex(3), pandas.Index([0, 1, 2], dtype=object)),
        (MIDNIGHTS, MIDNIGHTS.tz_convert("Asia/Tokyo")),
        (pandas.Index(list("abc")), pandas.CategoricalIndex(list("abc"))),
        (pandas.RangeIndex(3), PAIRS),
        (PAIRS, pandas.RangeIndex(3)),
        (PAIRS, TRIPLES),
        (pandas.Index([0, 0, 1]), pandas.Index([0, 1, 1])),
        (pandas.Index([0, 1, 2]), pandas.Index([2, 1, 3])),
        (pandas.Index([0, 1]), pandas.Index([[1], [0]], dtype=object)),
    ],
)
def test_the_same_order_in_another_type_and_other_labels_are_accepted(own, index):
    check(own, index)
    check(index, own)


@pytest.mark.parametrize("own", [pandas.RangeIndex(3), MIDNIGHTS, PAIRS])
def test_another_order_is_refused(own):
    with pytest.raises(
        ValueError, match=r"; give dates\.to_numpy\(\) if .* else dates\.loc\[X\.index\]$"
    ):
        check(own, own[::-1])


def test_labels_that_are_there_twice_cannot_be_looked_up():
    with pytest.raises(
        ValueError, match=r"; give dates\.to_numpy\(\) if .* else values in that order$"
    ):
        check(pandas.Index([0, 0, 1]), pandas.Index([0, 1, 0]))
