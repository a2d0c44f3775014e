import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import topictemper
from topictemper import TemperedLDA, load
from topictemper.cli import _demo
from topictemper.cli._main import _parser
from topictemper.datasets import make_lda_corpus, read_corpus, save_corpus, write_corpus
from topictemper.mixture import DPGaussianMixture

from ..text.small_texts import THEMES

COMMANDS = list(_parser()._subparsers._group_actions[0].choices)
GUIDE = Path(__file__).parents[2] / "docs" / "guide"


# Good use


def test_version_and_help(run):
    assert run("--version") == (0, f"topictemper {topictemper.__version__}\n", "")
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    assert re.findall(r"^    (\w+)", out, re.MULTILINE) == COMMANDS
    assert all(len(line) <= 80 for line in out.splitlines())  # of the example, as it stands


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_commands(run, command):
    status, out, err = run(command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: topictemper {command}")


@pytest.mark.skipif(not GUIDE.exists(), reason="these tests run without the documentation")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
def test_the_guide_shows_every_command(command):
    pages = "".join(page.read_text("utf-8") for page in GUIDE.glob("*.rst"))
    assert f"\n    topictemper {command} " in pages


def test_fit_topics_score(run, text, tmp_path):
    model = tmp_path / "model.npz"
    fit = ("fit", text, "--topics", 3, "--passes", 100, "--output", model)
    status, out, err = run(*fit)
    assert status == 0
    assert out == f"{model}: 3 topics of 18 words, from 120 documents\n"
    passes = re.findall(r"^ +\d+\.\d s  .*pass (\d+)/100", err, re.MULTILINE)
    assert (passes[0], passes[-1]) == ("1", "100")

    status, out, err = run("topics", model, "--words", 6)
    assert (status, err) == (0, "")
    assert len(out.splitlines()) == 3
    found = {frozenset(line.split()[2:]) for line in out.splitlines()}
    assert found == {frozenset(theme.split()) for theme in THEMES}

    status, out, err = run("score", model, text)
    assert (status, err) == (0, "")
    values = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert values["documents"] == "120"
    assert values["tokens"] == "1,440"
    assert float(values["score"].split()[0]) > -2.5
    assert float(values["perplexity"]) < 12


@pytest.mark.parametrize("command", ["fit", "update", "score", "transform", "shares", "report"])
def test_jobs_are_threads_and_processes(run, model, table, tmp_path, monkeypatch, command):
    found = []

    def noted(function, parts, n_processes):
        found.append(n_processes)
        return map(function, parts)

    monkeypatch.setattr("topictemper.text._counting.in_processes", noted)
    arguments = ["--passes=1"] if command == "fit" else [model]
    arguments += [table, "--column=body", "--jobs=3"]
    arguments += ["--date=day"] if command == "shares" else []
    output = (
        []
        if command in ("score", "shares")
        else ["-o", tmp_path / f"new.{'html' if command == 'report' else 'csv'}"]
    )
    status, _, err = run(command, *arguments, *output)
    assert status == 0, err
    assert set(found) == {3}


def test_options_reach_the_model(run, text, tmp_path):
    path = tmp_path / "model.npz"
    options = "--topics 4 --tempering avi --passes 2 --seed 7 --jobs 2".split()
    assert run("fit", text, *options, "--output", path)[0] == 0
    model = load(path).lda_
    given = {"n_components": 4, "tempering": "avi", "max_iter": 2, "random_state": 7}
    assert given.items() <= model.get_params().items()


def test_seeded_topics_and_early_stopping(run, fails, text, matrix, tmp_path):
    path, seeds = tmp_path / "model.npz", tmp_path / "seeds.json"
    seeds.write_text('{"music": ["violin", "melody"], "cars": ["wheel", "brake"]}')
    options = ("--topics=3", "--passes=6", "--seed-topics", seeds, "--output", path)
    assert run("fit", text, *options, "--early-stopping")[0] == 0
    model = load(path)
    assert model.lda_.labels_[:2].tolist() == ["music", "cars"]
    for label, row in zip(("violin", "wheel"), model.topics_.words[:2], strict=True):
        assert label in row
    assert model.lda_.score_history_.size
    model.set_labels({2: "boats", "music": ""}).save(seeds)  # an older model: two labels
    assert run("fit", text, *options)[0] == 0
    seeded = load(path).lda_.get_params()["topic_word_prior"]
    words = model.lda_.top_words(10)
    assert list(seeded.items()) == [("cars", words[1]), ("boats", words[2])]
    model.set_labels(None).save(seeds)
    assert f"{seeds}: the model has no labels" in fails("fit", text, *options)
    seeds.write_text('{"a": ["worda", "wordb"]}')
    assert run("fit", matrix, *options)[0] == 0
    assert load(path).labels_[0] == "a"
    TemperedLDA(2).fit(read_corpus(matrix).counts).set_labels({0: "a"}).save(seeds)
    said = fails("fit", matrix, *options)
    assert f"{seeds}: the model has no words, so its topics cannot be seeds." in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((seeds, "not JSON") for seeds in ("{", "[" * 10**5)),
        ('{"a": ["river"], "a": ["boat"]}', "two topics have the same label."),
        ('{"a": ' + "1" * 5000 + "}", "Exceeds the limit"),
        *((seeds, "labels and lists") for seeds in ("[1]", '{"a": "word"}', '{"a": [1]}', "{}")),
        *((seeds, "labels and lists") for seeds in ('{"a": []}', '{"": ["river"]}')),
    ],
)
def test_seeded_topics_that_cannot_be_read(fails, text, tmp_path, content, said):
    seeds = tmp_path / "seeds.json"
    seeds.write_text(content)
    output = ("--output", tmp_path / "m.npz")
    assert f"{seeds}: {said}" in fails("fit", text, "--seed-topics", seeds, *output)


