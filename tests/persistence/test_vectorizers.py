"""Vectorizers in files, as plain values."""

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topictemper.persistence._vectorizers import plain_vectorizer, vectorizer_of


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
        ({"stop_words": 3}, "stop_words"),
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
