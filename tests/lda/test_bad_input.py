import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA, load
from topictemper.tempering import ConstantSchedule, GlobalTempering

from ..small_lda import MODES, corpus, learned_state, set_tempering, small_lda

USES = ("transform", "score", "perplexity", "elbo", "document_temperatures")


def changed(value, kind=sp.csr_matrix):
    """The corpus with a bad value in row 5."""
    X = corpus().toarray().astype(float)
    X[5, 7] = value
    return kind(X)


def objects(value):
    """The corpus as an array of objects, one of which is in row 5."""
    X = corpus().toarray().astype(object)
    X[5, 7] = value
    return X


BAD_COUNTS = {
    "nan": (changed(np.nan), "NaN values in .* X: row 5 has nan in column 7"),
    "nan dense": (changed(np.nan, np.asarray), "NaN values in .* X: row 5 has nan in column 7"),
    "inf": (changed(np.inf), "Infinite values in .* X: row 5"),
    "-inf dense": (changed(-np.inf, np.asarray), "Infinite values in .* X: row 5"),
    "negative": (changed(-1.0), "row 5 has -1.*HashingVectorizer.*alternate_sign=False"),
    "negative dense": (changed(-1.0, np.asarray), "row 5 has -1"),
    "negative fraction": (changed(-1e-9, sp.csc_array), "row 5 has -1e-09"),
    "masked": (np.ma.masked_greater(corpus().toarray(), 2), r"masked values.*X\.filled\(0\)"),
    "string": (objects("three"), "X must hold numbers: row 5 has 'three' in column 7"),
    "long text": (objects("a text " * 500), "^X must hold numbers: row 5 has 'a .{,150}$"),
    "number of 400 digits": (objects(10**400), "X must hold numbers: row 5 has 1000"),
    "dates": (np.ones((3, 60), dtype="M8[D]"), r"X must hold numbers, got datetime64\[D\]"),
    "text": (["a document", "another"], "a document"),
    "one-dimensional": (np.ones(60), "2D array"),
    "three-dimensional": (np.ones((2, 3, 60)), "dim 3"),
    "scalar": (3.0, "2D array"),
    "complex": (np.ones((3, 60), dtype=complex), "[Cc]omplex"),
    "no rows": (np.empty((0, 60)), "0 sample"),
    "no columns": (np.empty((3, 0)), "0 feature"),
    "no rows, sparse": (sp.csr_matrix((0, 60)), "0 sample"),
    "None": (None, "2D array"),
    "object": (objects({}), "X must hold numbers: row 5 has {} in column 7 .* not 'dict'"),
    "list of lists": ([[0, []], [{}, 1]], r"row 0 has \[\] in column 1"),
}


@pytest.fixture(params=["fresh", "fitted", "streaming"])
def estimator(request):
    lda = small_lda(total_samples=200)
    if request.param == "fitted":
        lda.fit(corpus(), validation_X=corpus())
    if request.param == "streaming":
        lda.partial_fit(corpus())
    return lda


class Unchanged:
    """A block that fails with a message and leaves an estimator exactly as it was."""

    def __init__(self, lda, match, errors=(TypeError, ValueError)):
        self.lda = lda
        self.raises = pytest.raises(errors, match=match)

    def __enter__(self):
        self.state = self.get_state()
        self.attributes = dict(self.lda.__dict__)
        self.raises.__enter__()

    def __exit__(self, *error):
        suppressed = self.raises.__exit__(*error)
        assert self.lda.__dict__.keys() == self.attributes.keys()
        for name, value in self.lda.__dict__.items():
            assert value is self.attributes[name], name
        assert self.get_state() == self.state
        return suppressed

    def get_state(self):
        if not hasattr(self.lda, "_trainer"):
            return None
        # Made anew, since `components_` is a copy that would not show a change.
        lambda_ = self.lda._trainer.topics.components()
        place = (self.lda._trainer.clock.n_updates, self.lda._trainer.clock.documents_seen)
        published = learned_state(self.lda) if hasattr(self.lda, "temperature_") else None
        return published, lambda_.tobytes(), place


