"""BLAS has one thread in fits of models that it multiplies for."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_info, threadpool_limits

from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture

IMAGES = load_digits().data
IMAGES = IMAGES[:, IMAGES.std(axis=0) > 0]


def n_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (DPGaussianMixture(10, covariance_type="full", max_iter=5), IMAGES),
        (DPGaussianMixture(10, max_iter=5), IMAGES),
        (FactorialMixture(10, max_iter=10), IMAGES - IMAGES.mean(axis=0)),
        (BinarySparseCoding(16, max_iter=5), IMAGES - IMAGES.mean(axis=0)),
        (SigmoidBeliefNetwork(16, max_iter=5), np.float64(IMAGES > 8)),
    ],
)
def test_threads_of_blas_do_not_change_bits(model, X):
    found = []
    for n in (1, 2):
        with threadpool_limits(n, "blas"):
            model.set_params(random_state=0).fit(X)
            predict = getattr(model, "predict_proba", None) or model.transform
            components = model.means_ if hasattr(model, "means_") else model.components_
            found.append((components, predict(X), model.score(X)))
            assert n_threads() == {n}
    for one, two in zip(*found, strict=True):
        assert_array_equal(one, two)


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(match="not converged") as found:
        DPGaussianMixture(5, max_iter=2).fit(IMAGES)
    assert {each.filename for each in found} == {__file__}
