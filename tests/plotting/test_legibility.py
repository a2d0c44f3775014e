"""Whether texts in pictures overlap, and whether axes say what is drawn."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from topictemper.metrics import NComponentsComparison
from topictemper.plotting import (
    BoundDisplay,
    ComponentsDisplay,
    DocumentTemperatureDisplay,
    LearningCurveDisplay,
    NComponentsDisplay,
    TopicHierarchyDisplay,
    TopicsDisplay,
    TopicSharesDisplay,
)
from topictemper.topics import shares_by_group, shares_over_time

from ..small_lda import corpus, fitted, small_lda

WORDS = [f"w{v}" for v in range(60)]


def overlapping(texts):
    """Pairs of texts that overlap."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


def ticks_and_titles(display):
    display.figure_.canvas.draw()
    titles = [panel._left_title for panel in display.axes_]
    axes = [axis for panel in display.axes_ for axis in (panel.xaxis, panel.yaxis)]
    # The axes have ticks beyond their ends, too, which are not drawn.
    return titles + [tick.label1 for axis in axes for tick in axis._update_ticks()]


def shares(dates, period="auto"):
    proportions = np.random.default_rng(0).dirichlet(np.ones(2), len(dates))
    table = shares_over_time(proportions, dates, period=period)
    return TopicSharesDisplay(table).plot()


@pytest.mark.parametrize("n_top_words", [1, 3, 30])
def test_long_labels_and_rows_of_topics_do_not_overlap(n_top_words):
    labels = [f"{k}, a label of very many words, as people may give" for k in range(8)]
    lda = small_lda(n_components=8).fit(corpus()).set_labels(labels)
    display = TopicsDisplay.from_estimator(lda, n_top_words=n_top_words, feature_names=WORDS)
    assert not overlapping(ticks_and_titles(display))
    assert display.axes_[0].get_title(loc="left").endswith("%)")


def test_labels_of_shares_do_not_overlap():
    labels = [f"{k}, a label of very many words" for k in range(4)]
    lda = small_lda().fit(corpus()).set_labels(labels)
    figure, ax = plt.subplots(figsize=(3, 2))
    dates = np.datetime64("2020-01-15") + 7 * np.arange(200)
    display = TopicSharesDisplay.from_estimator(lda, corpus(), dates=dates, topics=2, ax=ax)
    figure.canvas.draw()
    assert not overlapping([panel._left_title for panel in display.axes_])


@pytest.mark.parametrize("draw", ["groups", "dates", "words"])
def test_the_line_below_stays_in_the_column_of_a_journal(draw):
    figure, ax = plt.subplots(figsize=(3.3, 3))
    theta = np.random.default_rng(0).dirichlet(np.ones(2), 40)
    if draw == "words":
        TopicsDisplay.from_estimator(fitted(), topics=2, feature_names=WORDS, ax=ax)
    elif draw == "groups":
        TopicSharesDisplay(shares_by_group(theta, ["a", "b"] * 20)).plot(ax)
    else:
        TopicSharesDisplay(shares_over_time(theta, ["2024-01", "2024-04"] * 20)).plot(ax)
    figure.canvas.draw()
    note = ax.texts[-1]
    box = note.get_window_extent()
    assert box.x0 > 0
    assert box.y0 > 0
    assert " ".join(note.get_text().split()).count("scale") == 1


def test_long_words_stay_in_their_panels():
    words = [f"DONAUDAMPFSCHIFFFAHRTSGESELLSCHAFT{v}" for v in range(60)]
    display = TopicsDisplay.from_estimator(fitted(), topics=2, feature_names=words)
    display.figure_.canvas.draw()
    left, right = display.axes_
    assert len(left.texts) == 8
    end = right.get_window_extent().x0
    assert all(text.get_window_extent().x1 < end for text in left.texts)
    assert left.texts[0].get_text().startswith("DONAUDAMPF")
    assert left.get_window_extent().width > 0.4 * display.figure_.bbox.width


