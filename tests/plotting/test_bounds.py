import sys
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from topictemper import TemperedLDA
from topictemper.datasets import make_bars, make_shapes
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture
from topictemper.plotting import BoundDisplay, TemperatureDisplay

from ..small_lda import fitted


@cache
def mixture(tempering="vt"):
    X = make_shapes(100, random_state=0).data
    return FactorialMixture(8, tempering=tempering, max_iter=90, random_state=0).fit(X)


@cache
def sparse_coding():
    X = make_bars(100, 3, random_state=0).data
    return BinarySparseCoding(6, n_states=8, max_iter=15, random_state=0).fit(X)


@cache
def belief_network():
    X = make_bars(100, 3, kind="sigmoid", random_state=0).data
    return SigmoidBeliefNetwork(6, n_states=8, max_iter=15, random_state=0).fit(X)


@cache
def dp_mixture():
    X = np.random.default_rng(0).normal(size=(60, 2)) + 6 * (np.arange(60) % 2)[:, None]
    return DPGaussianMixture(5, tempering="avi", random_state=0).fit(X)


@pytest.mark.parametrize("model", [mixture, dp_mixture, sparse_coding, belief_network])
def test_elbo_of_every_model(model):
    display = BoundDisplay.from_estimator(model())
    history = model().elbo_history_
    course = history["elbo"]
    (line,) = display.lines_
    assert_array_equal(line.get_ydata(), course)
    assert_array_equal(line.get_xdata(), history["pass"])
    assert line.get_label() == type(model()).__name__
    assert display.ax_.get_ylabel() == "ELBO (nats per datum)"
    assert display.ax_.get_legend() is None
    low, high = display.ax_.get_ylim()
    assert low <= course[-1] <= high
    display.figure_.canvas.draw()


def test_units_are_not_mixed():
    fields = [("pass", float), ("temperature", float), ("elbo", float)]
    history = np.array([(0.0, 2.0, -8.0), (1.0, 1.0, -7.0)], dtype=fields)
    topics, mixture = TemperedLDA(), DPGaussianMixture()
    topics.elbo_history_ = mixture.elbo_history_ = history
    topics._trainer = mixture.weights_ = None  # taken for fitted
    display = BoundDisplay.from_estimator(topics)
    assert_array_equal(display.lines_[0].get_xydata(), [[0.0, -8.0], [1.0, -7.0]])
    assert display.ax_.get_ylabel() == "ELBO (nats per token)"
    with pytest.raises(ValueError, match="'a' has nats per datum, 'b' has nats per token"):
        BoundDisplay.from_estimator({"a": mixture, "b": topics})


def test_several_models_in_axes_given():
    models = {mode: mixture(mode) for mode in ("vi", "vt")}
    figure, (left, right) = plt.subplots(ncols=2)
    display = BoundDisplay.from_estimator(models, ax=right)
    assert display.ax_ is right
    texts = [text.get_text() for text in right.get_legend().get_texts()]
    assert [text.split()[0] for text in texts] == ["vi", "vt"]
    assert display.plot(left).ax_ is left
    assert display.figure_ is figure


def test_refusals(monkeypatch):
    with pytest.raises(NotFittedError):
        BoundDisplay.from_estimator(FactorialMixture(3))
    with pytest.raises(ValueError, match="empty dict"):
        BoundDisplay.from_estimator({})
    with pytest.raises(ValueError, match=r"TemperedLDA has no elbo_history_: .*batch"):
        BoundDisplay.from_estimator(fitted())
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'topictemper\[plot\]'"):
        BoundDisplay.from_estimator(mixture())


@pytest.mark.parametrize("model", [mixture, lambda: mixture("lvt"), dp_mixture])
def test_temperatures_of_mixtures(model):
    display = TemperatureDisplay.from_estimator(model())
    assert_array_equal(display.line_.get_ydata(), model().temperature_history_["temperature"])
    assert display.line_.get_ydata()[-1] == 1.0
    display.figure_.canvas.draw()


def test_other_scales_and_fits_of_one_pass():
    figure, ax = plt.subplots()
    ax.set_xscale("log")
    BoundDisplay.from_estimator(dp_mixture(), ax=ax)
    figure.canvas.draw()
    history = {"one": dp_mixture().elbo_history_[:1]}
    display = BoundDisplay(history).plot()
    display.figure_.canvas.draw()
    assert display.lines_[0].get_marker() == "o"
    low, high = display.ax_.get_ylim()
    assert low < history["one"]["elbo"][0] < high
    temperatures = TemperatureDisplay(dp_mixture().temperature_history_[:1]).plot()
    assert temperatures.line_.get_marker() == "o"
