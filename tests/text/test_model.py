import itertools
import re
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from topictemper import TemperedLDA, TopicModel, load
from topictemper._utils import _log
from topictemper.text import _batches

from .small_texts import assert_tables_equal, texts, topic_model


@pytest.fixture(scope="module")
def model():
    """A fitted model, which is not to be changed."""
    return topic_model().fit(texts())


def test_predictions_are_those_of_counts(model):
    X = model.vectorizer_.transform(texts(50, seed=1))
    given = texts(50, seed=1)
    assert_array_equal(model.transform(given), model.lda_.transform(X))
    assert model.score(given) == model.lda_.score(X)
    assert model.perplexity(given) == pytest.approx(np.exp(-model.score(given)))


class Lines:
    """A stream without a length."""

    def __init__(self, lines):
        self.lines = lines

    def __iter__(self):
        return iter(self.lines)


class Bar(Lines):
    """A stream with the length of tqdm around a generator, which is none."""

    def __len__(self):
        return None


def columns():
    yield "tuple", tuple(texts())
    yield "array of objects", np.array(texts(), dtype=object)
    yield "array of strings", np.array(texts())
    yield "generator", (text for text in texts())
    yield "iterable", Lines(texts())
    yield "progress bar", Bar(texts())
    yield "bytes", [text.encode() for text in texts()]
    yield "tokens", [text.split() for text in texts()]
    yield "generator of tokens", (tuple(text.split()) for text in texts())
    yield "arrays of tokens", [np.array(text.split()) for text in texts()]


@pytest.mark.parametrize(("kind", "column"), list(columns()))
def test_kinds_of_texts(model, kind, column):
    other = topic_model().fit(column)
    assert_array_equal(other.lda_.components_, model.lda_.components_)
    assert list(other.topics_.documents) == list(model.topics_.documents)
    given = texts(5, seed=1)
    as_fitted = [text.split() for text in given] if "tokens" in kind else given
    assert_array_equal(other.transform(as_fitted), model.transform(given))


def test_scalars_of_arrow_are_told_how_to_be_texts():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match=r"document 0 .* StringScalar, 'a text'; give its as_py"):
        TopicModel(2).fit(text for text in pyarrow.array(["a text"]))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_tables(model, library):
    module = pytest.importorskip(library)
    make = {"pandas": "Series", "polars": "Series", "pyarrow": "chunked_array"}[library]
    given = [texts()] if library == "pyarrow" else texts()
    other = topic_model().fit(getattr(module, make)(given))
    assert_array_equal(other.lda_.components_, model.lda_.components_)
    some = ["river boat", None, "engine road"]
    missing = module.array(some) if library == "pyarrow" else module.Series(some)
    with pytest.warns(UserWarning, match="1 of 3 documents have no word"):
        found = other.transform(missing)
    assert_array_equal(found[[0, 2]], other.transform(["river boat", "engine road"]))
    assert list(other.documents(missing).topic == -1) == [False, True, False]


def test_documents_without_a_known_word_give_a_warning(model):
    warned = r"^1 of 121 documents have no word of the vocabulary.*; documents\(texts\) has"
    with pytest.warns(UserWarning, match=warned):
        theta = model.transform([*texts(), "unheard"])
    with pytest.warns(UserWarning, match=warned):
        fitted = topic_model().fit_transform([*texts(), ""])
    assert len(theta) == len(fitted) == 121


def test_missing_values_of_pandas_are_empty_documents(model):
    pandas = pytest.importorskip("pandas")
    given = ["river boat", None, float("nan"), pandas.NA, pandas.NaT]
    assert list(model.documents(given).topic == -1) == [False, True, True, True, True]


