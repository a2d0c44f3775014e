"""The command line: FILE in all its forms, and options that it cannot use."""

# ruff: noqa: F811

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
import threading
import zipfile

import numpy as np
import pytest

from topictemper import TemperedLDA, load
from topictemper.datasets import make_lda_corpus, read_corpus, save_corpus

from .test_main import fails, lines, matrix, model, run, text  # noqa: F401


@pytest.fixture
def named(run, model, tmp_path):
    """The names and the largest topics of documents that `transform` gives."""

    def named(file, *options):
        out = tmp_path / "named.csv"
        status, _, err = run("transform", model, file, *options, "--top=1", "--output", out)
        assert status == 0, err
        with open(out, encoding="utf-8", newline="") as table:
            return [(row["document"], int(row["topic"])) for row in csv.DictReader(table)]

    return named


@pytest.fixture
def topics(named, text):
    """The largest topics of the documents."""
    return [topic for _, topic in named(text)]


@pytest.fixture
def stdin(monkeypatch):
    def stdin(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return stdin


# Words


@pytest.mark.parametrize("word", ["\x1b[31mred", "a\nb", "\x07", "\x9b31m", "\u202eevil"])
def test_control_characters_of_words_are_escaped(run, tmp_path, word):
    path = tmp_path / "model.npz"
    X = make_lda_corpus(60, 4, 2, random_state=0).counts
    TemperedLDA(2, max_iter=1, random_state=0).fit(X).save(
        path, feature_names=[word, "naïve", "日本", "tab\tbed"]
    )
    for options in ((), ("--csv",)):
        status, out, err = run("topics", path, *options)
        assert (status, err) == (0, "")
        assert word not in out
        assert len(out.splitlines()) == 2 + len(options)
        for shown in (word.encode("unicode_escape").decode(), "naïve", "日本", r"tab\tbed"):
            assert shown in out
    assert word in json.loads(run("topics", path, "--json")[1])[0]["words"]


def test_words_are_counted_by_the_line(run, tmp_path):
    file, path = tmp_path / "docs.txt", tmp_path / "model.npz"
    file.write_bytes("The Ärzte read; ärzte WRITE!\r\n\r\nread 12 it x3x no_thing\n".encode())
    options = ("--min-df=1", "--max-df=1.0", "--topics=2", "--passes=1", "--output", path)
    status, out, _ = run("fit", file, *options)
    assert (status, out) == (0, f"{path}: 2 topics of 4 words, from 3 documents\n")
    fitted = load(path)
    assert fitted.feature_names_.tolist() == ["read", "thing", "write", "ärzte"]
    assert list(fitted.documents(["The ÄRZTE read"])["words"]) == [2]


def test_options_of_counting(run, tmp_path):
    file, stop, path = tmp_path / "docs.txt", tmp_path / "stop.txt", tmp_path / "model.npz"
    file.write_text("big red cat\nbig red dog\nbig red cow\n")
    stop.write_text("cat\nDog\n")

    def words(*options):
        fit = ("fit", file, "--topics=2", "--passes=1", "--min-df=1", "--max-df=1.0")
        status, _, err = run(*fit, "--output", path, *options)
        assert status == 0, err
        return load(path).feature_names_.tolist()

    assert words("--stop-words", stop) == ["big", "cow", "red"]
    assert words("--ngrams=2", "--min-df=2") == ["big", "big red", "red"]
    assert words("--token-pattern=[bc]\\w+") == ["big", "cat", "cow"]


# Packed files and encodings


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(named, topics, text, stdin, pack):
    packed = text.with_name("docs")
    packed.write_bytes(pack(text.read_bytes()))
    assert [topic for _, topic in named(packed)] == topics
    stdin(packed.read_bytes())
    assert [topic for _, topic in named("-")] == topics


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("length", [25, -6])
def test_damaged_packed_files(fails, model, tmp_path, pack, length):
    file = tmp_path / "docs"
    file.write_bytes(pack("\n".join(f"river{i:x}" for i in range(999)).encode())[:length])
    assert "docs: a damaged " in fails("score", model, file)


def test_zip_is_refused(fails, model, tmp_path):
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        archive.writestr("docs.txt", "river boat")
    assert "docs.zip: a zip archive; unpack it first" in fails(
        "score", model, tmp_path / "docs.zip"
    )


@pytest.mark.parametrize(
    ("codec", "option"),
    [
        ("utf-8-sig", None),
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("latin-1", "latin-1"),
        ("utf-8-sig", "utf-8"),
    ],
)
def test_encodings(named, topics, lines, tmp_path, codec, option):
    file = tmp_path / "docs.txt"
    file.write_bytes("\n".join(f"{line} ünd" for line in lines).encode(codec))
    options = () if option is None else ("--encoding", option)
    assert [topic for _, topic in named(file, *options)] == topics


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"fine\nals\xe9\n", (), "docs.txt, line 2: not UTF-8 (byte 0xe9 at column 4)"),
        ("fine\nwords".encode("utf-16-le"), (), "docs.txt, line 1: a character of code 0"),
        (b"fine\n\x81", ("--encoding=cp1252",), "docs.txt, line 2: not CP1252 (byte 0x81 at"),
        (b"fine", ("--encoding=utf-99",), "--encoding: 'utf-99' is no encoding"),
        (b"fine", ("--encoding=base64",), "--encoding: 'base64' is no encoding"),
    ],
)
def test_wrong_encodings(fails, model, tmp_path, content, options, message):
    file = tmp_path / "docs.txt"
    file.write_bytes(content)
    assert message in fails("score", model, file, *options)


