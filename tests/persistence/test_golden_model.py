"""A file that an earlier state of the package wrote is read, and its model goes on."""

import json

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper import TemperedLDA, load
from topictemper.tempering import LocalTempering

from .golden_model import COUNTS, FIGURES, FILE, WORDS, figures

# Models of another instruction set go on with a warning.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*instruction set", "ignore:topics are still hot:UserWarning"
)


def test_a_kept_model_is_what_it_was():
    model = load(FILE)
    assert type(model) is TemperedLDA
    assert isinstance(model.tempering, LocalTempering)
    assert model.get_params()["tempering__max_temperature"] == 3
    assert model.feature_names_in_.tolist() == WORDS
    assert model.labels_[0] == "first"
    assert model.n_batch_iter_ == 4
    found = figures(model)
    for name, expected in json.loads(FIGURES.read_text()).items():
        assert_allclose(found[name], expected, rtol=1e-5, err_msg=name)


def test_a_kept_model_goes_on():
    one, other = (load(FILE).partial_fit(COUNTS[80:]) for _ in range(2))
    assert one.n_batch_iter_ == 6
    assert one.score(COUNTS) > load(FILE).score(COUNTS)
    assert_array_equal(one.components_, other.components_)