def test_progress_is_logged(caplog, monkeypatch):
    monkeypatch.setattr("topictemper.lda._monitor._SECONDS_BETWEEN_LINES", 0.0)
    with caplog.at_level("INFO", "topictemper"):
        topic_model().fit(texts()).update(texts(9, seed=1))
        assert not caplog.records
        topic_model(verbose=1).fit(texts()).update(texts(9, seed=1))
    lines = [record.message for record in caplog.records]
    assert re.fullmatch(r"counting words: 120 documents, [\d,]+ a second", lines[0])
    assert sum("pass" in line for line in lines) == 30
    assert lines[-1].startswith("0 of 108 words of 9 documents are not in the vocabulary (0.0%")


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (texts(), ["0:01:20", "0:00:40", ""]),
        (np.array(texts()), ["0:01:20", "0:00:40", ""]),
        (iter(texts()), ["0:01:20", "0:00:40", ""]),  # which knows how many are left
        ((text for text in texts()), ["", "", ""]),
    ],
)
def test_log_says_how_long_counting_takes(caplog, monkeypatch, given, left):
    moments = itertools.count(0, 20)  # seconds; a line looks twice at the clock
    monkeypatch.setattr(_log, "perf_counter", lambda: next(moments))
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 40)
    with caplog.at_level("INFO", "topictemper"):
        topic_model(verbose=1).fit(given)
    lines = [line.partition(", about ")[2] for line in caplog.messages if "counting" in line]
    assert [line.removesuffix(" left") for line in lines[:3]] == left


class Announced:
    """Texts whose length hint is too small, or wrong in another way."""

    def __init__(self, hint):
        self._texts, self._hint = iter(texts()), hint

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._texts)

    def __length_hint__(self):
        return self._hint


class TooFewAnnounced:
    """As tqdm(stream, total=50)."""

    def __len__(self):
        return 50

    def __iter__(self):
        return iter(texts())


@pytest.mark.parametrize("given", [Announced(-1), Announced("many"), TooFewAnnounced()])
def test_a_wrong_number_of_texts_does_not_end_a_fit(caplog, monkeypatch, given):
    moments = itertools.count(0, 20)
    monkeypatch.setattr(_log, "perf_counter", lambda: next(moments))
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 60)
    with caplog.at_level("INFO", "topictemper"):
        fitted = topic_model(verbose=1).fit(given)
    lines = [line for line in caplog.messages if line.startswith("counting")]
    assert lines[:2] == [f"counting words: {n} documents, 2 a second" for n in (60, 120)]
    assert fitted.topics_["documents"].sum() == 120


def test_fit_transform_reads_once(model):
    assert_array_equal(topic_model().fit_transform(iter(texts())), model.transform(texts()))


def test_searches_over_nested_parameters():
    search = GridSearchCV(
        TopicModel(4, lda=TemperedLDA(max_iter=2), random_state=0),
        {"vectorizer__min_df": [1, 3], "lda__n_components": [2, 3]},
        cv=2,
    ).fit(texts(30))
    best = search.best_estimator_
    assert best.lda_.n_components == search.best_params_["lda__n_components"]
    assert best.vectorizer_.min_df == search.best_params_["vectorizer__min_df"]
    usual = TopicModel(3, lda=TemperedLDA(max_iter=2)).fit(texts())
    assert best.vectorizer_.token_pattern == usual.vectorizer_.token_pattern
    search = GridSearchCV(TopicModel(lda=TemperedLDA(max_iter=2)), {"n_components": [2, 3]}, cv=2)
    assert search.fit(np.array(texts(30))).best_estimator_.lda_.n_components in (2, 3)


