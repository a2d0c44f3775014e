import sys
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from topictemper import TemperedLDA
from topictemper.plotting import (
    DocumentTemperatureDisplay,
    LearningCurveDisplay,
    TemperatureDisplay,
    TopicsDisplay,
)

from ..small_lda import corpus, fitted, small_lda


@cache
def validated(mode: str = "lvt") -> TemperedLDA:
    return small_lda(tempering=mode).fit(corpus(), validation_X=corpus(seed=1))


def names():
    return [f"w{v:02d}" for v in range(60)]


DRAW = {
    "temperature": lambda lda, **where: TemperatureDisplay.from_estimator(lda, **where),
    "learning curve": lambda lda, **where: LearningCurveDisplay.from_estimator(lda, **where),
    "topics": lambda lda, **where: TopicsDisplay.from_estimator(
        lda, feature_names=names(), **where
    ),
    "documents": lambda lda, **where: DocumentTemperatureDisplay.from_estimator(
        lda, corpus(), **where
    ),
}
all_displays = pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)


@all_displays
def test_draws_in_a_new_figure_or_in_axes_given(draw):
    display = draw(validated())
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()
    first = display.ax_
    figure, (left, right) = plt.subplots(ncols=2)
    assert draw(validated(), ax=right).ax_ is right
    assert display.plot(ax=left) is display
    assert display.ax_ is left is not first
    assert display.figure_ is figure
    figure.canvas.draw()


@all_displays
def test_needs_a_fit(draw):
    with pytest.raises(NotFittedError):
        draw(small_lda())


@all_displays
def test_a_pipeline_is_told_to_give_its_model(draw):
    with pytest.raises(TypeError, match=r"estimator is a Pipeline.*give its last step"):
        draw(make_pipeline(validated()))


