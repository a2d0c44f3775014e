"""What is no path is refused, by the name of the parameter, before anything else is done."""

import re
from functools import partial

import pytest

from tests.report.small_report import arguments
from topictemper import TopicModel, report
from topictemper.datasets import (
    iter_parquet_text,
    open_corpus,
    read_corpus,
    save_corpus,
    write_corpus,
)

TAKERS = {
    "read_labels": (report.read_labels, "path must be the name of a file"),
    "report.write": (
        lambda path: report.write(**arguments(path=path)),
        "path must be the name of a file",
    ),
    "read_corpus": (read_corpus, "path must be the name of a file or folder"),
    "write_corpus": (partial(write_corpus, X=[[1]]), "path must be the name of a file"),
    "open_corpus": (open_corpus, "path must be the name of a folder"),
    "save_corpus": (partial(save_corpus, X=[[1]]), "path must be the name of a folder"),
    "iter_parquet_text": (
        lambda path: next(iter_parquet_text(path)),
        "path must be the name of a file",
    ),
    "corpus_folder": (
        lambda path: TopicModel(2).fit(["a b"] * 9, corpus_folder=path),
        "corpus_folder must be the name of a folder",
    ),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_no_path_is_refused(taker, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    take, message = TAKERS[taker]
    name = message.split()[0]
    remedy = re.escape(f"os.fsdecode({name})")
    if "file" in message:
        remedy += " if it is a name, or write it to a file"
    else:
        remedy += "$"
    with pytest.raises(TypeError, match=f"{message}.*bytes; give {remedy}"):
        take(b"content")
    with pytest.raises(TypeError, match=f"{message}.*got int$"):
        take(3)
    (tmp_path / "open").touch()
    with open("open") as file, pytest.raises(TypeError, match=f"{message}.*of the open file$"):
        take(file)
    assert [path.name for path in tmp_path.iterdir()] == ["open"]
