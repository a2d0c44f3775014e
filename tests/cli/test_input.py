"""The command line: words, packed files, encodings and folders."""

import argparse
import bz2
import gzip
import itertools
import json
import lzma
import os
import re
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from topictemper import TemperedLDA, load
from topictemper._utils import _log
from topictemper.cli._inputs import TextInput
from topictemper.datasets import make_lda_corpus, save_corpus

from .small_texts import as_table

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
    out = run("topics", path, "--json")[1]
    assert out.replace("\n", "").isprintable()
    words = json.loads(out)[0]["words"]
    assert {word, "naïve", "日本"} <= set(words)
    assert "日本" in out


def test_control_characters_of_file_names_are_escaped(run, model, lines, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text(lines[0])
    try:
        (folder / "\x1b[31mred\n.csv").touch()
    except OSError:
        pytest.skip("this system has no such names")
    status, _, err = run("score", model, folder)
    assert status == 0
    assert r"\x1b[31mred .csv: no documents" in err
    assert len(err.splitlines()) == 1
    assert "\x1b" not in err

    status, out, _ = run("update", model, folder, "--output", folder / "\x1b[32m.npz")
    assert status == 0
    assert r"\x1b[32m.npz: 1 more document" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("terminal", [True, False])
def test_ids_are_escaped_on_a_terminal(run, model, lines, tmp_path, monkeypatch, terminal):
    name = "\x1b]0;title\x07\x9b31m, naïve"
    path = tmp_path / "table.jsonl"
    path.write_text(json.dumps({"text": lines[0], "id": name}))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    status, out, err = run("transform", model, path, "--column=text", "--id=id", "--top=1")
    assert (status, err) == (0, "")
    shown = r"\x1b]0;title\x07\x9b31m, naïve" if terminal else name
    # Not splitlines, which has more ends of lines than CSV.
    assert out.split("\n")[1].startswith(f'0,"{shown}",')


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
    file.write_text("the common pair\nthe common pair\nthe common thing\nthe word\n")
    stop.write_text("pair\nCommon\n")

    def words(*options):
        fit = ("fit", file, "--topics=2", "--passes=1", "--output", path)
        status, _, err = run(*fit, *options)
        assert status == 0, err
        return load(path).feature_names_.tolist()

    assert words("--min-df=2") == ["pair"]
    assert words("--min-df=0.5", "--max-df=0.75") == ["common", "pair"]
    assert words("--min-df=2", "--max-df=1.0", "--stop-words=none") == ["common", "pair", "the"]
    assert words("--min-df=1", "--max-df=1") == ["thing", "word"]
    every = "--min-df=1", "--max-df=1.0"
    assert words(*every, "--stop-words", stop) == ["the", "thing", "word"]
    assert words("--ngrams=2", "--min-df=2", "--max-df=1.0") == ["common", "common pair", "pair"]
    assert words(*every, "--token-pattern=[pw]\\w+") == ["pair", "word"]


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
    for name in ("Answers.XLSX", "talk.docx"):
        office = (tmp_path / "docs.zip").rename(tmp_path / name)
        assert f"{name}: not text; save a workbook as CSV" in fails("score", model, office)
        office.rename(tmp_path / "docs.zip")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x28\xb5\x2f\xfdxx", "docs: packed by zstd; unpack it first"),
        (b"%PDF-1.7\nriver boat\n", "docs: a PDF; save its text"),
        (None, "docs: a tar archive; unpack it first, and give the folder"),
    ],
    ids=["zstd", "pdf", "tar"],
)
def test_what_an_encoding_would_make_texts_of(fails, model, text, content, message, pack):
    file = text.with_name("docs")
    if content is None:
        with tarfile.open(file, "w") as archive:
            archive.add(text, "docs.txt")
        content = file.read_bytes()
    file.write_bytes(pack(content))
    assert message in fails("score", model, file, "--encoding=latin-1")


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