def test_an_error_after_many_lines_names_the_line(fails, model, tmp_path):
    file = tmp_path / "docs.txt"
    file.write_bytes(b"river boat\n" * 100_000 + b"caf\xe9\n")
    assert "docs.txt, line 100001: not UTF-8 (byte 0xe9 at column 4)" in fails("score", model, file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_will_do(named, topics, text, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(text.read_bytes()))
    writer.start()
    assert [topic for _, topic in named(pipe)] == topics
    writer.join()


# Tables


def as_table(lines, name):
    """The lines as the column `body` of a table, some of them broken in two, and its content."""
    broken = [line.replace(" ", "\n", 1) if d % 5 else line for d, line in enumerate(lines)]
    rows = [{"id": d, "body": text, "day": f"2020-01-{d}"} for d, text in enumerate(broken)]
    if name.split(".")[1] in ("json", "jsonl", "ndjson"):
        texts = [json.dumps(row) for row in rows]
        whole = "[" + ",\n".join(texts) + "]" if name.endswith(".json") else "\n".join(texts)
        return whole.encode()
    out = io.StringIO(newline="")
    delimiter = {"tsv": "\t", "tab": "\t", "csv": ","}[name.lower().split(".")[1]]
    delimiter = ";" if name.startswith("semicolons") else delimiter
    writer = csv.DictWriter(out, ["id", "body", "day"], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-16" if name.startswith("wide") else "utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "p.csv", "P.CSV", "p.csv.gz", "p.tsv", "p.tab.xz", "p.jsonl", "p.ndjson.bz2", "p.json",
        "semicolons.csv", "wide.csv",
    ],
)  # fmt: skip
def test_tables(named, topics, lines, tmp_path, stdin, name):
    table, content = tmp_path / name, as_table(lines, name)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    table.write_bytes(pack.get(name.split(".")[-1], bytes)(content))
    found = named(table, "--column=body")
    assert found == [(str(d), topic) for d, topic in enumerate(topics)]
    stdin(content)
    kind = {"tab": "tsv", "json": "jsonl", "ndjson": "jsonl"}.get(
        name.lower().split(".")[1], name.lower().split(".")[1]
    )
    assert named("-", "--column=body", f"--format={kind}") == found


