"""The commands `report` and `label`."""

import json
import os
import threading
import zipfile

import pytest

from topictemper import TemperedLDA, load
from topictemper.datasets import make_lda_corpus

from ..report.small_report import data_of


def test_report_of_a_table(run, model, table, lines, tmp_path):
    path = tmp_path / "report.html"
    options = ("--column=body", "--date=day", "--group=who", "--title=Two <words>", "-o", path)
    assert run("report", model, table, *options)[:2] == (
        0,
        f"{path}: 3 topics in 120 documents\n",
    )
    page = data_of(path)
    assert page["title"] == "Two <words>"
    assert page["documents"]["text"] == lines
    assert page["documents"]["name"] is None
    assert page["parameters"].items() >= {("model", "TopicModel"), ("max_df", "0.5")}
    assert page["periods"]["names"] == ["2020", "2021"]
    assert page["groups"]["names"] == ["a", "b"]


def test_report_of_many_documents_says_how_far_it_is(run, model, text, tmp_path, monkeypatch):
    monkeypatch.setattr("topictemper._utils._log._SECONDS_BETWEEN_LINES", -1.0)
    monkeypatch.setattr("topictemper.report._of_model._MOST_KEPT", 0)
    said = run("report", model, text, "-o", tmp_path / "report.html")[2]
    assert "inferring topics: 120 documents, " in said


def test_documents_of_a_report_have_the_names_of_a_column(run, model, tmp_path):
    table, path = tmp_path / "docs.jsonl", tmp_path / "report.html"
    rows = [{"body": "river boat", "title": "A trip"}, {"body": "engine road"}]
    table.write_text("\n".join(map(json.dumps, rows)))
    assert run("report", model, table, "--column=body", "--id=title", "-o", path)[0] == 0
    assert data_of(path)["documents"]["name"] == ["A trip", "1"]


def test_report_of_lines_and_of_a_folder(run, model, text, lines, tmp_path):
    path, folder = tmp_path / "report.html", tmp_path / "posts"
    assert run("report", model, text, "--no-texts", "--output", path)[0] == 0
    page = data_of(path)
    assert (page["documents"], page["periods"], page["groups"]) == (None, None, None)
    assert page["title"] == "Topics in 120 documents"
    folder.mkdir()
    for d in range(3):
        (folder / f"{d}.txt").write_text(lines[d])
    assert run("report", model, folder, "-o", path)[0] == 0
    documents = data_of(path)["documents"]
    assert (documents["name"], documents["text"]) == (["0.txt", "1.txt", "2.txt"], lines[:3])


def test_report_of_counts(run, matrix, tmp_path):
    path, out = tmp_path / "model.npz", tmp_path / "report.html"
    assert run("fit", matrix, "--topics=3", "--passes=1", "--output", path)[0] == 0
    assert run("report", path, matrix, "-o", out)[0] == 0
    assert data_of(out)["documents"] is None
    assert set(data_of(out)["words"]) <= {f"word{chr(97 + v)}" for v in range(20)}
    X = make_lda_corpus(60, 20, 3, random_state=0).counts
    TemperedLDA(2, max_iter=1, random_state=0).fit(X).save(path)
    status, _, err = run("report", path, matrix, "-o", out)
    assert status == 0
    assert "model.npz has no words; column numbers are shown instead" in err


def test_reports_that_cannot_be_written(fails, model, table, text, matrix, tmp_path):
    out = ("--output", tmp_path / "report.html")
    assert "--output" in fails("report", model, text)
    assert "this would overwrite the input" in fails("report", model, text, "-o", text)
    assert "this would overwrite the input" in fails("report", model, text, "-o", model)
    other = tmp_path / "other.html"
    other.write_bytes(model.read_bytes())
    options = ("--other-model", other, "-o", other)
    assert "this would overwrite the input" in fails("report", model, text, *options)
    message = fails("report", model, text, "-o", tmp_path / "report.txt")
    assert "--output: path must end in .html, because a report is a web page" in message
    assert not (tmp_path / "report.txt").exists()
    message = fails("report", model, table, "--column=body", "--date=who", *out)
    assert "docs.csv: dates must be dates" in message
    assert "document 0 has 'a'" in message
    assert "--date is for tables" in fails("report", model, text, "--date=day", *out)
    message = fails("report", model, matrix, "--no-texts", *out)
    assert f"--no-texts is for text; {matrix} is read as counts." in message
    (tmp_path / "empty.txt").touch()
    assert "no documents" in fails("report", model, tmp_path / "empty.txt", *out)
    assert not (tmp_path / "report.html").exists()


