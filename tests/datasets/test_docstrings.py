import json
import pickle
import sys
from copy import copy

import numpy as np
import pytest
from scipy.sparse import issparse

from topictemper.datasets import _cache, _docstrings, load_docstrings

WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima".split()


def test_parse_keeps_distinct_and_long_docstrings(tmp_path):
    sources = {"a": "Long enough", "b": "Long enough", "c": "Long enough too", "d": "Too short."}
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(f'"""{text}"""')
    assert _docstrings._parse([("", tmp_path)], len("Too short.")) == [
        ("a", "Long enough"),
        ("c", "Long enough too"),
    ]


def test_count():
    documents = [
        (f"name{i}", " ".join(np.roll(WORDS, i)[: 10 if i else 9]) + " ab The parameters seldom")
        for i in range(40)
    ]
    documents += [(f"rare{i}", "The seldom Alpha_bravo x2") for i in range(60)]
    corpus = _docstrings._count(documents)
    # Short words, stop words, boilerplate are gone, as is a word of all documents.
    assert set(corpus.feature_names) == set(WORDS) - {"alpha", "bravo"}


def test_count_drops_short_documents_and_shuffles():
    words = [f"word{letter * 3}" for letter in "abcdefghijklmnopqrst"]
    documents = [
        (f"name{i}", " ".join([words[i % 20], words[(i + 1) % 20]] * (5 if i < 200 else 4)))
        for i in range(210)
    ]
    corpus = _docstrings._count(documents)
    assert corpus.counts.shape == (200, 20)
    assert sorted(corpus.names) == sorted(f"name{i}" for i in range(200))
    assert list(corpus.names) != sorted(corpus.names, key=lambda name: int(name[4:]))
    for row, name, text in zip(corpus.counts, corpus.names, corpus.text, strict=True):
        assert (name, text) in documents
        assert dict(zip(corpus.feature_names[row.indices], row.data, strict=True)) == dict.fromkeys(
            text.split(), 5
        )
    again = _docstrings._count(documents)
    assert list(again.names) == list(corpus.names)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A source of 48 docstrings; the list grows by one each time it is parsed."""
    (tmp_path / "source").mkdir()
    for i in range(48):
        text = " ".join(np.roll(WORDS, i)[:6])
        (tmp_path / "source" / f"module{i}.py").write_text(f'"""Number{"x" * i} {text} {text}"""')
    calls = []

    def source_folders():
        calls.append(1)
        return [("small", tmp_path / "source")]

    monkeypatch.setattr(_docstrings, "_source_folders", source_folders)
    return calls


def _assert_same(one, other):
    assert one.counts.dtype == other.counts.dtype == np.int32
    assert one.counts.indices.dtype == other.counts.indices.dtype
    np.testing.assert_array_equal(one.counts.toarray(), other.counts.toarray())
    for name in ("feature_names", "names"):
        assert one[name].dtype == other[name].dtype == object
        np.testing.assert_array_equal(one[name], other[name])
    assert one.text == other.text
    assert one.DESCR == other.DESCR


def test_parsed_once(small, tmp_path):
    parsed = load_docstrings(data_home=tmp_path / "data", min_length=20)
    cached = load_docstrings(data_home=tmp_path / "data", min_length=20)
    assert len(small) == 1
    _assert_same(parsed, cached)
    assert parsed.counts.shape == (48, 12)
    load_docstrings(data_home=tmp_path / "data", min_length=21)
    assert len(small) == 2


@pytest.mark.parametrize("package", ["np", "scipy", "sklearn"])
def test_parsed_again_for_another_version(small, tmp_path, monkeypatch, package):
    load_docstrings(data_home=tmp_path, min_length=20)
    monkeypatch.setattr(getattr(_docstrings, package), "__version__", "999.0")
    corpus = load_docstrings(data_home=tmp_path, min_length=20)
    assert len(small) == 2
    assert "999.0" in corpus.DESCR


def test_parsed_again_for_another_schema(small, tmp_path, monkeypatch):
    load_docstrings(data_home=tmp_path, min_length=20)
    monkeypatch.setattr(_docstrings, "_SCHEMA", 0)
    load_docstrings(data_home=tmp_path, min_length=20)
    assert len(small) == 2


def test_broken_cache_is_made_again(small, tmp_path):
    parsed = load_docstrings(data_home=tmp_path / "data", min_length=20)
    (path,) = (tmp_path / "data").iterdir()
    path.write_bytes(b"broken")
    _assert_same(parsed, load_docstrings(data_home=tmp_path / "data", min_length=20))
    assert len(small) == 2
    load_docstrings(data_home=tmp_path / "data", min_length=20)
    assert len(small) == 2


@pytest.mark.parametrize("change", [{"indices": None}, {"indices": np.full(288, 99)}])
def test_cache_that_does_not_fit_is_made_again(small, tmp_path, change):
    load_docstrings(data_home=tmp_path / "data", min_length=20)
    (path,) = (tmp_path / "data").iterdir()
    with np.load(path) as archive:
        arrays = dict(archive)
    record = json.loads(arrays.pop("record").tobytes())
    arrays = {name: array for name, array in {**arrays, **change}.items() if array is not None}
    _cache.write(path, record.pop("key"), arrays, record)
    load_docstrings(data_home=tmp_path / "data", min_length=20)
    assert len(small) == 2


def test_unwritable_folder(small, tmp_path):
    (tmp_path / "file").write_text("")
    for _ in range(2):
        load_docstrings(data_home=tmp_path / "file", min_length=20)
    assert len(small) == 2


def test_bad_min_length(small, tmp_path):
    with pytest.raises(ValueError, match="min_length == -1, must be >= 0"):
        load_docstrings(data_home=tmp_path, min_length=-1)
    with pytest.raises(TypeError, match="min_length must be an instance of int"):
        load_docstrings(data_home=tmp_path, min_length="long")
    with pytest.raises(ValueError, match="min_length=100000 leaves 0 docstrings"):
        load_docstrings(data_home=tmp_path, min_length=100_000)
    assert len(list(tmp_path.glob("*.npz"))) == 0


@pytest.fixture(scope="module")
def corpus():
    return load_docstrings()


def test_real_corpus(corpus):
    n_samples, n_features = corpus.counts.shape
    # Other versions have other docstrings: generous limits.
    assert 4000 < n_samples < 30_000
    assert 2500 < n_features < 12_000
    assert 250_000 < corpus.counts.sum() < 3_000_000
    assert len(corpus.text) == len(corpus.names) == n_samples
    assert len(corpus.feature_names) == n_features
    assert issparse(corpus.counts)
    assert corpus.counts.format == "csr"
    assert corpus.counts.dtype == corpus.counts.indices.dtype == np.int32
    assert corpus.counts.sum(axis=1).min() >= 10
    assert min(map(len, corpus.text)) > 200
    assert len(set(corpus.text)) == n_samples
    assert list(corpus.feature_names) == sorted(corpus.feature_names)
    assert f"{n_samples} documents" in corpus.DESCR


def test_words_have_the_name_that_they_have_in_all_corpora(corpus):
    assert list(corpus) == ["counts", "feature_names", "names", "text", "DESCR"]
    for words in (corpus.vocabulary, corpus["vocabulary"]):  # of earlier scripts
        assert words is corpus.feature_names
    fewer = copy(corpus)
    fewer.vocabulary = corpus.vocabulary[:3]  # as earlier scripts leave out words
    assert len(fewer.vocabulary) == len(fewer["vocabulary"]) == 3


def test_the_texts_are_not_shown(corpus):
    assert repr(corpus) == "Bunch of counts, feature_names, names, text, DESCR"
    assert pickle.loads(pickle.dumps(corpus)).text == corpus.text


def test_real_corpus_names(corpus):
    for name in ("scipy.stats.ttest_ind", "os.walk", "sklearn.cluster.KMeans"):
        assert name in corpus.names
    row = list(corpus.names).index("scipy.stats.ttest_ind")
    counts = dict(zip(corpus.feature_names, corpus.counts[[row]].toarray()[0], strict=True))
    assert counts["test"] >= 5
    assert corpus.text[row].startswith("Calculate the T-test")


def test_real_corpus_is_shuffled(corpus):
    for prefix in ("scipy.", "sklearn.", "numpy."):
        belongs = np.char.startswith(corpus.names.astype(str), prefix)
        assert abs(belongs[:2000].mean() - belongs.mean()) < 0.05


def test_parsing_imports_nothing(corpus):
    # Modules that nothing here has a use for.
    assert not {"turtle", "this", "antigravity"} & set(sys.modules)