@pytest.mark.parametrize("groups", [None, ["a group with a name of very many letters", "b"] * 50])
def test_titles_of_wide_letters_do_not_overlap(groups):
    labels = [f"{k} MMMMMMMMMMMMMMMMMMMMMMMMMMMM" for k in range(4)]
    dates = np.datetime64("2020-01-15") + 7 * np.arange(100) if groups is None else None
    lda = small_lda().fit(corpus()).set_labels(labels)
    X = corpus()[:100]
    display = TopicSharesDisplay.from_estimator(lda, X, dates=dates, groups=groups)
    display.figure_.canvas.draw()
    assert not overlapping([panel._left_title for panel in display.axes_])


def test_long_names_that_begin_alike_can_be_told_apart():
    groups = ["Ministry of Agriculture, North", "Ministry of Agriculture, South", "Cabinet"] * 20
    theta = np.random.default_rng(0).dirichlet(np.ones(2), len(groups))
    panel = TopicSharesDisplay(shares_by_group(theta, groups)).plot().axes_[0]
    shown = [label.get_text() for label in panel.get_yticklabels()]
    assert shown == ["Cabinet", "Ministry of…lture, North", "Ministry of…lture, South"]
    labels = [f"a label of a topic that has very many words, and number {k}" for k in range(3)]
    tree = TopicHierarchyDisplay.from_estimator(
        small_lda().fit(corpus()).drop_topics(3).set_labels(labels)
    )
    shown = [label.get_text() for label in tree.ax_.get_yticklabels()]
    assert len(set(shown)) == 3
    assert max(map(len, shown)) <= 40


def test_titles_in_narrow_axes_do_not_overlap():
    figure, ax = plt.subplots(figsize=(8, 2.2), layout="constrained")
    names = ("score", "coherence", "diversity", "stability")
    columns = {"n_components": np.array([2, 5])}
    columns |= {name: np.array([0.1, 0.2]) for name in names}
    columns |= {f"{name}_error": np.full(2, 0.01) for name in names}
    display = NComponentsDisplay(NComponentsComparison(columns, 5, "")).plot(ax)
    figure.canvas.draw()
    titles = [panel._left_title for panel in display.axes_]
    below = [panel.xaxis.label for panel in display.axes_] + list(ax.texts)
    assert not overlapping(titles + below)


def test_a_long_list_of_documents_fits_into_the_figure():
    display = DocumentTemperatureDisplay.from_estimator(fitted(), corpus(), n_hottest=60)
    display.figure_.canvas.draw()
    box, figure = display.ax_.texts[0].get_window_extent(), display.figure_.bbox
    assert len(display.hottest_) == 60
    assert box.x1 <= figure.x1
    assert box.y0 >= figure.y0


def test_one_pass_has_one_tick():
    score = np.array([(1, -6.0)], dtype=[("pass", float), ("score", float)])
    display = LearningCurveDisplay({"model": score}).plot()
    display.figure_.canvas.draw()
    labels = [tick.label1.get_text() for tick in display.ax_.xaxis._update_ticks()]
    assert labels == ["1"]


@pytest.mark.parametrize(
    ("display", "value"), [(BoundDisplay, "elbo"), (LearningCurveDisplay, "score")]
)
def test_a_legend_of_long_names_fits_into_the_figure(display, value):
    history = np.array([(1, -6.0), (2, -5.0)], dtype=[("pass", float), (value, float)])
    long = "the name of a model that is far longer than the figure is wide" * 2
    names = "a", f"{long}, one", f"{long}, two"
    drawn = display(dict.fromkeys(names, history)).plot()
    drawn.figure_.canvas.draw()
    legend, axes = drawn.ax_.get_legend(), drawn.ax_.get_window_extent()
    assert legend.get_window_extent().x0 >= axes.x0
    assert legend.get_window_extent().x1 <= axes.x1
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[1].startswith("the name of a mod")
    assert labels[1] != labels[2]