def test_labels_that_a_page_has_saved(run, fails, model, text, tmp_path):
    labels, other, page = tmp_path / "labels.json", tmp_path / "other", tmp_path / "report.html"
    labels.write_text(json.dumps({"0": "rivers", "2": "cars"}))
    before = model.read_bytes()
    assert run("label", model, labels, "-o", other) == (0, f"{other}: 2 topics labeled\n", "")
    assert model.read_bytes() == before
    assert run("label", model, labels)[0] == 0
    assert load(model).labels_[[0, 2]].tolist() == load(other).labels_[[0, 2]].tolist()
    labeled = [line.split()[2] for line in sorted(run("topics", model)[1].splitlines())]
    assert (labeled[0], labeled[2]) == ("rivers:", "cars:")
    assert not labeled[1].endswith(":")
    assert run("report", model, text, "-o", page)[0] == 0
    assert data_of(page)["labels"] == ["rivers", "", "cars"]
    labels.write_text(json.dumps({"0": "boats"}))
    said = f"{other}: 1 topic labeled, 1 label replaced\n"
    assert run("label", model, labels, "-o", other)[1] == said
    labels.write_text(json.dumps({"0": "", "1": "music"}))
    said = f"{other}: 1 topic labeled, 1 label removed\n"
    assert run("label", model, labels, "-o", other)[1] == said
    labels.write_text(json.dumps({"0": "ships", "2": "cars"}))  # topic 2 has that label
    said = f"{other}: 2 topics labeled, 1 label replaced\n"
    assert run("label", model, labels, "-o", other)[1] == said
    labels.write_text(json.dumps({"0": "boats", "1": ""}))  # which has none
    said = f"{other}: 1 topic labeled, 1 label replaced\n"
    assert run("label", model, labels, "-o", other)[1] == said
    labels.write_text(json.dumps({"1": "cars"}))
    assert "labels.json: labels must differ, but topics" in fails("label", model, labels)
    labels.write_text(json.dumps({"7": "cars"}))
    assert "labels.json: topics are 0 to 2, got 7" in fails("label", model, labels)
    labels.write_text("[]")
    assert "labels.json has no labels of a report" in fails("label", model, labels)
    labels.write_text('{"0": "слова"}', encoding="cp1251")
    assert "labels.json is not UTF-8: save it as UTF-8" in fails("label", model, labels)
    assert "this would overwrite the input" in fails("label", model, labels, "-o", labels)
    assert load(model).labels_[2] == "cars"


def test_report_doubts_topics_that_another_model_does_not_have(run, fails, model, text, tmp_path):
    path, other = tmp_path / "report.html", tmp_path / "other.npz"
    assert run("fit", text, "--topics=3", "--passes=4", "--seed=1", "-o", other)[0] == 0
    assert run("report", model, text, "--other-model", other, "-o", path)[0] == 0
    assert data_of(path)["fits"] == 1
    text.write_text("other words\n" * 20 + "many stranger words\n" * 30)
    assert run("fit", text, "--topics=2", "--max-df=50", "-o", other)[0] == 0
    message = f"--other-model: {other} has other words than {model}."
    assert message in fails("report", model, text, "--other-model", other, "-o", path)


def test_labels_of_another_model(run, fails, model, lines, tmp_path):
    labels, other, more = tmp_path / "labels.json", tmp_path / "other", tmp_path / "more.txt"
    labels.write_text(json.dumps({"0": "first", "1": "second", "2": "third"}))
    more.write_text("\n".join(f"{line} ticket" for line in reversed(lines)))
    options = ("--topics=3", "--passes=4", "--seed=1", "--max-df=1.0", "-o", other)
    assert run("fit", more, *options)[0] == 0
    assert "model.npz: labels is a model without labels" in fails("label", other, model)
    assert run("label", model, labels)[0] == 0
    assert run("label", other, model)[:2] == (0, f"{other}: 3 topics labeled\n")
    before, after = load(model).topics_, load(other).topics_
    words = {label: set(top) for label, top in zip(before["label"], before["words"], strict=True)}
    for label, top in zip(after["label"], after["words"], strict=True):
        assert len(words[label] & set(top)) >= 5
    assert run("label", other, model)[:2] == (0, f"{other}: 0 topics labeled\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_labels_from_a_pipe(run, model, tmp_path, monkeypatch):
    """It is opened once: the writer would be gone before the second time."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(zipfile, "is_zipfile", lambda _: pytest.fail("opened to look into it"))
    writer = threading.Thread(target=pipe.write_text, args=['{"0": "boats"}'], daemon=True)
    writer.start()
    assert run("label", model, pipe)[1] == f"{model}: 1 topic labeled\n"
    writer.join()