def test_given_vocabulary(run, text, tmp_path):
    path, vocabulary = tmp_path / "model.npz", tmp_path / "words.txt"
    vocabulary.write_text("boat\nengine\nviolin\nNever\n")
    status, _, err = run(
        "fit", text, "--topics=3", "--passes=2", "--vocabulary", vocabulary, "--output", path
    )
    assert status == 0
    assert "1 of 4 words of the vocabulary cannot occur in text, such as 'Never'" in err
    assert "Upper case" not in err  # which scikit-learn would say of it, too
    assert load(path).feature_names_.tolist() == ["boat", "engine", "violin", "Never"]


def test_matrix(run, matrix, tmp_path):
    path = tmp_path / "model.npz"
    status, out, _ = run("fit", matrix, "--topics=3", "--passes=2", "--output", path)
    assert status == 0
    assert out.endswith("3 topics of 20 words, from 60 documents\n")
    assert "worda" in run("topics", path, "--words=20")[1]
    status, with_words, _ = run("score", path, matrix)
    assert status == 0
    # To score, the model's own words will do.
    (matrix.parent / "vocab.txt").unlink()
    assert run("score", path, matrix) == (0, with_words, "")


@pytest.mark.parametrize("name", ["docword.x.txt", "x.ldac", "x.mtx", "x.svm"])
def test_counts_in_other_formats(run, fails, matrix, name):
    file, path = matrix.parent / name, matrix.parent / "m.npz"
    corpus = read_corpus(matrix)
    write_corpus(file, corpus.counts, feature_names=corpus.feature_names)
    fitted = [
        run("fit", source, "--topics=3", "--passes=2", "--output", path)[0] or load(path)
        for source in (file, matrix)
    ]
    np.testing.assert_array_equal(fitted[0].components_, fitted[1].components_)
    assert fitted[0].feature_names_in_.tolist() == corpus.feature_names.tolist()
    assert run("score", path, file) == run("score", path, matrix)
    other = file.rename(matrix.parent / "counts")
    if name.startswith("docword"):
        (matrix.parent / "vocab.x.txt").unlink()
    kind = {"docword.x.txt": "uci", "x.svm": "svmlight"}.get(name, name[2:])
    assert run("score", path, other, "--format", kind) == run("score", path, matrix)
    if kind != "ldac":
        assert "counts, line " in fails("score", path, other, "--format=ldac")


