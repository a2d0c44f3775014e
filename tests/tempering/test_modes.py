import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV

from topictemper import TemperedLDA
from topictemper.tempering import (
    Annealing,
    ConstantSchedule,
    GlobalTempering,
    LinearSchedule,
    LocalTempering,
    PosteriorAnnealing,
)
from topictemper.tempering._modes import MODES, TemperingSettings, tempering_settings

COURSE = ("schedule", "max_temperature", "length")
USABLE = {"avi": COURSE, "vt": ("max_temperature", "inertia", "n_temperatures")}


def settings(tempering):
    return tempering_settings(tempering, USABLE, "vi")


class Model(BaseEstimator):
    """An estimator that scores highest at a maximum temperature of 3."""

    def __init__(self, tempering=None):
        self.tempering = tempering

    def fit(self, X, y=None):
        self.settings_ = settings(self.tempering)
        return self

    def score(self, X, y=None):
        return -abs(self.settings_.max_temperature - 3)


@pytest.mark.parametrize("kind", MODES.values())
def test_objects_are_estimators(kind):
    mode = kind(max_temperature=3, length=30)
    assert repr(mode) == f"{kind.__name__}(length=30, max_temperature=3)"
    for other in (clone(mode), pickle.loads(pickle.dumps(mode))):
        assert type(other) is kind
        assert other.get_params() == mode.get_params()
    assert MODES[kind.mode] is kind


def test_parameters_are_nested():
    model = Model(Annealing(max_temperature=3))
    assert model.get_params()["tempering__max_temperature"] == 3
    copy = clone(model).set_params(tempering__length=7)
    assert (copy.tempering.length, model.tempering.length) == (7, None)


def test_settings_of_a_name_make_its_object():
    lda = TemperedLDA(2).set_params(tempering__length=2, tempering__max_temperature=3)
    assert lda.tempering.mode == "lvt"
    assert (lda.tempering.length, lda.tempering.max_temperature) == (2, 3)
    assert TemperedLDA().set_params(tempering="vt", tempering__inertia=1).tempering.inertia == 1
    for none in (None, "svi"):
        with pytest.raises(ValueError, match=f"tempering={none!r} has no settings, such as"):
            TemperedLDA(tempering=none).set_params(tempering__length=2)
    with pytest.raises(ValueError, match="Invalid parameter 'heat'"):
        TemperedLDA().set_params(tempering__heat=2)


def test_a_grid_search_reaches_the_settings():
    search = GridSearchCV(Model(Annealing()), {"tempering__max_temperature": [2, 3, 5]}, cv=2).fit(
        np.zeros((4, 1))
    )
    assert search.best_params_ == {"tempering__max_temperature": 3}


def test_names_stand_for_default_settings():
    assert settings(None) == settings("vi") == TemperingSettings("vi")
    assert settings("avi") == settings(Annealing()) == TemperingSettings("avi")
    assert settings(GlobalTempering(inertia=2, n_temperatures=5)) == TemperingSettings(
        "vt", inertia=2.0, n_temperatures=5
    )


def test_the_course_fills_in_what_was_not_given():
    course = settings(Annealing(max_temperature=4)).course("linear", 2.0, 10.0)
    assert course == LinearSchedule(4.0, 10.0)
    whole = settings(Annealing(schedule=ConstantSchedule(2)))
    assert whole.is_whole_course
    assert whole.course("linear", 3.0, 10.0) == ConstantSchedule(2)
    function = settings(Annealing(schedule=lambda time: 5.0))
    assert function.course("linear", 3.0, 10.0).temperature(0) == 5.0


@pytest.mark.parametrize(
    ("tempering", "error", "message"),
    [
        ("svi", ValueError, r"tempering must be one of \('vi', 'avi', 'vt'\), got 'svi'"),
        ("lvt", ValueError, r"tempering must be one of \('vi', 'avi', 'vt'\), got 'lvt'"),
        (3.0, TypeError, "or an instance of Annealing or GlobalTempering; got 3.0"),
        (Annealing, TypeError, "or an instance of Annealing"),
        (LinearSchedule(2, 3), TypeError, "or an instance of Annealing"),
        (LocalTempering(), ValueError, r"got LocalTempering\(\), which is 'lvt'"),
        (PosteriorAnnealing(), ValueError, "which is 'dasvi'"),
        (GlobalTempering(length=3), ValueError, "cannot use length of GlobalTempering"),
        (GlobalTempering(updates=3), ValueError, "cannot use updates of GlobalTempering"),
        (GlobalTempering(normalizer="prior"), ValueError, "cannot use normalizer"),
        (GlobalTempering(inertia=-1), ValueError, "inertia == -1"),
        (GlobalTempering(n_temperatures=1), ValueError, "n_temperatures == 1"),
        (GlobalTempering(n_temperatures=2.5), TypeError, "n_temperatures must be an instance"),
        (Annealing(max_temperature=0.5), ValueError, "max_temperature == 0.5"),
        (Annealing(max_temperature="hot"), TypeError, "max_temperature must be an instance"),
        (Annealing(max_temperature=float("nan")), ValueError, "max_temperature must be finite"),
        (Annealing(length=-1), ValueError, "length == -1"),
        (Annealing(schedule="falling"), ValueError, "schedule must be one of"),
        (Annealing(schedule=3), TypeError, "schedule must be a name"),
        (
            Annealing(schedule=LinearSchedule(2, 3), length=3),
            ValueError,
            "length must be None where schedule is a function of time; got 3",
        ),
        (
            Annealing(schedule=lambda time: 2.0, max_temperature=3),
            ValueError,
            "max_temperature must be 'auto' where schedule is a function of time; got 3",
        ),
    ],
)
def test_refusals(tempering, error, message):
    with pytest.raises(error, match=message):
        settings(tempering)


def test_refusal_of_a_normalizer():
    with pytest.raises(ValueError, match="normalizer must be one of"):
        tempering_settings(GlobalTempering(normalizer="none"), {"vt": ("normalizer",)}, "vi")
