"""scikit-learn's callbacks: what they see, what they may do, what they leave behind."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from topictemper import TemperedLDA, progress_bar

from ..small_lda import MODES, corpus, learned_state, set_tempering, small_lda

callback = pytest.importorskip(
    "sklearn.callback", reason="scikit-learn before 1.9", exc_type=ImportError
)

HOOKS = ("setup", "on_fit_task_begin", "on_fit_task_end", "teardown")


class Recorder:
    """Notes the calls of its hooks; fails in one of them, or stops after a pass, if told to."""

    def __init__(self, *, fail=None, fail_task="pass", stop_after=None):
        self.calls, self.models = [], []
        self.fail, self.fail_task, self.stop_after = fail, fail_task, stop_after

    def note(self, hook, context):
        self.calls.append((hook, context.task_name, context.task_id))
        if hook == self.fail and (
            hook in ("setup", "teardown") or context.task_name == self.fail_task
        ):
            raise RuntimeError(f"no {hook}")

    def setup(self, estimator, context):
        self.note("setup", context)

    def teardown(self, estimator, context):
        self.note("teardown", context)

    def on_fit_task_begin(self, estimator, context):
        self.note("on_fit_task_begin", context)

    def on_fit_task_end(self, estimator, context):
        self.note("on_fit_task_end", context)
        return context.task_name == "pass" and context.task_id + 1 == self.stop_after


def test_progress_bar_names_the_extra(monkeypatch, capsys):
    def missing(name):
        raise ImportError(f"{name} requires rich")

    pytest.importorskip("rich", reason="rich is not installed")
    small_lda().set_callbacks(progress_bar()).fit(corpus())
    shown = capsys.readouterr().out
    assert "TemperedLDA - fit" in shown
    assert "100%" in shown
    monkeypatch.setattr("sklearn.callback._progressbar.check_rich_support", missing)
    with pytest.raises(ImportError, match=r"pip install 'topictemper\[progress\]'"):
        progress_bar()


class Watcher(Recorder):
    """Keeps the model after every task, and what was given for it."""

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.models.append(fitted_estimator)
        self.given = (X, y, metadata)
        return super().on_fit_task_end(estimator, context)


class Propagated(Recorder):
    max_propagation_depth = None


def expected_calls(n_passes):
    passes = [
        (hook, "pass", i)
        for i in range(n_passes)
        for hook in ("on_fit_task_begin", "on_fit_task_end")
    ]
    begin, end = [("on_fit_task_begin", "fit", 0)], [("on_fit_task_end", "fit", 0)]
    return [("setup", "fit", 0), *begin, *passes, *end, ("teardown", "fit", 0)]


# What they see


def test_a_fit_is_a_task_and_so_is_every_pass():
    recorder = Recorder()
    small_lda().set_callbacks(recorder).fit(corpus())
    assert recorder.calls == expected_calls(3)


@pytest.mark.parametrize("mode", MODES)
def test_callbacks_change_nothing(mode):
    lda = small_lda(tempering=mode, n_jobs=2).set_callbacks(Watcher())
    assert learned_state(lda.fit(corpus())) == learned_state(
        small_lda(tempering=mode).fit(corpus())
    )
    assert set(vars(lda)) - set(vars(clone(lda).set_callbacks().fit(corpus()))) == {
        "_skl_callbacks"
    }


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("mode", MODES)
def test_model_after_each_pass_is_the_one_of_a_fit_that_ended_there(mode):
    watcher = Watcher()
    lda = small_lda(tempering=mode, max_temperature=3.0).set_callbacks(watcher)
    lda.fit(corpus(), validation_X=corpus(50, 1))
    assert len(watcher.models) == 4  # three passes and the fit
    for done, model in enumerate(watcher.models[:3], start=1):
        stopped = clone(lda).set_callbacks(Recorder(stop_after=done))
        stopped.fit(corpus(), validation_X=corpus(50, 1))
        assert model.n_iter_ == stopped.n_iter_ == done
        assert model.temperature_ == stopped.temperature_
        assert learned_state(model) == learned_state(stopped)
        assert_array_equal(model.score_history_, stopped.score_history_)
        assert model.score_history_["score"][-1] == model.score(corpus(50, 1))
    for model in watcher.models[2:]:
        assert learned_state(model) == learned_state(lda)


def test_models_have_the_elbos_so_far():
    watcher = Watcher()
    lda = small_lda(learning_method="batch", tol=0).set_callbacks(watcher).fit(corpus())
    for done, model in enumerate(watcher.models[:3], start=1):
        assert_array_equal(model.elbo_history_, lda.elbo_history_[:done])


def test_models_learn_apart():
    watcher = Watcher()
    lda = small_lda().set_callbacks(watcher).fit(corpus())
    state = learned_state(lda)
    for model in watcher.models:
        model.partial_fit(corpus())
    assert learned_state(lda) == state


def test_counts_y_and_weights_are_handed_on():
    watcher = Watcher()
    y, weights = np.arange(200), np.linspace(0.5, 2.0, 200)
    small_lda().set_callbacks(watcher).fit(corpus(), y, sample_weight=weights)
    X, labels, metadata = watcher.given
    assert labels is y
    assert_array_equal(metadata["sample_weight"], weights)
    assert (corpus() != X).nnz == 0


def test_models_are_made_for_hooks_that_ask_only(monkeypatch):
    def refuse(*_):
        raise AssertionError("nobody asked")

    monkeypatch.setattr(TemperedLDA, "_snapshot", refuse)
    small_lda().set_callbacks(Recorder()).fit(corpus())


# Stopping


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("start", ["auto", 3.0])
def test_stop_leaves_a_fitted_model(mode, start):
    recorder = Recorder(stop_after=1)
    lda = small_lda(tempering=mode, max_temperature=start).set_callbacks(recorder)
    lda.fit(corpus(), validation_X=corpus(50, 1))
    assert recorder.calls == expected_calls(1)
    assert lda.n_iter_ == 1
    assert lda.n_batch_iter_ == 10
    assert len(lda.score_history_) == 1
    assert np.isfinite(lda.components_).all()
    assert lda.transform(corpus()).shape == (200, 4)
    assert lda.score(corpus(50, 1)) == lda.score_history_["score"][0]
    again = pickle.loads(pickle.dumps(lda.set_callbacks()))
    assert learned_state(again.partial_fit(corpus())) == learned_state(lda.partial_fit(corpus()))


def test_a_fit_that_a_callback_ends_hot_warns():
    lda = small_lda(tempering="avi", max_temperature=3.0).set_callbacks(Recorder(stop_after=1))
    message = "ended at the temperature .*, after 1 of 3 passes.*: make all passes, or choose a"
    with pytest.warns(ConvergenceWarning, match=message) as found:
        lda.fit(corpus())
    assert found[0].filename == __file__
    assert lda.temperature_ > 1.0
    small_lda(tempering="svi").set_callbacks(Recorder(stop_after=1)).fit(corpus())


def test_any_of_several_callbacks_stops():
    recorders = [Recorder(), Recorder(stop_after=2), Recorder()]
    assert small_lda().set_callbacks(*recorders).fit(corpus()).n_iter_ == 2
    assert all(recorder.calls == expected_calls(2) for recorder in recorders)


def test_stop_hands_over_the_best_model_of_early_stopping():
    # The best pass is the 12th; with more patience than passes only the callback stops the fit.
    lda = small_lda(n_components=20, max_iter=30, early_stopping=True, n_iter_no_change=30)
    set_tempering(lda, max_temperature=3.0, length=4.0, inertia=1.0)
    lda.set_params(topic_word_prior=0.05, inference="point")
    lda.set_callbacks(Recorder(stop_after=23))
    lda.fit(corpus(300)[:200], validation_X=corpus(300)[200:])
    scores = lda.score_history_["score"]
    assert len(scores) == 23
    assert lda.n_iter_ == scores.argmax() + 1 < 23
    assert lda.score(corpus(300)[200:]) == scores.max()


# Failing


@pytest.mark.parametrize("fitted_before", [False, True])
@pytest.mark.parametrize("task", ["fit", "pass"])
@pytest.mark.parametrize("hook", HOOKS)
def test_failing_callback_leaves_the_estimator_as_it_was(hook, task, fitted_before):
    lda, other = small_lda(), Recorder()
    if fitted_before:
        lda.fit(corpus(100, 5), validation_X=corpus(50, 1))
    lda.set_callbacks(Recorder(fail=hook, fail_task=task), other)
    before = vars(lda).copy()
    with pytest.raises(RuntimeError, match=f"no {hook}"):
        lda.fit(corpus())
    assert vars(lda) == before
    set_up = ("setup", "fit", 0) in other.calls
    assert set_up == (hook != "setup")
    assert other.calls.count(("teardown", "fit", 0)) == set_up
    lda.set_callbacks().fit(corpus())
    assert learned_state(lda) == learned_state(small_lda().fit(corpus()))


def test_callbacks_are_torn_down_when_learning_fails():
    def schedule(passes):
        if passes > 1.5:
            raise RuntimeError("no schedule")
        return 2.0

    recorder = Recorder()
    lda = small_lda(tempering="avi", schedule=schedule).set_callbacks(recorder)
    before = vars(lda).copy()
    with pytest.raises(RuntimeError, match="no schedule"):
        lda.fit(corpus())
    assert vars(lda) == before
    assert recorder.calls == [
        *expected_calls(1)[:-2],
        ("on_fit_task_begin", "pass", 1),
        ("teardown", "fit", 0),
    ]


def test_bad_parameters_are_told_before_callbacks_are_set_up():
    recorder = Recorder()
    for parameters in ({"max_iter": 0}, {"learning_decay": 2.0}, {"n_iter_no_change": 0}):
        with pytest.raises(ValueError, match=next(iter(parameters))):
            small_lda(**parameters).set_callbacks(recorder).fit(corpus())
    assert recorder.calls == []


# scikit-learn's own callbacks and meta-estimators


def test_scoring_monitor_follows_the_score():
    scoring = {"score": lambda model, X, y: model.score(X)}
    monitor = callback.ScoringMonitor(scoring=scoring)
    watcher = Watcher()
    lda = small_lda().set_callbacks(monitor, watcher).fit(corpus(), np.zeros(200))
    rows = [row for row in monitor.get_logs().data if row["task_name"] == "pass"]
    assert [row["task_id"] for row in rows] == [0, 1, 2]
    assert [row["score"] for row in rows] == [model.score(corpus()) for model in watcher.models[:3]]
    assert rows[-1]["score"] == lda.score(corpus())


def test_passes_within_a_pipeline_and_a_search():
    recorder = Propagated()
    pipeline = make_pipeline(StandardScaler(with_mean=False), small_lda(max_iter=2))
    pipeline.set_callbacks(recorder).fit(corpus())
    assert [call for call in recorder.calls if call[1] == "pass"] == expected_calls(2)[2:-2]

    recorder = Propagated()
    search = GridSearchCV(small_lda(max_iter=2), {"n_components": [2, 3]}, cv=2)
    search.set_callbacks(recorder).fit(corpus())
    assert sum(call[1] == "pass" for call in recorder.calls) == 2 * 2 * (2 * 2 + 1)


def test_clones_keep_callbacks():
    recorder = Recorder()
    clone(small_lda().set_callbacks(recorder)).fit(corpus())
    assert recorder.calls == expected_calls(3)


def test_partial_fit_calls_no_hooks():
    recorder = Recorder()
    small_lda(total_samples=200).set_callbacks(recorder).partial_fit(corpus())
    assert recorder.calls == []
