import json
import os
import stat

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from topictemper import TemperedLDA, _persistence
from topictemper._persistence import load_model, save_model, writable_path
from topictemper.datasets import make_lda_corpus

COUNTS = make_lda_corpus(120, 40, 3, random_state=0).counts
WORDS = [f"wört{v}" for v in range(40)]


def _fitted(**parameters):
    settings = {"max_iter": 3, "batch_size": 20, "random_state": 0, **parameters}
    return TemperedLDA(3, **settings).fit(COUNTS)


@pytest.fixture(scope="module")
def model():
    return _fitted()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


@pytest.mark.parametrize("tempering", ["svi", "avi", "vt", "lvt", "dasvi"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_model_comes_back(path, tempering, dtype):
    model = _fitted(tempering=tempering, dtype=dtype, doc_topic_prior=0.3)
    save_model(model, path, WORDS)
    restored, words = load_model(path)
    assert words == WORDS
    assert restored.get_params() == model.get_params()
    assert restored.components_.dtype == dtype
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(restored.components_, model.components_, rtol=tolerance)
    np.testing.assert_array_equal(restored.doc_topic_prior_, model.doc_topic_prior_)
    assert restored.topic_word_prior_ == model.topic_word_prior_
    np.testing.assert_allclose(
        restored.transform(COUNTS), model.transform(COUNTS), rtol=100 * tolerance
    )
    assert restored.score(COUNTS) == pytest.approx(model.score(COUNTS), rel=tolerance)
    np.testing.assert_allclose(
        restored.document_temperatures(COUNTS),
        model.document_temperatures(COUNTS),
        rtol=100 * tolerance,
    )
    assert restored.top_words(5, words) == model.top_words(5, WORDS)
    if tempering in ("vt", "lvt"):
        assert restored.score(COUNTS, tempered=True) == pytest.approx(
            model.score(COUNTS, tempered=True), rel=tolerance
        )


def test_a_restored_model_learns_on(model, path):
    save_model(model, path)
    restored, words = load_model(path)
    assert words is None
    before = restored.components_
    restored.partial_fit(COUNTS)
    assert not np.array_equal(restored.components_, before)


def test_numpy_parameters_become_plain(path):
    model = _fitted(
        doc_topic_prior=np.float32(0.5), batch_size=np.int64(20), dtype=np.float64, random_state=1
    )
    save_model(model, path, np.array(WORDS))
    restored, words = load_model(path)
    assert restored.dtype == "float64"
    assert (type(restored.doc_topic_prior), restored.doc_topic_prior) == (float, 0.5)
    assert (type(restored.batch_size), restored.batch_size) == (int, 20)
    assert {type(word) for word in words} == {str}


def _one_temperature(passes):
    return 1.0


@pytest.mark.parametrize(
    "parameters",
    [{"schedule": _one_temperature}, {"random_state": np.random.RandomState(0)}],
    ids=["schedule", "random_state"],
)
def test_parameters_that_no_file_can_hold(path, parameters):
    model = _fitted(**parameters)
    with pytest.raises(ValueError, match=rf"{next(iter(parameters))}=.* cannot be written"):
        save_model(model, path)
    assert not path.exists()


def test_wrong_arguments(model, path):
    with pytest.raises(TypeError, match="model must be a TemperedLDA, not dict"):
        save_model({}, path)
    with pytest.raises(NotFittedError):
        save_model(TemperedLDA(), path)
    with pytest.raises(ValueError, match="vocabulary has 3 words; the model has 40 columns"):
        save_model(model, path, WORDS[:3])
    with pytest.raises(TypeError, match="not one string"):
        save_model(model, path, "w" * 40)
    with pytest.raises(TypeError, match="must hold strings, not 0"):
        save_model(model, path, range(40))
    assert not path.exists()


def test_name_is_taken_as_it_is_and_nothing_else_is_left(model, tmp_path):
    save_model(model, tmp_path / "model")
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_failure_leaves_the_old_file(model, path, monkeypatch):
    save_model(model, path, WORDS)
    old = path.read_bytes()

    def fill_up(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", fill_up)
    with pytest.raises(OSError, match="No space left"):
        save_model(model, path)
    assert path.read_bytes() == old
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_link_is_followed(model, path, tmp_path):
    target = tmp_path / "target.npz"
    target.write_text("old")
    path.symlink_to(target)
    save_model(model, path)
    assert path.is_symlink()
    load_model(target)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file(model, path, tmp_path):
    save_model(model, path)
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_where_nothing_can_be_written(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        writable_path(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"absent.*cannot be written: No such file"):
        writable_path(tmp_path / "absent" / "model.npz")
    with pytest.raises(NotADirectoryError, match="cannot be written"):
        writable_path(file / "model.npz")
    with pytest.raises(OSError, match="is not a regular file"):
        writable_path(os.devnull)


def test_writable_path_leaves_nothing(path):
    assert writable_path(path) == path.resolve()
    assert not list(path.parent.iterdir())


def _truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def _damaged(path):
    content = bytearray(path.read_bytes())
    content[200:300] = bytes(byte ^ 0xFF for byte in content[200:300])
    path.write_bytes(content)


def _empty(path):
    path.write_bytes(b"")


def _text(path):
    path.write_text("not an archive")


def _other_archive(path):
    np.savez(path, x=np.zeros(3))


def _one_array(path):
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))


def _pickle(path):
    np.savez(path, header=np.array([{}], dtype=object))


def _json_list(path):
    np.savez(path, header=np.frombuffer(b"[1, 2]", np.uint8))


@pytest.mark.parametrize(
    "spoil",
    [_truncated, _damaged, _empty, _text, _other_archive, _one_array, _pickle, _json_list],
)
def test_broken_and_foreign_files(model, path, spoil):
    save_model(model, path, WORDS)
    spoil(path)
    with pytest.raises(ValueError, match=r"model\.npz is not a topictemper model, or damaged"):
        load_model(path)


def _rewrite(path, arrays=None, **changes):
    with np.load(path) as archive:
        content = {name: archive[name] for name in archive.files}
    header = json.loads(content["header"].tobytes())
    header.update(changes)
    content["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **(content | (arrays or {})))


def test_file_of_a_later_version(model, path):
    save_model(model, path)
    _rewrite(path, schema=_persistence._SCHEMA + 1, version="9.1", parameters="in another form")
    with pytest.raises(ValueError, match=r"model\.npz was written by topictemper 9\.1"):
        load_model(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"n_components": 4}},
        {"parameters": {"n_components": 3, "unheard_of": 1}},
        {"parameters": {"n_components": 3, "tempering": "cold"}},
        {"vocabulary": WORDS[:3]},
        {"topic_word_prior": None},
        {"topic_word_prior": -1.0},
        {"inverse_temperature": 2.0},
        {"inverse_temperature": float("nan")},
        {"arrays": {"components": np.ones(3)}},
        {"arrays": {"components": np.full((3, 40), np.nan)}},
        {"arrays": {"components": np.ones((3, 40), dtype=int)}},
        {"arrays": {"components": np.ones((2, 40))}},
        {"arrays": {"doc_topic_prior": np.zeros(3)}},
    ],
)
def test_contents_that_do_not_fit(model, path, changes):
    save_model(model, path)
    _rewrite(path, **changes)
    with pytest.raises(ValueError, match=r"model\.npz is a damaged topictemper model: "):
        load_model(path)


def test_absent_file(path):
    with pytest.raises(FileNotFoundError):
        load_model(path)