def test_parameters_that_are_set_last_count():
    model = TopicModel(5, random_state=1).set_params(lda__random_state=2, lda__max_iter=1)
    fitted = model.fit(texts())
    assert (fitted.lda_.n_components, fitted.lda_.random_state) == (5, 2)
    assert model.set_params(lda__n_components=4).fit(texts()).lda_.n_components == 4
    assert model.set_params(n_components=3).fit(texts()).lda_.n_components == 3
    assert TopicModel(lda=TemperedLDA(6, max_iter=1)).fit(texts()).lda_.n_components == 6
    assert TopicModel().set_params(lda__max_iter=1).fit(texts()).lda_.n_components == 10


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("max_iter", r"set_params\(lda__max_iter=\.\.\.\)"),
        ("passes", r"set_params\(lda__max_iter=\.\.\.\)"),
        ("min_df", r"set_params\(vectorizer__min_df=\.\.\.\)"),
        ("num_topics", "n_components"),
        ("nr_topics", "n_components"),
        ("seed", "random_state"),
        ("vectorizer_model", "vectorizer"),
        ("n_gram_range", r"set_params\(vectorizer__ngram_range=\.\.\.\)"),
        ("K", "n_components"),
        ("prevalence", r"topics_by_group\(texts, groups\), after the fit"),
        ("rm_top", r"set_params\(vectorizer__max_df=\.\.\.\), a share of the documents"),
        ("per_word_topics", r"word_topics\(texts\)"),
        ("representation_model", r"set_labels\(function, texts=texts\)"),
    ],
)
def test_parameters_of_parts_and_of_other_libraries_are_told(name, here):
    with pytest.raises(TypeError, match=f"TopicModel has no parameter {name}; here it is {here}"):
        TopicModel(5, **{name: 5})


def test_pipelines():
    y = np.arange(120) % 3
    pipeline = make_pipeline(topic_model(), LogisticRegression())
    assert pipeline.fit(texts(), y).score(texts(60, seed=1), y[:60]) == 1.0
    names = topic_model().fit(texts()).get_feature_names_out()
    assert len(names) == 3


def test_texts_may_be_given_by_their_name(model):
    expected = model.transform(texts())
    assert_array_equal(model.transform(texts=texts()), expected)
    assert_array_equal(topic_model().fit_transform(texts=texts(), y=None), expected)
    with pytest.raises(TypeError, match="texts"):
        model.transform(texts(), texts=texts())
    with pytest.raises(TypeError, match="missing"):
        model.transform()


def test_texts_by_their_name_give_a_frame(model):
    pytest.importorskip("polars")
    frame = clone(model).set_output(transform="polars").fit_transform(texts=texts())
    assert_array_equal(frame.to_numpy(), model.transform(texts()))


def test_proportions_have_the_precision_of_the_model(model):
    assert get_tags(model).transformer_tags.preserves_dtype == []
    assert model.transform(texts()).dtype == np.float32


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("one text", TypeError, "texts is one string; give a list"),
        ([], ValueError, "texts has no documents"),
        (iter([]), ValueError, "texts has no documents"),
        ({"a": "b"}, TypeError, "must be an iterable of texts"),
        (5, TypeError, "must be an iterable of texts"),
        (np.array("a text"), TypeError, "must be an iterable of texts.*; got ndarray"),
        (["a text", np.array("b")], TypeError, "document 1 is neither .*, but ndarray, 'b'"),
        (np.eye(3), TypeError, "two dimensions.* without brackets in a ColumnTransformer"),
        (["a text", 5], TypeError, "document 1 is neither a text nor a list of tokens, but int"),
        (["a text", ["a", "b"]], TypeError, "document 1 is a list of tokens, but a text"),
        ([[(0, 1)]], TypeError, "document 0 holds tuples, like a corpus of gensim"),
        ([[1, 2]], TypeError, "document 0 holds int"),
        ([["a"], iter(["a"])], TypeError, "document 1 is an iterator"),
        ([["a", 5], ["b"]], TypeError, "document 0 holds int, such as '5'; tokens must be strings"),
        ([["b"], ["a", None]], TypeError, "document 1 holds NoneType, such as 'None'"),
        ([["a", ["b"]]], TypeError, "document 0 holds list"),
        ([None, float("nan")], ValueError, "texts has no words"),
    ],
)
def test_what_is_no_text(given, error, message):
    model = topic_model()
    before = dict(vars(model))
    with pytest.raises(error, match=message):
        model.fit(given)
    assert vars(model) == before


