import numpy as np
import pytest
from numpy.testing import assert_allclose

from topictemper.topics import share_differences, shares_by_group, shares_over_time

THETA = np.random.default_rng(0).dirichlet(np.full(3, 0.5), size=600)
GROUPS = np.array(["a", "b", "c"])[np.arange(600) % 3]


def test_differences_are_those_of_the_means_with_normal_intervals():
    """Of many documents."""
    found = share_differences(shares_by_group(THETA, GROUPS, labels=["x", "y", "z"]), "c", "a")
    assert list(found.columns) == ["topic", "label", "difference", "low", "high"]
    assert found["label"].tolist() == ["x", "y", "z"]
    one, other = THETA[2::3], THETA[0::3]
    difference = other.mean(axis=0) - one.mean(axis=0)
    error = np.sqrt(one.var(axis=0) / 200 + other.var(axis=0) / 200)
    assert_allclose(found["difference"], difference)
    for end, sign in (("low", -1), ("high", 1)):
        assert_allclose(found[end], difference + sign * 1.96 * error, atol=0.05 * error.min())


def test_random_groups_seldom_differ():
    """Also if one is small, and topics are rare: normal intervals see differences for 19%."""
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(50, 0.03), 20_000)
    found, normal = [], []
    for _ in range(40):
        rows, small = rng.integers(len(theta), size=1000), np.arange(1000) < 50
        differences = share_differences(shares_by_group(theta[rows], small), False, True)
        found.append((differences["low"] > 0) | (differences["high"] < 0))
        one, other = theta[rows][small], theta[rows][~small]
        error = np.sqrt(one.var(axis=0) / 50 + other.var(axis=0) / 950)
        normal.append(np.abs(one.mean(axis=0) - other.mean(axis=0)) > 1.96 * error)
    assert 0.01 < np.mean(found) < 0.05
    assert np.mean(normal) > 0.15


def test_periods_may_be_days_or_numbers():
    days = np.array(["2024-01-05", "2024-02-07", "2024-03-01"])[np.arange(600) % 3]
    shares = shares_over_time(THETA, days, period="month")
    expected = share_differences(shares_by_group(THETA, GROUPS), "a", "b")["low"]
    for first, second in (("2024-01-01", "2024-02"), (shares["period"][0], shares["period"][3])):
        assert_allclose(share_differences(shares, first, second)["low"], expected)
    years = shares_over_time(THETA, 2020 + np.arange(600) % 3)
    assert_allclose(share_differences(years, 2020, 2021)["low"], expected)


def test_the_order_of_the_rows_does_not_matter():
    pytest.importorskip("pandas")
    shares = shares_by_group(THETA, GROUPS)
    mixed = shares.sample(frac=1, random_state=0)
    assert share_differences(mixed, "a", "b").equals(share_differences(shares, "a", "b"))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("a", "d", "second must be a group of the table, 'a', 'b', 'c'; got 'd'"),
        (np.array(["a", "b"]), "b", r"first must be a group .* got array\(\['a', 'b'\]"),
        ("a", "a", "first and second must be two different values, got 'a' twice"),
    ],
)
def test_errors_name_the_groups(first, second, message):
    with pytest.raises(ValueError, match=message):
        share_differences(shares_by_group(THETA, GROUPS), first, second)


@pytest.mark.parametrize("several", [[1, 2], [1]])
def test_a_list_is_no_group(several):
    # numpy compares a list with a number one entry after another.
    shares = shares_by_group(THETA, np.arange(600) % 3)
    with pytest.raises(ValueError, match=r"must be a group of the table, 0, 1, 2; got \[1.*\]"):
        share_differences(shares, several, 0)


def test_errors_name_the_periods():
    shares = shares_over_time(THETA, [2020, 2021] * 300)
    with pytest.raises(
        ValueError, match=r"must be a period of the table, 2020, 2021.*; got '2020'"
    ):
        share_differences(shares, "2020", 2021)
    days = shares_over_time(THETA, ["2024-01-05", "2024-02-07"] * 300, period="month")
    for value in ("2024-03-01", "May", 5, None):
        with pytest.raises(ValueError, match=r"second .* '2024-01-01', '2024-02-01'; got"):
            share_differences(days, "2024-01-01", value)


def test_other_tables_are_refused():
    pandas = pytest.importorskip("pandas")
    shares = shares_by_group(THETA, GROUPS)
    with pytest.raises(ValueError, match="must be a table of topics_over_time or topics_by_group"):
        share_differences(shares.drop(columns="low"), "a", "b")
    with pytest.raises(ValueError, match="shares has a topic twice for group 'a'"):
        share_differences(pandas.concat([shares, shares]), "a", "b")
    with pytest.raises(ValueError, match="must have the same topics"):
        share_differences(shares.iloc[1:], "a", "b")


@pytest.mark.parametrize("missing", [None, np.nan, "NA", "NaT"])
def test_a_missing_value_is_no_group(missing):
    pandas = pytest.importorskip("pandas")
    missing = getattr(pandas, missing) if isinstance(missing, str) else missing
    shares = shares_by_group(THETA, GROUPS).convert_dtypes()
    unknown = shares.iloc[:3].assign(group=pandas.NA)
    for table in (shares, pandas.concat([shares, unknown])):
        assert share_differences(table, "a", "b")["difference"].notna().all()
        for first, second in ((missing, "a"), ("a", missing)):
            with pytest.raises(
                ValueError, match=r"must be a group of the table, 'a', 'b', 'c'; got"
            ):
                share_differences(table, first, second)


@pytest.mark.parametrize("column", ["share", "low", "high"])
def test_missing_shares_are_refused(column):
    pandas = pytest.importorskip("pandas")
    shares = shares_by_group(THETA, GROUPS)
    shares.loc[shares.index[shares.group == "a"][0], column] = np.nan
    for table in (shares, shares.convert_dtypes()):
        with pytest.raises(
            ValueError, match="shares has missing values for group 'a' or group 'b'"
        ):
            share_differences(table, "a", "b")
        assert len(share_differences(table, "b", "c"))
    with pytest.raises(ValueError, match=f"column {column} of shares must hold numbers"):
        share_differences(shares.astype(object).fillna(pandas.NA), "a", "b")
