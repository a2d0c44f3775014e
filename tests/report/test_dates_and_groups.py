"""Shares over time and by group in the file of a report."""

import datetime

import numpy as np
import pytest

from tests.report.small_report import N_DOCUMENTS, N_TOPICS, corpus, written
from topictemper.topics import shares_by_group


def test_shares_over_time_and_by_group(path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    content = written(path)
    theta, years = corpus().proportions[:-2], pd.Series(corpus().dates[:-2]).str[:7]
    periods = content["periods"]
    assert periods["unit"] == "month"
    by_month = pd.DataFrame(theta).groupby(years.to_numpy())
    for k in range(N_TOPICS):
        shares = dict(zip(periods["names"], periods["share"][k], strict=True))
        for month, values in by_month[k]:
            assert shares[month] == pytest.approx(values.mean(), abs=1e-6)
    groups = content["groups"]
    for classes, given in ((periods, years), (groups, corpus().groups[:-2])):
        expected = shares_by_group(theta, given).sort_values(["topic", "group"])
        some = [i for i in np.argsort(classes["names"]) if classes["documents"][i]]
        for end in ("low", "high"):
            found = np.array(classes[end])
            np.testing.assert_allclose(
                found[:, some].astype(float).ravel(), expected[end], atol=1e-6
            )
            assert set(np.delete(found, some, axis=1).ravel()) <= {None}
    south = np.array(corpus().groups[:-2]) == "south"
    expected = theta[south].mean(axis=0)
    place = groups["names"].index("south")
    np.testing.assert_allclose([row[place] for row in groups["share"]], expected, atol=1e-6)
    assert groups["documents"][place] == south.sum()


def test_intervals_of_a_topic_that_has_whole_documents(path):
    """Where the others are mixtures."""
    theta = np.tile([0.5, 0.5, 0.0], (N_DOCUMENTS, 1))
    theta[::20] = [0.0, 0.0, 1.0]
    groups = written(path, proportions=theta)["groups"]
    expected = shares_by_group(theta[:-2], corpus().groups[:-2])
    for end in ("low", "high"):
        found = np.array(groups[end]).T[np.argsort(groups["names"])]
        np.testing.assert_allclose(found.ravel(), expected[end], atol=1e-6)


@pytest.mark.parametrize(
    ("dates", "unit", "first", "last"),
    [
        (["2024-01-01", "2024-02-09"], "day", "2024-01-01", "2024-02-09"),
        (["2024-01-03", "2024-06-30"], "week", "2024-01-01", "2024-06-24"),
        (["2020-01-03", "2024-06-30"], "month", "2020-01", "2024-06"),
        (["2015-05-03", "2024-06-30"], "quarter", "2015 Q2", "2024 Q2"),
        ([1975, 2024], "year", "1975", "2024"),
        ([2001, 2004], "year", "2001", "2004"),
        ([2001.0, 2004.0], "year", "2001", "2004"),
        (["2001-02", "2001-05"], "month", "2001-02", "2001-05"),
        ([1789, 2024], "decade", "1780s", "2020s"),
        (["0980", "2024"], "century", "900-999", "2000-2099"),
        (["20240101", 20240209], "day", "2024-01-01", "2024-02-09"),
        (
            [datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 3)],
            "day",
            "2024-01-01",
            "2024-01-03",
        ),
    ],
)
def test_periods_fit_the_dates(path, dates, unit, first, last):
    given = [*dates, None, float("nan"), "", *([dates[0]] * (N_DOCUMENTS - 5))]
    periods = written(path, dates=given)["periods"]
    assert (periods["unit"], periods["names"][0], periods["names"][-1]) == (unit, first, last)
    assert sum(periods["documents"]) == N_DOCUMENTS - 5


def test_documents_of_one_day_have_no_course(path):
    assert written(path, dates=["2024-05-31"] * N_DOCUMENTS)["periods"] is None


def test_dates_of_pandas(path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    dates = [pd.Timestamp("2024-01-03"), pd.NaT, *[datetime.date(2024, 1, 1)] * (N_DOCUMENTS - 2)]
    content = written(path, dates=dates)
    assert content["periods"]["names"] == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert content["documents"]["row"] == list(range(N_DOCUMENTS))
    assert content["documents"]["date"][:3] == ["2024-01-03", "", "2024-01-01"]


def test_missing_values_of_pandas_are_none(path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    groups = pd.Series(["north", pd.NA, None, *["south"] * (N_DOCUMENTS - 3)], dtype="string")
    assert sorted(written(path, groups=groups)["groups"]["documents"]) == [1, N_DOCUMENTS - 5]


@pytest.mark.parametrize(("ratings", "names"), [([4, 5], ["4", "5"]), ([4.5, 5], ["4.5", "5.0"])])
def test_whole_numbers_of_a_column_with_gaps_have_no_point(path, ratings, names):
    groups = np.resize(np.array([np.nan, *ratings]), N_DOCUMENTS)
    assert sorted(written(path, groups=groups)["groups"]["names"]) == names


def test_groups_are_ordered_by_size_and_numbers_as_numbers(path):
    for sizes, expected in (
        ({"10": 9, "9": 6, "2": N_DOCUMENTS - 15}, ["2", "9", "10"]),
        ({"10": 9, "9": 6, "b": N_DOCUMENTS - 15}, ["b", "10", "9"]),
        ({"5": 9, "3": 6, "nan": N_DOCUMENTS - 15}, ["3", "5", "nan"]),
    ):
        groups = [name for name, size in sizes.items() for _ in range(size)]
        content = written(path, groups=groups)["groups"]
        assert content["names"] == expected
        largest = max(sizes, key=sizes.get)
        assert content["documents"].index(max(content["documents"])) == expected.index(largest)


def test_missing_groups_of_arrow(path):
    groups = pytest.importorskip("pyarrow").array([None] + ["a"] * (N_DOCUMENTS - 1))
    assert written(path, groups=groups)["groups"]["names"] == ["a"]


def test_groups_of_an_ordered_categorical_keep_their_order(path):
    pandas = pytest.importorskip("pandas")
    for names in (["low", "mid", "high"], ["9", "10", "8"]):
        answers = [*np.repeat(names, [6, N_DOCUMENTS - 16, 9]).tolist(), None]
        groups = pandas.Series(answers, dtype="category")
        groups = groups.cat.set_categories(names, ordered=True)
        content = written(path, groups=groups)["groups"]
        assert content["names"] == names
        assert np.argmax(content["documents"]) == 1


def test_small_groups_are_joined(path):
    groups = [f"group {row % 45}" for row in range(N_DOCUMENTS)]
    names = written(path, groups=groups)["groups"]["names"]
    assert len(names) == 31
    assert names[-1] == "Other groups (15)"


@pytest.mark.parametrize("values", [[None] * 58 + [2020, 2022], [None] * N_DOCUMENTS])
def test_dates_and_groups_of_no_document_with_words_are_not_shown(path, values):
    """Their views had pictures of nothing, and an error where one was pointed at."""
    content = written(path, dates=values, groups=values)
    assert content["periods"] is content["groups"] is content["documents"]["group"] is None