@pytest.mark.parametrize("token", [5, None, float("nan"), b"a"])
def test_a_token_that_is_no_string_is_not_counted_as_unknown(token, tmp_path):
    # Such an unknown word made a model that was saved and could not be loaded.
    model = topic_model(vectorizer=CountVectorizer()).fit([["red", "sky"], ["sea"]])
    learned = model.lda_.components_.copy()
    for method in (model.update, model.transform, model.documents):
        with pytest.raises(TypeError, match=r"document 1 holds .*; tokens must be strings"):
            method([["red"], ["sea", token]])
    assert_array_equal(model.lda_.components_, learned)
    model.save(tmp_path / "model.npz")
    load(tmp_path / "model.npz")


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
@pytest.mark.parametrize("preprocessor", [None, " ".join])
def test_characters_of_lists_of_tokens_are_refused(analyzer, preprocessor):
    vectorizer = CountVectorizer(analyzer=analyzer, preprocessor=preprocessor)
    with pytest.raises(TypeError, match=f"analyzer='{analyzer}' .* give texts, such as ' '.join"):
        topic_model(vectorizer=vectorizer).fit([["red", "sky"], ["sea"]])


def test_an_analyzer_of_lists_takes_them_after_the_fit_too():
    documents = [["red", "sky"], ["sea"]]
    model = topic_model(vectorizer=CountVectorizer(analyzer=list)).fit(documents)
    assert model.transform(documents).shape == (2, 3)


@pytest.mark.parametrize("word", [5, None])
def test_an_analyzer_whose_words_are_no_strings(word):
    vectorizer = CountVectorizer(analyzer=lambda text: [*text.split(), word])
    with pytest.raises(TypeError, match=f"tokens must be strings, got {word}"):
        topic_model(vectorizer=vectorizer).fit(["red sky", "sea"])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"vectorizer": TfidfVectorizer()}, TypeError, "must be a CountVectorizer.* TfidfV"),
        ({"vectorizer": "char"}, TypeError, "vectorizer must be a CountVectorizer.* got str"),
        ({"vectorizer": HashingVectorizer()}, TypeError, "must be a CountVectorizer.* HashingV"),
        ({"vectorizer": CountVectorizer(min_df=-1)}, ValueError, "'min_df'"),
        ({"vectorizer": CountVectorizer(input="file")}, ValueError, "input of the vectorizer must"),
        ({"vectorizer": CountVectorizer(ngram_range=(2, 1))}, ValueError, "ngram_range"),
        ({"vectorizer": CountVectorizer(min_df=500)}, ValueError, "none of the 18 words is left"),
        ({"lda": CountVectorizer()}, TypeError, "lda must be a TemperedLDA or None, got Count"),
        ({"n_components": 0}, ValueError, "n_components"),
    ],
)
def test_what_are_no_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        topic_model(**parameters).fit(texts())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": "3"}, "n_components must be an instance of int"),
        ({"n_components": 2**30}, "n_components=.* needs 400\\.0 GiB for 100 features"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"random_state": "0"}, "random_state must be"),
        ({"lda": TemperedLDA(tempering="hot")}, "tempering must be one of"),
        ({"lda": TemperedLDA(max_iter=0, init=np.ones((3, 9)))}, "max_iter == 0"),
        ({"lda": TemperedLDA(topic_word_prior="much")}, "topic_word_prior must be"),
        ({"lda": TemperedLDA(warm_start=True)}, "warm_start=True of lda has no effect .* update"),
        ({"lda": TemperedLDA(max_iter=0), "seed_topics": {"water": ["boat"]}}, "max_iter == 0"),
        ({"seed_topics": [["boat"]]}, r"seed_topics must be a mapping .* got \[\['boat'\]\]"),
        ({"seed_topics": {"water": "boat"}}, "'water' must have a list of words, got 'boat'"),
    ],
)
def test_parameters_are_checked_before_texts_are_read(parameters, message):
    def unread():
        raise AssertionError("texts were read")
        yield

    with pytest.raises((TypeError, ValueError), match=message):
        topic_model(**parameters).fit(unread())


