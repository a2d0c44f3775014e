"""The folder of a checkpoint, and fits that go on from one."""

import json

import numpy as np
import pytest
from sklearn.base import clone

import topictemper
from topictemper.dask._checkpoint import Checkpoint, State, as_json
from topictemper.dask._executors import Local
from topictemper.tempering import Annealing

from .documents import array_with, bits, counts, estimator, failing, made


def test_the_last_round_and_the_best_one_stay(tmp_path):
    checkpoint = Checkpoint(tmp_path, {"seed": 0})
    assert checkpoint.begin() is None
    for n, best in ((1, 1), (2, 1), (3, 1), (4, 4)):
        written = State(n, {"n": n}, [np.full(2, n)], [np.full(2, -n)])
        read = checkpoint.write(Local(), written, {"best_round": best})
        assert (read.n_rounds, read.tree) == (n, {"n": n})
        assert (read.blocks[0].tolist(), read.averages[0].tolist()) == ([n, n], [-n, -n])
        rounds = {path.name for path in tmp_path.glob("round-*")}
        assert rounds == {f"round-{k:06d}" for k in (n, best)}
    assert Checkpoint(tmp_path, {"seed": 0}).begin() == {"best_round": 4}
    with pytest.raises(ValueError, match="of another fit: seed was 0 and is 1 now"):
        Checkpoint(tmp_path, {"seed": 1}).begin()
    with pytest.raises(FileExistsError, match="checkpoint of an earlier fit"):
        Checkpoint.check_new(tmp_path)


def test_parameters_with_other_arrays_are_others():
    array = np.arange(6.0)
    same = [as_json({"prior": [1, 2], "init": value}) for value in (array, array.copy())]
    assert same[0] == same[1]
    for other in (array.reshape(2, 3), array.astype(np.float32), array + 1, array.view(np.int64)):
        assert as_json({"prior": [1, 2], "init": other}) != same[0]


class Mine(Annealing):
    """A subclass, which `load` does not know."""


def test_what_no_file_holds_is_refused_before_documents_are_read(tmp_path):
    X = array_with(0, failing, made(tmp_path / "loads"), 0)
    with pytest.raises(ValueError, match=r"tempering=Mine\(\) cannot be written .* of Annealing"):
        estimator(tempering=Mine(), checkpoint=tmp_path / "rounds").fit(X)
    assert not [*(tmp_path / "loads").iterdir()]
    assert not (tmp_path / "rounds").exists()


# A fit that was broken off goes on with the same bits


def test_the_file_system_does_not_matter(reference, tmp_path):
    (tmp_path / "rounds" / "round-tables").mkdir(parents=True)  # of somebody else
    lda = estimator(checkpoint=tmp_path / "rounds").fit(counts())
    assert bits(lda) == reference
    assert bits(estimator(checkpoint=tmp_path / "rounds").fit(counts(), resume=True)) == reference
    names = {path.name for path in (tmp_path / "rounds").iterdir()}
    assert names == {"checkpoint.json", "round-000004", "round-tables"}


# Each block is loaded twice before the first round, and then about once in a pass.
@pytest.mark.parametrize("when", [2, 3, 4])
def test_an_error_in_a_round(reference, tmp_path, when):
    X = array_with(4, failing, made(tmp_path / "loads"), when)
    lda = estimator(checkpoint=tmp_path / "rounds")
    with pytest.raises(OSError, match="the disk is gone"):
        lda.fit(X)
    assert not hasattr(lda, "client_")
    written = list((tmp_path / "rounds").glob("round-*"))
    assert len(written) == (0 if when == 2 else 1)
    assert bits(lda.fit(X, resume=True)) == reference


def test_a_random_state_goes_on_where_it_was(tmp_path):
    X = array_with(4, failing, made(tmp_path / "loads"), 3)
    lda = estimator(checkpoint=tmp_path / "rounds", random_state=np.random.RandomState(5))
    whole = clone(lda).set_params(checkpoint=None).fit(counts())
    with pytest.raises(OSError, match="the disk is gone"):
        lda.fit(X)
    assert bits(lda.fit(X, resume=True)) == bits(whole)