# Counts


@pytest.mark.parametrize(("X", "match"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts_do_not_teach(estimator, X, match):
    for method in ("fit", "partial_fit"):
        with Unchanged(estimator, match):
            getattr(estimator, method)(X)


@pytest.mark.parametrize(("X", "match"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts_are_not_used(X, match):
    lda = small_lda().fit(corpus())
    for method in USES:
        # One with too few columns is recognized by that.
        with Unchanged(lda, f"{match}|features"):
            getattr(lda, method)(X)


@pytest.mark.parametrize("method", ["partial_fit", *USES])
@pytest.mark.parametrize("width", [59, 61])
def test_wrong_width(method, width):
    lda = small_lda(total_samples=200).fit(corpus())
    with Unchanged(lda, f"X has {width} features.*expecting 60"):
        getattr(lda, method)(np.ones((3, width)))


@pytest.mark.parametrize(
    "X", [np.zeros((3, 60)), sp.csr_matrix((3, 60)), sp.csr_matrix(([0.0], ([1], [2])), (3, 60))]
)
def test_all_empty(estimator, X):
    with Unchanged(estimator, "X has no words: all 3 rows are empty"):
        estimator.fit(X)


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (changed(-1.0), "validation_X.*row 5"),
        (changed(np.nan), "NaN"),
        (np.ones((3, 59)), "59 features"),
        (sp.identity(60, format="csr"), "two tokens"),
        (objects("three"), "three"),
    ],
)
def test_bad_validation_counts(estimator, X, match):
    with Unchanged(estimator, match):
        estimator.fit(corpus(), validation_X=X)


def test_empty_documents_in_a_stream_are_no_error():
    lda = small_lda(total_samples=200).partial_fit(np.zeros((30, 60)))
    lda.partial_fit(corpus()).partial_fit(np.zeros((30, 60)))
    assert np.isfinite(lda.components_).all()
    assert np.isfinite(lda.score(corpus()))


@pytest.mark.parametrize("mode", MODES)
def test_huge_counts_are_no_error(mode):
    X = corpus().astype(float)
    X.data[::7] *= 1e12
    lda = small_lda(tempering=mode).fit(X)
    assert np.isfinite(lda.components_).all()
    assert np.isfinite(lda.transform(X)).all()
    assert np.isfinite([lda.score(X), lda.elbo(X)]).all()
    T = lda.document_temperatures(X)
    assert (np.isfinite(T) & (T >= 1)).all()


def test_tokens_that_no_integer_holds_have_a_score():
    X = np.full((3, 10_000), 1e15)  # 1e19 tokens in each
    assert small_lda().fit(X).score(X) == pytest.approx(-np.log(10_000), abs=1e-3)


def test_huge_weights_are_refused():
    weights = np.ones(200)
    weights[7] = 1e40
    with pytest.raises(ValueError, match=r"at most 1e\+15, got 1e\+40 for row 7"):
        small_lda().fit(corpus(), sample_weight=weights)


# Parameters

REAL_NONSENSE = [np.nan, np.inf, -np.inf, "x", [1.0], 1j]
PRIOR_NONSENSE = [0, 0.0, -1.0, np.nan, np.inf, "automatic", "0.1", [0.1], 1j]
COUNT_NONSENSE = [0, -1, 1.5, 2.0, np.nan, None, "3", [3]]
BAD_PARAMETERS = {
    "n_components": [*COUNT_NONSENSE, 10**12, 2**31],
    "tempering": ["LVT", "", "vi", 1, ["lvt"], "gibbs", GlobalTempering],
    "inference": ["cvb0", "Gibbs", "mean_field", "", None, True, 1, ["gibbs"]],
    "doc_topic_prior": PRIOR_NONSENSE,
    "topic_word_prior": PRIOR_NONSENSE,
    "learning_decay": [*REAL_NONSENSE, 0, 0.49, 1.5, 1 + 1e-9],
    "learning_offset": [*REAL_NONSENSE, 0, 0.5, -1],
    "batch_size": [value for value in COUNT_NONSENSE if value is not None],
    "max_iter": [value for value in COUNT_NONSENSE if value is not None],
    "mean_change_tol": [*REAL_NONSENSE, None, -1e-9],
    "max_doc_update_iter": COUNT_NONSENSE,
    "total_samples": [*REAL_NONSENSE, 0, 0.5],
    "verbose": [-1, 1.5, "yes", None],
    "tol": [*REAL_NONSENSE, 1e-3],
    "validation_fraction": [0.2],
    "n_iter_no_change": [3],
    "dtype": ["int32", "float16", "longdouble", "x", int, object, None, 3],
}


BAD_SETTINGS = {
    "max_temperature": [*REAL_NONSENSE, 0.5, 0, -3, 1 - 1e-9, "hot", np.ones(2)],
    "n_temperatures": [0, -1, 1.5, 2.0, np.nan, "3", [3], 1],
    "schedule": ["unknown", "", 3.0, ["linear"], ConstantSchedule],
    "length": [*REAL_NONSENSE, -1, -1e-9],
    "inertia": [*REAL_NONSENSE, -1, -1e-9],
    "updates": [0, -1, 1.5, 2.0, np.nan, "3", [3]],
    "normalizer": ["unknown", 1, "map", ["prior"]],
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_bad_setting_of_the_tempering_is_named(name):
    for value in BAD_SETTINGS[name]:
        lda = small_lda(tempering=GlobalTempering(**{name: value}))
        with Unchanged(lda, name):
            lda.fit(corpus())
        with Unchanged(lda, name):
            lda.partial_fit(corpus())


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter_is_named(estimator, name):
    good = estimator.get_params()[name]
    for value in BAD_PARAMETERS[name]:
        estimator.set_params(**{name: value})
        with Unchanged(estimator, name):
            estimator.fit(corpus())
        if not hasattr(estimator, "_trainer"):
            with Unchanged(estimator, name):
                estimator.partial_fit(corpus())
    estimator.set_params(**{name: good})


@pytest.mark.parametrize("value", [*REAL_NONSENSE, 0, -1, 0.5])
def test_bad_total_samples(value):
    lda = small_lda(total_samples=value)
    with Unchanged(lda, "total_samples"):
        lda.partial_fit(corpus())
    lda.set_params(total_samples=None).partial_fit(corpus()).set_params(total_samples=value)
    with Unchanged(lda, "total_samples"):
        lda.partial_fit(corpus())


def test_topics_that_no_machine_can_hold():
    message = r"n_components=2000000000 needs .* GiB for 60 features.* a smaller n_components$"
    with pytest.raises(ValueError, match=message):
        small_lda(n_components=2 * 10**9).fit(corpus())
    with pytest.raises(ValueError, match="n_components == 2147483648, must be <= 2147483647"):
        small_lda(n_components=2**31).fit(corpus())


# A stream has no third copy of the topics, in whose memory the first step of a fit has place.
@pytest.mark.parametrize(
    ("method", "copies", "of_step"), [("fit", 3, 0), ("partial_fit", 2, 16 * 4 + 20 * 12)]
)
def test_topics_that_a_machine_can_hold_but_not_learn(monkeypatch, method, copies, of_step):
    lda, X = small_lda(), sp.hstack([corpus(), np.zeros((200, 40))], format="csr")
    learn, copy = getattr(lda, method), lda.n_components * X.shape[1] * 4
    sizes = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": copies * copy - 1}
    monkeypatch.setattr("topictemper._utils._memory.os.sysconf", sizes.get, raising=False)
    with Unchanged(lda, "n_components=.* a smaller n_components"):
        learn(X)
    sizes["SC_PHYS_PAGES"] += 1 + lda.n_components * of_step
    learn(X)


@pytest.mark.parametrize(
    ("method", "rows", "n_first", "advice"),
    [
        ("online", 200, 20, "a smaller n_components or batch_size"),
        ("online", 15, 15, "a smaller n_components, or fit fewer rows"),
        ("batch", 200, 200, "a smaller n_components, or fit fewer rows"),
        ("stream", 200, 20, "a smaller n_components or batch_size"),
        ("stream", 15, 15, "a smaller n_components, or fit fewer rows"),
    ],
)
def test_documents_whose_topics_a_machine_cannot_hold(monkeypatch, method, rows, n_first, advice):
    """Nine words: topics take less memory than the documents of a minibatch."""
    settings = {"learning_method": method} if method == "batch" else {"batch_size": 20}
    lda = TemperedLDA(4, max_iter=3, random_state=0, **settings)
    learn = lda.partial_fit if method == "stream" else lda.fit
    X = corpus()[:rows, :9].toarray() + 1
    # Of each topic its words, before and after documents are added, and 16 nodes; of each document
    # gamma, a weight and a number.
    n_bytes = lda.n_components * (2 * 9 * 4 + 16 * 4 + n_first * 12)
    sizes = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": n_bytes - 1}
    monkeypatch.setattr("topictemper._utils._memory.os.sysconf", sizes.get, raising=False)
    with Unchanged(lda, f"n_components=4.* 9 features.* {advice}$"):
        learn(X)
    sizes["SC_PHYS_PAGES"] += 1
    learn(X)


def test_a_machine_that_cannot_learn_topics_may_use_them(monkeypatch, tmp_path):
    X = corpus()
    X = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], 10_000))
    lda = small_lda().fit(X)
    lda.save(tmp_path / "model.npz")
    sizes = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 2 * lda.components_.nbytes}
    monkeypatch.setattr("topictemper._utils._memory.os.sysconf", sizes.get, raising=False)
    with pytest.raises(ValueError, match="a smaller n_components"):
        small_lda().fit(X)
    again = load(tmp_path / "model.npz")
    assert_array_equal(again.transform(X), lda.transform(X))
    assert again.merge_topics([0, 1]).n_components == lda.n_components - 1