def test_folder_of_counts(run, matrix, tmp_path):
    corpus, path = read_corpus(matrix), tmp_path / "model.npz"
    save_corpus(tmp_path / "corpus", corpus.counts, corpus.feature_names)
    assert run("fit", tmp_path / "corpus", "--topics=3", "--passes=2", "--output", path)[0] == 0
    assert run("score", path, tmp_path / "corpus") == run("score", path, matrix)


def test_text_by_another_name(run, text, tmp_path):
    other, path = text.rename(tmp_path / "docs.dat"), tmp_path / "model.npz"
    options = ("--topics=3", "--passes=2", "--format=text", "--output", path)
    assert run("fit", other, *options)[0] == 0


def test_vocabulary_of_a_matrix_elsewhere(run, matrix, tmp_path):
    path, vocabulary = tmp_path / "model.npz", tmp_path / "words.txt"
    (matrix.parent / "vocab.txt").rename(vocabulary)
    arguments = ("fit", matrix, "--topics=3", "--passes=2", "--output", path)
    assert run(*arguments, "--vocabulary", vocabulary)[0] == 0


def test_a_model_without_words(run, fails, text, tmp_path):
    path = tmp_path / "model.npz"
    counts = make_lda_corpus(60, 20, 3, random_state=0).counts
    TemperedLDA(3, max_iter=1, random_state=0).fit(counts).save(path)
    status, out, err = run("topics", path)
    assert status == 0
    assert len(out.splitlines()) == 3
    assert "model.npz has no words; column numbers are shown instead" in err
    labels = {topic["label"] for topic in json.loads(run("topics", path, "--json")[1])}
    assert labels == {"topic 0", "topic 1", "topic 2"}  # as labels_
    assert "has no words to count" in fails("score", path, text)


def test_same_seed_same_file(run, text, tmp_path):
    paths = [tmp_path / name for name in ("a.npz", "b.npz")]
    for path in paths:
        assert run("fit", text, "--topics=3", "--passes=2", "--seed=0", "--output", path)[0] == 0
    first, second = (load(path).lda_.components_ for path in paths)
    np.testing.assert_array_equal(first, second)


def test_defaults_of_a_fit_are_those_of_its_help():
    given = _parser().parse_args(["fit", "docs.txt", "--output", "model.npz"])
    assert (given.topics, given.tempering, given.seed) == (50, "lvt", 0)
    assert given.passes is given.batch_size is given.jobs is None


def test_progress_is_switched_off_afterwards(run, text, tmp_path):
    logger = logging.getLogger("topictemper")
    before = logger.level, list(logger.handlers)
    run("fit", text, "--topics=2", "--passes=1", "--output", tmp_path / "model.npz")
    assert (logger.level, logger.handlers) == before


