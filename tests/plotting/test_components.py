import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from topictemper.datasets import make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.mixture import DPGaussianMixture
from topictemper.plotting import ComponentsDisplay
from topictemper.plotting._components import matched


def model():
    X = make_shapes(100, random_state=0).data
    return FactorialMixture(3, max_iter=10, random_state=0).fit(X)


def test_each_component_is_drawn_once():
    fitted = model()
    display = ComponentsDisplay.from_estimator(fitted, n_columns=2)
    sheet = display.image_.get_array().filled(np.nan)
    assert sheet.shape == (2 * 5 + 1, 2 * 5 + 1)
    places = [(1, 1), (1, 6), (6, 1)]
    for (y, x), component in zip(places, fitted.components_, strict=True):
        assert_array_equal(sheet[y : y + 4, x : x + 4], component.reshape(4, 4))
    assert np.isfinite(sheet).sum() == 48
    assert display.figure_ is display.ax_.figure


def test_components_stand_below_the_truth():
    fitted = model()
    truth = fitted.components_[[2, 0, 1]] * 1.25
    display = ComponentsDisplay.from_estimator(fitted, truth=truth, image_shape=(2, 8))
    assert_allclose(display.relative_errors_, 0.2, rtol=1e-12)
    sheet = display.image_.get_array().filled(np.nan)
    for i in range(3):
        tile = slice(1 + 9 * i, 9 + 9 * i)
        assert_array_equal(sheet[1:3, tile], truth[i].reshape(2, 8))
        assert_allclose(sheet[4:6, tile] * 1.25, truth[i].reshape(2, 8))
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["truth", "found"]


def test_pairs_in_several_rows_have_no_errors_below_them():
    truth = np.eye(6)
    display = ComponentsDisplay(truth[::-1], (2, 3), truth).plot(n_columns=4)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["truth", "found"] * 2
    assert display.ax_.get_xticklabels() == []
    assert_allclose(display.relative_errors_, 0.0)


@pytest.mark.parametrize("n_true", [2, 3, 5])
def test_partners_and_those_without(n_true):
    truth = np.eye(6)[:n_true]
    components = np.eye(6)[[3, 1, 0]]
    found, true, errors = matched(components, truth)
    assert len(found) == len(true) == max(3, n_true)
    assert len(errors) == min(3, n_true)
    pairs = {(int(f), int(t)) for f, t in zip(found, true, strict=True)}
    assert {(2, 0), (1, 1)} <= pairs
    assert {f for f, _ in pairs} - {-1} == {0, 1, 2}
    assert {t for _, t in pairs} - {-1} == set(range(n_true))
    figure, ax = plt.subplots()
    display = ComponentsDisplay(components, (2, 3), truth).plot(ax)
    assert display.figure_ is figure


def test_bad_input():
    with pytest.raises(NotFittedError):
        ComponentsDisplay.from_estimator(FactorialMixture())
    for wrong in (
        {"image_shape": (3, 5)},
        {"image_shape": (16,)},
        {"image_shape": 16},
        {"image_shape": (side for side in (2, 8))},
        {"image_shape": {2, 8}},
        {"image_shape": {2: 0, 8: 0}},
        {"truth": np.ones((2, 15))},
        {"truth": np.ones((0, 16))},
        {"truth": np.full((2, 16), np.nan)},
        {"truth": "shapes"},
        {"truth": np.eye(16) * (np.arange(16) != 3)[:, None]},
        {"n_columns": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ComponentsDisplay.from_estimator(model(), **wrong)
    clusters = DPGaussianMixture(2, random_state=0).fit([[0.0], [1.0], [3.0]])
    message = r"DPGaussianMixture has no components_.*ComponentsDisplay\(array, .* draws .* means_"
    with pytest.raises(ValueError, match=message):
        ComponentsDisplay.from_estimator(clusters)
    ComponentsDisplay(clusters.means_, (1, 1)).plot()


def test_who_gives_no_shape_is_not_told_of_one():
    X = make_shapes(100, random_state=0).data[:, :15]
    fitted = FactorialMixture(3, max_iter=10, random_state=0).fit(X)
    with pytest.raises(ValueError, match="15 pixels, which are no square: give image_shape"):
        ComponentsDisplay.from_estimator(fitted)
    assert ComponentsDisplay.from_estimator(fitted, image_shape=(3, 5)).image_shape == (3, 5)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"topictemper\[plot\]"):
        ComponentsDisplay.from_estimator(model())
