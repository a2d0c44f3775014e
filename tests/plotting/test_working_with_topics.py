from datetime import datetime

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import NMF
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TopicModel
from topictemper.plotting import (
    DocumentTemperatureDisplay,
    LearningCurveDisplay,
    NComponentsDisplay,
    TemperatureDisplay,
    TopicHierarchyDisplay,
    TopicsDisplay,
    TopicSharesDisplay,
)
from topictemper.topics import shares_by_group, shares_over_time, topic_hierarchy

from ..small_lda import corpus, fitted, small_lda

WORDS = [f"w{v}" for v in range(60)]
GROUPS = np.array(["left", "right"])[np.arange(200) % 2]
DATES = np.datetime64("2020-01-15") + 7 * np.arange(200)


def test_the_tree_has_all_topics_and_a_cut_between_its_groups():
    lda = small_lda(n_components=8).fit(corpus()).set_labels({2: "$sports"})
    display = TopicHierarchyDisplay.from_estimator(lda, n_groups=3)
    assert sorted(display.order_) == list(range(8))
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [lda.labels_[k] for k in display.order_[::-1]]
    heights = topic_hierarchy(lda).linkage_[:, 2]
    (cut,) = (line for line in display.ax_.lines if line.get_linestyle() == ":")
    assert (heights < cut.get_xdata()[0]).sum() == 5
    display.figure_.canvas.draw()
    assert not TopicHierarchyDisplay.from_estimator(lda.components_).ax_.texts
    with pytest.raises(ValueError, match="n_groups"):
        display.plot(n_groups=9)
    same = TopicHierarchyDisplay.from_estimator(np.ones((4, 5)), n_groups=2)
    assert same.ax_.get_xlim() == (1.0, 0.0)


