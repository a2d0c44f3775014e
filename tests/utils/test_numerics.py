"""BLAS has one thread in fits of models that it multiplies for."""

import os
import signal
from threading import Event, Thread

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

from topictemper._utils import _numerics
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture

IMAGES = load_digits().data
IMAGES = IMAGES[:, IMAGES.std(axis=0) > 0]
PREDICT = ("predict", "predict_proba", "elbo", "score", "score_samples")
TRANSFORM = ("transform", "inverse_transform", "elbo", "score")


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


def test_calls_that_overlap_have_one_thread_and_restore_what_was_before():
    inside, leave, found = Event(), Event(), []

    @_numerics.own_numerics
    def first():
        found.append(n_threads())
        inside.set()
        assert leave.wait(60)

    @_numerics.own_numerics
    def second():
        leave.set()
        thread.join()
        found.append(n_threads())

    with threadpool_limits(2, "blas"):
        thread = Thread(target=first)
        thread.start()
        assert inside.wait(60)
        second()
        assert found == [{1}, {1}]
        assert n_threads() == {2}


def test_other_threads_can_set_limits_after_a_call():
    called, leave = Event(), Event()

    def call():
        _numerics.own_numerics(lambda: None)()
        called.set()
        assert leave.wait(60)

    with threadpool_limits(2, "blas"):
        with threadpool_limits(1, "blas"):
            thread = Thread(target=call)
            thread.start()
            assert called.wait(60)
        found = n_threads()
        leave.set()
        thread.join()
    assert found == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_does_not_wait_for_threads_that_it_has_not():
    with _numerics._OneThread._lock:  # as of another thread
        child = os.fork()
        if not child:
            signal.alarm(60)  # ends it if it waits
            _numerics.own_numerics(lambda: None)()
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_has_the_threads_of_blas_that_were_before():
    inside, leave = Event(), Event()

    @_numerics.own_numerics
    def call():
        inside.set()
        assert leave.wait(60)

    def found_in_child(then=lambda: None):
        child = os.fork()
        if not child:
            signal.alarm(60)
            then()
            os._exit(max(n_threads()))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    with threadpool_limits(2, "blas"):
        thread = Thread(target=call)
        thread.start()
        assert inside.wait(60)
        assert found_in_child() == 2
        assert found_in_child(_numerics.own_numerics(lambda: None)) == 2
        # A process that is forked within a call is in that call.
        assert _numerics.own_numerics(found_in_child)() == 1
        leave.set()
        thread.join()
        assert n_threads() == {2}


def test_a_thread_that_sets_limits_meanwhile_does_not_keep_blas_from_one_thread(monkeypatch):
    if not hasattr(OpenBLASController, "clear_controlling_thread"):
        pytest.skip("this threadpoolctl lets all threads set limits")
    clear, leave, others = OpenBLASController.clear_controlling_thread, Event(), []

    def limit():
        threadpool_limits(2, "blas")
        limited.set()
        assert leave.wait(60)

    def clear_too_early(force=False):
        clear(force=force)
        if not others:
            others.append(Thread(target=limit))
            others[0].start()
            assert limited.wait(60)

    limited = Event()
    with threadpool_limits(2, "blas"):
        monkeypatch.setattr(
            OpenBLASController, "clear_controlling_thread", staticmethod(clear_too_early)
        )
        found = _numerics.own_numerics(n_threads)()
        leave.set()
        others[0].join()
        monkeypatch.undo()
    assert found == {1}


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(match="not converged") as found:
        DPGaussianMixture(5, max_iter=2).fit(IMAGES)
    assert {each.filename for each in found} == {__file__}


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (DPGaussianMixture(2, max_iter=1, tol=0), ("fit", "fit_predict", *PREDICT, "sample")),
        (FactorialMixture(2, max_iter=2), ("fit", *TRANSFORM, "sample")),
        (BinarySparseCoding(2, max_iter=1), ("fit", *TRANSFORM, "sample")),
        (SigmoidBeliefNetwork(2, max_iter=1), ("fit", *TRANSFORM, "sample")),
    ],
)
@pytest.mark.filterwarnings("ignore:not converged")
def test_all_methods_that_multiply_have_one_thread(model, names, monkeypatch):
    X = np.float64(np.random.default_rng(0).random((20, 5)) > 0.5)
    entered, libraries = [], _numerics._blas()
    monkeypatch.setattr(_numerics, "_blas", lambda: entered.append(1) or libraries)
    for name in names:
        entered.clear()
        if name == "sample":
            model.sample(3)
        elif name == "inverse_transform":
            model.inverse_transform(np.ones((3, 2)))
        else:
            getattr(model, name)(X)
        assert entered, name
