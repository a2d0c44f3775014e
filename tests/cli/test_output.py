"""The command line: proportions, scores, tables of topics and updated models."""

import csv
import errno
import itertools
import json
import os
import sys
import tempfile
import zipfile

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TopicModel, load
from topictemper.cli._inputs import Document
from topictemper.cli._outputs import Labels, opened_output
from topictemper.datasets import read_corpus
from topictemper.lda._training import Trainer

from ..traced_memory import TracedMemory

# Proportions


def test_proportions(run, model, text, tmp_path):
    pandas = pytest.importorskip("pandas")
    text.write_text("river boat\n\nunheard words\nengine road violin\n")
    table = tmp_path / "t.csv"
    rows = [
        ("river boat", 2020, "x,nan", "k7"),
        ("", 2021, "y", "k5"),
        ("unheard", 2021, 'a "b"', ""),
    ]
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([("text", "year", "who", "key"), *rows])
    for suffix in ("csv", "parquet", "npz"):
        out = tmp_path / f"theta.{suffix}"
        status, said, err = run(
            "transform",
            model,
            table,
            "--column=text",
            "--id=key",
            "--date=year",
            "--group=who",
            "--output",
            out,
        )
        assert (status, said) == (0, f"{out}: 3 documents, 2 of them without a known word\n"), err
    expected = load(model).transform(["river boat"])[0]
    archive = np.load(tmp_path / "theta.npz")
    np.testing.assert_array_equal(archive["proportions"][0], expected)
    assert np.isnan(archive["proportions"][1:]).all()
    assert archive["group"].tolist() == [row[2] for row in rows]
    assert archive["id"].tolist() == [row[3] for row in rows]
    assert archive["labels"].tolist() == list(load(model).topics_["label"])
    columns = ["document", "id", "date", "group", "topic0", "topic1", "topic2"]
    wide, parquet = pandas.read_csv(tmp_path / "theta.csv"), tmp_path / "theta.parquet"
    for frame in (wide, pandas.read_parquet(parquet)):
        assert frame.columns.tolist() == columns
        np.testing.assert_allclose(frame.iloc[0, 4:].astype(float), expected, rtol=1e-5)
        assert frame.iloc[1:, 4:].isna().all(axis=None)
        assert frame["group"].tolist() == [row[2] for row in rows]
        assert frame["id"].fillna("").tolist() == [row[3] for row in rows]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("transform", "--top=4"), "--top 4: the model has 3 topics; all are given"),
        (("topics", "--words=19"), "--words 19: the model has 18 words; all are given"),
    ],
)
def test_more_than_a_model_has_is_told(run, model, text, command, told):
    files = [model, text] if command[0] == "transform" else [model]
    status, out, err = run(*command, *files)
    assert status == 0
    assert told in err
    option, _, n = command[1].partition("=")
    fewer, same, err = run(command[0], f"{option}={int(n) - 1}", *files)
    assert (fewer, same) == (0, out)
    assert "all are given" not in err


def test_largest_proportions(run, model, text, tmp_path):
    pandas = pytest.importorskip("pandas")
    text.write_text("river boat\n\nengine road violin\n")
    for suffix in ("csv", "parquet"):
        out = tmp_path / f"top.{suffix}"
        assert run("transform", model, text, "--top=2", "--output", out)[0] == 0
        frame = pandas.read_csv(out) if suffix == "csv" else pandas.read_parquet(out)
        assert frame.columns.tolist() == ["document", "topic", "label", "share"]
        assert frame["document"].astype(int).tolist() == [0, 0, 1, 2, 2]
        documents = load(model).documents(["river boat", "", "engine road violin"], n_topics=2)
        topics, shares = documents["topics"], documents["shares"]
        assert frame["topic"].tolist() == [*topics[0], -1, *topics[2]]
        np.testing.assert_allclose(frame["share"].drop(2), [*shares[0], *shares[2]], rtol=1e-5)
        assert np.isnan(frame["share"][2])


def test_proportions_on_standard_output(run, model, text):
    status, out, err = run("transform", model, text, "--top=1")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "document,topic,label,share"
    assert len(out.splitlines()) == 121


def test_proportions_of_counts(run, matrix, tmp_path, monkeypatch):
    monkeypatch.setattr("topictemper._utils._chunks._MOST_ROWS", 7)  # of 60 at a time
    path, out = tmp_path / "model.npz", tmp_path / "theta.npz"
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    assert run("transform", path, matrix, "--output", out)[0] == 0
    expected = load(path).transform(read_corpus(matrix).counts)
    archive = np.load(out)
    np.testing.assert_array_equal(archive["proportions"], expected)
    assert archive["document"].tolist() == [str(row) for row in range(60)]


