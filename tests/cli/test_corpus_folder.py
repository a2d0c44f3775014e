"""Counts that `fit` keeps, and what it says when it is interrupted."""

import os
import signal
import subprocess
import sys

import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA, load

FIT = ("--topics", "3", "--passes", "4", "--output", "m.topics")


def interrupted(*_, **__):
    raise KeyboardInterrupt


@pytest.fixture
def names(text, monkeypatch):
    """The names in the current folder, which is that of the texts."""
    monkeypatch.chdir(text.parent)
    return lambda: sorted(path.name for path in text.parent.iterdir())


def test_an_interrupted_fit_keeps_its_counts(run, names, monkeypatch, model_of_lines):
    with monkeypatch.context() as patch:
        patch.setattr(TemperedLDA, "fit", interrupted)
        status, out, err = run("fit", "docs.txt", *FIT, "--corpus-folder", "kept")
    assert (status, out) == (130, "")
    assert "interrupted: no model is saved, but kept has the counts; topictemper fit kept" in err
    assert names() == ["docs.txt", "kept"]
    assert run("fit", "kept", *FIT)[0] == 0
    again, usual = load("m.topics"), load(model_of_lines)
    assert_array_equal(again.components_, usual.lda_.components_)
    assert again.feature_names_in_.tolist() == usual.feature_names_.tolist()
    assert run("score", "m.topics", "docs.txt")[1] == run("score", model_of_lines, "docs.txt")[1]


def test_the_command_to_go_on_is_for_a_shell(run, names, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(TemperedLDA, "fit", interrupted)
        _, _, err = run("fit", "docs.txt", *FIT, "--corpus-folder", "my counts")
    assert "my counts has the counts; topictemper fit 'my counts' learns from them" in err
    _, _, err = run("fit", "docs.txt", *FIT, "--corpus-folder", "my counts")
    assert "my counts has counts already; topictemper fit 'my counts' learns from them" in err


def test_counts_are_not_kept_among_texts(fails, text, names):
    (text.parent / "posts").mkdir()
    text.rename(text.parent / "posts" / "docs.txt")
    for folder in ("posts/kept", "posts/a/../kept", "posts/no/kept"):
        err = fails("fit", "posts", *FIT, "--corpus-folder", folder)
        assert f"{folder} is in posts, where every file is read as text" in err
    assert names() == ["posts"]
    assert [path.name for path in (text.parent / "posts").iterdir()] == ["docs.txt"]


def test_an_interrupt_says_what_is_lost(run, names, monkeypatch, matrix):
    monkeypatch.setattr(TemperedLDA, "fit", interrupted)
    status, _, err = run("fit", "docs.txt", *FIT)
    assert status == 130
    assert "no model is saved, and the counts are lost; --corpus-folder would keep them" in err
    status, _, err = run("fit", matrix, *FIT)
    assert status == 130
    assert err.endswith("interrupted: no model is saved\n")
    assert names() == ["docs.txt", "matrix"]


def test_an_interrupt_while_counting_leaves_no_folder(run, names, monkeypatch):
    monkeypatch.setattr("topictemper.text._model.learn_vocabulary", interrupted)
    status, _, err = run("fit", "docs.txt", *FIT, "--corpus-folder", "kept")
    assert status == 130
    assert err.endswith("interrupted: no model is saved, and counting had not ended\n")
    assert names() == ["docs.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes at once")
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_signal_while_learning(text, tmp_path, number, status):
    temporary, kept = tmp_path / "temporary", tmp_path / "kept"
    temporary.mkdir()
    (tmp_path / "m.topics").write_text("the old model")
    files = ("--output", tmp_path / "m.topics", "--corpus-folder", kept)
    # Tests that a shell runs in the background ignore SIGINT, and so would their children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "topictemper", "fit", text, "--passes", "1000000", *files],
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    signal.signal(signal.SIGINT, before)
    with process:
        try:
            while b"pass 2/" not in process.stderr.readline():
                assert process.poll() is None
            process.send_signal(number)
            _, err = process.communicate(timeout=300)
        finally:
            process.kill()  # whatever failed: so many passes take hours
    assert process.returncode == status
    assert (b"interrupted: no model is saved, but" in err) == (number != signal.SIGKILL)
    assert not any(temporary.iterdir())
    assert (tmp_path / "m.topics").read_text() == "the old model"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "docs.txt",
        "kept",
        "m.topics",
        "temporary",
    ]
    assert (kept / "corpus.json").exists()


def test_what_is_no_new_folder_is_refused_before_the_work(fails, names, matrix, monkeypatch):
    (matrix.parent / "corpus.json").write_text("{}")
    before = names()
    monkeypatch.setattr("topictemper.text._model.learn_vocabulary", None)
    for folder, message in (
        ("m.topics", "--corpus-folder and --output are the same"),
        ("docs.txt", "docs.txt exists; a corpus is written to a new folder"),
        ("no/kept", "cannot be written: No such file or directory"),
        ("docs.txt/kept", "docs.txt/kept cannot be written: Not a directory"),
        ("matrix", "matrix has counts already; topictemper fit matrix learns from them"),
    ):
        assert message in fails("fit", "docs.txt", *FIT, "--corpus-folder", folder)
    assert "--corpus-folder is for text" in fails("fit", matrix, *FIT, "--corpus-folder", "kept")
    assert names() == before