@all_displays
def test_missing_matplotlib_is_an_error_that_says_what_to_do(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'topictemper\[plot\]'"):
        draw(validated())


@all_displays
def test_the_model_is_left_alone(draw):
    before = {key: id(value) for key, value in vars(validated()).items() if key != "_components"}
    draw(validated())
    after = {key: id(value) for key, value in vars(validated()).items() if key != "_components"}
    assert after == before


# Temperature


def test_courses_of_training_are_shown_without_an_array_of_the_topics():
    class WithLargeTopics(TemperedLDA):
        @property
        def components_(self):
            raise MemoryError

    lda = WithLargeTopics(3, max_iter=1, random_state=0).fit(corpus(), validation_X=corpus(seed=1))
    for display in (TemperatureDisplay, LearningCurveDisplay):
        display.from_estimator(lda)


def test_temperature_and_bands():
    history = validated().temperature_history_
    display = TemperatureDisplay.from_estimator(validated())
    assert_array_equal(display.line_.get_xdata(), history["pass"])
    assert_array_equal(display.line_.get_ydata(), history["temperature"])
    known = ~np.isnan(history["q05"])
    for band, low, high in zip(display.bands_, ("q05", "q25"), ("q95", "q75"), strict=True):
        heights = np.concatenate([path.vertices[:, 1] for path in band.get_paths()])
        assert heights.min() == history[low][known].min()
        assert heights.max() == history[high][known].max()
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["temperature", "90% of documents", "50% of documents", "median of documents"]
    other = TemperatureDisplay(history).plot()
    assert other.ax_.get_legend().get_texts()[1].get_text() == "90% of data"


@pytest.mark.parametrize("mode", ["svi", "avi", "vt", "dasvi"])
def test_no_bands_where_documents_have_no_temperatures(mode):
    display = TemperatureDisplay.from_estimator(fitted(mode))
    assert display.bands_ == []
    assert len(display.ax_.lines) == 1
    assert display.ax_.get_ylim()[0] <= 1.0


def test_any_model_with_a_history_will_do():
    class Other(BaseEstimator):
        def fit(self, X):
            raise AssertionError

        def __sklearn_is_fitted__(self):
            return True

    other = Other()
    with pytest.raises(ValueError, match="Other has no temperature_history_"):
        TemperatureDisplay.from_estimator(other)
    other.temperature_history_ = np.zeros(0, dtype=[("pass", float), ("temperature", float)])
    with pytest.raises(ValueError, match="Other has no temperature_history_"):
        TemperatureDisplay.from_estimator(other)
    other.temperature_history_ = np.array(
        [(0.0, 3.0)], dtype=[("pass", float), ("temperature", float)]
    )
    TemperatureDisplay.from_estimator(other).figure_.canvas.draw()


# Learning curves


def test_curves_of_several_models():
    models = {mode: validated(mode) for mode in ("svi", "lvt")}
    display = LearningCurveDisplay.from_estimator(models)
    for line, (mode, model) in zip(display.lines_, models.items(), strict=True):
        assert_array_equal(line.get_xdata(), [1, 2, 3])
        assert_array_equal(line.get_ydata(), model.score_history_["score"])
        assert line.get_label() == f"{mode}  {model.score_history_['score'][-1]:.3f}"
    assert len(display.ax_.get_legend().get_texts()) == 2


def test_curve_of_one_model():
    display = LearningCurveDisplay.from_estimator(validated())
    assert display.lines_[0].get_label() == "TemperedLDA"
    assert display.ax_.get_legend() is None


def test_every_last_score_is_in_the_picture():
    def history(*scores):
        rows = [(i + 1.0, score) for i, score in enumerate(scores)]
        return np.array(rows, dtype=[("pass", float), ("score", float)])

    for histories in (
        {"a": history(-30.0, -8.0, -7.1, -7.0, -7.0), "b": history(-9.0)},
        {"a": history(-7.0, -7.0)},
        {"falling": history(-7.0, -7.1, -9.0)},
    ):
        ax = LearningCurveDisplay(histories).plot().ax_
        low, high = ax.get_ylim()
        assert all(low <= h["score"][-1] <= high for h in histories.values())
        # Lines that leave through the floor are explained.
        lowest = min(h["score"].min() for h in histories.values())
        notes = [text.get_text() for text in ax.texts]
        assert notes == ([f"early values: down to {lowest:.4g}"] if lowest < low else [])


def test_low_early_scores_leave_no_empty_space_above_the_curves():
    rows = [(1.0, -1000.0), (2.0, -7.2), (3.0, -7.1), (4.0, -7.05), (5.0, -7.0)]
    history = np.array(rows, dtype=[("pass", float), ("score", float)])
    ax = LearningCurveDisplay({"a": history}).plot().ax_
    low, high = ax.get_ylim()
    assert low < -7.0 < high < -7.0 + 0.1 * (high - low)
    # Nothing that was in the axes before is cut off.
    shifted = history.copy()
    shifted["score"] -= 5.0
    ax = LearningCurveDisplay({"b": shifted}).plot(ax).ax_
    assert ax.get_ylim()[1] > -7.0


def test_curves_need_scores():
    with pytest.raises(ValueError, match=r"no score_history_: .* validation_X"):
        LearningCurveDisplay.from_estimator({"a": validated(), "b": fitted()})
    with pytest.raises(ValueError, match="empty dict"):
        LearningCurveDisplay.from_estimator({})


# Topics


def test_largest_topics_with_their_top_words():
    lda = fitted()
    display = TopicsDisplay.from_estimator(lda, topics=3, n_top_words=5, feature_names=names())
    sizes = lda.components_.sum(axis=1, dtype=float)
    order = np.argsort(-sizes)[:3]
    top = lda.top_words(5, names())
    assert display.words == [top[k] for k in order]
    assert [title.split(" (")[0] for title in display.titles] == [f"topic {k}" for k in order]
    for panel, k in zip(display.axes_, order, strict=True):
        widths = [bar.get_width() for bar in panel.patches]
        expected = np.sort(lda.components_[k] / sizes[k])[::-1][:5]
        np.testing.assert_allclose(widths, expected, rtol=1e-6)
        assert [text.get_text() for text in panel.texts] == top[k]
    assert "own scale" in display.ax_.texts[0].get_text()


def test_topics_by_number():
    display = TopicsDisplay.from_estimator(
        fitted(), topics=[2, 0], n_top_words=100, feature_names=names()
    )
    assert [title.split(" (")[0] for title in display.titles] == ["topic 2", "topic 0"]
    assert display.probabilities.shape == (2, 60)
    assert len(TopicsDisplay.from_estimator(fitted(), topics=100, feature_names=names()).axes_) == 4


def test_words_may_hold_dollars():
    strange = ["$a_", "b$", *names()[2:]]
    TopicsDisplay.from_estimator(
        fitted(), n_top_words=60, feature_names=strange
    ).figure_.canvas.draw()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topics": 0}, "topics"),
        ({"topics": []}, "topics must be a number or a list"),
        ({"topics": [0.5]}, "topics must be a number or a list"),
        ({"topics": "cats"}, "topics must be a number or a list of numbers or labels, got 'cats'"),
        ({"topics": [0, "cats"]}, "no topic has the label 'cats'"),
        ({"topics": [4]}, "topics must be from 0 to 3"),
        ({"topics": [-1]}, "topics must be from 0 to 3"),
        ({"n_top_words": 0}, "n_top_words"),
        ({"feature_names": ["one"]}, "feature_names must have 60 names"),
    ],
)
def test_topics_refuse(change, message):
    with pytest.raises(ValueError, match=message):
        TopicsDisplay.from_estimator(fitted(), **{"feature_names": names()} | change)