@pytest.mark.parametrize("n", [16, 24])
def test_errors_of_many_components_do_not_overlap(n):
    components = np.random.default_rng(0).normal(size=(2, n, 16))
    display = ComponentsDisplay(components[0], (4, 4), components[1]).plot(n_columns=n)
    display.figure_.canvas.draw()
    labels = display.ax_.get_xticklabels()
    assert len(labels) == n
    assert not overlapping(labels)


def test_the_interval_of_one_period_is_drawn():
    display = shares([2020] * 20)
    panel = display.axes_[0]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["2020"]
    low, high = (np.asarray(display.shares[name])[0] for name in ("low", "high"))
    segment = panel.collections[0].get_segments()[0]
    np.testing.assert_allclose(segment[:, 1], [low, high])


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ([2019, 2020] * 10, ["2019", "2020"]),
        (["2020-03-04", "2020-03-05"] * 10, ["2020-03-04", "2020-03-05"]),
        (["2019", "2020"] * 10, ["2019", "2020"]),
        (["2019-05", "2020-01"] * 10, ["2019-05", "2020-01"]),
    ],
)
def test_ticks_of_two_periods_are_the_periods(dates, expected):
    display = shares(dates)
    assert not overlapping(ticks_and_titles(display))
    assert [label.get_text() for label in display.axes_[0].get_xticklabels()] == expected


@pytest.mark.parametrize(
    ("period", "one", "two"),
    [
        ("day", ["2024-05-29"], ["2024-05-29", "2024-07-10"]),
        ("week", ["2024-05-27"], ["2024-05-27", "2024-07-08"]),
        ("month", ["2024-05"], ["2024-05", "2024-07"]),
        ("quarter", ["2024 Q2"], ["2024 Q2", "2024 Q3"]),
        ("year", ["2024"], ["2024"]),
    ],
)
def test_periods_have_the_names_of_what_they_are(period, one, two):
    for dates, expected in ((["2024-05-29"], one), (["2024-05-29", "2024-07-10"], two)):
        display = shares(dates * 20, period)
        assert not overlapping(ticks_and_titles(display))
        assert [label.get_text() for label in display.axes_[0].get_xticklabels()] == expected
        assert display.ax_.texts[0].get_text().startswith(f"share by {period}, ")


@pytest.mark.parametrize(
    ("n_months", "expected"),
    [
        (9, ["2022", "Q2", "Q3"]),
        (12, ["2022", "Q2", "Q3", "Q4"]),
        (15, ["2022", "Q3", "2023"]),
        (18, ["2022", "Q3", "2023"]),
        (36, ["2022", "2023", "2024"]),
    ],
)
def test_ticks_of_quarters_are_quarters(n_months, expected):
    display = shares(np.datetime64("2022-01") + np.arange(n_months), "quarter")
    assert not overlapping(ticks_and_titles(display))
    left, right = display.axes_[0].get_xlim()
    ticks = zip(display.axes_[0].get_xticks(), display.axes_[0].get_xticklabels(), strict=True)
    assert [name.get_text() for place, name in ticks if left <= place <= right] == expected


@pytest.mark.parametrize(
    ("days", "period", "expected"),
    [(20, "day", "all in 2021-03"), (100, "week", "all in 2021"), (100, "quarter", "all in 2021")],
)
def test_the_year_or_month_of_all_periods_is_given(days, period, expected):
    display = shares(np.datetime64("2021-03-01") + np.arange(200) % days, period)
    assert display.ax_.texts[0].get_text().endswith(f"; {expected}")


def test_the_line_below_fits_the_narrowest_figure():
    display = shares(["2024-05-29", "2024-07-10"] * 20, "quarter")
    display.figure_.canvas.draw()
    assert display.ax_.texts[0].get_window_extent().x0 >= 0


def courses(n_models):
    history = np.zeros(20, [("pass", float), ("score", float), ("elbo", float)])
    history["pass"] = np.arange(1, 21)
    courses = {}
    for i in range(n_models):
        courses[f"model {i}"] = history.copy()
        for name in ("score", "elbo"):
            courses[f"model {i}"][name] = -7 - 0.05 * i - np.exp(-history["pass"] / 3)
    return courses