def test_an_npz_is_not_padded_to_one_long_id(run, fails, model, lines, tmp_path, monkeypatch):
    monkeypatch.setattr("topictemper.cli._outputs._MOST_PADDED", 4 * 300 * (len(lines) - 1))
    file, out = tmp_path / "ids.csv", tmp_path / "theta.npz"
    command = ("transform", model, file, "--column=body", "--id=id", "--output")
    for width, ids in (
        (300, ["x" * 300] * len(lines)),
        (200, [*"a" * (len(lines) - 1), "x" * 200]),
    ):
        with open(file, "w", newline="") as table:
            csv.writer(table).writerows([("body", "id"), *zip(lines, ids, strict=True)])
        assert run(*command, out)[0] == 0
        assert np.load(out)["id"].dtype == f"U{width}"
    before = out.read_bytes()
    file.write_text(file.read_text().replace("x" * 200, "x" * 400))
    assert "one id has 400 characters, and an .npz would pad" in fails(*command, out)
    assert out.read_bytes() == before
    assert run(*command, tmp_path / "theta.csv")[0] == 0


def test_proportions_in_an_npz_may_be_more_than_the_memory(tmp_path):
    labels, rng = Labels([f"t{k}" for k in range(256)], [], None), np.random.default_rng(0)
    parts = [rng.random((500, 256), dtype=np.float32) for _ in range(40)]
    documents = [[Document(str(500 * p + d), "") for d in range(500)] for p in range(40)]
    out = tmp_path / "theta.npz"
    with TracedMemory() as memory, opened_output(out, "npz", labels) as write:
        for each, theta in zip(documents, parts, strict=True):
            write(each, theta)
    archive = np.load(out)
    np.testing.assert_array_equal(archive["proportions"], np.concatenate(parts))
    assert archive["document"].tolist() == [str(d) for d in range(20_000)]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert memory.peak < archive["proportions"].nbytes / 2  # names and labels; all would be twice


def test_only_names_in_an_npz_are_compressed(run, model, text, tmp_path):
    """To compress proportions takes longer than to find them, and saves a tenth."""
    assert run("transform", model, text, "--output", tmp_path / "theta.npz")[0] == 0
    with zipfile.ZipFile(tmp_path / "theta.npz") as archive:
        methods = {each.filename: each.compress_type for each in archive.infolist()}
    assert methods.pop("proportions.npy") == zipfile.ZIP_STORED
    assert set(methods.values()) == {zipfile.ZIP_DEFLATED}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--output=t.xlsx", "--output: t.xlsx must end with .csv, .parquet or .npz"),
        ("--output=t.npz --top=2", "--top is for .csv and .parquet"),
        ("--output=docs.csv", "docs.csv: this would overwrite the input"),
        ("--output=model.npz", "model.npz: this would overwrite the input"),
        ("--output=none/t.csv", "cannot be written"),
    ],
)
def test_outputs_that_cannot_be(fails, model, text, monkeypatch, options, message):
    monkeypatch.chdir(text.parent)
    text.rename("docs.csv")
    arguments = ("transform", model, "docs.csv", "--format=text")
    assert message in fails(*arguments, *options.split())
    assert not os.path.exists("t.npz")