@pytest.mark.filterwarnings("ignore:.*topics are nearly the same")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "parameters",
    [
        {"learning_decay": 1.0},
        {"learning_decay": 0.5},
        {"learning_offset": 1.0},
        {"mean_change_tol": 0.0},
        {"max_doc_update_iter": 1},
        {"n_temperatures": 2},
        {"length": 0},
        {"inertia": 0},
        {"max_temperature": 1},
        {"max_temperature": 1e6},
        {"n_components": 1},
        {"n_components": 200},
        {"batch_size": 1000},
        {"batch_size": 1},
        {"max_iter": 1},
        {"doc_topic_prior": 1e-4},
        {"topic_word_prior": 1e-4},
        {"doc_topic_prior": 1e4},
        {"topic_word_prior": 1e4},
        {"updates": 1000},
        {"n_components": np.int64(3), "doc_topic_prior": np.float32(0.1)},
    ],
    ids=str,
)
def test_extreme_but_sensible_parameters(mode, parameters):
    lda = small_lda(**({"tempering": mode, "max_iter": 2} | parameters))
    lda.fit(corpus(60))
    lambda_ = lda.components_
    assert np.isfinite(lambda_).all()
    assert (lambda_ > 0).all()
    assert np.isfinite([lda.score(corpus(60)), lda.elbo(corpus(60))]).all()
    assert np.isfinite(lda.temperature_history_["temperature"]).all()
    T = lda.document_temperatures(corpus(60))
    assert (np.isfinite(T) & (T >= 1)).all()