# Documents


def test_histogram_and_hottest_documents():
    titles = [f"document ${row} _{row}" + 100 * "x" * (row % 2) for row in range(200)]
    display = DocumentTemperatureDisplay.from_estimator(
        fitted(), corpus(), names=titles, n_hottest=6
    )
    T = fitted().document_temperatures(corpus())
    assert sum(bar.get_height() for bar in display.ax_.patches) == 200
    assert_array_equal(display.hottest_, np.argsort(-T, kind="stable")[:6])
    header, *lines = display.ax_.texts[0].get_text().splitlines()
    assert header == "Hottest documents (T)"
    for line, row in zip(lines, display.hottest_, strict=True):
        temperature, name = line.split(maxsplit=1)
        assert temperature == f"{T[row]:.2f}"
        assert name.removesuffix("…") == titles[row][: len(name.removesuffix("…"))]
        assert len(name) <= 38
    display.figure_.canvas.draw()


def test_names_in_another_order_than_the_documents_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = pandas.DataFrame(corpus().toarray())
    turned = pandas.Series([f"document {row}" for row in range(200)])[::-1]
    with pytest.raises(ValueError, match=r"^names has the index of X in another order"):
        DocumentTemperatureDisplay.from_estimator(fitted(), X, names=turned)


def test_documents_without_names():
    display = DocumentTemperatureDisplay.from_estimator(fitted(), corpus())
    assert f"row {display.hottest_[0]}" in display.ax_.texts[0].get_text()
    bare = DocumentTemperatureDisplay.from_estimator(fitted(), corpus(), n_hottest=0)
    assert not bare.ax_.texts
    few = DocumentTemperatureDisplay.from_estimator(fitted(), corpus()[:3].toarray())
    assert sorted(few.hottest_) == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["one"]}, "names must have 200 names"),
        ({"n_hottest": -1}, "n_hottest"),
    ],
)
def test_documents_refuse(change, message):
    with pytest.raises(ValueError, match=message):
        DocumentTemperatureDisplay.from_estimator(fitted(), corpus(), **change)


@pytest.mark.parametrize("scores", [[np.nan, -3, -2], [-3, np.nan, -2], [-3, -2, np.nan]])
def test_curves_are_of_the_scores_that_are_known(scores):
    history = np.array(list(enumerate(scores)), [("pass", float), ("score", float)])
    display = LearningCurveDisplay({"a": history, "b": history}).plot()
    assert [line.get_label() for line in display.lines_] == ["a  -2.000", "b  -2.000"]
    assert display.lines_[0].get_ydata().tolist() == [-3.0, -2.0]
    n_figures = len(plt.get_fignums())
    with pytest.raises(ValueError, match=r"^histories\['b'\] must have values of 'score'"):
        LearningCurveDisplay({"a": history, "b": history[np.isnan(scores)]}).plot()
    assert len(plt.get_fignums()) == n_figures