# Bad use


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "required"),
        ("unheard-of", "invalid choice"),
        ("topics", "required: MODEL"),
        ("topics m.npz --words 0", "--words: 0 is less than 1"),
        ("fit docs.txt", "required: --output"),
        ("fit docs.txt --output m.npz --topics many", "--topics: 'many' is not an integer"),
        ("fit docs.txt --output m.npz --topics 0", "--topics: 0 is less than 1"),
        ("fit docs.txt --output m.npz --passes -1", "--passes: -1 is less than 1"),
        ("fit docs.txt --output m.npz --seed -1", "--seed: -1 is not from 0 to"),
        ("fit docs.txt --output m.npz --jobs 0", "--jobs: must not be 0"),
        ("fit docs.txt --output m.npz --tempering cold", "--tempering: invalid choice: 'cold'"),
        ("fit docs.txt --output m.npz --stop-words french", "--stop-words: 'french' is neither"),
        ("fit docs.txt --output m.npz --min-df 1.5", "--min-df: '1.5' is neither"),
        ("fit docs.txt --output m.npz --max-df nan", "--max-df: 'nan' is neither"),
        ("fit docs.txt --output m.npz --max-df 0", "--max-df: '0' is neither"),
        ("fit docs.txt --output m.npz --topics 2147483647", "choose a smaller --topics"),
        ("fit docs.txt --output m.npz --min 5", "unrecognized arguments"),
        ("fit docs.txt --output m.npz --token-pattern [a-z", "--token-pattern: '[a-z' is not a"),
        ("fit docs.txt --output m.npz --token-pattern=", "docs.txt: none of the 1 words is left"),
        (
            "fit docs.txt --output m.npz --min-df 99999",
            "docs.txt: none of the 18 words is left: --min",
        ),
        ("fit docs.txt --output -", "--output: a model is written to a file"),
        ("fit - --format uci --output m.npz", "counts are read from a file"),
        ("fit docs.txt --output m.npz --topics 99999999999", "docs.txt: --topics == 99999999999"),
        ("fit absent.txt --output m.npz", "absent.txt: No such file"),
        ("fit . --output m.npz", "false.npz: a file of counts in a folder of texts"),
        ("fit docs.txt --output m.npz --vocabulary absent.txt", "absent.txt: No such file"),
        ("fit docs.txt --output m.npz --vocabulary docs.txt --min-df 2", "--min-df has no effect"),
        ("fit latin.txt --output m.npz", "latin.txt, line 2: not UTF-8"),
        (
            "fit docs.txt --output m.npz --stop-words latin.txt",
            "latin.txt, line 2: not UTF-8 (byte 0xef at column 3); save it as UTF-8.",
        ),
        (
            "fit docs.txt --output m.npz --seed-topics latin.txt",
            "latin.txt: not UTF-8; save it as UTF-8.",
        ),
        ("fit empty.txt --output m.npz", "empty.txt: "),
        ("fit false.npz --output m.npz", "false.npz: not a sparse matrix"),
        ("topics absent.npz", "absent.npz: No such file"),
        ("topics false.npz", "false.npz is not a topictemper model"),
        ("topics docs.txt", "docs.txt is not a topictemper model"),
        ("score false.npz docs.txt", "false.npz is not a topictemper model"),
    ],
)
def test_errors_are_one_line(fails, text, monkeypatch, arguments, message):
    folder = text.parent
    (folder / "latin.txt").write_bytes(b"fine\nna\xefve\n")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "false.npz").write_text("no archive")
    monkeypatch.chdir(folder)
    assert message in fails(*arguments.split())
    assert not (folder / "m.npz").exists()


def test_errors_of_a_matrix(fails, matrix, model):
    vocabulary = matrix.parent / "vocab.txt"
    output = ("--output", matrix.parent / "m.npz")
    assert f"--stop-words has no effect on {matrix}, which is counted" in fails(
        "fit", matrix, "--stop-words=none", *output
    )
    assert "20 columns, but" in fails("score", model, matrix)
    vocabulary.write_text("one\ntwo\n")
    assert "vocab.txt: 2 words, but" in fails("fit", matrix, *output)
    vocabulary.unlink()
    assert "no vocab.txt in the same folder; give --vocabulary" in fails("fit", matrix, *output)
    named = matrix.parent / "docword.news.txt"
    write_corpus(named, read_corpus(matrix).counts)
    assert "no vocab.news.txt in the same folder; give --vo" in fails("fit", named, *output)


def test_score_of_other_words(fails, run, matrix, tmp_path):
    path = tmp_path / "model.npz"
    assert run("fit", matrix, "--topics=3", "--passes=1", "--output", path)[0] == 0
    vocabulary = matrix.parent / "vocab.txt"
    vocabulary.write_text("\n".join(reversed(vocabulary.read_text().split())))
    assert "the words of its columns" in fails("score", path, matrix)


