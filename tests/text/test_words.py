"""What is a word, in other languages than English."""

import unicodedata
import warnings

import pytest
from sklearn.base import clone

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
    "Ukrainian": "зв'язок пам\u2019ять",
    "Hebrew abbreviations": "ארה\"ב צה״ל צ'ילי ג\u05f3ק",
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


def test_signs_are_in_words_only_between_letters_of_their_script():
    found = default_vectorizer().build_analyzer()(
        "won't l'arbre 'слово' слово'word word'слово \"שלום\" שלום'word word\"שלום"
    )
    assert found == [
        *("won", "arbre", "слово", "слово", "word", "word", "слово"),
        *("שלום", "שלום", "word", "word", "שלום"),
    ]


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
    "text",
    [
        "今天天气很好。我们去公园散步吧",
        "または環境変数",
        "ภาษาไทยไม่มีช่องว่าง",
        "មិនអាចបើកឯកសារ",
        "မြန်မာဘာသာစကား",
    ],
)
@pytest.mark.parametrize("kind", [list, iter])
def test_a_script_without_spaces_warns(text, kind):
    texts = [text, "eight more words in Latin letters, of which some count"]
    with pytest.warns(UserWarning, match="without spaces between words.*lists of tokens") as found:
        fit(kind(texts))
    assert found[0].filename == __file__


def test_the_warning_shows_the_beginning_of_a_long_clause():
    with pytest.warns(UserWarning, match="such as '今天.{18}', are in"):
        fit(["今天天气很好我们去公园散步吧" * 20, "eight more words in Latin letters"])


def test_words_that_are_split_already_do_not_warn():
    split = "今天 天气 很 好 我们 去 公园 散步"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for blank in " \u200b":
            fit([blank.join(["ภาษา", "ไทย", "ไม่", "ช่องว่าง"]), "eight more words in Latin letters"])
        fit([split.split(), ["公园"]])
        model = TopicModel(2).set_params(
            lda__max_iter=1, vectorizer__min_df=1, vectorizer__token_pattern=r"\S+"
        )
        assert "天气" in model.fit([split, "公园"]).feature_names_
        for way in ({"vectorizer__analyzer": "char"}, {"vectorizer__tokenizer": list}):
            model = TopicModel(2).set_params(lda__max_iter=1, vectorizer__min_df=1, **way)
            assert "天" in model.fit(["今天天气很好", "公园"]).feature_names_
        fit(
            ["잘못된 문자열 있습니다 그리고 오류가", "apples pears plums figs grapes 今天天气很好"]
            * 2
        )


GERMAN = [
    "Die Abgeordneten haben den Antrag nicht angenommen, und das ist für die Regierung neu.",
    "Wir werden auch von der Frau Ministerin hören, dass sie mit dem Haushalt zufrieden ist.",
]
FRENCH = ["Les députés ne sont pas dans la salle pour voter sur cette loi, que nous demandons."]
RUSSIAN = ["Депутаты не знают, что это для них значит, так как они были при голосовании"]
UKRAINIAN = ["Він був радий, коли його запитали, але якщо треба бути удома чи ні, він мовчав"]
VIETNAMESE = ["Các đại biểu không được biết những điều này của chính phủ cho người dân"]
ARABIC = ["لم يعرف النواب هذا الأمر الذي كان على جدول الأعمال ولكن هذه اللجنة عادت إلى ذلك القانون"]
ENGLISH = [
    "A new van; the van of a dealer, next to a second van with broken windows.",
    "Budget committee vote parliament session tax law motion minister pension health reform",
]


@pytest.mark.parametrize(
    "texts", [GERMAN, FRENCH, RUSSIAN, UKRAINIAN, VIETNAMESE, ARABIC, [*ENGLISH, *GERMAN]]
)
@pytest.mark.parametrize("kind", [list, iter])
def test_another_language_warns_where_only_english_stop_words_are_left_out(texts, kind):
    with pytest.warns(UserWarning, match="function words of another language.*--stop-words") as got:
        fit(kind([*texts, "another subject"]))
    assert got[0].filename == __file__


def test_english_and_stop_words_of_the_language_do_not_warn():
    of_german = "die den nicht und das ist für wir auch von der dass sie mit dem werden".split()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(ENGLISH)
        for stop_words in (of_german, None):
            model = TopicModel(2).set_params(lda__max_iter=1, vectorizer__stop_words=stop_words)
            model.set_params(vectorizer__min_df=1).fit(GERMAN)


