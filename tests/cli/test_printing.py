import csv
import math

import numpy as np
import pytest

from topictemper.cli import _printing


def test_comparison_gives_scores_perplexities_and_gain():
    table = _printing.format_comparison([("plain", -2.0, 1.5), ("tempered", -1.5, 2.25)])
    header, plain, tempered, gain = (line.split() for line in table.splitlines())
    assert header == ["nats", "per", "token", "perplexity", "seconds"]
    assert plain == ["plain", "-2.0000", f"{math.exp(2.0):.1f}", "1.5"]
    assert tempered == ["tempered", "-1.5000", f"{math.exp(1.5):.1f}", "2.2"]
    assert gain == ["gain", "+0.5000", f"{math.exp(1.5) - math.exp(2.0):.1f}"]


def test_verdict():
    expected = "tempering helped: a held-out word is 10.5% more probable on average"
    assert _printing.format_verdict(0.1) == expected


@pytest.mark.parametrize("gain", [0.0, -0.2, math.nan])
def test_verdict_is_honest(gain):
    assert _printing.format_verdict(gain) == "tempering did not help here"


def _history(n):
    history = np.zeros(n, dtype=[("pass", float), ("temperature", float), ("q50", float)])
    history["pass"] = np.arange(n) / 10
    history["temperature"] = np.linspace(3.0, 1.0, n)
    history["q50"] = 1.25
    history["q50"][:1] = np.nan
    return history


def test_course_has_some_rows_with_both_ends():
    lines = _printing.format_course(_history(101)).splitlines()
    assert len(lines) == 11
    assert lines[0].split() == ["pass", "temperature", "median", "of", "documents"]
    assert lines[1].split() == ["0.00", "3.00", "-"]
    assert lines[-1].split() == ["10.00", "1.00", "1.25"]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_short_course(n):
    assert len(_printing.format_course(_history(n)).splitlines()) == n + 1


def test_course_without_quantiles():
    lines = _printing.format_course(_history(5)[["pass", "temperature"]]).splitlines()
    assert lines[0].split() == ["pass", "temperature"]


SIZES = np.array([1.0, 6.0, 3.0])
WORDS = [["red", "blue"], ["cat", "dog"], ["sun", "moon"]]


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        ({}, ["  1   60.0%  cat dog", "  2   30.0%  sun moon", "  0   10.0%  red blue"]),
        ({"n_rows": 2}, ["  1   60.0%  cat dog", "  2   30.0%  sun moon"]),
        ({"n_rows": 1, "labels": {1: "pets\x07"}}, [r"  1   60.0%  pets\x07: cat dog"]),
    ],
)
def test_topics_are_sorted_by_size(settings, lines):
    assert _printing.format_topics(SIZES, WORDS, **settings).splitlines() == lines


def test_hottest_documents_come_first():
    names = ["warm", "hot", *(f"cold {i}" for i in range(4))]
    report = _printing.format_documents(
        np.array([1.25, 2.0, 1.0, 1.0, 1.0, 1.0]),
        names,
        ["One line.", "\n  The first line.  \nThe second.", *[""] * 4],
    )
    assert report.splitlines() == [
        "   2.00  hot",
        "         The first line.",
        "   1.25  warm",
        "         One line.",
        "   1.00  cold 0",
        "   1.00  cold 1",
        "   1.00  cold 2",
    ]


def test_documents_without_text_and_with_long_lines():
    report = _printing.format_documents(np.array([1.0, 2.0]), ["empty", "long"], ["", "word " * 50])
    assert report.splitlines() == [
        "   2.00  long",
        "         " + "word " * 17 + "wor...",
        "   1.00  empty",
    ]
    assert max(map(len, report.splitlines())) <= 100


def test_score():
    assert _printing.format_score(1200, 34567, -2.0).splitlines() == [
        "documents   1,200",
        "tokens      34,567",
        "score       -2.0000 nats per token",
        f"perplexity  {math.exp(2.0):.1f}",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-2+3", "'-2+3"),
        ("+x", "'+x"),
        ("\uff1dA1", "'\uff1dA1"),
        (["=A1", "b"], "'=A1 b"),
        ("-2.5", "-2.5"),
        ("a=b", "a=b"),
        (-2, "-2"),
        (["a b", "c"], "a b; c"),
    ],
)
def test_csv_has_no_formulas(value, shown):
    assert list(csv.reader(_printing.as_csv([{"x": value}]).splitlines())) == [["x"], [shown]]