def test_a_process_without_standard_output(fails, model, text, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as Python starts where it is closed
    assert "no standard output; write to a file, with --output" in fails("transform", model, text)


# Scores, tables of topics, updates


def test_json_and_csv(run, model, text):
    found = json.loads(run("score", model, text, "--json")[1])
    assert (found["documents"], found["tokens"], found["unknown"]) == (120, 1440, 0)
    assert found["score"] == load(model).score(text.read_text().splitlines())
    topics = json.loads(run("topics", model, "--json", "--words=6")[1])
    table = load(model).topics_
    assert [topic["topic"] for topic in topics] == list(np.argsort(-table["share"], kind="stable"))
    first = topics[0]["topic"]
    assert topics[0]["words"] == table["words"][first][:6]
    assert topics[0]["documents"] == table["documents"][first]
    rows = list(csv.DictReader(run("topics", model, "--csv")[1].splitlines()))
    assert list(rows[0]) == list(topics[0])
    assert rows[0]["words"].split() == table["words"][first]


def test_unknown_words_of_a_model_with_binary_counts(run, text, lines, tmp_path):
    path = tmp_path / "binary.topics"
    TopicModel(2, vectorizer=CountVectorizer(binary=True), random_state=0).fit(lines).save(path)
    text.write_text("boat boat boat fish sea\n")
    found = json.loads(run("score", path, text, "--json")[1])
    assert (found["tokens"], found["unknown"]) == (2, 1)


def test_update(run, model, text, lines, tmp_path, monkeypatch):
    monkeypatch.setattr("topictemper._utils._log._SECONDS_BETWEEN_LINES", -1.0)
    before = load(model)
    text.write_text("\n".join([*lines[:20], "river zebra"]))
    out = tmp_path / "more.npz"
    status, said, err = run("update", model, text, "--output", out)
    assert status == 0, err
    assert "learning: 21 documents, " in err
    assert said == (
        f"{out}: 21 more documents, 0.4% of whose words are not in the vocabulary (0.0% in fit)\n"
        "the most frequent of these: zebra\n"
    )
    expected = before.update([*lines[:20], "river zebra"]).lda_.components_
    np.testing.assert_array_equal(load(out).lda_.components_, expected)
    assert run("update", model, text)[0] == 0  # in place
    np.testing.assert_array_equal(load(model).lda_.components_, expected)


@pytest.fixture
def interrupted_step(monkeypatch):
    """Let Ctrl-C come at the begin of some step."""

    def interrupted_step(number):
        step, calls = Trainer.step, itertools.count(1)

        def interrupted(*arguments, **options):
            if next(calls) == number:
                raise KeyboardInterrupt
            return step(*arguments, **options)

        monkeypatch.setattr(Trainer, "step", interrupted)

    return interrupted_step


def test_what_an_interrupted_update_has_learned_is_saved(
    run, model, text, lines, tmp_path, interrupted_step
):
    before, whole = load(model), model.read_bytes()
    learned = 3 * before.lda_._trainer.plan.largest_batch
    expected = before.update(lines[:learned]).lda_.components_
    text.write_text("\n".join(lines[:100]))
    interrupted_step(4)
    status, out, err = run("update", model, text)
    saved = tmp_path / "model.npz.interrupted"
    assert (status, out, model.read_bytes()) == (130, "", whole)
    told = f"interrupted: the first {learned} more documents are learned; the model is {saved}\n"
    assert told in err
    np.testing.assert_array_equal(load(saved).lda_.components_, expected)
    assert load(saved).topics_["documents"].sum() == 120 + learned


def test_what_an_interrupted_update_has_learned_of_counts_is_saved(
    run, matrix, tmp_path, interrupted_step
):
    path = tmp_path / "counts.npz"
    fit = ("fit", matrix, "--topics=3", "--passes=2", "--batch-size=20", "--output", path)
    assert run(*fit)[0] == 0
    expected = load(path).partial_fit(read_corpus(matrix).counts[:40]).components_
    interrupted_step(3)
    assert "the first 40 more documents are learned" in run("update", path, matrix)[2]
    np.testing.assert_array_equal(load(f"{path}.interrupted").components_, expected)


def test_an_interrupted_update_keeps_the_model_of_an_interrupted_fit(
    run, model, text, tmp_path, interrupted_step
):
    begun = model.rename(f"{model}.interrupted")
    before = begun.read_bytes()
    interrupted_step(4)
    saved = tmp_path / "model.npz.interrupted.interrupted"
    assert f"; the model is {saved}" in run("update", begun, text, "--output", model)[2]
    assert begun.read_bytes() == before
    assert load(saved).topics_["documents"].sum() > 120


def test_an_update_that_has_learned_nothing_saves_nothing(run, model, text, interrupted_step):
    interrupted_step(1)
    status, _, err = run("update", model, text)
    assert status == 130
    assert err.endswith("interrupted: nothing is learned, and no model is saved\n")
    assert not model.with_name("model.npz.interrupted").exists()


def test_update_names_a_malformed_file_once(fails, model, text):
    text.write_bytes(b"river boat\n\xff\n")
    told = fails("update", model, text)
    assert f"error: {text}, line 2: not UTF-8 (byte 0xff at column 1); give its --encoding" in told
    assert told.count(str(text)) == 1


def test_update_warns_of_drift(run, model, text):
    text.write_text("river boat zebra giraffe\n" * 5)
    status, _, err = run("update", model, text)
    assert status == 0
    assert "10 of 20 words of 5 documents are not in the vocabulary (50.0%; 0.0% in fit)" in err
    assert ".py" not in err


def test_update_of_counts(run, fails, model, matrix, text, tmp_path):
    path = tmp_path / "counts.npz"
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    before = load(path)
    assert run("update", path, matrix)[1] == f"{path}: 60 more documents\n"
    expected = before.partial_fit(read_corpus(matrix).counts).components_
    np.testing.assert_array_equal(load(path).components_, expected)
    text.write_text("worda wordb\n")
    assert run("update", path, text)[1].startswith(f"{path}: 1 more document, 0.0%")
    text.write_text("worda wordb\n" * 9)
    assert run("update", path, text)[1].startswith(f"{path}: 9 more documents, 0.0%")
    # What was unknown in the texts that were counted is not known, so there is no rise.
    text.write_text("worda wordb zebra\n")
    _, out, err = run("update", path, text)
    assert "33.3% of whose words are not in the vocabulary\n" in out
    assert "in fit" not in err
    assert "a model of texts learns from texts" in fails("update", model, matrix)
    assert "this would overwrite the input" in fails("update", model, text, "--output", text)


def test_texts_of_a_model_of_counts(run, matrix, text, tmp_path):
    path, words = tmp_path / "counts.npz", matrix.with_name("vocab.txt")
    words.write_text(words.read_text().replace("wordt", "Word").replace("words", "mo\u0301ts"))
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    text.write_text("worda wordb zebra\n")
    status, out, err = run("score", path, text, "--json")
    assert status == 0
    assert "2 of 20 words of the vocabulary cannot occur in text, such as 'mo\u0301ts'" in err
    found = json.loads(out)
    assert (found["documents"], found["tokens"], found["unknown"]) == (1, 2, 1)


def test_accents_of_their_own_in_a_vocabulary_are_told_with_its_name(run, text, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("boat\nmo\u0301ts\n", encoding="utf-8")
    arguments = "--topics=2", "--vocabulary", words, "--output", tmp_path / "m.npz"
    status, _, err = run("fit", text, *arguments)
    assert status == 2
    assert f"error: {words}: vocabulary of the vectorizer has 'mo\u0301ts'" in err


def test_models_and_reports_are_not_written_to_standard_output(fails, model, text, monkeypatch):
    monkeypatch.chdir(text.parent)
    labels = text.with_name("labels.json")
    labels.write_text('{"0": "boats"}')
    for command, *inputs in (
        ("fit", text),
        ("update", model, text),
        ("label", model, labels),
        ("report", model, text),
    ):
        what = "a report" if command == "report" else "a model"
        message = f"--output: {what} is written to a file, not to standard output"
        assert message in fails(command, *inputs, "--output=-")
    assert not text.with_name("-").exists()


# A disk that is full once the model is learned


@pytest.fixture
def full_disk(tmp_path, monkeypatch):
    """Let so many models find no room, and return the temporary folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    write = np.savez_compressed

    def full_disk(n_models):
        left = [True] * n_models

        def filled(file, **arrays):
            if left:
                left.pop()
                file.write(b"a part")
                raise OSError(errno.ENOSPC, "No space left on device")
            write(file, **arrays)

        monkeypatch.setattr(np, "savez_compressed", filled)
        return temporary

    return full_disk


@pytest.mark.parametrize("kind", ["text", "counts"])
def test_a_learned_model_is_kept_elsewhere(fails, full_disk, text, matrix, tmp_path, kind):
    path = tmp_path / "new.topics"
    path.write_text("the old model")
    temporary = full_disk(1)
    told = fails("fit", text if kind == "text" else matrix, "--passes=2", f"--output={path}")
    [saved] = temporary.glob("*/new.topics")
    assert f"{path}: No space left on device; the model is saved as {saved}." in told
    model = load(saved)
    assert getattr(model, "lda_", model).n_iter_ == 2
    assert path.read_text() == "the old model"
    assert not [*tmp_path.glob(".*"), *saved.parent.glob(".*")]


def test_an_updated_model_is_kept_elsewhere(fails, full_disk, model, text):
    before, temporary = model.read_bytes(), full_disk(1)
    assert "the model is saved as" in fails("update", model, text)
    [saved] = temporary.glob("*/model.npz")
    assert load(saved).lda_.n_batch_iter_ > load(model).lda_.n_batch_iter_
    assert model.read_bytes() == before


def test_a_model_for_which_no_disk_has_room(fails, full_disk, text, tmp_path):
    temporary = full_disk(2)
    told = fails("fit", text, "--passes=2", f"--output={tmp_path / 'new.topics'}")
    assert "new.topics: No space left on device; it cannot be saved in the temporary" in told
    assert "new.topics: No space left on device)." in told
    assert not any(temporary.iterdir())
    assert not (tmp_path / "new.topics").exists()


def test_a_folder_that_is_gone_when_the_model_is_learned(fails, full_disk, text, monkeypatch):
    temporary, folder = full_disk(0), text.parent / "folder"
    folder.mkdir()
    fit = TopicModel.fit

    def removing(*arguments, **options):
        folder.rmdir()
        return fit(*arguments, **options)

    monkeypatch.setattr(TopicModel, "fit", removing)
    told = fails("fit", text, "--passes=2", f"--output={folder / 'new.topics'}")
    assert "new.topics cannot be written: No such file or directory; the model is saved as" in told
    assert load(*temporary.glob("*/new.topics")).lda_.n_iter_ == 2