@pytest.mark.parametrize("display", [BoundDisplay, LearningCurveDisplay])
@pytest.mark.parametrize("n_models", [2, 10, 12, 40])
def test_many_curves_can_be_told_apart(display, n_models):
    drawn = display(courses(n_models)).plot()
    looks = {(line.get_color(), line._unscaled_dash_pattern) for line in drawn.lines_}
    assert len(looks) == n_models
    drawn.figure_.canvas.draw()
    legend, curves = drawn.ax_.get_legend().get_window_extent(), drawn.ax_.get_window_extent()
    beside = curves.x1 <= legend.x0 and legend.x1 <= drawn.figure_.bbox.x1 and legend.y0 >= 0
    assert beside == (n_models > 2)
    assert curves.width > 300


def test_a_legend_stays_inside_where_nothing_makes_room():
    ax = plt.subplots(1, 2)[1][0]
    BoundDisplay(courses(12)).plot(ax)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 < ax.get_window_extent().x1


# What the colors of linear light are for readers without red, green or blue cones: Machado,
# Oliveira and Fernandes (2009), severity 1.
CONES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def seen(color, cones):
    """A color in CIELAB as someone without these cones sees it."""
    rgb = np.array(to_rgb(color))
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = np.clip(CONES[cones] @ light, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.maximum(to_xyz @ light / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("cones", CONES)
@pytest.mark.parametrize("display", [BoundDisplay, LearningCurveDisplay])
def test_color_blind_readers_can_tell_ten_curves_apart(display, cones):
    lines = display(courses(10)).plot().lines_
    for one, other in combinations(lines, 2):
        apart = np.linalg.norm(seen(one.get_color(), cones) - seen(other.get_color(), cones))
        # In units of CIELAB. The closest two of the ten colors are 4.6 apart in protanopia.
        assert apart > 10 or one._unscaled_dash_pattern != other._unscaled_dash_pattern


def test_dots_do_not_hide_the_dashes_of_long_curves():
    history = np.zeros(100, [("pass", float), ("score", float)])
    for n, marker in ((30, "o"), (100, "None")):
        lines = LearningCurveDisplay({"one": history[:n], "other": history[:n]}).plot().lines_
        assert {line.get_marker() for line in lines} == {marker}


def test_a_style_with_dashes_of_its_own_keeps_them():
    style = plt.cycler(color=["k", "r"], linestyle=["-.", ":"])
    with plt.style.context({"axes.prop_cycle": style}):
        lines = BoundDisplay(courses(2)).plot().lines_
    assert [line.get_linestyle() for line in lines] == ["-.", ":"]


def test_a_style_with_few_colors():
    with plt.style.context({"axes.prop_cycle": plt.cycler(color=["k", "r", "b"])}):
        lines = BoundDisplay(courses(7)).plot().lines_
    assert [line.get_color() for line in lines] == [*"krbkrbk"]
    assert len({(line.get_color(), line._unscaled_dash_pattern) for line in lines}) == 7


@pytest.mark.parametrize(
    "sizes", [[*range(10, 101, 10)], [10, 20, 50, 100, 200, 500, 1000], [2, 3], [*range(100, 200)]]
)
def test_numbers_of_topics_do_not_overlap(sizes):
    names = ("score", "coherence", "diversity", "stability")
    columns = {"n_components": np.array(sizes)}
    columns |= {name: np.linspace(0.1, 0.2, len(sizes)) for name in names}
    columns |= {f"{name}_error": np.full(len(sizes), 0.01) for name in names}
    display = NComponentsDisplay(NComponentsComparison(columns, sizes[1], "")).plot()
    display.figure_.canvas.draw()
    labels = [label for label in display.axes_[0].get_xticklabels() if label.get_text()]
    assert not overlapping(labels)
    assert {label.get_text() for label in labels} >= {str(sizes[1])}


def test_lists_are_legible_on_a_dark_background():
    with plt.style.context("dark_background"):
        display = DocumentTemperatureDisplay.from_estimator(fitted(), corpus())
        assert display.ax_.texts[0].get_color() == "white"