@pytest.mark.parametrize("command", ["topics", "score", "transform", "report", "update", "label"])
def test_a_model_without_topics(fails, text, tmp_path, command):
    path, labels = tmp_path / "model.npz", tmp_path / "labels.json"
    DPGaussianMixture(2, random_state=0).fit(np.random.default_rng(0).normal(size=(9, 2))).save(
        path
    )
    labels.write_text("{}")
    given = {"topics": [], "report": [text, "--output", tmp_path / "x.html"], "label": [labels]}
    message = "this is a DPGaussianMixture; a TopicModel or a TemperedLDA is needed"
    assert message in fails(command, path, *given.get(command, [text]))


def test_score_of_foreign_text(fails, model, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("nothing of this kind\n")
    assert "no document has a word of the vocabulary" in fails("score", model, other)


def test_score_of_single_words(fails, model, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("river\nengine\n")
    assert "two tokens" in fails("score", model, other)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (".", "is a folder"),
        ("absent/m.npz", "cannot be written: No such file or directory"),
        ("docs.txt/m.npz", "cannot be written: Not a directory"),
        ("docs.txt", "this would overwrite the input"),
        ("words.txt", "this would overwrite the input"),
        (os.devnull, "is not a regular file"),
    ],
)
def test_output_is_checked_before_the_work(fails, text, monkeypatch, output, message):
    monkeypatch.chdir(text.parent)
    (text.parent / "words.txt").write_text("river\n")
    before = text.read_bytes()
    monkeypatch.setattr(TemperedLDA, "fit", None)
    arguments = ("fit", "docs.txt", "--vocabulary", "words.txt", "--output", output)
    assert message in fails(*arguments)
    assert text.read_bytes() == before
    assert sorted(path.name for path in text.parent.iterdir()) == ["docs.txt", "words.txt"]


def test_interrupted(run, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(_demo, "run_demo", interrupt)
    assert run("demo") == (130, "", "")


@pytest.mark.parametrize(
    ("reason", "said"),
    [("", "not enough memory\n"), ("Unable to allocate 3 GiB", ": Unable to allocate 3 GiB\n")],
)
def test_out_of_memory(fails, monkeypatch, reason, said):
    def exhaust():
        raise MemoryError(reason)

    monkeypatch.setattr(_demo, "run_demo", exhaust)
    assert fails("demo").endswith(said)


# As a process


def _process(*arguments, env=None, **streams):
    return subprocess.Popen(
        [sys.executable, "-m", "topictemper", *map(str, arguments)],
        stderr=subprocess.PIPE,
        # An output without a buffer would have nothing left to write at exit.
        env={**os.environ, "PYTHONUNBUFFERED": "", **(env or {})},
        **streams,
    )


def test_closed_pipe_is_silent(model):
    process = _process("topics", model, stdout=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_device_is_one_line(model):
    with open("/dev/full", "wb") as full:
        process = _process("topics", model, stdout=full)
        _, err = process.communicate()
    assert process.returncode == 2
    assert err == b"topictemper: error: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes at once")
def test_terminated_without_leftovers(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    process = _process(
        "fit", "-", "--output", tmp_path / "m.npz", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={"TMPDIR": str(folder)},
    )  # fmt: skip
    with process:  # which ends with its input, whatever fails
        # More than a pipe holds: when all is written it counts what it reads.
        process.stdin.write(b"river boat water\n" * 100_000)
        assert any(folder.iterdir())
        process.terminate()
        process.communicate()
    assert process.returncode == 143
    assert not any(folder.iterdir())


def test_words_that_the_terminal_cannot_show(run, tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    counts = make_lda_corpus(60, 20, 3, random_state=0).counts
    words = [f"wört{chr(97 + v)}" for v in range(20)]
    TemperedLDA(3, max_iter=1, random_state=0).fit(counts).save(path, feature_names=words)
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run("topics", path) == (0, "", "")
    terminal.flush()
    assert b"w\\xf6rt" in terminal.buffer.getvalue()
