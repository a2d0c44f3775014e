"""Counts that `fit` keeps, and what it says when it is interrupted."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA, TopicModel, load
from topictemper.datasets import save_corpus
from topictemper.lda._monitor import Monitor
from topictemper.lda._training import Trainer
from topictemper.text._summaries import TopicStatistics

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
    assert_same(again, usual)
    assert run("score", "m.topics", "docs.txt")[1] == run("score", model_of_lines, "docs.txt")[1]


def assert_same(again, usual):
    assert_array_equal(again.lda_.components_, usual.lda_.components_)
    assert again.vectorizer_.get_params() == usual.vectorizer_.get_params()
    assert again.vectorizer_.vocabulary_ == usual.vectorizer_.vocabulary_
    assert again.topics_.equals(usual.topics_)
    assert again.unknown_share_ == usual.unknown_share_


@pytest.mark.parametrize(
    "options",
    [
        ("--token-pattern", "[a-z]{5,}", "--min-df", "2"),
        ("--ngrams", "2", "--stop-words", "stop.txt"),
        ("--vocabulary", "words.txt"),
    ],
)
def test_a_folder_knows_how_its_texts_were_counted(run, names, lines, options):
    pytest.importorskip("pandas", reason="pandas is not installed")
    words = sorted(set(" ".join(lines).split()))
    with open("stop.txt", "w") as stop, open("words.txt", "w") as some:
        stop.write(f"{words[0]}\n{words[5]}\n")
        some.write("\n".join(words[::2]))
    assert run("fit", "docs.txt", *FIT, *options, "--corpus-folder", "kept")[0] == 0
    usual, scores = load("m.topics"), run("score", "m.topics", "docs.txt")
    assert run("fit", "kept", *FIT)[0] == 0
    assert_same(load("m.topics"), usual)
    assert run("score", "m.topics", "docs.txt") == scores
    assert run("score", "m.topics", "kept")[1].split()[0] == scores[1].split()[0]


def test_words_of_a_folder_may_be_renamed(run, names, lines):
    words = sorted(set(" ".join(lines).split()))[::2]
    Path("words.txt").write_text("\n".join(words))
    Path("names.txt").write_text("\n".join(f"{word}s" for word in words))
    run("fit", "docs.txt", *FIT, "--vocabulary", "words.txt", "--corpus-folder", "kept")
    status, _, err = run("fit", "kept", *FIT, "--vocabulary", "names.txt")
    assert (status, "cannot occur" in err) == (0, False)
    vectorizer = load("m.topics").vectorizer_
    assert vectorizer.vocabulary == list(vectorizer.vocabulary_) == [f"{word}s" for word in words]


def test_new_names_that_are_in_no_text_give_a_warning(run, names):
    run("fit", "docs.txt", *FIT, "--ngrams", "2", "--corpus-folder", "kept")
    words = Path("kept/vocab.txt").read_text().split("\n")[:-1]
    assert any(" " in word for word in words)
    words[:3] = ["Some", "runs of words", "words"]
    Path("names.txt").write_text("\n".join(words))
    _, _, err = run("fit", "kept", *FIT, "--vocabulary", "names.txt")
    told = f"2 of {len(words)} words of the vocabulary cannot occur in text, such as 'Some': "
    assert f"{told}the texts of kept were not cut into such words" in err


def test_words_that_are_found_by_what_stands_around_them_give_no_warning(run, names):
    Path("tags.txt").write_text(re.sub(r"(\w+)", r"#\1", Path("docs.txt").read_text()))
    run("fit", "tags.txt", *FIT, "--token-pattern", r"#(\w+)", "--corpus-folder", "kept")
    words = Path("kept/vocab.txt").read_text().split("\n")[:-1]
    Path("names.txt").write_text("\n".join([*words[:-1], "other"]))
    status, _, err = run("fit", "kept", *FIT, "--vocabulary", "names.txt")
    assert (status, "cannot occur" in err) == (0, False)


def test_what_counted_a_folder_may_be_functions(run, fails, names):
    texts = ["apples pears", "boats water"] * 10
    model = TopicModel(2, lda=TemperedLDA(max_iter=1), random_state=0)
    model.fit([text.split() for text in texts], corpus_folder="of tokens")
    assert run("fit", "of tokens", *FIT)[0] == 0
    assert "the model was fitted to lists of tokens" in fails("score", "m.topics", "docs.txt")
    model.set_params(vectorizer__analyzer=str.split, vectorizer__max_df=1.0)
    model.fit(texts, corpus_folder="of a function")
    model.set_params(vectorizer__analyzer="word", vectorizer__stop_words=["the", b"of"])
    model.fit(texts, corpus_folder="of bytes")
    for folder in ("of a function", "of bytes"):
        err = run("fit", folder, *FIT)[2]
        assert f"{folder} does not hold the vectorizer that counted it" in err
        assert isinstance(load("m.topics"), TemperedLDA)


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ([], "damaged; it has notes"),
        ({"unknown_share": 0}, "damaged; vectorizer: 'vectorizer' is missing"),
        ({"vectorizer": None, "unknown_share": 2}, "damaged; unknown_share: unknown_share == 2"),
        ({"vectorizer": {"tokenizer": "?"}, "unknown_share": 0}, "damaged; vectorizer: tokenizer"),
        (
            {"vectorizer": {"ngram_range": ["a", "b"]}, "unknown_share": 0},
            "damaged; vectorizer/ngram_range: no whole numbers",
        ),
    ],
)
def test_a_damaged_note_is_refused(fails, names, notes, message):
    save_corpus("kept", [[1, 2]] * 5, ["red", "blue"])
    header = json.loads(Path("kept/corpus.json").read_text())
    Path("kept/corpus.json").write_text(json.dumps(header | {"notes": notes}))
    assert f"corpus.json: {message}" in fails("fit", "kept", *FIT)


def test_a_folder_without_words_is_refused(fails, names):
    model = TopicModel(2, lda=TemperedLDA(max_iter=1), random_state=0)
    model.set_params(vectorizer__analyzer="char", vectorizer__ngram_range=(2, 2))
    model.fit(["the boats", "some water"] * 9, corpus_folder="kept")
    told = "kept: no vocab.txt; if its words cannot be lines of a file, fit the texts themselves"
    assert told in fails("fit", "kept", *FIT)


def test_a_folder_is_not_counted_otherwise(fails, names):
    save_corpus("kept", [[1, 2]] * 5, ["red", "blue"])
    for option in ("--token-pattern=[a-z]+", "--ngrams=2", "--stop-words=none", "--min-df=2"):
        name = option.split("=")[0]
        told = f"{name} has no effect on kept, which is counted already"
        assert told in fails("fit", "kept", *FIT, option)


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
            while b"pass 1/" not in process.stderr.readline():
                assert process.poll() is None
            process.send_signal(number)
            _, err = process.communicate(timeout=300)
        finally:
            process.kill()  # whatever failed: so many passes take hours
    assert process.returncode == status
    saved = tmp_path / "m.topics.interrupted"
    told = f"interrupted: the model of the whole passes is {saved}, and {kept} has the counts"
    assert (told.encode() in err) == saved.exists() == (number != signal.SIGKILL)
    if saved.exists():
        passes = re.search(rb"interrupted after (\d+) of 1000000 whole passes", err)
        assert load(saved).lda_.n_iter_ == int(passes[1])
        saved.unlink()
    assert not any(temporary.iterdir())
    assert (tmp_path / "m.topics").read_text() == "the old model"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "docs.txt",
        "kept",
        "m.topics",
        "temporary",
    ]
    assert (kept / "corpus.json").exists()


@pytest.fixture
def signal_at(monkeypatch):
    """Let a signal come at the end of some passes, numbered from 1."""
    after_pass = Monitor.after_pass

    def signal_at(*passes):
        def signalling(self, done):
            stop = after_pass(self, done)
            if done in passes:
                signal.raise_signal(signal.SIGINT)
            return stop

        monkeypatch.setattr(Monitor, "after_pass", signalling)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal_at
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", ["text", "matrix", "folder"])
def test_the_whole_passes_of_an_interrupted_fit_are_saved(
    run, names, text, matrix, signal_at, kind
):
    run("fit", text, *FIT, "--corpus-folder", "folder")
    whole = Path("m.topics").read_bytes()
    file = {"text": text, "matrix": matrix, "folder": "folder"}[kind]
    signal_at(3)
    status, out, err = run("fit", file, *FIT)
    assert (status, out) == (130, "")
    assert "fit was interrupted after 3 of 4 whole passes" in err
    assert "interrupted: the model of the whole passes is m.topics.interrupted" in err
    model = load("m.topics.interrupted")
    assert getattr(model, "lda_", model).n_iter_ == 3
    assert Path("m.topics").read_bytes() == whole
    assert run("score", "m.topics.interrupted", file)[0] == 0


def test_an_interrupt_that_is_ignored_stays_so(run, names, signal_at):
    signal_at(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a script's background jobs
    assert run("fit", "docs.txt", *FIT)[0] == 0
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert handlers == [signal.SIG_IGN, signal.SIG_DFL]


def test_an_interrupted_fit_saves_beside_the_file_that_a_link_leads_to(run, names, signal_at):
    Path("models").mkdir()
    Path("link.topics").symlink_to("models/whole.topics")
    signal_at(2)
    status, _, err = run("fit", "docs.txt", *FIT[:-1], "link.topics")
    saved = Path("models/whole.topics.interrupted").resolve()
    assert (status, [saved]) == (130, list(saved.parent.iterdir()))
    assert f"interrupted: the model of the whole passes is {saved}" in err
    assert load(saved).lda_.n_iter_ == 2


def test_the_file_of_an_interrupted_fit_is_checked_before_the_work(fails, names):
    texts = Path("docs.txt").read_bytes()
    Path("m.topics.interrupted").write_bytes(texts)
    told = "m.topics.interrupted: this would overwrite the input"
    assert told in fails("fit", "m.topics.interrupted", "--format", "text", *FIT)
    assert Path("m.topics.interrupted").read_bytes() == texts
    Path("m.topics.interrupted").unlink()
    Path("m.topics.interrupted").mkdir()
    assert "m.topics.interrupted is a folder" in fails("fit", "docs.txt", *FIT)


@pytest.mark.parametrize("earlier", [(), (2,)])
def test_an_interrupt_while_topics_are_inferred_saves_the_model(
    run, names, monkeypatch, signal_at, earlier
):
    signal_at(*earlier)
    add = TopicStatistics.add

    def signalling(*arguments):
        signal.raise_signal(signal.SIGINT)
        add(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(TopicStatistics, "add", signalling)
        status, _, err = run("fit", "docs.txt", *FIT)
    assert status == 130
    assert ("fit was interrupted after 2 of 4 whole passes" in err) == bool(earlier)
    assert "interrupted after its passes, while topics of the documents were inferred" in err
    assert "interrupted: the model of the whole passes is m.topics.interrupted" in err
    assert load("m.topics.interrupted").lda_.n_iter_ == (2 if earlier else 4)
    assert run("topics", "m.topics.interrupted", "--json")[0] == 0


def test_an_interrupt_while_the_model_is_saved_saves_nothing(run, names, monkeypatch, signal_at):
    signal_at(2)
    monkeypatch.setattr(TopicModel, "save", lambda *_: signal.raise_signal(signal.SIGINT))
    status, _, err = run("fit", "docs.txt", *FIT)
    assert status == 130
    assert "fit was interrupted after 2 of 4 whole passes" in err
    assert "interrupted: no model is saved" in err
    assert names() == ["docs.txt"]


def test_an_interrupt_in_the_first_pass_saves_nothing(run, names, monkeypatch, signal_at):
    step = Trainer.step

    def signalling(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return step(*arguments, **options)

    signal_at()
    monkeypatch.setattr(Trainer, "step", signalling)
    status, _, err = run("fit", "docs.txt", *FIT)
    assert status == 130
    assert "interrupted: no model is saved" in err
    assert names() == ["docs.txt"]


def test_what_is_no_new_folder_is_refused_before_the_work(fails, names, matrix, monkeypatch):
    (matrix.parent / "corpus.json").write_text("{}")
    before = names()
    monkeypatch.setattr("topictemper.text._model.learn_vocabulary", None)
    for folder, message in (
        ("m.topics", "--corpus-folder and --output are the same"),
        ("m.topics.interrupted", "the file that an interrupted fit saves its model in"),
        ("docs.txt", "docs.txt exists; a corpus is written to a new folder"),
        ("no/kept", "cannot be written: No such file or directory"),
        ("docs.txt/kept", "docs.txt/kept cannot be written: Not a directory"),
        ("matrix", "matrix has counts already; topictemper fit matrix learns from them"),
    ):
        assert message in fails("fit", "docs.txt", *FIT, "--corpus-folder", folder)
    assert "--corpus-folder is for text" in fails("fit", matrix, *FIT, "--corpus-folder", "kept")
    assert names() == before
