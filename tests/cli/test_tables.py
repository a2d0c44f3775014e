"""The command line: tables of texts, and options that no other FILE can use."""

import bz2
import csv
import gzip
import json
import lzma

import pytest

from topictemper import load
from topictemper.datasets import read_corpus, save_corpus

from ..report.small_report import data_of
from .small_texts import as_table


@pytest.mark.parametrize(
    "name",
    [
        "p.csv", "P.CSV", "p.csv.gz", "P.TSV.BZ2", "p.tsv", "p.tab.xz", "p.jsonl", "p.ndjson.bz2",
        "p.json", "semicolons.csv", "wide.csv",
    ],
)  # fmt: skip
def test_tables(named, topics, lines, tmp_path, stdin, name):
    table, content = tmp_path / name, as_table(lines, name)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    table.write_bytes(pack.get(name.split(".")[-1].lower(), bytes)(content))
    found = named(table, "--column=body")
    assert found == [(str(d), topic) for d, topic in enumerate(topics)]
    stdin(content)
    kind = {"tab": "tsv", "json": "jsonl", "ndjson": "jsonl"}.get(
        name.lower().split(".")[1], name.lower().split(".")[1]
    )
    assert named("-", "--column=body", f"--format={kind}") == found


def test_parquet(fails, named, topics, lines, tmp_path, stdin):
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
    parquet.write_table(pa.table({"n": range(120)}), file)
    assert "--column" not in fails("fit", file, *out)  # which would not help


def test_quotes_that_join_rows_of_tsv(run, model, tmp_path):
    table = tmp_path / "docs.tsv"
    table.write_text('id\tbody\n1\t"river boat\n2\tengine\n3\troad car"\n')
    out = ("--output", tmp_path / "out.csv")
    said = run("transform", model, table, "--column=body", *out)[2]
    assert "docs.tsv, line 2: a cell in quotes has tabs and ends of lines" in said
    table.write_text('id\tbody\n1\t"river\nboat"\n2\t"a ""car"" on\ta road"\n')
    assert run("transform", model, table, "--column=body", *out)[2] == ""


def test_missing_values_of_json_lines(named, topics, lines, tmp_path):
    file = tmp_path / "docs.jsonl"
    rows = [{"body": line, "who": float("nan")} for line in lines[:3]]
    rows.append({"body": float("nan"), "who": "b"})
    file.write_text("\n".join(map(json.dumps, rows)))
    found = named(file, "--column=body", "--id=who")
    assert [topic for _, topic in found] == [*topics[:3], -1]
    assert "nan" not in (tmp_path / "named.csv").read_text(encoding="utf-8")


def test_the_only_column_need_not_be_named(named, topics, lines, tmp_path):
    (tmp_path / "one.csv").write_text("\n".join(["body", *lines]))
    objects = [{"n": 1, "body": line} for line in lines]
    (tmp_path / "one.jsonl").write_text("\n".join(map(json.dumps, objects)))
    (tmp_path / "array.json").write_text("\n" + json.dumps(objects))
    for name in ("one.csv", "one.jsonl", "array.json"):
        assert [topic for _, topic in named(tmp_path / name)] == topics


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("p.csv", "a,b\n1,2\n", "", "p.csv: name the column of text by --column: ['a', 'b']"),
        ("p.csv", "a,b\n1,2\n", "", "Counts, with a column for each word, are not read from tabl"),
        ("p.csv", "a,b\n1,2\n", "--column=c", "p.csv: --column: no column 'c'; there are ['a',"),
        ("p.csv", f"a,{'b' * 99}\n1,2\n", "", f"by --column: ['a', '{'b' * 37}...']."),
        ("p.csv", ",".join("abcdefghijklmnopqrstuvwxyz"), "", "'s', 't'] and 6 more."),
        ("p.csv", "a,a\n1,2\n", "--column=a", "p.csv: --column: two columns 'a'"),
        ("p.csv", "a,b\n1,2\n", "--column=a --date=d", "p.csv: --date: no column 'd'"),
        ("p.csv", "a,b\n1,2\n3\n", "--column=a", "p.csv, line 3: 1 fields, but the first line"),
        ("p.csv", 'a,b\n1,2\n"3,\n4', "--column=a", "in the row that begins in line 3: unexpec"),
        ("p.csv", 'a,b\n"1\n1",2\n3\n', "--column=a", "p.csv, line 4: 1 fields"),
        ("p.csv", "a;b\n1;2\n", "", "p.csv: name the column of text by --column: ['a', 'b']"),
        ("p.csv", "a;b\n1;2\n", "--column=A", "--column: no column 'A'; there are ['a', 'b']"),
        ("p.csv", "a,b\r1,2\r", "--column=a", "row that begins in line 1: lines end with CR alone"),
        ("p.csv", "", "--column=a", "p.csv: no documents"),
        ("p.jsonl", '{"a": "b"}\n{"a"\n', "--column=a", "p.jsonl, line 2: not JSON"),
        ("p.json", '{\n"a": [\n', "--column=a", "; a file has one object per line, or one array"),
        ("p.jsonl", '{"a": "b"}\n\n{"a": 5}\n', "--column=a", "p.jsonl, line 3: 'a' is not text, "),
        ("p.jsonl", '"b"\n', "--column=a", "p.jsonl, line 1: not a JSON object"),
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
        ("p.txt", "river\n", "--id=a", "--id is for tables"),
        ("p.csv", "a,b\n1,2\n", "--column=a --id=d", "p.csv: --id: no column 'd'"),
        ("p.jsonl", '{"a": "b"}\n', "--column=a --id=d", "p.jsonl: --id: no object has 'd'"),
    ],
)
def test_tables_that_cannot_be_read(fails, model, tmp_path, name, content, options, message):
    (tmp_path / name).write_text(content)
    assert message in fails("transform", model, tmp_path / name, *options.split())