def test_shares_over_time_are_drawn():
    lda = fitted()
    display = TopicSharesDisplay.from_estimator(lda, corpus(), dates=DATES, period="quarter")
    shares = lda.topics_over_time(corpus(), DATES, period="quarter")
    largest = int(np.argmax(lda.transform(corpus()).mean(axis=0)))
    assert display.axes_[0].get_title(loc="left") == f"topic {largest}"
    of_topic = np.asarray(shares["topic"]) == largest
    drawn = display.axes_[0].lines[0].get_ydata()
    assert_allclose(drawn, np.asarray(shares["share"])[of_topic])
    display.figure_.canvas.draw()
    years = TopicSharesDisplay.from_estimator(lda, corpus(), dates=np.arange(200) // 50, topics=[3])
    assert [panel.get_title(loc="left") for panel in years.axes_] == ["topic 3"]
    years.figure_.canvas.draw()


@pytest.mark.parametrize("n_months", [2, 7, 12, 21, 36, 200])
def test_any_span_of_time_has_ticks(n_months):
    months = np.datetime64("2023-02") + np.linspace(0, n_months, 200).astype(int)
    shares = fitted().topics_over_time(corpus(), months, period="month")
    display = TopicSharesDisplay(shares).plot()
    display.figure_.canvas.draw()  # with a warning where a locator of Matplotlib finds no ticks
    assert len(display.axes_[0].get_xticks()) >= 2


@pytest.mark.parametrize(
    ("periods", "runs"),
    [
        (["2023-01", "2023-02", "2023-03", "2023-06", "2023-07"], [3, 2]),
        (["2022-12", "2023-02", "2023-03", "2023-07"], [1, 2, 1]),
        (["2023-01", "2023-04", "2023-07", "2023-10", "2024-04"], [4, 1]),  # quarters
        (["2020-01", "2021-01", "2022-01", "2024-01"], [3, 1]),  # years
        ([2020, 2021, 2023], [2, 1]),
        ([2010, 2012, 2014], [3]),
    ],
)
def test_lines_break_where_there_are_no_documents(periods, runs):
    dates = np.resize(np.array(periods, None if isinstance(periods[0], int) else "M8[M]"), 200)
    shares = fitted().topics_over_time(corpus(), dates)
    panel = TopicSharesDisplay(shares).plot(topics=[0]).axes_[0]
    drawn = panel.lines[0].get_ydata()
    assert [len(run) for run in runs_of(drawn)] == runs
    of_topic = np.asarray(shares["share"])[np.asarray(shares["topic"]) == 0]
    assert_allclose(np.concatenate(runs_of(drawn)), of_topic)
    assert len(panel.collections[0].get_segments()) == runs.count(1)  # bars of periods alone


def runs_of(drawn):
    return [drawn[part] for part in np.ma.clump_unmasked(np.ma.masked_invalid(drawn))]


def test_days_with_many_gaps_take_no_more_lines_and_those_alone_have_dots():
    days = np.array([day for day in range(700) if day % 7 < 5 and day not in {7, 8, 10, 11}])
    theta = np.full((len(days), 2), 0.5)
    shares = shares_over_time(theta, days.astype("M8[D]"), period="day")
    panel = TopicSharesDisplay(shares).plot(topics=[0]).axes_[0]
    line, dots = panel.lines
    assert [len(run) for run in runs_of(line.get_ydata())] == [5, 1, *[5] * 98]
    assert dots.get_xdata().tolist() == [datetime(1970, 1, 10)]
    panel.figure.canvas.draw()


@pytest.mark.parametrize("kind", ["datetime64[ns]", str, "O"])
def test_a_table_over_time_may_be_sorted_or_read_from_a_file(kind):
    pandas = pytest.importorskip("pandas")
    days = np.arange("2024-01-01", "2024-01-09", dtype="M8[D]")
    shares = shares_over_time(np.eye(8)[:, :2] + 0.1, days, period="day")
    changed = shares.assign(period=pandas.Series(np.repeat(days, 2).astype(kind)))
    lines = [
        TopicSharesDisplay(table).plot(topics=[1]).axes_[0].lines[0].get_xydata().tolist()
        for table in (shares, changed.sort_values("share"))
    ]
    assert lines[0] == lines[1]


def test_years_that_cannot_be_drawn():
    years = [f"-{1000 + i % 3}-01-01" for i in range(200)]
    shares = fitted().topics_over_time(corpus(), years, period="year")
    with pytest.raises(ValueError, match="years 1 to 9999"):
        TopicSharesDisplay(shares).plot()


def test_shares_by_group_have_one_scale_and_names_on_the_left():
    figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
    display = TopicSharesDisplay.from_estimator(fitted(), corpus(), groups=GROUPS, ax=ax)
    figure.canvas.draw()
    assert display.figure_ is figure
    assert len({panel.get_xlim() for panel in display.axes_}) == 1
    names = [[label.get_text() for label in panel.get_yticklabels()] for panel in display.axes_]
    assert names == [["left", "right"], ["", ""], ["", ""], ["", ""]]


@pytest.mark.parametrize("name", ["group", "period"])
def test_a_topic_that_no_document_has(name):
    theta = np.eye(2)[np.zeros(6, int)]
    if name == "group":
        shares = shares_by_group(theta, GROUPS[:6])
    else:
        shares = shares_over_time(theta, DATES[:6])
    display = TopicSharesDisplay(shares).plot(topics=[1])
    display.figure_.canvas.draw()
    ends = display.axes_[0].get_xlim() if name == "group" else display.axes_[0].get_ylim()
    assert ends == pytest.approx((0.0, 1.05 * np.max(shares["high"][1::2])))


def test_groups_are_drawn_in_the_order_of_the_table():
    pandas = pytest.importorskip("pandas")
    order = pandas.CategoricalDtype(["right", "left"], ordered=True)
    groups = pandas.Series(GROUPS, dtype=order)
    display = TopicSharesDisplay.from_estimator(fitted(), corpus(), groups=groups, topics=[1])
    [panel] = display.axes_
    assert [label.get_text() for label in panel.get_yticklabels()] == ["right", "left"]
    [dots] = panel.lines
    shares = display.shares
    assert_allclose(dots.get_xdata(), shares["share"][shares["topic"] == 1])
    assert dots.get_ydata().tolist() == [0, 1]
    pairs = pandas.Series([(name, 1) for name in GROUPS.tolist()])
    [panel] = TopicSharesDisplay.from_estimator(fitted(), corpus(), groups=pairs, topics=[1]).axes_
    names = [label.get_text() for label in panel.get_yticklabels()]
    assert names == ["('left', 1)", "('right', 1)"]


def test_panels_of_topics_have_their_labels():
    label = r"$5 \frac and $"  # no mathematics
    lda = small_lda().fit(corpus()).set_labels({0: label})
    display = TopicsDisplay.from_estimator(lda, topics=[0, 1], feature_names=WORDS)
    assert [title.partition(" (")[0] for title in display.titles] == [label, "topic 1"]
    display.figure_.canvas.draw()


def test_topics_may_be_given_by_label():
    lda = small_lda().fit(corpus(), feature_names=WORDS).set_labels({2: "cats"})
    unlabeled = lda.labels_[1]
    display = TopicsDisplay.from_estimator(lda, topics=["cats", 0, unlabeled])
    assert [title.partition(" (")[0] for title in display.titles] == ["cats", "topic 0", "topic 1"]
    shares = lda.topics_by_group(corpus(), np.arange(200) % 2)
    panels = TopicSharesDisplay(shares[shares.topic > 0]).plot(topics=["cats", unlabeled]).axes_
    assert [panel.get_title(loc="left") for panel in panels] == ["cats", unlabeled]


def test_a_label_of_several_topics_says_too_little():
    shares = shares_by_group(np.full((4, 3), 1 / 3), [0, 0, 1, 1], labels=["cats", "dogs", "cats"])
    with pytest.raises(ValueError, match=r"several topics have the label 'cats'; .*: 0, 2"):
        TopicSharesDisplay(shares).plot(topics=["cats"])


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({}, "either dates or groups"),
        ({"dates": DATES, "groups": GROUPS}, "either dates or groups"),
        ({"groups": GROUPS, "period": "month"}, "period='month' is for dates"),
        ({"groups": GROUPS, "topics": [4]}, "topics must be from 0 to 3"),
        ({"groups": GROUPS, "topics": 0}, "topics"),
    ],
)
def test_refuses(settings, match):
    with pytest.raises(ValueError, match=match):
        TopicSharesDisplay.from_estimator(fitted(), corpus(), **settings)


