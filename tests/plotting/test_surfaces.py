import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from topictemper.datasets import make_two_gaussians
from topictemper.mixture import TwoGaussians
from topictemper.plotting import AnnealedSurfaceDisplay

MODEL = TwoGaussians(make_two_gaussians(100, random_state=0)[0])


def test_panels_and_dots():
    display = AnnealedSurfaceDisplay.from_model(MODEL, (20, 1), limits=(-6, 6), resolution=25)
    assert [ax.get_title() for ax in display.axes_] == ["T = 20", "T = 1"]
    assert display.figure_ is display.axes_[1].figure
    np.testing.assert_array_equal(display.surfaces[1], MODEL.surface(display.m1, display.m2, 1))
    others, best = display.axes_[1].lines
    np.testing.assert_array_equal(np.ravel(best.get_data()), MODEL.optima(1)[0])
    np.testing.assert_array_equal(np.ravel(others.get_data()), MODEL.optima(1)[1])
    display.figure_.canvas.draw()


def test_given_axes_and_the_range_of_the_data():
    _, ax = plt.subplots()
    display = AnnealedSurfaceDisplay.from_model(MODEL, (2,), resolution=9, axes=ax)
    assert display.axes_[0] is ax
    assert display.m1[[0, -1]].tolist() == [MODEL.x.min(), MODEL.x.max()]
    again = display.plot(cmap="magma", n_levels=5)
    assert again is display
    assert display.axes_[0] is not ax


def test_bad_arguments():
    with pytest.raises(ValueError, match="axes must be 2, one for each temperature, got 1"):
        AnnealedSurfaceDisplay.from_model(MODEL, (2, 1), axes=plt.subplots()[1])
    with pytest.raises(ValueError, match="temperatures must not be empty"):
        AnnealedSurfaceDisplay.from_model(MODEL, ())
    with pytest.raises(ValueError, match="limits must be given, because all data are the same"):
        AnnealedSurfaceDisplay.from_model(TwoGaussians([2.0, 2.0]))
    for limits in ((1, -1), (-1, 0, 1), (0, np.inf)):
        with pytest.raises(ValueError, match="limits must be two finite numbers"):
            AnnealedSurfaceDisplay.from_model(MODEL, (1,), limits=limits)
    with pytest.raises(ValueError, match="temperatures must be a sequence of numbers, got 3"):
        AnnealedSurfaceDisplay.from_model(MODEL, 3)
    for numbers in (("a", "b"), (0, (1, 2))):
        with pytest.raises(ValueError, match="limits must hold numbers"):
            AnnealedSurfaceDisplay.from_model(MODEL, (1,), limits=numbers)
        with pytest.raises(ValueError, match="temperatures must hold numbers"):
            AnnealedSurfaceDisplay.from_model(MODEL, numbers)
    with pytest.raises(ValueError, match="resolution == 1"):
        AnnealedSurfaceDisplay.from_model(MODEL, (1,), resolution=1)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'topictemper\[plot\]'"):
        AnnealedSurfaceDisplay.from_model(MODEL, (1,))
