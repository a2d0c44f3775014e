"""Dates of documents: the report and shares over time read the same days."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from tests.report.small_report import arguments, corpus, data_of
from topictemper import report
from topictemper._utils import _dates
from topictemper._utils._dates import PERIODS, days_of, first_days, period_numbers
from topictemper.topics import shares_over_time
from topictemper.topics._periods import periods_of

EAST = timezone(timedelta(hours=9))


@pytest.mark.parametrize("freq", ["D", "W", "W-WED", "M", "Q", "2Q", "Y", "h"])
def test_columns_of_periods_are_read_at_once(freq, monkeypatch):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    days = pandas.Series(pandas.to_datetime(["2024-02-29", None, "1999-12-31"] * 3))
    column = days.dt.to_period(freq)
    expected = days_of(column.tolist(), 9)  # one after the other
    assert np.isnat(expected[1])
    monkeypatch.setattr(_dates, "_day", None)
    for given in (column, pandas.PeriodIndex(column), column.array):
        np.testing.assert_array_equal(days_of(given, 9), expected)
        assert periods_of(given, 9, "year")[0][0] == np.datetime64("2024-01-01")


@pytest.mark.parametrize("chunked", [False, True])
def test_columns_of_periods_in_arrow_are_no_numbers(chunked):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    column = pyarrow.array(pandas.PeriodIndex(["2020-01", None, "2021-05"], freq="M"))
    given = pyarrow.chunked_array([column]) if chunked else column
    expected = np.array(["2020-01-01", "NaT", "2021-05-01"], "datetime64[D]")
    np.testing.assert_array_equal(days_of(given, 3), expected)


@pytest.mark.parametrize(
    ("given", "day"),
    [
        ("2024-05-31", "2024-05-31"),
        ("2024/05/31", "2024-05-31"),
        (" 2024-05-31 10:00 ", "2024-05-31"),
        ("2024-05-31 10:00:00 UTC", "2024-05-31"),
        ("2024-05-31T00:30:00+02:00", "2024-05-31"),
        ("2024-05-31T23:30:00.000Z", "2024-05-31"),
        ("20240531", "2024-05-31"),
        ("20240531.0", "2024-05-31"),
        ("2024.0", "2024-01-01"),
        ("980.0", "0980-01-01"),
        (b"2024-05-31", "2024-05-31"),
        ("2024-05", "2024-05-01"),
        ("2024", "2024-01-01"),
        ("0980", "0980-01-01"),
        ("-0044", "-044-01-01"),
        (20240531, "2024-05-31"),
        (20240531.0, "2024-05-31"),
        (980, "0980-01-01"),
        (980.0, "0980-01-01"),
        (date(2024, 5, 31), "2024-05-31"),
        (datetime(2024, 5, 31, 0, 30, tzinfo=EAST), "2024-05-31"),
        (datetime(2024, 5, 31, 23, 30, tzinfo=UTC), "2024-05-31"),
        (np.datetime64("2024-05-31T10:00"), "2024-05-31"),
        (np.datetime64("-0500"), "-500-01-01"),
        (np.datetime64("-0044-03-15"), "-044-03-15"),
        ("", "NaT"),
        ("NaT", "NaT"),
        ("NA", "NaT"),
        (None, "NaT"),
        (float("nan"), "NaT"),
    ],
)
def test_a_day_is_the_same_in_reports_and_over_time(given, day):
    dates = ["2000-01-01", given]
    assert str(days_of(dates, 2)[1]) == day
    assert str(periods_of(dates, 2, "day")[0].astype("datetime64[D]")[1]) == day


@pytest.mark.parametrize(
    "given",
    [
        *("soon", "today", "202405", "1577836800", "2024-02-31", "2024-5-3", "31/05/2024"),
        *("2024-05-311", "20240531-1", "20241331", "2024-W05", True, 2024.5, 1577836800, 0, -1),
        *("0", "0.0", "0000", "-0", b"0", "-1", "-999", "+24", "-1-05"),
    ],
)
def test_what_is_no_day_is_named(given):
    for read in (days_of, lambda dates, n: periods_of(dates, n, "day")):
        with pytest.raises(ValueError, match=r"dates must be dates.* but document 1 has"):
            read(["2000-01-01", given], 2)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        *((each, "missing date, give None") for each in ("0", b"0", 0, -1, "-1", "nan", "NULL")),
        *((each, "such as 2024 or 20240531") for each in ("202405", 1577836800, "2024.5", 2024.5)),
        *((each, "convert other forms first") for each in ("soon", "31/05/2024", True)),
    ],
)
def test_the_remedy_is_that_of_the_value(given, remedy):
    with pytest.raises(ValueError, match=remedy):
        days_of([given], 1)


@pytest.mark.parametrize(
    ("dates", "day"),
    [
        *((dates, "2024-05-31") for dates in ([1717113600], ["1717113600"], [1717113600.0, None])),
        *((dates, "2024-05-01") for dates in ([202405], ["202405"], [202405.0, None])),
    ],
)
def test_remedies_of_numbers_work(dates, day):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.raises(ValueError, match="numbers must be") as caught:
        days_of(dates, len(dates))
    of_seconds, of_months = re.findall(r"with (pandas\..*?)(?:, and|$)", str(caught.value))
    code = of_seconds if day == "2024-05-31" else of_months
    names = {"pandas": pandas, "dates": pandas.Series(dates)}
    converted = days_of(eval(code, names), len(dates))
    assert str(converted[0]) == day
    assert np.isnat(converted[1:]).all()


def test_the_remedy_of_missing_dates_works():
    assert np.isnat(days_of([None, ""], 2)).all()


@pytest.mark.parametrize("missing", [[], [None], [float("nan")]])
def test_numbers_of_eight_digits_are_days_others_are_periods_of_their_own(missing, tmp_path):
    n = len(corpus().proportions)
    days = [20240531, 20240601, *missing] * n
    periods = shares_over_time(corpus().proportions, days[:n])["period"]
    assert [str(day)[:10] for day in periods[::3]] == ["2024-05-31", "2024-06-01"]
    file = report.write(**arguments(dates=days[:n], path=tmp_path / "days.html"))
    assert data_of(file)["periods"]["names"] == ["2024-05-31", "2024-06-01"]
    for numbers in ([2023, 2024], [12345678, 12345679], [7, 8]):
        dates = [*numbers, *missing] * n
        periods = shares_over_time(corpus().proportions, dates[:n])["period"]
        assert periods[::3].tolist() == numbers


@pytest.mark.parametrize("period", PERIODS)
def test_a_period_begins_on_its_first_day(period):
    days = np.arange("0890-01-01", "2110-01-01", dtype="datetime64[D]")
    numbers = period_numbers(days, period)
    assert set(np.diff(numbers)) <= {0, 1}
    starts = first_days(numbers, period).astype("datetime64[D]")
    assert (starts <= days).all()
    assert (starts[1:] == days[1:])[np.diff(numbers) == 1].all()
    assert period_numbers(np.array(["1970-01-01"], "datetime64[D]"), period) == 0


def test_a_column_of_dates_is_looked_through_once():
    compared = []

    class Day(date):
        def __ne__(self, other):
            compared.append(self)
            return super().__ne__(other)

    periods_of([Day(2024, 5, 31), Day(2024, 6, 1)], 2, "day")
    assert len(compared) == 4  # once in the column, and once when the day is taken
