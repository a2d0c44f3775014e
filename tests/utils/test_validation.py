import re
from multiprocessing import current_process

import joblib
import numpy as np
import pytest
from scipy.sparse import csr_array

from topictemper import TemperedLDA
from topictemper._utils import _validation as check
from topictemper._utils._counts import sample_weights
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture
from topictemper.topics import shares_by_group


def test_tables_include_the_ends_of_their_range():
    ends = [1.0, 2.0]
    assert check.table("it", ends, [(2,)], 1.0, 2.0).tolist() == ends
    for wrong in (0.999, 2.001, np.nan, np.inf):
        with pytest.raises(
            ValueError, match=rf"it must hold .* from 1 to 2, got {wrong} at \(1,\)"
        ):
            check.table("it", [1.5, wrong], [(2,)], 1.0, 2.0)


@pytest.mark.parametrize("flag", [True, np.False_])
def test_a_flag_is_no_number(flag):
    for kind, wanted in ((check.integer, "int"), (check.number, "float")):
        with pytest.raises(TypeError, match=f"it must be an instance of {wanted}, not bool"):
            kind("it", flag, 0)


TAKES_NUMBERS = {
    "prior": lambda values: check.table("it", values, [(3,)], 0.0, 1.0),
    "weights of rows": lambda values: sample_weights(values, 3),
    "topics": lambda values: check.topics("it", np.ma.vstack([values, values])),
    "shares": lambda values: shares_by_group(values[:, None], ["a", "b", "b"]),
    "weights of shares": lambda values: shares_by_group(
        np.ones((3, 1)), list("abb"), weights=values
    ),
}


@pytest.mark.parametrize("of", TAKES_NUMBERS)
@pytest.mark.filterwarnings("error")
def test_what_numpy_would_drop_is_refused(of):
    takes = TAKES_NUMBERS[of]
    with pytest.raises(ValueError, match="has masked values"):
        takes(np.ma.array([0.5, 0.5, 0.5], mask=[True, False, False]))
    with pytest.raises(ValueError, match="omplex"):
        takes(np.array([0.5, 0.5, 0.5 + 1j]))


@pytest.mark.parametrize("of", ["prior", "weights of rows", "weights of shares"])
def test_text_of_digits_is_refused(of):
    with pytest.raises(ValueError, match="must hold numbers: the entries are text"):
        TAKES_NUMBERS[of](["0.5", "0.5", "0.5"])


@pytest.mark.parametrize("time", [np.datetime64("1970-01-02"), np.timedelta64(1, "D")])
@pytest.mark.parametrize("values", [[2, 1, None], np.array([2, 1, None]), [None, None, None]])
def test_weights_that_are_dates_are_refused(values, time):
    times = [time if value is None else value for value in values]
    times = np.array(times, dtype=object) if isinstance(values, np.ndarray) else times
    for weights in (times, np.array([time] * 3)):
        with pytest.raises(TypeError, match=r"^sample_weight must hold numbers: row . has np.*64"):
            sample_weights(weights, 3)


def test_the_row_of_a_duration_among_numbers_is_named():
    with pytest.raises(TypeError, match=r"row 2 has np.timedelta64\(1,'D'\)$"):
        sample_weights([2, 1, np.timedelta64(1, "D")], 3)
    with pytest.raises(TypeError, match=r"row 0 has np.timedelta64\(1,'s'\)$"):
        sample_weights(list(np.ones(3, "m8[s]")), 3)


NO_NUMBERS = {
    "string": ([[1, 0], [0, 1], [1, "x"]], "row 2 has 'x' in column 1"),
    "dict": (np.array([[1, {}], [0, 1]], dtype=object), "row 0 has {} in column 1 .* not 'dict'"),
    "row": (["x", "y"], "row 0 has 'x'"),
    "huge": (np.array([[10**400, 1]], dtype=object), "row 0 has 1000.* in column 0"),
    "durations": (np.ones((2, 2), dtype="m8[s]"), r"got timedelta64\[s\]"),
    "lists of dates": ([[np.datetime64("1970-01-02")] * 2] * 2, "row 0 has .* in column 0"),
    "list with a date": ([[1, 0], [1, np.datetime64("1970-01-02")]], "row 1 has .* in column 1"),
    "list with a duration": ([[1, 0], [1, np.timedelta64(1, "D")]], "row 1 has .* in column 1"),
    "list of arrays": ([np.ones(2, "m8[s]")] * 2, "row 0 has .* in column 0"),
    "object": (np.array([[1, np.timedelta64(1, "D")]], object), "row 0 has .* in column 1"),
}