# Schedules that return nonsense, at once or in the middle of training


@pytest.mark.parametrize("value", [0.5, 0, -1, 1e300, np.nan, np.inf, "x", None, [2.0], 1j])
def test_schedule_returns_nonsense_at_once(value):
    lda = small_lda(tempering="avi", schedule=lambda passes: value)
    with Unchanged(lda, "schedule must return temperatures"):
        lda.fit(corpus())
    with Unchanged(lda, "schedule must return temperatures"):
        lda.partial_fit(corpus())


def until(passes, then):
    """A schedule that works for some passes."""

    def schedule(passes_made):
        if passes_made >= passes:
            return then()
        return 2.0

    return schedule


def interrupt():
    raise KeyboardInterrupt("enough")


@pytest.mark.parametrize("passes", [0.35, 1.0, 2.5])
@pytest.mark.parametrize(
    ("then", "error", "match"),
    [
        (lambda: 0.5, ValueError, "schedule must return temperatures"),
        (lambda: np.nan, ValueError, "schedule must return temperatures"),
        (lambda: 1 / 0, ZeroDivisionError, "division"),
        (interrupt, KeyboardInterrupt, "enough"),
    ],
)
@pytest.mark.parametrize("mode", ["avi", "lvt"])
def test_fit_that_fails_in_the_middle(estimator, mode, passes, then, error, match):
    set_tempering(estimator.set_params(tempering=mode), schedule=until(passes, then))
    with Unchanged(estimator, match, error):
        estimator.fit(corpus(), validation_X=corpus())


