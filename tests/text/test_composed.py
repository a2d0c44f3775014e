"""Words that Unicode can write in several ways are counted as one."""

from unicodedata import normalize

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TopicModel
from topictemper.text._batches import analyzer_of, count_words
from topictemper.text._long_texts import words_in_pieces
from topictemper.text._parameters import default_vectorizer

# Of each pair, the first is as keyboards write it. Bengali and Hindi have letters that NFC takes
# apart, Arabic has marks in either order, and Korean has syllables that may be three letters.
SAME = {
    "Vietnamese": ("thống số nước", normalize("NFD", "thống số nước")),
    "Ukrainian": ("Київ мій її", normalize("NFD", "Київ мій її")),
    "Korean": ("한국어 한국", normalize("NFD", "한국어 한국")),
    "Bengali": ("সময\u09bc", "সম\u09df"),
    "Hindi": ("\u092b\u093c\u093eइल", "\u095e\u093eइल"),
    "Arabic": ("محد\u0651\u064eد", "محد\u064e\u0651د"),
    "Turkish": ("iklim istanbul", "İKLİM İstanbul"),
    "Turkish in lower case": ("iklim", "İklim".lower()),
    "capitals that Unicode writes in one way": ("\u1e96amas", "H\u0331amas"),
    "Lithuanian in a dictionary": ("r\u00edtas", "ri\u0307\u0301tas"),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_words_that_look_alike_are_the_same(pair):
    analyze = analyzer_of(default_vectorizer())
    first, second = map(analyze, pair)
    assert first == second
    assert first


def test_pieces_of_long_texts_have_the_same_words(monkeypatch):
    text = normalize("NFD", "thống kê số học của İstanbul ") * 9
    vectorizer = default_vectorizer()
    monkeypatch.setattr("topictemper.text._long_texts.LONG", 7)
    found = [word for words in words_in_pieces(vectorizer)(text) for word in words]
    assert found == analyzer_of(vectorizer)(text)
    assert {"thống", "học", "của", "istanbul"} == set(found)


def test_capitals_that_are_kept_have_their_dot():
    analyze = analyzer_of(default_vectorizer().set_params(lowercase=False))
    assert analyze("I\u0307stanbul İzmir") == ["İstanbul", "İzmir"]


@pytest.mark.parametrize("name", ["analyzer", "preprocessor"])
def test_functions_of_the_user_get_texts_as_they_are(name):
    got = []

    def function(text):
        got.append(text)
        return text.split() if name == "analyzer" else text

    text = normalize("NFD", "été İzmir")
    count_words([(0, text)], CountVectorizer(**{name: function}))
    assert got == [text]


def fitted(texts, **parameters):
    model = TopicModel(1).set_params(vectorizer__min_df=1, vectorizer__max_df=1.0)
    return model.set_params(lda__max_iter=1, **parameters).fit(texts)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_stop_words_are_composed_too(form):
    stop_words = [normalize(form, "không"), normalize(form, "İÇİN"), None]  # of a column with gaps
    texts = [normalize("NFD", "Không thống kê"), "için iklim"]
    model = fitted(texts, vectorizer__stop_words=stop_words)
    assert model.feature_names_.tolist() == ["iklim", "thống"]


def test_stop_words_lose_the_accents_that_words_of_texts_lose():
    texts = ["Είναι η ΚΛΙΜΑΚΑ της κλίμακας", "κλίμακα"]
    model = fitted(
        texts, vectorizer__stop_words=["είναι", "της"], vectorizer__strip_accents="unicode"
    )
    assert model.feature_names_.tolist() == ["κλιμακα", "κλιμακας"]


@pytest.mark.parametrize("word", [normalize("NFD", "học"), "İklim".lower()])
def test_a_vocabulary_that_no_text_could_have_is_an_error(word):
    words = ["thống", word]
    model = TopicModel(1, vectorizer=CountVectorizer(vocabulary=words))
    with pytest.raises(ValueError, match=rf"vectorizer has '{word}', .*normalize\('NFC'"):
        model.fit(["thống kê học iklim"])


def test_a_vocabulary_with_capitals_is_told_as_by_scikit_learn():
    vectorizer = CountVectorizer(vocabulary=["İklim", "iklim"])
    model = TopicModel(1, vectorizer=vectorizer).set_params(lda__max_iter=1)
    with pytest.warns(UserWarning, match="Upper case characters found in vocabulary"):
        model.fit(["İklim"])


def test_a_vocabulary_may_have_capitals_where_texts_keep_them():
    words = ["İklim", "Học"]
    vectorizer = CountVectorizer(vocabulary=words, lowercase=False)
    model = TopicModel(1, vectorizer=vectorizer).set_params(lda__max_iter=1)
    assert model.fit(["Học I\u0307klim"]).feature_names_.tolist() == words


def test_tokens_are_counted_as_they_are():
    apart = normalize("NFD", "học")
    assert fitted([[apart, "học"]]).feature_names_.tolist() == sorted([apart, "học"])