def test_parquet(run, fails, named, topics, lines, tmp_path, stdin):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "docs.parquet"
    parquet.write_table(pa.table({"title": lines[::-1], "body": lines, "n": range(120)}), file)
    assert [topic for _, topic in named(file, "--column=body")] == topics
    stdin(file.read_bytes())
    assert [topic for _, topic in named("-", "--column=body", "--format=parquet")] == topics
    out = ("--output", tmp_path / "m.npz")
    assert "['title', 'body']. Give --column." in fails("fit", file, *out)
    assert "'n' is not one of its columns of text" in fails("fit", file, *out, "--column=n")
    assert "--encoding is for text" in fails("fit", file, *out, "--encoding=utf-8")


def test_the_only_column_need_not_be_named(named, topics, lines, tmp_path):
    (tmp_path / "one.csv").write_text("\n".join(["body", *lines]))
    (tmp_path / "one.jsonl").write_text(
        "\n".join(json.dumps({"n": 1, "body": line}) for line in lines)
    )
    for name in ("one.csv", "one.jsonl"):
        assert [topic for _, topic in named(tmp_path / name)] == topics


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("p.csv", "a,b\n1,2\n", "", "p.csv: name the column of text by --column: ['a', 'b']"),
        ("p.csv", "a,b\n1,2\n", "--column=c", "p.csv: --column: no column 'c'; there are ['a',"),
        ("p.csv", "a,a\n1,2\n", "--column=a", "p.csv: --column: two columns 'a'"),
        ("p.csv", "a,b\n1,2\n", "--column=a --date=d", "p.csv: --date: no column 'd'"),
        ("p.csv", "a,b\n1,2\n3\n", "--column=a", "p.csv, line 3: 1 fields, but the first line"),
        ("p.csv", 'a,b\n1,2\n"3,\n4', "--column=a", "in the row that begins in line 3: unexpec"),
        ("p.csv", 'a,b\n"1\n1",2\n3\n', "--column=a", "p.csv, line 4: 1 fields"),
        ("p.csv", "", "--column=a", "p.csv: no documents"),
        ("p.jsonl", '{"a": "b"}\n{"a"\n', "--column=a", "p.jsonl, line 2: not JSON"),
        ("p.jsonl", '{"a": "b"}\n\n{"a": 5}\n', "--column=a", "p.jsonl, line 3: 'a' is no text, "),
        ("p.jsonl", '"b"\n', "--column=a", "p.jsonl, line 1: no JSON object"),
        ("p.jsonl", '{"a": "b", "c": "d"}\n', "", "p.jsonl: name the column of text by --column"),
        ("p.jsonl", '{"a": 1}\n', "", "p.jsonl: name the column of text by --column: ['a']"),
        (
            "p.jsonl",
            '{"a": "b"}\n',
            "--column=c",
            "p.jsonl: --column: no object has 'c'; the ",
        ),
        ("p.jsonl", '{"a": "b"}\n', "--column=a --date=d", "p.jsonl: --date: no object has 'd'"),
        ("p.json", '[{"a": "b"},\n{"a" 5}]', "--column=a", "p.json, line 2: not JSON"),
        ("p.txt", "river\n", "--column=a", "--column is for tables (CSV, TSV, JSON lines, Parq"),
        ("p.txt", "river\n", "--group=a", "--group is for tables"),
    ],
)
def test_tables_that_cannot_be_read(fails, model, tmp_path, name, content, options, message):
    (tmp_path / name).write_text(content)
    assert message in fails("transform", model, tmp_path / name, *options.split())


def test_missing_keys_are_empty_documents(run, named, tmp_path):
    table = tmp_path / "p.jsonl"
    table.write_text('{"a": "river boat"}\n{"b": 1}\n{"a": null}\n{"a": ""}\n{"a": "engine"}\n')
    assert [topic == -1 for _, topic in named(table, "--column=a")] == [0, 1, 1, 1, 0]
    output = ("--output", tmp_path / "t.npz")
    err = run("transform", tmp_path / "model.npz", table, "--column=a", *output)[2]
    assert "p.jsonl: 2 of 5 rows have no text, so they are empty documents" in err


