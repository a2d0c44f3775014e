"""The command line: options that FILE cannot use, tables, and words that a terminal would obey."""

# ruff: noqa: F811

import pytest

from topictemper import TemperedLDA, load
from topictemper.datasets import make_lda_corpus, read_corpus, save_corpus

from .test_main import fails, lines, matrix, model, run, text  # noqa: F401


@pytest.mark.parametrize("word", ["\x1b[31mred", "a\nb", "\x07", "\x9b31m", "\u202eevil"])
def test_control_characters_of_words_are_escaped(run, tmp_path, word):
    path = tmp_path / "model.npz"
    X = make_lda_corpus(60, 4, 2, random_state=0).counts
    TemperedLDA(2, max_iter=1, random_state=0).fit(X).save(
        path, feature_names=[word, "naïve", "日本", "tab\tbed"]
    )
    status, out, err = run("topics", path)
    assert (status, err) == (0, "")
    assert word not in out
    assert len(out.splitlines()) == 2
    for shown in (word.encode("unicode_escape").decode(), "naïve", "日本", r"tab\tbed"):
        assert shown in out


@pytest.mark.parametrize(
    "name", ["p.csv", "p.tsv", "p.jsonl", "p.ndjson", "p.json", "P.CSV", "p.csv.gz"]
)
def test_tables_are_not_read_as_lines(run, fails, lines, model, tmp_path, name):
    table = tmp_path / name
    table.write_text("\n".join(lines) + "\n")
    output = ("--output", tmp_path / "m.npz")
    for options in ((), ("--column=summary",)):
        for arguments in (("fit", table, *output), ("score", model, table)):
            message = fails(*arguments, *options)
            assert f"{name}: " in message
            assert "files cannot be read. Save the texts one per line" in message
            assert "--format text" in message
    assert run("fit", table, "--format=text", "--topics=2", "--passes=1", *output)[0] == 0
    assert run("score", model, table, "--format=text")[0] == 0


def test_column_is_for_parquet(fails, text, matrix, model, tmp_path):
    save_corpus(tmp_path / "folder", read_corpus(matrix).counts)
    read_as = [(text, "lines of text"), (matrix, "counts"), (tmp_path / "folder", "counts")]
    for file, what in read_as:
        for arguments in (("fit", file, "--output", tmp_path / "m.npz"), ("score", model, file)):
            message = fails(*arguments, "--column=body")
            assert f"--column is for Parquet files (.parquet); {file} is read as {what}" in message


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