def test_texts_full_of_web_addresses_warn():
    post = "New study of heart and sleep for all kids http://example.com/abc"
    with pytest.warns(UserWarning, match="of the words are 'http' or the like") as got:
        fit([post, "more sleep"])
    assert got[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([post, "more sleep " * 60])
        fit([post.partition("http")[0], "more sleep"])


def test_texts_with_markup_warn():
    page = "<td valign=top><a href=x.html>New study</a>&nbsp;of heart and sleep for all kids"
    with pytest.warns(UserWarning, match="words are 'valign' or the like.* markup of HTML") as got:
        fit([page, "more sleep"])
    assert got[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([page, "more sleep " * 400])
        fit(["New study of heart and sleep for all kids", "more sleep"])


def test_mails_with_their_headers_warn():
    header = "Received: from host\nSubject: new study\n\n"
    bodies = [f"heart and sleep of {kind}" for kind in ("kids", "cats", "dogs", "fish", "ants")]
    mails = [header + body for body in bodies[:4]] + bodies[4:]
    with pytest.warns(UserWarning, match="the words 'subject' and 'received', so they") as got:
        fit(mails)
    assert got[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(mails[1:])  # three of four have headers
        fit([f"I received {body}" for body in bodies])
        fit([mail.partition("\n")[2] for mail in mails])
    with pytest.warns(UserWarning, match="are left out") as got:
        fit([mail * 250 for mail in mails])
    assert len(got) == 1  # long texts have the words of headers anyway


def test_long_texts_warn_if_most_of_their_words_are_left_out():
    names = ("ada", "bob", "cyd", "dan")
    books = ["whale " * 900 + f"{name} " * 300 for name in names for _ in range(2)]
    model = TopicModel(2, random_state=0).set_params(vectorizer__min_df=2)
    with pytest.warns(UserWarning, match="^75% of the words, such as 'whale'.*more than 4 of 8 "):
        model.fit(books)
    with pytest.warns(UserWarning, match=r"\(max_df=4\): cut long texts into passages"):
        clone(model).set_params(vectorizer__max_df=4).fit(iter(books))
    short = [book.replace("whale " * 900, "whale " * 600) for book in books]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(short)
        model.set_params(vectorizer__max_df=1.0).fit(books)


def fit_with_empty(texts, **given):
    vectorizer = default_vectorizer().set_params(**{"min_df": 2, **given})
    TopicModel(2, vectorizer=vectorizer, random_state=0).set_params(lda__max_iter=1).fit(texts)


SUBJECTS = ["river and water", "moon and orbit"]
RARE = [f"unique{letter}" for letter in "abcdefghijklmno"]


@pytest.mark.parametrize("kind", [list, iter])
def test_many_documents_without_words_warn(kind):
    said = "15 of 75 documents have no word of the vocabulary.* choose a smaller min_df than 2$"
    with pytest.warns(UserWarning, match=said) as got:
        fit_with_empty(kind(SUBJECTS * 30 + RARE))
    assert got[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_with_empty(kind(SUBJECTS * 30 + RARE[1:]))
        fit_with_empty(kind(SUBJECTS * 7 + RARE[:5]))  # an example
        # Who gives the words knows that not all documents have them.
        fit_with_empty(kind(SUBJECTS * 30 + RARE), vocabulary=["water", "moon"])


HELLO = ["hello help"] * 45
PLANETS = ["planet dust", "comet ring"] * 8


@pytest.mark.parametrize(
    ("texts", "given", "cure"),
    [
        (HELLO, {"max_df": 0.5}, ": choose a larger max_df than 0.5"),
        (HELLO, {"min_df": 1}, ": choose a larger max_df than 0.5"),
        (PLANETS, {"max_features": 4}, ": choose a larger max_features than 4"),
        (
            [f"hello {word}" for word in RARE * 3],
            {"min_df": 4},
            ": choose a smaller min_df than 4 or a larger max_df than 0.5",
        ),
        ([*RARE, "", None], {}, ": leave out those that are empty; for the others, choose a smal"),
        ([*RARE[:4], *[""] * 12], {}, ": most of them are empty, or .* no words in them.*leave"),
        (["of the"] * 15, {"min_df": 1}, ": most of them are empty, or .* stop words.*leave"),
    ],
)
def test_the_warning_of_documents_without_words_names_what_leaves_them_out(texts, given, cure):
    with pytest.warns(UserWarning, match="have no word of the vocabulary.*" + cure):
        fit_with_empty(SUBJECTS * 20 + texts, **given)


@pytest.mark.filterwarnings("ignore:the texts have more than 12")
@pytest.mark.parametrize(
    ("given", "cure"),
    [
        ({}, "a smaller min_df than 2"),
        ({"min_df": 1}, "texts in a list, without corpus_folder, .*"),  # no min_df brings them back
        (
            {"min_df": 0.001, "max_features": 5},
            "texts in a list, .* or a larger max_features than 5",
        ),
    ],
)
def test_words_that_were_forgotten_are_rare(monkeypatch, given, cure):
    monkeypatch.setattr("topictemper.text._vocabulary.MOST_WORDS", 12)
    monkeypatch.setattr("topictemper.text._batches._MOST_DOCUMENTS", 8)
    text = "river water moon orbit planet comet dust ring galaxy lava"  # takes their columns
    with pytest.warns(UserWarning, match=f"no word of .*: choose {cure}$"):
        fit_with_empty(iter([*RARE, "uniquep", *[text] * 40]), max_df=1.0, **given)