def test_a_mark_is_no_part_of_the_first_name(named, topics, lines, tmp_path):
    file = tmp_path / "docs.csv"
    file.write_bytes("\n".join(["\ufeffbody", *lines]).encode("utf-16-le"))
    options = ("--column=body", "--encoding=utf-16-le")
    assert [topic for _, topic in named(file, *options)] == topics


def test_null_characters_if_the_encoding_is_given(named, topics, lines, tmp_path):
    """As they are in exports of databases."""
    file = tmp_path / "docs.csv"
    file.write_text("\n".join(["body", *(f"\0 {line}\0" for line in lines)]), encoding="utf-8")
    for name in ("utf-8", "UTF8", "utf-8-sig"):
        assert [topic for _, topic in named(file, f"--encoding={name}")] == topics


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"fine\nals\xe9\n", (), "docs.txt, line 2: not UTF-8 (byte 0xe9 at column 4)"),
        ("fine\nwords".encode("utf-16-le"), (), "docs.txt, line 1: a null character"),
        (b"als\xe9\n", (), "(byte 0xe9 at column 4); give its --encoding, such as cp1252 "),
        # As Latin-1, these would be texts without a meaning.
        ("中文 字".encode("utf-16-le"), (), "if it is UTF-16, give --encoding utf-16-le or"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", (), "null characters: leave it out if it is no text"),
        (b"fine\n\x81", ("--encoding=cp1252",), "docs.txt, line 2: not CP1252 (byte 0x81 at"),
        ("fine".encode("utf-16-le"), ("--encoding=utf-16",), "docs.txt: no byte order mark; give"),
        (b"fine", ("--encoding=utf-99",), "--encoding: 'utf-99' is not an encoding"),
        (b"fine", ("--encoding=base64",), "--encoding: 'base64' is not an encoding"),
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
    writer = threading.Thread(target=lambda: pipe.write_bytes(text.read_bytes()), daemon=True)
    writer.start()
    assert [topic for _, topic in named(pipe)] == topics
    writer.join()


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


def test_links_out_of_a_folder_are_told(run, named, lines, topics, tmp_path):
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "a.txt").write_text(lines[0])
    (other / "b.txt").write_text(lines[1])
    try:
        (folder / "inside.txt").symlink_to("a.txt")
        (folder / "folder").symlink_to(other)
    except OSError:
        pytest.skip("no links here")
    model = tmp_path / "model.npz"
    assert run("score", model, folder)[2] == ""
    (folder / "outside.txt").symlink_to(Path("..") / "other" / "b.txt")
    said = "1 link, such as outside.txt, to files outside of it, which are read as documents"
    assert said in run("score", model, folder)[2]
    assert dict(named(folder)) == {
        "a.txt": topics[0],
        "inside.txt": topics[0],
        "outside.txt": topics[1],
    }


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
    assert "c.jsonl: 1 of 2 rows has no text, so it is an empty document" in err
    assert "e.csv: no documents" in err
    assert "b.csv: name the column of text by --column" in fails("score", model, folder)
    (folder / "g.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "g.png, line 1: not UTF-8" in fails("score", model, folder, "--column=body")


def test_files_that_spark_hides(named, lines, topics, tmp_path):
    folder = tmp_path / "table"
    (folder / "_temporary").mkdir(parents=True)
    (folder / "part-0.csv").write_bytes(as_table(lines[:3], "part-0.csv"))
    (folder / "_SUCCESS").touch()
    (folder / "_temporary" / "part-1.csv").write_text("half")
    found = [(f"part-0.csv:{d}", topics[d]) for d in range(3)]
    assert named(folder, "--column=body") == found
    (folder / "part-0.csv").rename(folder / "part-0")
    assert named(folder, "--column=body", "--format=csv") == [
        (name.replace(".csv", ""), topic) for name, topic in found
    ]
    (folder / "part-0").unlink()
    (folder / "_temporary" / "part-1.csv").unlink()
    assert dict(named(folder)).keys() == {"_SUCCESS"}  # without tables it is a file like others


def test_a_file_that_is_not_there_has_no_format(fails, model):
    assert "s3:/posts: No such file" in fails("score", model, "s3://posts", "--column=body")


def test_folders_that_cannot_be_read(fails, model, matrix, tmp_path):
    (tmp_path / "none").mkdir()
    assert "none: a folder without files" in fails("score", model, tmp_path / "none")
    assert "X.npz: a file of counts in a folder of texts" in fails("score", model, matrix.parent)


def test_files_without_documents(fails, model, tmp_path):
    file, out = tmp_path / "empty.txt", tmp_path / "out.csv"
    file.touch()
    message = f"error: {file}: no documents.\n"
    assert fails("fit", file, "-o", out).endswith(message)
    assert fails("score", model, file).endswith(message)
    for command, output in (("update", out), ("transform", out), ("report", tmp_path / "r.html")):
        assert fails(command, model, file, "-o", output).endswith(message)
    assert not out.exists()


def test_counts_without_documents(run, fails, matrix, tmp_path):
    path, counts = tmp_path / "of_counts", tmp_path / "counts"
    assert run("fit", matrix, "--topics=2", "--passes=1", "-o", path)[0] == 0
    save_corpus(counts, np.zeros((1, 20)))
    header = (counts / "corpus.json").read_text()
    (counts / "corpus.json").write_text(header.replace("[1, 20]", "[0, 20]"))
    np.save(counts / "indptr.npy", np.zeros(1, np.int32))
    for command in ("score", "transform", "update"):
        assert fails(command, path, counts).endswith(f"error: {counts}: no documents.\n")


def test_standard_input_without_documents(fails, model, stdin, monkeypatch):
    stdin(b"")
    assert "-: no documents" in fails("score", model, "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert "-: there is no standard input" in fails("transform", model, "-")


def test_files_of_a_folder_that_are_utf8_after_all_are_told(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = Path("folder")
    folder.mkdir()
    words = "für über größe"
    for number in range(6):
        encoding = "utf-8" if number in (3, 4) else "latin-1"
        (folder / f"{number}.txt").write_text(words, encoding=encoding)
    fit = ("fit", folder, "--topics=1", "--passes=1", "--max-df=1.0", "--min-df=1", "-o=m.topics")
    assert "0.txt, line 1: not UTF-8" in run(*fit)[2]
    told = "2 files, such as folder/3.txt, may be UTF-8, but --encoding reads all as latin-1"
    assert told in run(*fit, "--encoding=latin-1")[2]
    for number in (3, 4):
        (folder / f"{number}.txt").write_text(words, encoding="latin-1")
    status, _, err = run(*fit, "--encoding=latin-1")
    assert (status, "may be UTF-8" in err) == (0, False)
    assert list(load("m.topics").feature_names_) == sorted(words.split())


def test_lines_and_tables_that_are_utf8_after_all_are_told(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["text", "plain words", "слова жизни", "мир", *["plain words"] * 3]
    fit = ("--topics=1", "--passes=1", "--max-df=1.0", "--min-df=1", "-o=m.topics")
    for name in ("words.csv", "words.txt"):
        Path(name).write_text("\n".join(rows), encoding="utf-8")
        told = f"{name} may be UTF-8, but --encoding reads it as latin-1; leave out --encoding"
        assert told in run("fit", name, *fit, "--encoding=latin-1")[2]
        for text, encoding in (("слова жизни", "cp1251"), ("für", "cp1252")):
            # The bytes of the last row are UTF-8, too, but not those of all rows.
            Path(name).write_bytes("\n".join([*rows[:2], text, ""]).encode(encoding) + b"\xd0\xb6")
            status, _, err = run("fit", name, *fit, "--encoding", encoding)
            assert (status, "may be UTF-8" in err) == (0, False)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8-sig", "für über größe"),
        ("utf-16-le", "для это мир"),
        ("utf-16-be", "для это мир"),
        ("iso2022_jp", "これは 日本語 です"),
        ("utf-7", "für über größe"),
    ],
)
def test_files_in_the_encoding_that_is_given_are_not_taken_for_utf8(run, tmp_path, encoding, words):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1.txt").write_text(words, encoding=encoding)
    (folder / "2.txt").write_text("plain words", encoding=encoding)
    counting = "--topics=1", "--passes=1", "--max-df=1.0", "--min-df=1"
    status, _, err = run("fit", folder, *counting, "-o", tmp_path / "m", "--encoding", encoding)
    assert (status, "may be UTF-8" in err) == (0, False)


# How much is left


@pytest.fixture
def clock(monkeypatch):
    """Of 10 seconds between looks; 30 documents, or 100 bytes, are read at a time."""
    moments = itertools.count(0, 10)
    monkeypatch.setattr(_log, "perf_counter", lambda: next(moments))
    monkeypatch.setattr("topictemper.text._batches._MOST_DOCUMENTS", 30)
    monkeypatch.setattr("topictemper._utils._chunks._MOST_ROWS", 30)
    monkeypatch.setattr("topictemper.cli._decoding._BYTES_AT_ONCE", 100)


def seconds_left(log, what):
    """Pairs of documents and the seconds that are left, 0 where the log does not say."""
    pattern = rf"{what}: (\d+) documents, \d+ a second(?:, about 0:(\d\d):(\d\d) left)?\n"
    found = re.findall(pattern, log)
    return [(int(done), 60 * int(minutes or 0) + int(rest or 0)) for done, minutes, rest in found]


@pytest.mark.parametrize("kind", ["lines", "packed", "folder", "table"])
def test_log_says_how_long_a_file_takes(run, model, clock, text, table, lines, tmp_path, kind):
    file, options = (table, ["--column=body"]) if kind == "table" else (text, [])
    tolerance = 8
    if kind == "packed":
        # Five megabytes, as a packed file is read by a megabyte at a time.
        tolerance = 25
        words = np.random.default_rng(0).integers(0, 1 << 60, (120, 3000))
        packed = "".join(f"river boat {' '.join(map(hex, row))}\n" for row in words.tolist())
        file = tmp_path / "docs.txt.gz"
        file.write_bytes(gzip.compress(packed.encode()))
    elif kind == "folder":
        file = tmp_path / "posts"
        file.mkdir()
        for part in range(4):
            (file / f"{part}.txt").write_text("\n".join(lines[30 * part : 30 * part + 30]))
        options = ["--format=text"]
    status, _, log = run("transform", model, file, *options, "--output", tmp_path / "theta.csv")
    assert status == 0, log
    # A part takes 10 or 20 seconds.
    assert seconds_left(log, "transforming") == [
        (30, pytest.approx(60, abs=tolerance)),
        (60, pytest.approx(40, abs=tolerance)),
        (90, pytest.approx(20, abs=tolerance)),
        (120, 0),
    ]
    if kind != "packed":
        fitted = run("fit", file, *options, "--passes=1", "--output", tmp_path / "new.topics")
        assert seconds_left(fitted[2], "counting words")[0] == (30, pytest.approx(60, abs=8))


def test_log_says_how_long_counts_take(run, clock, matrix, tmp_path):
    path = tmp_path / "model.npz"
    assert run("fit", matrix, "--topics=3", "--passes=2", "--output", path)[0] == 0
    log = run("transform", path, matrix, "--output", tmp_path / "theta.csv")[2]
    assert seconds_left(log, "transforming") == [(30, 20), (60, 0)]


def test_nobody_knows_how_long_a_pipe_is(run, model, clock, text, stdin, tmp_path):
    stdin(text.read_bytes())
    log = run("transform", model, "-", "--output", tmp_path / "theta.csv")[2]
    assert seconds_left(log, "transforming") == [(30, 0), (60, 0), (90, 0), (120, 0)]


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed here")
def test_a_file_may_be_removed_while_it_is_read(text, lines):
    arguments = argparse.Namespace(file=text, format=None, encoding=None, column=None)
    source = TextInput(arguments)
    read = source.texts()
    first = next(read)
    text.unlink()
    assert [first, *read] == lines
