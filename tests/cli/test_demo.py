"""The command line: the main job, `topictemper demo`."""

import re

import numpy as np
import pytest
from sklearn.utils import Bunch

from topictemper import TemperedLDA
from topictemper.cli import _demo
from topictemper.datasets import make_lda_corpus


@pytest.fixture
def small_demo(monkeypatch):
    drawn = make_lda_corpus(300, 80, 5, random_state=0)
    corpus = Bunch(
        counts=drawn.counts,
        feature_names=np.array([f"word{v}" for v in range(80)], dtype=object),
        names=np.array([f"module.function_{d}" for d in range(300)], dtype=object),
        text=[f"Summary of function {d}.\n\nMore." for d in range(300)],
    )
    monkeypatch.setattr(_demo, "load_docstrings", lambda: corpus)
    small = {"n_components": 5, "batch_size": 20, "max_iter": 6}
    monkeypatch.setattr(_demo, "_SETTINGS", {**_demo._SETTINGS, **small})


def test_demo(small_demo, run):
    status, out, err = run("demo")
    assert "270 to learn from, 30 held out" in out
    assert "5 topics, 6 passes" in out
    assert len(re.findall(r" pass 1/6: .*score", err)) == 2
    last = re.findall(r" pass 6/6: .*score (-\d+\.\d+)", err)
    for mode, validated in zip(("svi", "lvt"), last, strict=True):
        score = re.search(rf"\({mode}\) +(-\d+\.\d+) +\d+\.\d +\d+\.\d\n", out).group(1)
        assert float(score) == pytest.approx(float(validated), abs=1e-4)
    gain = float(re.search(r"gain +([+-]\d\.\d+)", out).group(1))
    assert (status == 0) == ("tempering helped" in out)
    assert (status == 1) == ("tempering did not help here" in out)
    assert status == 0 or gain <= 0
    assert re.search(r"pass +temperature +median of documents\n +0\.\d\d ", out)
    assert len(re.findall(r"^ +\d +\d+\.\d%( +word\d+){8}$", out, re.MULTILINE)) == 5
    assert len(re.findall(r"module\.function_\d+\n +Summary of function \d+\.\n", out)) == 5


@pytest.mark.parametrize(("tempered", "status"), [(-1.9, 0), (-2.0, 1), (-2.1, 1)])
def test_demo_tells_whether_tempering_helped(small_demo, run, monkeypatch, tempered, status):
    def score(model, X):
        return tempered if model.tempering == "lvt" else -2.0

    monkeypatch.setattr(TemperedLDA, "score", score)
    found, out, _ = run("demo")
    assert found == status
    assert ("\ntempering did not help here\n" in out) == bool(status)