def test_columns_of_tables_are_for_tables(fails, text, matrix, model, tmp_path):
    save_corpus(tmp_path / "folder", read_corpus(matrix).counts)
    for file, what in [
        (text, "lines of text"),
        (matrix, "counts"),
        (tmp_path / "folder", "counts"),
    ]:
        for arguments in (("fit", file, "--output", tmp_path / "m.npz"), ("score", model, file)):
            message = fails(*arguments, "--column=body")
            assert "--column is for" in message
            assert f"{file} is read as {what}" in message


def test_vocabulary_of_a_folder_of_counts(run, fails, matrix, tmp_path):
    corpus, path = read_corpus(matrix), tmp_path / "model.npz"
    save_corpus(tmp_path / "corpus", corpus.counts, corpus.feature_names)
    words = [f"other{v}" for v in range(20)]
    (tmp_path / "words.txt").write_text("\n".join(words))
    arguments = ("fit", tmp_path / "corpus", "--topics=3", "--passes=1", "--output", path)
    assert run(*arguments, "--vocabulary", tmp_path / "words.txt")[0] == 0
    assert load(path).feature_names_in_.tolist() == words
    (tmp_path / "words.txt").write_text("one\ntwo\n")
    message = fails(*arguments, "--vocabulary", tmp_path / "words.txt")
    assert "words.txt: 2 words, but" in message


# Folders


def test_folder_of_files(named, topics, lines, tmp_path):
    folder = tmp_path / "posts"
    (folder / "more").mkdir(parents=True)
    for d, line in enumerate(lines[:10]):
        place = folder / "more" if d % 2 else folder
        (place / f"{d}.txt").write_text(line.replace(" ", "\n"))
    (folder / ".hidden").write_bytes(b"\xff")
    expected = {(f"more/{d}.txt" if d % 2 else f"{d}.txt"): topics[d] for d in range(10)}
    assert dict(named(folder)) == {name.replace("/", os.sep): t for name, t in expected.items()}
    by_line = named(folder, "--format=text")
    assert len(by_line) == 120
    assert by_line[:2] == [("0.txt:0", by_line[0][1]), ("0.txt:1", by_line[1][1])]