KINDS = [
    TemperedLDA,
    FactorialMixture,
    BinarySparseCoding,
    SigmoidBeliefNetwork,
    DPGaussianMixture,
]


@pytest.mark.parametrize("of", NO_NUMBERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_number_is_refused_by_its_place(kind, of):
    X, match = NO_NUMBERS[of]
    with pytest.raises((TypeError, ValueError), match=f"^X must hold numbers.*({match})|X holds"):
        kind(2).fit(X)


@pytest.mark.parametrize("kind", KINDS)
def test_what_makes_no_table_is_named(kind):
    no_list = "must have rows of one length: row 1 is not a list, and row 0 is a list of 2"
    for X, match in (
        ([[1, 0], [1, 1], [1]], "must have rows of one length: row 2 is a list of 1, and row 0"),
        ([[1, 0], 1], no_list),
        ([[1, 0], np.array(1)], no_list),
        ([[1, 0], csr_array([[1, 0]])], no_list),
        ([[1, 0], [1, [2, 3]]], r"must hold numbers: row 1 has \[2, 3\] in column 1"),
        ({"a": [1]}, "must hold numbers, got a dict$"),
        ({1, 2}, "must hold numbers, got a set$"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^X {match}"):
            kind(2).fit(X)


class NoDimension:
    """An array without dimensions, which starts to give entries nevertheless, as those of Dask."""

    ndim = 0

    def __iter__(self):
        yield from range(len(self))


def test_what_has_entries():
    for value in ([], (1,), np.ones(2), {1: 2}, {1}, iter("ab"), range(3)):
        assert check.has_entries(value)
    for value in (None, 3, "ab", b"ab", np.array(1.0), NoDimension()):
        assert not check.has_entries(value)


class NoLength:
    """What NumPy takes for an array, but has no length."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(3, dtype=dtype)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("X", [np.arange(3), [1, 2, 3], NoLength()], ids=["array", "list", "like"])
def test_what_has_one_dimension_can_be_reshaped(kind, X):
    with pytest.raises(ValueError, match=r"^X must be a 2D array, got a 1D array of 3\.") as caught:
        kind(2).fit(X)
    row = re.search(r"np\.reshape\(.*?\)\)", str(caught.value))[0]
    assert eval(row).shape == (1, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_no_two_dimensions_is_named(kind):
    for X in (None, 3, np.array(3), []):
        with pytest.raises(ValueError, match=rf"^X must be a 2D array, got {re.escape(repr(X))}$"):
            kind(2).fit(X)
    with pytest.raises(ValueError, match=r"^X: Found array with dim 3"):
        kind(2).fit(np.ones((1, 2, 3)))


def test_a_generator_is_not_taken_for_a_matrix():
    with pytest.raises(TypeError, match=r"^X must hold numbers, got a generator$"):
        FactorialMixture(2).fit(row for row in [[1, 0]])


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_are_no_numbers_are_refused(kind):
    pandas = pytest.importorskip("pandas")
    dates = pandas.to_datetime(["2020-01-01", "2020-01-02"])
    for columns, match in (
        ({"a": [1, 0], "b": ["1", "x"]}, "must hold numbers: row 1 has 'x' in column 1"),
        ({"a": [1, 0], "b": dates}, "must hold numbers, got datetime64"),
        ({"a": dates}, "must hold numbers, got datetime64"),
        ({"dtype": dates, "b": dates}, "must hold numbers, got datetime64"),
        ({}, "is a table without columns$"),
    ):
        frame = pandas.DataFrame(columns, index=range(2))
        with pytest.raises((TypeError, ValueError), match=f"^X {match}"):
            kind(2).fit(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_other_libraries_need_no_dtype(kind):
    class Array:
        shape = (4, 3)

        def __len__(self):
            return 4

        def __array__(self, dtype=None, copy=None):
            return np.eye(4, 3, dtype=dtype)

    kind(2).fit(Array())


@pytest.mark.parametrize("kind", KINDS)
def test_dates_in_a_table_of_arrow_are_refused(kind):
    arrow = pytest.importorskip("pyarrow")
    dates = arrow.array([1, 2], arrow.int32()).cast(arrow.date32())
    with pytest.raises(TypeError, match=r"^X must hold numbers, got date32"):
        kind(2).fit(arrow.table({"a": dates, "b": dates}))


def test_errors_of_frames_with_missing_numbers_are_of_what_is_wrong():
    pandas = pytest.importorskip("pandas")
    holes = pandas.array([1, None, 0], dtype="Int64")
    model = FactorialMixture(2, max_iter=2, tempering="vi", random_state=0)
    for other in (holes, [1.0, 0.0, 1.0]):
        frame = pandas.DataFrame({"a": holes, "b": other})
        with pytest.raises(ValueError, match="feature names"):
            model.fit(frame).transform(frame.rename(columns={"a": "c"}))
        with pytest.raises(ValueError, match="row 1 has nan in column 0"):
            BinarySparseCoding(2).fit(frame)
    with pytest.raises(ValueError, match=r"Expected (2D|a 2-dimensional)"):
        model.fit(frame["a"])


def test_missing_numbers_of_an_array_of_objects_are_nan():
    model = FactorialMixture(2, max_iter=2, tempering="vi", random_state=0)
    holes = np.array([[1.0, None], [None, 0.0], [1.0, 1.0]], dtype=object)
    missing = model.fit_transform(holes)
    assert missing.tolist() == model.fit_transform(holes.astype(float)).tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("sizes", "advice"),
    [
        ({"n_components": 90}, "choose a smaller n_components"),
        ({"n_components": 1, "n_samples": 99}, "fit fewer rows"),
        ({"n_components": 90, "n_samples": 1}, "choose a smaller n_components"),
        ({"n_components": 10, "n_samples": 10}, "choose a smaller n_components, or fit fewer rows"),
        ({"n_components": 90, "n_samples": 90}, "choose a smaller n_components, or fit fewer rows"),
        ({"n_components": 2, "n_states": 50, "n_samples": 2}, "choose a smaller n_states"),
        (
            {"n_components": 4, "n_states": 4, "n_samples": 4},
            "choose a smaller n_components or n_states, or fit fewer rows",
        ),
    ],
)
def test_what_is_advised_where_memory_is_short_would_help(monkeypatch, sizes, advice):
    monkeypatch.setattr("topictemper._utils._validation.usable_memory", lambda: (11, "it"))
    with pytest.raises(ValueError, match=f"it has .* GiB; {advice}$"):
        check.check_size(lambda **sizes: sum(sizes.values()), 5, **sizes)
    enough = sum(sizes.values())
    monkeypatch.setattr("topictemper._utils._validation.usable_memory", lambda: (enough, "it"))
    check.check_size(lambda **sizes: sum(sizes.values()), 5, **sizes)


def test_processes_that_may_not_start_others_have_threads(monkeypatch):
    # Such are the workers of multiprocessing.Pool, and those of Dask as they come.
    monkeypatch.setitem(current_process()._config, "daemon", True)
    monkeypatch.setattr(check, "cpu_count", lambda: 8)
    assert [check.threads(n_jobs) for n_jobs in (None, 3, -1, -2, -100)] == [1, 3, 8, 7, 1]


def test_threads_are_those_of_this_machine(monkeypatch):
    monkeypatch.setattr(check, "cpu_count", lambda: 8)
    # As if to processes of a cluster: they are for what joblib sends there.
    with joblib.parallel_config("threading", n_jobs=50):
        assert [check.threads(n_jobs) for n_jobs in (None, -1)] == [1, 8]
