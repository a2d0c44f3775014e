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
    ],
)
def test_damaged_values_are_refused(changed, match):
    tree = plain_vectorizer(CountVectorizer())
    assert vectorizer_of(tree).get_params() == CountVectorizer().get_params()
    with pytest.raises(ValueError, match=match):
        vectorizer_of(tree | changed)