def test_columns_may_have_an_empty_name(run, named, lines, topics, tmp_path):
    """As the index of pandas has in a CSV."""
    objects, table = tmp_path / "p.jsonl", tmp_path / "p.csv"
    objects.write_text("\n".join(json.dumps({"title": "car", "": line}) for line in lines))
    assert [topic for _, topic in named(objects, "--column=")] == topics
    rows = [f"{2020 + d % 2},{line}" for d, line in enumerate(lines)]
    table.write_text("\n".join([",body", *rows]))
    for option, names in (("--date=", "periods"), ("--group=", "groups")):
        page = tmp_path / "report.html"
        options = ("--column=body", option, "--output", page)
        assert run("report", tmp_path / "model.npz", table, *options)[0] == 0
        assert data_of(page)[names]["names"] == ["2020", "2021"]


def test_ids_stand_beside_the_numbers_of_documents(run, model, lines, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file, out = tmp_path / "docs.parquet", tmp_path / "top.csv"
    table = {"key": [900, None, 7], "body": lines[:3], "who": ["x", "y", "x"]}
    parquet.write_table(pa.table(table), file)
    options = ("--column=body", "--id=key", "--group=who", "--top=1", "--output", out)
    assert run("transform", model, file, *options)[0] == 0
    rows = [line.split(",")[:3] for line in out.read_text().splitlines()]
    assert rows == [["document", "id", "group"], ["0", "900", "x"], ["1", "", "y"], ["2", "7", "x"]]


def test_ids_with_ends_of_lines_are_cells_of_one_row(run, model, tmp_path):
    ids = ["a\nb", "c\rd", "e\r\nf", 'g"h', "i,j", "k"]
    lines = [json.dumps({"text": "river boat", "key": key}) for key in ids]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    for options in ((), ("--top=1",)):
        options = ("--column=text", "--id=key", "--output", tmp_path / "o.csv", *options)
        assert run("transform", model, tmp_path / "p.jsonl", *options)[0] == 0
        with open(tmp_path / "o.csv", newline="") as file:
            assert [row["id"] for row in csv.DictReader(file)] == ids


def test_half_a_character_in_a_group(run, model, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "p.jsonl").write_text('{"a": "river boat", "b": "\\ud800x"}\n')
    for name in ("o.csv", "o.parquet", "o.npz"):
        options = ("--column=a", "--group=b", "--output", tmp_path / name)
        assert run("transform", model, tmp_path / "p.jsonl", *options)[0] == 0
    assert "\\ud800x" in (tmp_path / "o.csv").read_text()
    out = run("shares", model, tmp_path / "p.jsonl", "--column=a", "--group=b", "--csv")[1]
    assert "\\ud800x,0" in out


def test_missing_keys_are_empty_documents(run, named, tmp_path):
    table = tmp_path / "p.jsonl"
    table.write_text('{"a": "river boat"}\n{"b": 1}\n{"a": null}\n{"a": ""}\n{"a": "engine"}\n')
    assert [topic == -1 for _, topic in named(table, "--column=a")] == [0, 1, 1, 1, 0]
    output = ("--output", tmp_path / "t.npz")
    err = run("transform", tmp_path / "model.npz", table, "--column=a", *output)[2]
    assert "p.jsonl: 3 of 5 rows have no text, so they are empty documents" in err


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.parquet"])
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["river", ""], "1 of 2 rows has no text, so it is an empty document"),
        (["river", "", " \n"], "2 of 3 rows have no text, so they are empty documents"),
        (["river", *[""] * 1200], "1,200 of 1,201 rows have no text"),
        ([""], "1 of 1 row has no text"),
        (["river"], ""),
    ],
)
def test_rows_without_text_are_counted(run, model, tmp_path, name, texts, said):
    pandas, table = pytest.importorskip("pandas"), tmp_path / name
    frame = pandas.DataFrame({"a": texts, "b": "x"})
    if name == "p.parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(table)
    elif name == "p.jsonl":
        frame.to_json(table, orient="records", lines=True)
    else:
        frame.to_csv(table, sep={"p.csv": ",", "p.tsv": "\t"}[name], index=False)
    status, _, err = run("transform", model, table, "--column=a", "--output", tmp_path / "t.npz")
    assert status == 0
    assert f"{name}: {said}" in err if said else "no text" not in err


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


def test_standard_input_that_is_a_table_needs_its_format(fails, named, topics, lines, model, stdin):
    content = as_table(lines, "p.jsonl")
    stdin(content)
    message = fails("score", model, "-", "--column=body")
    assert (
        "- is read as lines of text. Give --format if that is wrong. Save a workbook as CSV."
        in message
    )
    assert "Give --format" not in fails("score", model, "-", "--column=body", "--format=text")
    stdin(content)
    assert [topic for _, topic in named("-", "--column=body", "--format=jsonl")] == topics


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
