"""Counts of a model of texts that are kept in a folder."""

import errno
import os
import re
import tempfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA
from topictemper.datasets import open_corpus

from .small_texts import texts, topic_model


def test_counts_are_kept_in_a_folder(tmp_path):
    model = topic_model().fit(texts())
    other = topic_model().fit(texts(), corpus_folder=tmp_path / "corpus")
    assert_array_equal(other.lda_.components_, model.lda_.components_)
    corpus = open_corpus(tmp_path / "corpus")
    kept = corpus.counts
    assert_array_equal(kept.toarray(), model.vectorizer_.transform(texts()).toarray())
    assert_array_equal(corpus.feature_names, model.feature_names_)
    topic_model().fit(iter(texts()), corpus_folder=tmp_path / "of a stream")
    assert (open_corpus(tmp_path / "of a stream").counts != kept).nnz == 0


def test_counts_are_kept_without_words_that_are_no_lines(tmp_path):
    tokens = [["boat", "water"], ["\n", "rain"]] * 5
    model = topic_model(vectorizer=None).fit(tokens, corpus_folder=tmp_path / "corpus")
    assert "\n" in model.feature_names_
    assert open_corpus(tmp_path / "corpus").feature_names is None


def test_the_folder_of_counts_is_checked_before_texts_are_read(tmp_path):
    def one_text():
        yield "boat water"
        raise AssertionError("texts were read")

    for folder, error in ((tmp_path, FileExistsError), (tmp_path / "no/c", FileNotFoundError)):
        with pytest.raises(error, match=re.escape(str(folder))):
            topic_model().fit(one_text(), corpus_folder=folder)


def test_a_full_disk_is_named(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("topictemper.text._parts.np.save", full)
    with pytest.raises(OSError, match=re.escape(f"No space left on device: {str(tmp_path)!r}")):
        topic_model().fit(texts(), corpus_folder=tmp_path / "corpus")


@pytest.mark.skipif(os.name != "posix", reason="files that are open keep their names")
def test_counts_of_a_stream_have_no_names_while_topics_are_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fit, seen = TemperedLDA.fit, []

    def watched(lda, counts, *arguments, **settings):
        assert isinstance(counts.data, np.memmap)
        seen.append(list(tmp_path.iterdir()))
        return fit(lda, counts, *arguments, **settings)

    monkeypatch.setattr(TemperedLDA, "fit", watched)
    topic_model().fit(iter(texts()))
    assert seen == [[]]


def test_a_stream_without_a_folder_for_temporary_files_says_what_helps(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    model = topic_model()
    with pytest.raises(FileNotFoundError, match=r"set TMPDIR to a folder .* or give corpus_folder"):
        model.fit(iter(texts()))
    assert not hasattr(model, "lda_")
    model.fit(iter(texts()), corpus_folder=tmp_path / "counts")