def test_priors_of_words_are_checked_with_the_words():
    priors = TemperedLDA(3, max_iter=2, topic_word_prior=np.full(18, 0.1), init=np.ones((3, 18)))
    assert topic_model(lda=priors).fit(texts()).lda_.components_.shape == (3, 18)
    with pytest.raises(ValueError, match="topic_word_prior"):
        topic_model(lda=TemperedLDA(3, topic_word_prior=np.full(17, 0.1))).fit(texts())


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_fit_that_fails_leaves_what_there_was(method):
    fitted = topic_model().fit(texts())
    words, topics = fitted.feature_names_, fitted.lda_
    fitted.set_params(lda=TemperedLDA(topic_word_prior=[0.1] * 5))
    with pytest.raises(ValueError, match="topic_word_prior"):
        getattr(fitted, method)(["boat river", "engine"] * 9)  # after these words are counted
    assert_array_equal(fitted.feature_names_, words)
    assert fitted.lda_ is topics


def test_before_fit():
    model = topic_model()
    for method in (model.transform, model.score, model.documents, model.update):
        with pytest.raises(NotFittedError):
            method(texts())
    with pytest.raises(AttributeError, match="no topics_ before fit"):
        _ = model.topics_
    for attribute in ("labels_", "feature_names_"):
        with pytest.raises(NotFittedError, match="This TopicModel instance is not fitted"):
            getattr(model, attribute)
    with pytest.raises(NotFittedError):
        model.save("model.npz")


@pytest.mark.parametrize("split", [str, str.split])
def test_texts_without_warnings(split):
    # Recorded, because the vectorizer would pass over a warning that is an error.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = [split(f"the {text}") for text in texts(30)]
        model = TopicModel(2, lda=TemperedLDA(max_iter=1)).fit(given)
    assert "the" not in model.feature_names_
    assert caught == []


def test_unknown_words_that_grow_slowly_give_a_warning(tmp_path):
    def text(n_unknown):
        return " ".join(["zebra"] * n_unknown + ["boat"] * (100 - n_unknown))

    topic_model().fit(texts()).update([text(9)] * 2).save(tmp_path / "model")
    model = load(tmp_path / "model").merge_topics([0, 1])
    # Of the words of `fit`, none was unknown: what counts is not the update before.
    with pytest.warns(UserWarning, match=r"\(11.0%; 0.0% in fit\); if unknown_words_ has words of"):
        model.update([text(11)] * 2)
    model.fit([*texts(), *[text(9)] * 4])
    model.update([text(11)] * 2)
    with pytest.warns(UserWarning, match=r"\(30.0%; 2.* in fit\)"):
        model.update([text(30)] * 2)


def test_one_text_of_unknown_words_gives_no_warning():
    """Of single texts on the same subjects one in six would give one."""
    model = topic_model().fit(texts())
    odd = "zebra giraffe lion boat"
    assert model.update([odd]).unknown_share_ == 0.75
    assert model.update([*texts(2), odd * 200]).unknown_share_ > 0.5
    with pytest.warns(UserWarning, match="are not in the vocabulary"):
        model.update(iter([odd, odd]))


def test_threads_may_share_a_model(model):
    parts = [texts(1 + number % 5, seed=number) for number in range(64)]
    with ThreadPoolExecutor(8) as threads:
        proportions = list(threads.map(model.transform, parts))
        tables = list(threads.map(model.documents, parts))
    for part, found, table in zip(parts, proportions, tables, strict=True):
        assert_array_equal(found, model.transform(part))
        assert_tables_equal(table, model.documents(part))


@pytest.mark.parametrize("prefix", ["", "lda__"])
def test_a_fitted_model_takes_threads_and_verbosity(prefix):
    model = topic_model().set_params(n_jobs=1).fit(texts())
    before = model.lda_.get_params()
    model.set_params(**{f"{prefix}n_jobs": 2, f"{prefix}n_components": 7})
    assert model.lda_.get_params() == before | {"n_jobs": 2}
    model.set_params(**{f"{prefix}verbose": 1})
    assert model.lda_.get_params() == before | {"n_jobs": 2, "verbose": 1}
    model.lda_.set_params(n_jobs=3)
    assert model.set_params(vectorizer__min_df=2).lda_.n_jobs == 3
    model.set_params(n_jobs=None, lda__n_jobs=None)
    assert model.lda_.n_jobs is None
