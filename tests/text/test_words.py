"""What is a word, in other languages than English."""

import unicodedata
import warnings

import pytest

from topictemper import TopicModel
from topictemper.text._parameters import default_vectorizer

from ..traced_memory import TracedMemory

MARKED = {
    "Hindi": "हिन्दी किसने",
    "Bengali": "বাংলা ব্যবহার",
    "Tamil": "தமிழ் மொழி",
    "Telugu": "తెలుగు",
    "Sinhala": "සිංහල ප්\u200dරධාන",
    "Telugu loanword": "సాఫ్ట్\u200cవేర్",
    "Hebrew with points": "שָׁלוֹם",
    "Arabic with vowels": "كِتَاب",
    "French, accents apart": unicodedata.normalize("NFD", "école début"),
    "Turkish": "İstanbul İSİM",
    "Thai": "ภาษาไทย",
    "Khmer": "ភាសាខ្មែរ",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_marks_do_not_cut_words(text):
    assert default_vectorizer().build_analyzer()(text) == text.lower().split()


def test_words_begin_with_a_letter_and_have_three_letters_or_marks():
    found = default_vectorizer().build_analyzer()("ab a\u0301 a\u0301b ab\u0301 \u0301abc x1yzw_vu")
    assert found == ["a\u0301b", "ab\u0301", "abc", "yzw"]


def test_joiners_are_in_words_only_between_a_mark_and_a_letter():
    found = default_vectorizer().build_analyzer()("కలమ్\u200c می\u200cشود \u200dabc\u200d")
    assert found == ["కలమ్", "شود", "abc"]


def test_a_long_run_of_marks_needs_little_memory():
    # Python's regular expressions would remember each mark, in some 120 bytes.
    text = "क\u093e" * 200_000
    analyze = default_vectorizer().build_analyzer()
    with TracedMemory() as memory:
        assert analyze(text) == [text]
    assert memory.peak < 12_000_000


def fit(texts):
    return TopicModel(2).set_params(lda__max_iter=1, vectorizer__min_df=1).fit(texts)


@pytest.mark.parametrize(
    "text", ["今天天气很好。我们去公园散步吧", "または環境変数", "ภาษาไทย", "មិនអាចបើក", "မြန်မာစာ"]
)
@pytest.mark.parametrize("kind", [list, iter])
def test_a_script_without_spaces_warns(text, kind):
    texts = [text, "eight more words in Latin letters, of which some count"]
    with pytest.warns(UserWarning, match="without spaces between words.*lists of tokens") as found:
        fit(kind(texts))
    assert found[0].filename == __file__


def test_words_that_are_split_already_do_not_warn():
    split = "今天 天气 很 好 我们 去 公园 散步"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([split.split(), ["公园"]])
        model = TopicModel(2).set_params(
            lda__max_iter=1, vectorizer__min_df=1, vectorizer__token_pattern=r"\S+"
        )
        assert "天气" in model.fit([split, "公园"]).feature_names_
        fit(
            ["잘못된 문자열 있습니다 그리고 오류가", "apples pears plums figs grapes 今天天气很好"]
            * 2
        )
