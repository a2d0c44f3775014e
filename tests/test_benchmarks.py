"""What benchmarks keep of earlier runs. Needs benchmarks beside the tests."""

import argparse
import csv
from pathlib import Path

import numpy as np
import pytest

from topictemper.datasets import make_lda_corpus

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"

pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").exists(), reason="these tests run without the source"
)


@pytest.fixture(autouse=True)
def benchmarks_are_found(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


def test_rows_that_are_not_measured_again_stay(tmp_path, capsys):
    from benchmarks._common.table import Table

    path, fields = tmp_path / "new" / "t.csv", ["setting", "seed", "score"]
    first = Table(path, fields, 2)
    for seed in range(3):
        first.add({"setting": "a", "seed": seed, "score": "-7.0"})
    second = Table(path, fields, 2)
    second.add({"setting": "a", "seed": 1, "score": "-6.0"})
    second.add({"setting": "b", "seed": 0})
    with path.open(newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    assert rows == [
        ["a", "0", "-7.0"],
        ["a", "1", "-6.0"],
        ["a", "2", "-7.0"],
        ["b", "0", ""],
    ]
    assert capsys.readouterr().out.splitlines()[-1] == "| b | 0 |  |"
    assert [each.name for each in path.parent.iterdir()] == ["t.csv"]


def test_two_comparisons_at_once_lose_no_rows(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from benchmarks.peers.compare import FIELDS, Bench

    runs = [Bench(argparse.Namespace(out=tmp_path)) for _ in range(2)]
    for seed in range(4):
        runs[seed % 2].add(setting="a", system="b, c", seed=seed)
    with (tmp_path / "peers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["0", "1", "2", "3"]
    assert set(rows[0]) == set(FIELDS)
    assert runs[0].find(system="b, c") == rows
    assert len(runs[0].find(seed=1)) == 1


@pytest.mark.skipif(not (RESULTS / "topics.csv").exists(), reason="an sdist has no tables")
@pytest.mark.parametrize(("module", "n_names"), [("topics", 4), ("embeddings", 3)])
def test_committed_rows_have_names_of_their_own(module, n_names, tmp_path):
    from benchmarks._common.table import Table

    content = (RESULTS / f"{module}.csv").read_bytes()
    path = tmp_path / "copy.csv"
    path.write_bytes(content)
    fields = content.decode().splitlines()[0].split(",")
    Table(path, fields, n_names).write()
    assert path.read_bytes().splitlines() == content.splitlines()


def test_an_experiment_goes_on_with_its_own_course_only(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from benchmarks.lda import paper

    counts = make_lda_corpus(700, 30, 3, random_state=0).counts

    def run(passes, name="LVT"):
        options = argparse.Namespace(
            corpus="x",
            quick=False,
            work=tmp_path,
            out=tmp_path,
            jobs=1,
            components=3,
            passes=passes,
        )
        experiment = paper.Experiment((counts[:500], counts[500:]), options)
        experiment.run("vt", name, paper.runs(3, passes)["vt", name])
        return [row["passes"] for row in experiment.of("vt", name)]

    first = run(1.0)
    assert first == [0.2, 0.4, 0.8, 1.0]
    before = (tmp_path / "paper_x.csv").read_bytes()
    for passes in (2.0, 0.5):
        with pytest.raises(SystemExit, match=r"LVT\.npz was begun with another course"):
            run(passes)
    assert (tmp_path / "paper_x.csv").read_bytes() == before
    assert run(1.0) == first
    # A course that does not depend on the number of passes goes on.
    run(1.0, "SVI")
    assert run(2.0, "SVI")[-1] == 2.0
    model = tmp_path / "x" / "vt_LVT.npz"
    assert model.exists()
    model.unlink()
    assert run(1.0) == first
    assert np.isclose(run(2.0)[-1], 2.0)
