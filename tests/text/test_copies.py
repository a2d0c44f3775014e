"""Texts that repeat the words of others."""

import warnings

import numpy as np
import pytest

from topictemper import TopicModel

WORDS = [f"word{chr(97 + i)}{chr(97 + j)}" for i in range(10) for j in range(10)]
RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice(WORDS, 30)) for _ in range(95)]


def fit(texts, **given):
    model = TopicModel(2, random_state=0)
    return model.set_params(lda__max_iter=1, vectorizer__min_df=3).fit(texts, **given)


@pytest.mark.parametrize("kind", [list, iter])
def test_copies_warn(kind):
    copies = [TEXTS[number] for number in (7, 3, 3, 7, 3)]
    with pytest.warns(UserWarning, match=r"^5 of 100 .*\(4 .*such as documents 3 and 96\)") as got:
        fit(kind([*TEXTS, *copies]))
    assert got[0].filename == __file__


def test_words_that_are_left_out_make_no_copy_another_text():
    names = [f"{TEXTS[3]} name{letter} 2024-{letter}" for letter in "abcdefgh"]
    with pytest.warns(UserWarning, match="^8 of 103 documents"):
        fit([*TEXTS, *names])


def test_the_order_of_words_makes_no_difference():
    with pytest.warns(UserWarning, match="^95 of 190 documents"):
        fit([*TEXTS, *(" ".join(reversed(text.split())) for text in TEXTS)])


def test_few_copies_and_short_texts_do_not_warn():
    short = " ".join(dict.fromkeys(TEXTS[0].split()[:9]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([*TEXTS, *TEXTS[:4]])
        fit([*TEXTS, *[short] * 50])
        fit(TEXTS[:33] * 3)


def test_copies_that_have_been_given_weights_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(TEXTS * 2, sample_weight=np.full(190, 0.5))


def test_copies_in_other_batches_are_found(monkeypatch):
    monkeypatch.setattr("topictemper.text._batches._MOST_DOCUMENTS", 7)
    with pytest.warns(UserWarning, match=r"^95 of 190 .*\(2 .*such as documents 0 and 95\)"):
        fit(TEXTS * 2)
