"""Parameters that other libraries have."""

import inspect

import pytest
from sklearn.base import clone

from topictemper import TemperedLDA


@pytest.mark.parametrize("name", ["evaluate_every", "perp_tol"])
def test_parameters_of_scikit_learn_without_effect_warn(name):
    with pytest.warns(FutureWarning, match=f"{name} has no effect in TemperedLDA"):
        lda = TemperedLDA(3, **{name: 5})
    assert lda.n_components == 3
    assert name not in lda.get_params()
    assert clone(lda).get_params() == lda.get_params() == TemperedLDA(3).get_params()
    assert name not in inspect.signature(TemperedLDA).parameters


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("num_topics", "n_components"),
        ("k", "n_components"),
        ("passes", "max_iter"),
        ("gamma_threshold", "mean_change_tol"),
        ("id2word", r"fit\(counts, feature_names=id2word\)"),
    ],
)
def test_other_names_are_told(name, here):
    with pytest.raises(TypeError, match=f"TemperedLDA has no parameter {name}; here it is {here}"):
        TemperedLDA(**{name: 5})


def test_unknown_names_stay_unknown():
    with pytest.raises(TypeError, match="unexpected keyword argument 'topicz'"):
        TemperedLDA(topicz=5)
