"""Vectorizers in files, as plain values."""

import warnings
from threading import Event, Thread, current_thread

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topictemper.persistence._vectorizers import checked, plain_vectorizer, vectorizer_of


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"dtype": "object"}, "dtype.*no numbers"),
        ({"dtype": "no type"}, "dtype"),
        ({"ngram_range": [1.0, 2]}, "ngram_range.*no whole numbers"),
        ({"ngram_range": [1, "2"]}, "ngram_range.*no whole numbers"),
        ({"ngram_range": 1}, "ngram_range"),
        ({"tokenizer": "eval"}, "tokenizer must be None or 'tokens', got 'eval'"),
        ({"preprocessor": "eval"}, "preprocessor must be None or 'tokens', got 'eval'"),
        ({"input": "filename"}, "input of the vectorizer must be 'content', got 'filename'"),
        ({"stop_words": 3}, "'stop_words' parameter of CountVectorizer must be"),
        ({"stop_words": "french"}, "stop_words"),
    ],
)
def test_damaged_values_are_refused(changed, match):
    tree = plain_vectorizer(CountVectorizer())
    assert vectorizer_of(tree).get_params() == CountVectorizer().get_params()
    with pytest.raises(ValueError, match=match):
        vectorizer_of(tree | changed)


@pytest.mark.parametrize("stop_words", [[30 * "a" + "!"], "english"])
def test_a_pattern_is_not_matched_before_there_are_texts(stop_words, monkeypatch):
    tokenized = []
    monkeypatch.setattr(
        CountVectorizer, "build_tokenizer", lambda _: lambda text: tokenized.append(text) or []
    )
    # Which takes years to find that 30 letters and a sign do not match.
    pattern = {"token_pattern": "(?:[a-z]|[a-y]|[a-x]|[a-w])+$", "stop_words": stop_words}
    vectorizer = vectorizer_of(plain_vectorizer(CountVectorizer()) | pattern)
    assert not tokenized
    assert vectorizer.stop_words == stop_words


def test_models_that_are_loaded_at_once_leave_the_filters_of_warnings(monkeypatch):
    tree, fit = plain_vectorizer(CountVectorizer(analyzer="char")), CountVectorizer.fit
    began, overlaps, ended = Event(), Event(), Event()

    def fit_in_turn(self, texts):
        is_first = current_thread() is first
        (began if is_first else overlaps).set()
        assert (overlaps if is_first else ended).wait(60)
        return fit(self, texts)

    def load_first():
        vectorizer_of(tree)
        ended.set()

    before = list(warnings.filters)
    with monkeypatch.context() as patched:
        patched.setattr(CountVectorizer, "fit", fit_in_turn)
        first = Thread(target=load_first)
        first.start()
        assert began.wait(60)
        vectorizer_of(tree)
        first.join()
    assert list(warnings.filters) == before


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"analyzer": str.split, "ngram_range": (1, 2)}, "'ngram_range' will not be used"),
        ({"vocabulary": ["Never"]}, "Upper case characters found in vocabulary"),
    ],
)
def test_what_has_no_effect_is_warned_of_when_texts_are_counted(parameters, match):
    vectorizer = CountVectorizer(**parameters)
    assert checked(vectorizer) is vectorizer  # which warns of nothing
    with pytest.warns(UserWarning, match=match):
        vectorizer.fit(["a b"])
