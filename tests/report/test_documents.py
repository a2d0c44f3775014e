"""The documents that the page holds, where it cannot hold all."""

import numpy as np
import pytest

from topictemper.report import _documents


@pytest.mark.parametrize("n_documents", [100, 1000])
@pytest.mark.parametrize("length", [None, 3, 300])  # no texts, short ones, texts beyond the budget
def test_the_others_are_a_sample_of_all_rows(monkeypatch, n_documents, length):
    monkeypatch.setattr(_documents, "_MOST_DOCUMENTS", 200)
    monkeypatch.setattr(_documents, "_TEXT_BUDGET", 20_000)
    needed = np.arange(0, n_documents, n_documents // 50)
    texts = None if length is None else ["x" * length] * n_documents
    chosen = _documents.choose(needed, texts, n_documents, np.random.default_rng(0))
    others = np.setdiff1d(chosen.rows, needed)
    assert np.isin(needed, chosen.rows).all()
    assert (np.diff(chosen.rows) > 0).all()
    assert len(chosen.rows) == (66 if length == 300 else min(n_documents, 200))
    assert chosen.complete == (len(chosen.rows) == n_documents)
    # Between none of 16 in the later half and all of them there is no doubt.
    assert 0.15 < (others >= n_documents / 2).mean() < 0.85


def test_of_more_needed_documents_than_others_would_fit_all_are_there(monkeypatch):
    monkeypatch.setattr(_documents, "_MOST_DOCUMENTS", 20)
    needed = np.arange(5, 35)
    chosen = _documents.choose(needed, None, 100, np.random.default_rng(0))
    assert chosen.rows.tolist() == needed.tolist()
    assert not chosen.complete


@pytest.mark.parametrize(("budget", "longest"), [(40_000, 200), (1_000, 100)])
def test_of_needed_documents_that_are_too_long_there_are_the_beginnings(
    monkeypatch, budget, longest
):
    monkeypatch.setattr(_documents, "_TEXT_BUDGET", budget)
    needed = np.arange(0, 100, 2)
    texts = [f"{row:04}" * 750 for row in range(100)]
    chosen = _documents.choose(needed, texts, 100, np.random.default_rng(0))
    assert chosen.rows.tolist() == needed.tolist()
    assert chosen.texts == [texts[row][:longest] for row in needed]
    assert (chosen.n_cut, chosen.complete) == (50, False)
