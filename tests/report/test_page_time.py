"""Shares over time on the page: what it calls a change."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tests.report.small_report import WORDS
from topictemper import report
from topictemper._utils._intervals import (
    interval_of_difference,
    interval_of_mean,
    size_in_documents,
)

N_TOPICS = 12


def shares_of_years(years, rise=0.0):
    """Random proportions; the first topic rises over the years, the second falls."""
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(N_TOPICS, 0.5), len(years))
    moved = theta[:, 1] * rise * (years - years.min())
    theta[:, 0] += moved
    theta[:, 1] -= moved
    return theta


def opened_time(opened, tmp_path, theta, years):
    topics = np.random.default_rng(1).dirichlet(np.ones(len(WORDS)), N_TOPICS)
    file = report.write(topics, theta, WORDS, dates=years, path=tmp_path / "report.html")
    shown = opened(file)
    shown.go("time")
    return shown


def said_by_topic(shown):
    """What is said of the changes, in the order of the page."""
    numbers = map(int, shown.texts(".small .number"))
    texts = [text.split(" · ")[1] for text in shown.texts(".small > .quiet")]
    return dict(zip(numbers, texts, strict=True))


def later_less_earlier(theta, later):
    """The differences of two means, and the ends of their 95% intervals."""
    size = size_in_documents(theta.max(axis=1).mean(), theta.mean(axis=0), (theta**2).mean(axis=0))
    halves = []
    for half in (theta[~later], theta[later]):
        mean, square = half.mean(axis=0), (half**2).mean(axis=0)
        halves.append((mean, *interval_of_mean(len(half), mean, square, size, 0.95)))
    return halves[1][0] - halves[0][0], *interval_of_difference(*halves)


@pytest.mark.parametrize("per_year", [(50, 50, 50, 50), (90, 1, 0, 80, 30)])
def test_a_change_is_one_if_its_interval_excludes_zero(opened, tmp_path, per_year):
    years = np.repeat(np.arange(2020, 2020 + len(per_year)), per_year)
    theta = shares_of_years(years, rise=0.25)
    shown = opened_time(opened, tmp_path, theta, years)
    first = {4: 2022, 5: 2023}[len(per_year)]
    later = years >= first
    counted = f"the {later.sum()} documents from {first} on with the {sum(~later)} before"
    assert any(counted in text for text in shown.texts(".say"))
    change, low, high = later_less_earlier(theta, later)
    said = said_by_topic(shown)
    assert said[0].startswith("up ")
    assert said[1].startswith("down ")
    number = r"([\d.]+)"
    pattern = rf"(up|down) {number} \({number} to {number}\) percentage points"
    for k, text in said.items():
        match = re.fullmatch(pattern, text)
        assert (match is not None) == (low[k] > 0 or high[k] < 0)
        if match is None:
            assert text == "no clear change"
        else:
            assert match[1] == ("up" if change[k] > 0 else "down")
            expected = [abs(change[k]), *sorted([abs(low[k]), abs(high[k])])]
            for text, value in zip(match.groups()[1:], expected, strict=True):
                assert float(text) == pytest.approx(100 * value, abs=0.051)
            assert float(match[3]) > 0
    rise = change / np.where(change > 0, change - low, high - change)
    shown.page.select_option("#order", "clearest rise first")
    assert list(said_by_topic(shown)) == np.argsort(-rise, kind="stable").tolist()
    shown.page.select_option("#order", "clearest fall first")
    assert list(said_by_topic(shown)) == np.argsort(rise, kind="stable").tolist()


@pytest.mark.parametrize(
    ("theta", "years"),
    [
        (np.eye(N_TOPICS)[[0, 1, 1]], [2020, 2021, 2021]),  # one document before
        (np.tile(np.eye(N_TOPICS)[:1], (6, 1)), [2020, 2020, 2020, 2021, 2021, 2021]),
    ],
)
def test_where_no_change_can_be_told_none_is(opened, tmp_path, theta, years):
    shown = opened_time(opened, tmp_path, theta, np.array(years))
    assert set(said_by_topic(shown).values()) == {"no clear change"}


def test_changes_from_no_document_or_to_none_are_not_told(opened, tmp_path):
    theta = np.eye(N_TOPICS)[:2] * [[1], [0]]  # the later one has no words
    shown = opened_time(opened, tmp_path, theta, np.array([2020, 2021]))
    assert len(shown.texts(".say")) == 1
    assert all(re.fullmatch(r"Mean \d+%", text) for text in shown.texts(".small > .quiet"))


def test_a_year_without_documents_has_no_share_in_the_table_and_in_the_download(opened, tmp_path):
    years = np.repeat([2020, 2022], 20)
    shown = opened_time(opened, tmp_path, shares_of_years(years), years)
    page = shown.go("about")
    with page.expect_download() as download:
        page.get_by_role("button", name="Shares over time (CSV)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["share"], row["documents"]) for row in rows if row["period"] == "2021"} == {
        ("", "0")
    }
    assert sum(float(row["share"]) for row in rows if row["period"] == "2020") == pytest.approx(1)
    shown.go("topic/0").locator("summary").first.click()
    assert shown.texts(".plain tbody tr:nth-child(2) td") == ["\N{EN DASH}", "", "0"]


def test_the_sentence_on_a_picture_names_the_years_that_its_shares_are_of(opened, tmp_path):
    theta = np.eye(N_TOPICS)[:4] * [[0], [1], [1], [0]]  # the first and last year have no words
    shown = opened_time(opened, tmp_path, theta, np.array([2020, 2021, 2022, 2023]))
    said = shown.page.locator(".chart svg").first.get_attribute("aria-label")
    assert "from 100% in 2021 to 0% in 2022; highest in 2021 with 100%." in said


def test_a_year_between_gaps_has_a_band_too(opened, tmp_path):
    years = np.repeat([2018, 2020, 2022, 2023], [20, 3, 40, 40])
    shown = opened_time(opened, tmp_path, shares_of_years(years), years)
    page = shown.page
    picture = page.locator(".chart svg").first.bounding_box()
    bands = [
        band.bounding_box() for band in page.locator(".chart svg").first.locator(".band").all()
    ]
    assert len(bands) == 3
    alone, of_few, _ = sorted(bands, key=lambda box: box["x"])
    for box in (alone, of_few):
        assert 2 < box["width"] < 0.05 * picture["width"]
        assert box["height"] > 3
    assert of_few["height"] > alone["height"]