@pytest.mark.parametrize(
    ("draw", "match"),
    [
        (lambda nmf: DocumentTemperatureDisplay.from_estimator(nmf, corpus()), "got NMF"),
        (
            lambda nmf: TopicSharesDisplay.from_estimator(nmf, corpus(), groups=GROUPS),
            r"shares_by_group\(model.transform\(X\), groups\)",
        ),
        (lambda nmf: TopicsDisplay.from_estimator(nmf.components_), "estimator must be .*ndarray"),
        (lambda nmf: TopicSharesDisplay(nmf.components_), "shares must be a table"),
        (lambda nmf: NComponentsDisplay({"n_components": [2]}), "comparison must be"),
    ],
)
def test_refuses_what_has_not_what_is_drawn(draw, match):
    nmf = NMF(3, init="random", random_state=0, max_iter=20, tol=0.1).fit(corpus())
    with pytest.raises((TypeError, ValueError), match=match):
        draw(nmf)


def test_temperatures_of_chunks():
    chunks = (corpus()[start : start + 60] for start in range(0, 200, 60))
    display = DocumentTemperatureDisplay.from_estimator(fitted(), chunks)
    assert_array_equal(display.temperatures, fitted().document_temperatures(corpus()))


def test_refuses_other_tables():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.raises(ValueError, match="table of topics_over_time"):
        TopicSharesDisplay(pandas.DataFrame({"group": [1]}))
    shares = shares_by_group([[0.5, 0.5]], ["a"])
    with pytest.raises(ValueError, match="shares must have a row for each topic, but has none"):
        TopicSharesDisplay(shares[shares["group"] == "b"])
    with pytest.raises(ValueError, match="table of topics_over_time"):
        TopicSharesDisplay(shares.drop(columns="documents"))
    tables = [shares_over_time([[0.5, 0.5]], ["2024"], period=unit) for unit in ("month", "year")]
    with pytest.raises(ValueError, match="table of topics_over_time"):
        TopicSharesDisplay(tables[0].drop(columns="unit"))
    with pytest.raises(ValueError, match="must have periods of one unit, got month and year"):
        TopicSharesDisplay(pandas.concat(tables)).plot()


def test_displays_take_a_model_of_texts():
    docs = [" ".join(WORDS[v] for v in row.nonzero()[1]) for row in corpus()]
    vectorizer = CountVectorizer(min_df=1)
    model = TopicModel(4, vectorizer=vectorizer, random_state=0).fit(docs)
    topics = TopicsDisplay.from_estimator(model, topics=[2], n_top_words=3)
    assert topics.words == [model.topics_["words"][2][:3]]
    tree = TopicHierarchyDisplay.from_estimator(model)
    assert tree.hierarchy.labels_ == list(model.topics_["label"])
    temperatures = TemperatureDisplay.from_estimator(model)
    history = model.lda_.temperature_history_
    assert_array_equal(temperatures.history["temperature"], history["temperature"])
    X = model.vectorizer_.transform(docs)
    documents = DocumentTemperatureDisplay.from_estimator(model, X)
    assert_array_equal(documents.temperatures, model.lda_.document_temperatures(X))
    with pytest.raises(ValueError, match="has no score_history_"):
        LearningCurveDisplay.from_estimator(model)
    with pytest.raises(NotFittedError):
        TopicsDisplay.from_estimator(TopicModel())


def test_a_topic_without_words_is_named():
    nmf = NMF(3, init="random", random_state=0, max_iter=20, tol=0.1).fit(corpus())
    nmf.components_[1] = 0.0
    with pytest.raises(ValueError, match="must have words in every topic, but row 1"):
        TopicsDisplay.from_estimator(nmf, feature_names=[f"word{v}" for v in range(60)])
