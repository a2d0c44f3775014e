"""Small texts, a model of them, and the command line, which runs in this process."""

import csv
import io
import re
import shutil
import sys

import pytest
import scipy.sparse as sp

from topictemper.cli import _main as _cli
from topictemper.datasets import make_lda_corpus

from ..text.small_texts import texts


@pytest.fixture(scope="session")
def lines():
    return texts()


@pytest.fixture
def text(tmp_path, lines):
    path = tmp_path / "docs.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def table(tmp_path, lines):
    """The lines with days and groups; the first has no day."""
    path = tmp_path / "docs.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "day", "who"])
        writer.writerows(
            [line, f"{2020 + d % 2}-01-01" if d else "", "ab"[d % 2]]
            for d, line in enumerate(lines)
        )
    return path


@pytest.fixture
def matrix(tmp_path):
    folder = tmp_path / "matrix"
    folder.mkdir()
    sp.save_npz(folder / "X.npz", make_lda_corpus(60, 20, 3, random_state=0).counts)
    (folder / "vocab.txt").write_text("".join(f"word{chr(97 + v)}\n" for v in range(20)))
    return folder / "X.npz"


@pytest.fixture(scope="session")
def model_of_lines(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("model")
    text, path = folder / "docs.txt", folder / "model.npz"
    text.write_text("\n".join(lines) + "\n")
    assert _cli.main(["fit", str(text), "--topics", "3", "--passes", "4", f"--output={path}"]) == 0
    return path


@pytest.fixture
def model(tmp_path, model_of_lines):
    """A file of the test's own, which it may change."""
    return shutil.copy(model_of_lines, tmp_path / "model.npz")


@pytest.fixture
def run(capsys):
    def run(*arguments):
        capsys.readouterr()
        status = _cli.main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def fails(run):
    """Run what must fail and return what it says."""

    def fails(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert re.fullmatch(r"( +\d+\.\d s  .+\n)*topictemper: error: .+\n", err)
        return err

    return fails


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
