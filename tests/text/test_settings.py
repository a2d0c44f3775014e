"""What a report of a `TopicModel` says of how it was made."""

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA, TopicModel
from topictemper.text._parameters import STOP_WORDS

from ..report.small_report import data_of

TEXTS = ["The moon and the moon, an orbit", "goal of the match; a goal in the league"] * 20


def settings(tmp_path, vectorizer=None, texts=TEXTS):
    lda = TemperedLDA(2, max_iter=1, random_state=0)
    model = TopicModel(vectorizer=vectorizer, lda=lda).fit(texts)
    return data_of(model.report(texts, path=tmp_path / "report.html"))["parameters"]


def test_the_page_says_what_the_vectorizer_counts(tmp_path):
    said = settings(tmp_path)
    assert said["model"] == "TopicModel"
    assert list(said)[-1] == "warm_start"  # of lda
    assert said.items() >= {
        ("token_pattern", "three or more letters"),
        ("min_df", "5"),
        ("max_df", "0.5"),
        ("stop_words", f"{len(STOP_WORDS)} words"),
        ("ngram_range", "(1, 1)"),
        ("lowercase", "True"),
        ("passes", "1"),
    }
    unsaid = {"vocabulary", "max_features", "strip_accents", "encoding", "binary", "documents"}
    assert not unsaid & set(said)


@pytest.mark.parametrize(
    ("given", "said", "unsaid"),
    [
        (
            {"stop_words": "english", "binary": True},
            {"stop_words": "english", "binary": "True"},
            "",
        ),
        ({"vocabulary": ["moon", "goal"]}, {"vocabulary": "2 words"}, "min_df max_df"),
        ({"analyzer": str.split}, {"analyzer": "split"}, "token_pattern stop_words lowercase"),
        ({"preprocessor": str.upper}, {"preprocessor": "upper"}, "lowercase"),
        ({"ngram_range": (1, 2)}, {"ngram_range": "(1, 2)"}, "stop_words"),
    ],
)
def test_of_other_vectorizers(tmp_path, given, said, unsaid):
    found = settings(tmp_path, CountVectorizer(**given))
    assert found.items() >= said.items()
    assert not set(unsaid.split()) & set(found)


def test_of_tokens(tmp_path):
    said = settings(tmp_path, texts=[text.split() for text in TEXTS])
    assert said["documents"] == "lists of words"
    assert not {"tokenizer", "preprocessor", "token_pattern", "lowercase"} & set(said)