def test_messy_folder(run, named, fails, topics, lines, model, tmp_path):
    folder = tmp_path / "mess"
    folder.mkdir()
    (folder / "a.txt").write_bytes(lines[0].encode("utf-16"))
    (folder / "b.csv").write_bytes(as_table(lines[1:4], "b.csv"))
    (folder / "c.jsonl").write_text(f'{{"body": "{lines[4]}"}}\n{{"id": 1}}\n')
    (folder / "d.txt").touch()
    (folder / "e.csv").touch()
    with open(folder / "f.txt", "w") as file:  # one line of 50 MB
        for _ in range(50):
            file.write(lines[5].ljust(10**6))
    found = named(folder, "--column=body")
    assert found == [
        ("a.txt", topics[0]),
        *((f"b.csv:{d}", topics[1 + d]) for d in range(3)),
        ("c.jsonl:0", topics[4]),
        ("c.jsonl:1", -1),
        ("d.txt", -1),
        ("f.txt", topics[5]),
    ]
    output = ("--output", tmp_path / "m.npz")
    (folder / "f.txt").unlink()
    status, out, err = run("update", model, folder, "--column=body", *output)
    assert (status, out.split(", ")[0]) == (0, f"{tmp_path / 'm.npz'}: 7 more documents")
    assert "c.jsonl: 1 of 2 rows have no text" in err
    assert "e.csv: no documents" in err
    assert "b.csv: name the column of text by --column" in fails("score", model, folder)
    (folder / "g.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "g.png, line 1: not UTF-8" in fails("score", model, folder, "--column=body")


def test_folders_that_cannot_be_read(fails, model, matrix, tmp_path):
    (tmp_path / "none").mkdir()
    assert "none: a folder without files" in fails("score", model, tmp_path / "none")
    assert "X.npz: a file of counts in a folder of texts" in fails("score", model, matrix.parent)


def test_standard_input_without_documents(fails, model, stdin, monkeypatch):
    stdin(b"")
    assert "-: no documents" in fails("score", model, "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert "-: there is no standard input" in fails("transform", model, "-")


# Proportions


def test_proportions(run, model, text, tmp_path):
    pandas = pytest.importorskip("pandas")
    text.write_text("river boat\n\nunheard words\nengine road violin\n")
    table = tmp_path / "t.csv"
    rows = [("river boat", 2020, "x,nan"), ("", 2021, "y"), ("unheard", 2021, 'a "b"')]
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([("text", "year", "who"), *rows])
    for suffix in ("csv", "parquet", "npz"):
        out = tmp_path / f"theta.{suffix}"
        status, said, err = run(
            "transform",
            model,
            table,
            "--column=text",
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
    assert archive["labels"].tolist() == list(load(model).topics_["label"])
    columns = ["document", "date", "group", "topic0", "topic1", "topic2"]
    wide, parquet = pandas.read_csv(tmp_path / "theta.csv"), tmp_path / "theta.parquet"
    for frame in (wide, pandas.read_parquet(parquet)):
        assert frame.columns.tolist() == columns
        np.testing.assert_allclose(frame.iloc[0, 3:].astype(float), expected, rtol=1e-5)
        assert frame.iloc[1:, 3:].isna().all(axis=None)
        assert frame["group"].tolist() == [row[2] for row in rows]


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


def test_proportions_of_counts(run, matrix, tmp_path):
    path, out = tmp_path / "model.npz", tmp_path / "theta.npz"
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    assert run("transform", path, matrix, "--output", out)[0] == 0
    expected = load(path).transform(read_corpus(matrix).counts)
    np.testing.assert_array_equal(np.load(out)["proportions"], expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--output=t.xlsx", "--output: t.xlsx must end with .csv, .parquet or .npz"),
        ("--output=t.npz --top=2", "--top is for .csv and .parquet"),
        ("--output=docs.csv", "docs.csv: this would overwrite the input"),
        ("--output=none/t.csv", "cannot be written"),
    ],
)
def test_outputs_that_cannot_be(fails, model, text, monkeypatch, options, message):
    monkeypatch.chdir(text.parent)
    text.rename("docs.csv")
    arguments = ("transform", model, "docs.csv", "--format=text")
    assert message in fails(*arguments, *options.split())
    assert not os.path.exists("t.npz")


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


def test_update(run, model, text, lines, tmp_path):
    before = load(model)
    text.write_text("\n".join([*lines[:20], "river zebra"]))
    out = tmp_path / "more.npz"
    status, said, err = run("update", model, text, "--output", out)
    assert status == 0, err
    assert said == (
        f"{out}: 21 more documents, 0.4% of whose words are not in the vocabulary\n"
        "the most frequent of these: zebra\n"
    )
    expected = before.update([*lines[:20], "river zebra"]).lda_.components_
    np.testing.assert_array_equal(load(out).lda_.components_, expected)
    assert run("update", model, text)[0] == 0  # in place
    np.testing.assert_array_equal(load(model).lda_.components_, expected)


def test_update_warns_of_drift(run, model, text):
    text.write_text("river boat zebra giraffe\n" * 5)
    status, _, err = run("update", model, text)
    assert status == 0
    assert "10 of 20 words of 5 documents are not in the vocabulary (50.0%; 0.0% before)" in err
    assert ".py" not in err


def test_update_of_counts(run, fails, model, matrix, text, tmp_path):
    path = tmp_path / "counts.npz"
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    before = load(path)
    assert run("update", path, matrix)[1] == f"{path}: 60 more documents\n"
    expected = before.partial_fit(read_corpus(matrix).counts).components_
    np.testing.assert_array_equal(load(path).components_, expected)
    text.write_text("worda wordb\n" * 9)
    assert run("update", path, text)[1].startswith(f"{path}: 9 more documents, 0.0%")
    assert "a model of texts learns from texts" in fails("update", model, matrix)
    assert "this would overwrite the input" in fails("update", model, text, "--output", text)