@pytest.mark.parametrize(
    ("then", "error"), [(lambda: 0.5, ValueError), (interrupt, KeyboardInterrupt)]
)
def test_partial_fit_that_fails_in_the_middle_leaves_whole_steps(then, error):
    lda = small_lda(tempering="avi", schedule=until(0.35, then), total_samples=200)
    with pytest.raises(error, match=r"schedule|enough"):
        lda.partial_fit(corpus())
    assert lda.n_batch_iter_ == 4
    other = small_lda(tempering="avi", schedule=until(9.0, then), total_samples=200)
    assert_array_equal(lda.components_, other.partial_fit(corpus()[:80]).components_)


@pytest.mark.parametrize(
    ("then", "error"), [(lambda: 0.5, ValueError), (interrupt, KeyboardInterrupt)]
)
def test_first_step_that_fails_leaves_nothing(then, error):
    lda = small_lda(tempering="avi", schedule=until(-1.0, then), total_samples=200)
    with Unchanged(lda, "schedule|enough", error):
        lda.partial_fit(corpus())


@pytest.mark.parametrize(("mode", "passes"), [("avi", -1.0), ("avi", 1.5), ("lvt", 0.35)], ids=str)
def test_failed_fit_leaves_the_random_state(mode, passes):
    generator = np.random.RandomState(3)
    lda = small_lda(tempering=mode, schedule=until(passes, interrupt), random_state=generator)
    with pytest.raises(KeyboardInterrupt):
        lda.fit(corpus())
    assert generator.randint(2**31) == np.random.RandomState(3).randint(2**31)


def test_failed_first_partial_fit_leaves_the_random_state():
    generator = np.random.RandomState(3)
    lda = small_lda(random_state=generator, batch_size=60)
    with pytest.raises(ValueError, match="chunk 1 of X"):
        lda.partial_fit(iter([corpus()[:50], -corpus()]))
    assert generator.randint(2**31) == np.random.RandomState(3).randint(2**31)


@pytest.mark.parametrize(("dtype", "n"), [(np.float64, 3), (np.int64, 19_000)])
def test_sums_of_counts_that_are_given_several_times_are_checked(dtype, n):
    lda = small_lda().fit(corpus())
    same_place = np.full(n, 1e15, dtype), np.zeros(n, dtype=int), [0, n]
    with pytest.raises(ValueError, match=r"Huge values in data passed to X: row 0 has .* column 0"):
        lda.transform(sp.csr_matrix(same_place, shape=(1, 60)))