def test_early_stopping_goes_on(tmp_path):
    X, held_out = counts(), counts()[:100]
    stops = {"early_stopping": True, "n_iter_no_change": 1, "max_iter": 50}
    stops["learning_offset"] = 1.0
    whole = estimator(**stops).fit(X, validation_X=held_out)
    broken = array_with(1, failing, made(tmp_path / "loads"), 3)
    lda = estimator(**stops, checkpoint=tmp_path / "rounds")
    with pytest.raises(OSError, match="the disk is gone"):
        lda.fit(broken, validation_X=held_out)
    lda.fit(broken, validation_X=held_out, resume=True)
    assert bits(lda) == bits(whole)
    assert (lda.score_history_ == whole.score_history_).all()
    with pytest.raises(ValueError, match=r"validation_X was '100 rows, .*' and is '100 rows, "):
        lda.fit(broken, validation_X=X[100:200], resume=True)


def test_a_seed_of_no_name_is_remembered(tmp_path):
    X = array_with(4, failing, made(tmp_path / "loads"), 4)
    lda = estimator(random_state=None, checkpoint=tmp_path / "rounds")
    with pytest.raises(OSError, match="the disk is gone"):
        lda.fit(X)
    seed = json.loads((tmp_path / "rounds" / "checkpoint.json").read_text())["record"]["seed"]
    lda.fit(X, resume=True)
    again = json.loads((tmp_path / "rounds" / "checkpoint.json").read_text())["record"]["seed"]
    assert seed == again


@pytest.mark.parametrize(
    ("parameters", "X", "what"),
    [
        ({"n_shards": 2}, counts, "n_shards was 3 and is 2 now"),
        ({"rounds_per_pass": 3}, counts, "rounds_per_pass was 2 and is 3 now"),
        ({"learning_decay": 0.6}, counts, "learning_decay was 0.7 and is 0.6 now"),
        ({"isa": "baseline"}, counts, r"isa was '\w+ \(.*\)' and is 'baseline"),
        ({}, lambda: counts()[::-1], "documents was '300 x 60, .*' and is '300 x 60"),
        ({}, lambda: counts()[:-1], "documents was '300 x 60, .*' and is '299 x 60"),
    ],
)
def test_another_fit_is_refused(tmp_path, parameters, X, what):
    if parameters.get("isa") == topictemper.get_isa():
        pytest.skip("one instruction set only")
    folder = tmp_path / "rounds"
    estimator(checkpoint=folder, max_iter=1).fit(counts())
    before = (folder / "checkpoint.json").read_bytes()
    with pytest.raises(ValueError, match=what):
        estimator(checkpoint=folder, max_iter=1, **parameters).fit(X(), resume=True)
    with pytest.raises(FileExistsError, match="resume=True"):
        estimator(checkpoint=folder, max_iter=1).fit(counts())
    assert (folder / "checkpoint.json").read_bytes() == before


@pytest.mark.parametrize("name", ["checkpoint.json", "topics-00000.npz", "state.npz"])
def test_a_damaged_file_is_named(tmp_path, name):
    folder = tmp_path / "rounds"
    estimator(checkpoint=folder, max_iter=1).fit(counts())
    [path] = folder.rglob(name)
    content = bytearray(path.read_bytes())
    # More than one byte: some, such as the time of a member, mean nothing.
    middle = slice(len(content) // 2, len(content) // 2 + 100)
    content[middle] = bytes(byte ^ 0xFF for byte in content[middle])
    path.write_bytes(content)
    with pytest.raises(ValueError, match=name):
        estimator(checkpoint=folder, max_iter=1).fit(counts(), resume=True).to_local()


def test_resume_without_a_folder():
    with pytest.raises(ValueError, match="set the parameter checkpoint"):
        estimator().fit(counts(), resume=True)
