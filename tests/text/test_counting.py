"""Counts of texts are those of scikit-learn, in memory and on the disk, at once and in parts."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from topictemper.datasets import open_corpus
from topictemper.text import _batches, _long_texts, _unknown, _vocabulary
from topictemper.text._counting import (
    choose_words,
    count_by_vocabulary,
    first_counts,
    learn_vocabulary,
)
from topictemper.text._long_texts import LONG, words_in_pieces
from topictemper.text._parts import Part
from topictemper.text._unknown import UnknownWords

TEXTS = [
    "The cat sat on the mat; the CAT!",
    "",
    "A dog chased the cat over the mat",
    "dogs and cats, cats and dogs, dogs",
    "Ärzte und Straßen",
    "the dog sat",
]


@pytest.mark.parametrize("most_documents", [1, 2, 1000])
@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"min_df": 2},
        {"min_df": 2, "max_df": 0.4},
        {"max_df": 2, "stop_words": "english"},
        {"ngram_range": (1, 2), "min_df": 2},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"max_features": 3},
        {"vocabulary": ["mat", "dog", "cat"]},
        {"vocabulary": {"dog": 1, "sat": 0}},
        {"binary": True},
        {"lowercase": False, "strip_accents": "unicode"},
    ],
)
def test_counts_are_those_of_scikit_learn(
    monkeypatch, tmp_path, parameters, on_disk, most_documents
):
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", most_documents)
    theirs, ours = CountVectorizer(**parameters), CountVectorizer(**parameters)
    expected = theirs.fit_transform(TEXTS)
    folder = tmp_path / "corpus" if on_disk else None
    counted = learn_vocabulary(iter(TEXTS), ours, folder)
    assert counted.words == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    assert_array_equal(counted.counts.toarray(), expected.toarray())
    assert counted.counts.has_sorted_indices
    assert_array_equal(ours.transform(TEXTS[:3]).toarray(), expected[:3].toarray())
    parts = list(count_by_vocabulary(TEXTS, ours))
    again = np.vstack([part.matrix(ours).toarray() for part in parts])
    assert_array_equal(again, expected.toarray())
    if on_disk:
        assert_array_equal(open_corpus(folder).counts.toarray(), expected.toarray())


class Tokens:
    """A document that can only be gone through."""

    def __init__(self, text):
        self._text = text

    def __iter__(self):
        return iter(self._text.split())


def test_documents_are_counted_as_they_come():
    """So a stream may use one list for all of its documents, which need no length either."""

    def stream():
        document = []
        for text in TEXTS:
            document[:] = text.split()
            yield document

    expected = CountVectorizer(analyzer=str.split).fit_transform(TEXTS).toarray()
    for documents in (stream(), map(Tokens, TEXTS)):
        counts = learn_vocabulary(documents, CountVectorizer(analyzer=list), None).counts
        assert_array_equal(counts.toarray(), expected)


def test_binary_counts_choose_the_words_of_the_most_documents():
    texts = [10 * "many " + "few", "few others"]
    vectorizer = CountVectorizer(binary=True, max_features=1)
    expected = clone(vectorizer).fit(texts).get_feature_names_out().tolist()
    assert learn_vocabulary(texts, vectorizer, None).words == expected == ["few"]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"token_pattern": r"[^\W\d_]{3,}", "stop_words": "english", "strip_accents": "unicode"},
        {"token_pattern": r"\w+ (\w+)"},
        {"preprocessor": lambda text: text[::-1]},
        {"strip_accents": lambda text: text[-999:]},
        {"binary": True, "min_df": 2},
    ],
)
def test_long_texts_are_counted_in_pieces(parameters, monkeypatch):
    for module in (_batches, _long_texts):
        monkeypatch.setattr(module, "LONG", 2**16)
    # A capital sigma at the end of a word has a small letter of its own.
    long = "ΟΔΟΣ ΣΑΣ café the cat_1\n" * 2800
    assert len(long) > 2**16
    texts = ["the dog", long + "end", "", "cat ΣΑΣ"]
    theirs, ours = CountVectorizer(**parameters), CountVectorizer(**parameters)
    expected = theirs.fit_transform(texts)
    counted = learn_vocabulary(texts, ours, None)
    assert counted.words == theirs.get_feature_names_out().tolist()
    assert_array_equal(counted.counts.toarray(), expected.toarray())
    some, unknown = clone(ours).set_params(vocabulary=counted.words[:1]).fit([]), UnknownWords()
    (part,) = count_by_vocabulary(texts, some, unknown)
    assert_array_equal(part.matrix(ours).toarray()[:, :1], expected[:, :1].toarray())
    assert sum(unknown.most_common(10**6).values()) == part.n_unknown().sum()


def test_long_texts_are_not_cut_at_what_no_longer_is_white_space():
    text = "a" * LONG + "b\u2028c dd"
    vectorizer = CountVectorizer(strip_accents="ascii")
    expected = clone(vectorizer).fit([text]).get_feature_names_out().tolist()
    assert learn_vocabulary([text], vectorizer, None).words == expected == ["a" * LONG + "bc", "dd"]


class Reversed(CountVectorizer):
    def build_analyzer(self):
        return lambda text: text[::-1].split()


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(ngram_range=(1, 2)),
        CountVectorizer(analyzer="char"),
        CountVectorizer(tokenizer=str.split),
        Reversed(),
    ],
    ids=str,
)
def test_what_needs_the_whole_text_gets_it(vectorizer):
    assert words_in_pieces(vectorizer) is None
    assert words_in_pieces(CountVectorizer()) is not None


def test_unknown_words_are_counted():
    vectorizer, unknown = CountVectorizer(min_df=2), UnknownWords()
    counted = learn_vocabulary(TEXTS, vectorizer, None)
    analyze = CountVectorizer().build_analyzer()
    words = [word for text in TEXTS for word in analyze(text)]
    known = [word for word in words if word in vectorizer.vocabulary_]
    assert counted.unknown_share == 1 - len(known) / len(words)
    parts = list(count_by_vocabulary(["the new dog of a new day", "cat"], vectorizer, unknown))
    assert unknown.most_common(9) == {"new": 2, "of": 1, "day": 1}
    assert unknown.most_common(1) == {"new": 2}
    assert parts[0].n_words.tolist() == [6, 1]


@pytest.mark.parametrize(
    "parameters", [{"min_df": 2}, {"max_features": 3}, {"vocabulary": ["mat", "dog", "cat"]}]
)
def test_words_that_are_found_in_several_places(parameters):
    """What is found goes from one process to another, and is put together there."""
    total = _vocabulary.GrowingVocabulary(bounded=False)
    for texts in ([], TEXTS[:2], TEXTS[2:5], [], TEXTS[5:]):
        parts, found = first_counts(texts, CountVectorizer(**parameters), bounded=False)
        for part in parts:
            found.add(part)
        if "vocabulary" in parameters:  # these words are known, and do not travel
            found = found.as_one_word()
        total.merge(pickle.loads(pickle.dumps(found)))
    here, there = CountVectorizer(**parameters), CountVectorizer(**parameters)
    counted = learn_vocabulary(TEXTS, here, None)
    words, unknown_share, _ = choose_words(there, total)
    assert (words, unknown_share) == (counted.words, counted.unknown_share)
    assert there.vocabulary_ == here.vocabulary_
    assert total.n_documents == len(TEXTS)


@pytest.mark.parametrize(
    ("texts", "parameters", "message"),
    [
        (["", " "], {}, "texts has no words: the vectorizer found none in 2 documents"),
        (TEXTS, {"min_df": 5}, "none of the .* words is left: min_df=5 .* in 5 to 6 of 6 doc"),
        (
            TEXTS[:1],
            {"min_df": 5, "max_df": 0.5},
            "leave none, as 5 is more than 0.5 of 1 documents;",
        ),
        (TEXTS, {"vocabulary": ["absent"]}, "no document has one of the 1 words"),
        ([b"caf\xe9 one"], {}, "document 0 is not utf-8"),
    ],
)
def test_nothing_to_count(texts, parameters, message):
    with pytest.raises(ValueError, match=message):
        learn_vocabulary(texts, CountVectorizer(**parameters), None)


def test_a_stream_of_new_words_is_counted_in_bounded_memory(monkeypatch, tmp_path):
    """Words of many documents are counted exactly; forgotten ones lose what the warning says."""
    monkeypatch.setattr(_vocabulary, "MOST_WORDS", 60)
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 10)
    common = [f"common{i}" for i in range(8)]
    rng = np.random.default_rng(0)
    texts = [
        " ".join([*rng.choice(common, 5), *(f"new{row}x{i}" for i in range(4))])
        + " late" * (row > 80)
        for row in range(100)
    ]
    theirs, ours = CountVectorizer(min_df=10), CountVectorizer(min_df=10)
    expected = theirs.fit_transform(texts)
    with pytest.warns(UserWarning, match="more than 60 different words.* too low by up to 5$"):
        counted = learn_vocabulary(iter(texts), ours, tmp_path / "corpus")
    assert counted.words == [*common, "late"]
    assert_array_equal(counted.counts.toarray(), expected.toarray())
    # In memory nothing is forgotten.
    assert len(learn_vocabulary(texts, CountVectorizer(), None).words) == 8 + 400 + 1


def test_a_forgotten_word_that_comes_back_is_counted_from_then_on(monkeypatch, tmp_path):
    monkeypatch.setattr(_vocabulary, "MOST_WORDS", 6)
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 2)
    texts = ["aa back", "aa bb", "cc dd", "ee ff", "aa gg", "aa hh", "aa back", "aa back"]
    vectorizer = CountVectorizer(min_df=2)
    with pytest.warns(UserWarning, match="too low by up to 1$"):
        counted = learn_vocabulary(texts, vectorizer, tmp_path / "corpus")
    assert counted.words == ["aa", "back"]
    assert_array_equal(
        counted.counts.toarray()[:, 1], [False] * 6 + [True] * 2
    )  # its first time is lost, not given to another word
    assert counted.counts.toarray()[:, 0].tolist() == [1, 1, 0, 0, 1, 1, 1, 1]
    assert counted.unknown_share == 1 - 8 / 16


def test_unknown_words_are_counted_in_bounded_memory(monkeypatch):
    monkeypatch.setattr(_unknown, "MOST_WORDS", 6)
    unknown = UnknownWords()
    for number in range(50):
        unknown.add({"often": 1} | {f"new{number}x{i}": 1 for i in range(3)})
    assert unknown.most_common(1) == {"often": 50}
    assert len(unknown.most_common(99)) <= 6


def test_columns_of_forgotten_words_are_taken_again(monkeypatch):
    monkeypatch.setattr(_vocabulary, "MOST_WORDS", 6)
    vocabulary = _vocabulary.GrowingVocabulary(bounded=True)
    for number in range(50):
        columns = vocabulary.columns_of([f"new{number}x{i}" for i in range(3)])
        ones = np.ones(3, dtype=np.int32)
        vocabulary.add(Part(np.array([3]), columns, ones, np.array([3])))
    assert vocabulary.n_columns < 12
