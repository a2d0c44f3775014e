from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA, TopicModel, load
from topictemper.plotting import TopicSharesDisplay
from topictemper.topics import SeedTopics, topic_distances, twin_topics

from ..report.small_report import data_of
from .small_texts import THEMES, assert_tables_equal, texts, topic_model


@pytest.fixture(scope="module")
def model():
    return topic_model().fit(texts())


def theme(topic_words):
    (place,) = (k for k, words in enumerate(THEMES) if set(topic_words[:4]) <= set(words.split()))
    return place


class Plain(TopicModel):
    """A model with few parameters of its own."""

    def __init__(self, note=""):
        super().__init__(3, random_state=1)
        self.note = note


def test_topics_of_a_subclass_with_other_parameters_can_be_merged():
    plain = Plain("mine").set_params(note="other").fit(texts())
    merged = plain.merge_topics([[0, 1]])
    assert (type(merged), merged.note, merged.n_components) == (Plain, "other", 2)
    assert merged.transform(texts()).shape == (120, 2)


def test_labels_are_in_tables_and_files(model, tmp_path):
    labeled = load(_saved(model, tmp_path))
    labeled.set_labels(lambda words, documents: f"{words[0]}/{documents[0]}", texts=texts())
    for label, words in zip(labeled.labels_, labeled.topics_["words"], strict=True):
        word, _, document = label.partition("/")
        assert word == words[0]
        assert theme(words) == theme(document.split())
    again = load(_saved(labeled, tmp_path))
    assert list(again.topics_["label"]) == list(labeled.labels_)


def test_a_new_fit_takes_the_labels_of_the_old_model(model, tmp_path):
    old = load(_saved(model, tmp_path))
    old.set_labels({k: THEMES[theme(words)] for k, words in enumerate(old.topics_["words"])})
    more = [f"{text} ticket" for text in texts()[::-1]]
    new = topic_model().set_params(vectorizer__max_df=1.0).fit(more)
    assert "ticket" in new.feature_names_
    new.set_labels(old)
    for label, words in zip(new.labels_, new.topics_["words"], strict=True):
        assert label == THEMES[theme([word for word in words if word != "ticket"])]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_labels_and_queries_from_columns_of_tables(model, library):
    module = pytest.importorskip(library)
    column = module.array if library == "pyarrow" else module.Series
    labels, found = [], []
    for given in (list, column):
        other = deepcopy(model).set_labels(lambda _, documents: documents[0], texts=given(texts()))
        labels.append(other.labels_.tolist())
        found.append(other.search_in(given(texts())).find(given(texts(3))))
    assert labels[0] == labels[1]
    assert list(found[0]["document"]) == list(found[1]["document"])


@pytest.mark.parametrize("given", [{"texts": texts()}, {"n_words": 3}, {"n_documents": 2}])
def test_only_a_function_gets_words_and_texts(model, given):
    (name,) = given
    with pytest.raises(ValueError, match=f"{name} is for labels given by a function"):
        model.set_labels({0: "a"}, **given)


def _saved(model, folder):
    model.save(folder / "model")
    return folder / "model"


def test_fewer_topics_are_a_model(model, tmp_path):
    model = load(_saved(model, tmp_path)).set_labels({0: "first", 2: "last"})
    merged = model.merge_topics(["first", 1])
    assert list(merged.topics_["label"]) == ["first", "last"]
    assert list(merged.topics_["documents"]) == [80, 40]
    assert np.isnan(merged.topics_["coherence"]).tolist() == [True, False]
    assert merged.transform(texts()).shape == (120, 2)
    assert merged.n_components == 2
    loaded = load(_saved(merged, tmp_path))
    assert loaded.topics_["share"].tolist() == merged.topics_["share"].tolist()
    assert loaded.update(texts()).topics_["documents"].sum() == 240
    dropped = model.drop_topics("last")
    assert list(dropped.topics_["documents"]) == [40, 40]
    assert len(model.reduce_to(2).topics_) == 2
    assert len(model.topics_) == 3
    assert len(merged.fit(texts()).topics_) == 2
    seeds = SeedTopics({"cars": ["engine", "brake"]})
    priors = {"doc_topic_prior": [0.1, 0.2, 0.3], "topic_word_prior": seeds}
    given = topic_model(lda=TemperedLDA(3, max_iter=2, **priors))
    merged = given.fit(texts()).merge_topics([0, 1])
    assert len(merged.fit(texts()).topics_) == 2


def test_seeds_by_word(tmp_path):
    seeds = {"music": ["violin", "concert"], "cars": ["engine", "brake"]}
    lda = TemperedLDA(3, max_iter=30, batch_size=20)
    for given in (seeds, SeedTopics(seeds)):
        model = TopicModel(lda=lda, seed_topics=given, random_state=0).fit(texts())
        words = model.topics_["words"]
        assert [theme(words[0]), theme(words[1])] == [2, 1]
        assert list(model.labels_[:2]) == ["music", "cars"]
        assert list(load(_saved(model, tmp_path)).labels_[:2]) == ["music", "cars"]
    merged = model.merge_topics(["music", "cars"])
    assert list(merged.seed_topics.topics.values()) == [["violin", "concert", "engine", "brake"]]
    assert merged.fit(texts()).labels_[0] in seeds
    dropped = model.drop_topics("music")
    assert list(dropped.fit(texts()).labels_[:1]) == ["cars"]
    assert dropped.drop_topics("cars").seed_topics is None
    assert len(model.reduce_to(1).fit(texts()).topics_) == 1  # fewer than there were seeds
    uncounted = iter(texts())
    with pytest.raises(ValueError, match="there are 2 seeded topics, but n_components=1; a model"):
        TopicModel(1, seed_topics=seeds).fit(uncounted)
    assert next(uncounted) == texts()[0]
    with pytest.raises(ValueError, match="seed_topics takes the place"):
        TopicModel(lda=TemperedLDA(topic_word_prior=0.1), seed_topics=seeds).fit(texts())


def test_over_time_and_by_group(model):
    dates = np.datetime64("2024-01-01") + np.arange(120)
    over_time = model.topics_over_time(texts(), dates, period="month")
    assert over_time["documents"][::3].tolist() == [31, 29, 31, 29]
    by_group = model.topics_by_group(texts(), [THEMES[i % 3][:5] for i in range(120)])
    large = by_group["share"] > 0.9
    assert large.sum() == 3
    counts = model.vectorizer_.transform(texts())
    settings = {"sample_weight": 1.0 + np.arange(120) % 4, "confidence": 0.5}
    for name in ("topics_over_time", "topics_by_group"):
        found = getattr(model, name)(texts(), dates, **settings)
        assert_tables_equal(found, getattr(model.lda_, name)(counts, dates, **settings))
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    display = TopicSharesDisplay(by_group).plot()
    assert len(display.axes_) == 3
    display.figure_.canvas.draw()


def test_functions_of_topics_take_the_model(model):
    assert twin_topics(model, 1.0) == twin_topics(model.lda_, 1.0)
    np.testing.assert_array_equal(topic_distances(model), topic_distances(model.lda_))


def test_search(model):
    search = model.search_in(texts())
    found = search.find(["violin and concert", "garage"], n=5)
    assert [row % 3 for row in found["document"]] == [2] * 5 + [1] * 5
    assert [row % 3 for row in search.similar(3, n=4)["document"]] == [0] * 4
    with pytest.raises(ValueError, match="query 1 has no word"):
        search.find(["violin", "xyz"])
    with pytest.raises(ValueError, match="query 0 has no word"):
        search.find("")
    for name in ("topic_weight", "smoothing"):
        with pytest.raises(ValueError, match=name):
            model.search_in(texts(), **{name: -1.0})


@pytest.mark.parametrize("kind", [list, iter, lambda texts: np.array(texts, object)])
def test_report(model, tmp_path, kind):
    model = load(_saved(model, tmp_path)).set_labels({1: "middle"})
    other = TopicModel(lda=model.lda, random_state=1).fit(texts())
    others = [other, other.lda_, other.lda_.components_]
    given = {
        "names": [f"Title {i}" for i in range(121)],
        "dates": [2020 + i % 3 for i in range(121)],
        "groups": [THEMES[i % 3][:5] for i in range(121)],
    }
    path = tmp_path / "report.html"
    of_texts = kind([*texts(), None])
    assert model.report(of_texts, other_models=others, title="Test", path=path, **given) == path
    page = data_of(path)
    assert page["title"] == "Test"
    assert page["labels"] == ["", "middle", ""]
    assert page["documents"]["text"] == [*texts(), ""]
    assert page["documents"]["name"] == given["names"]
    assert set(page["words"]) == {word for words in THEMES for word in words.split()}
    assert page["fits"] == 3
    assert page["periods"]["names"] == ["2020", "2021", "2022"]
    assert sorted(page["groups"]["names"]) == sorted(given["groups"][:3])


def test_items_of_a_list_that_have_blanks_are_divided_by_semicolons_in_the_report(tmp_path):
    baskets = [[f"The {word}" for word in text.split()] for text in texts()]
    model = TopicModel(3, vectorizer=CountVectorizer(), random_state=0).fit(baskets)
    content = data_of(model.report(baskets, path=tmp_path / "report.html"))
    assert content["documents"]["text"][0] == "; ".join(baskets[0])


def test_the_path_of_a_report_may_be_second(model, tmp_path):
    path = tmp_path / "report.html"
    assert model.report(texts(), path) == path
    assert data_of(path)["documents"]["text"] == texts()


def test_report_without_texts_and_of_tokens(model, tmp_path):
    path = tmp_path / "report.html"
    model.report(texts(), labels=["a", "b", "c"], show_texts=False, path=path)
    page = data_of(path)
    assert page["labels"] == ["a", "b", "c"]
    assert page["documents"] is None
    tokens = [text.split() for text in texts()]
    TopicModel(lda=model.lda, random_state=0).fit(tokens).report(tokens, path=path)
    assert data_of(path)["documents"]["text"] == texts()


def test_bad_arguments_of_report_write_no_file(model, tmp_path):
    path = tmp_path / "report.html"
    other = TopicModel(2, random_state=0).fit(["boat water"] * 5 + ["wheel road"] * 5)
    for wrong, message in (
        ({"other_models": [other]}, r"other_models\[0\] must have the words"),
        ({"dates": [2020]}, "dates must have one date for each of the 120"),
        ({"groups": ["a"]}, "groups must have one entry for each of the 120"),
        ({"labels": ["a"]}, "labels must have 3 entries"),
    ):
        with pytest.raises(ValueError, match=message):
            model.report(texts(), path=path, **wrong)
    with pytest.raises(ValueError, match="no document has a word of the vocabulary"):
        model.report(["unheard words", None], path=path)
    for wrong, message in (
        ({"other_models": other}, "other_models must be a sequence of models, got TopicModel"),
        ({"other_models": "a.topics"}, "other_models must be a sequence of models, got str"),
        ({"other_models": ["a.topics"]}, r"other_models\[0\] must be a model .*topictemper\.load"),
        ({"documents": texts()}, r"\.report\(\) got an unexpected keyword argument 'documents'"),
        ({"counts": None}, r"\.report\(\) got an unexpected keyword argument 'counts'"),
    ):
        with pytest.raises(TypeError, match=message):
            model.report(texts(), path=path, **wrong)
    assert not path.exists()


def test_a_report_is_refused_before_texts_are_read(model, tmp_path):
    path = tmp_path / "report.html"
    for wrong in (
        {"path": tmp_path / "report.pdf"},
        {"path": tmp_path / "no folder" / "report.html"},
        {"path": path, "other_models": ["a.topics"]},
    ):
        stream = iter(texts())
        with pytest.raises((TypeError, ValueError, OSError)):
            model.report(stream, **wrong)
        assert len(list(stream)) == len(texts())


def test_needs_a_fit():
    for name, arguments in (
        ("set_labels", [None]),
        ("merge_topics", [[0, 1]]),
        ("drop_topics", [0]),
        ("top_documents", [["a"]]),
        ("reduce_to", [2]),
        ("topics_over_time", [["a"], [2020]]),
        ("topics_by_group", [["a"], ["b"]]),
        ("search_in", [["a"]]),
        ("word_topics", [["a"]]),
    ):
        with pytest.raises(NotFittedError):
            getattr(TopicModel(), name)(*arguments)
    with pytest.raises(NotFittedError):
        TopicModel().report(["a"], path="report.html")


def test_top_documents(model):
    rows = model.top_documents(iter(texts()), n=3)
    assert_array_equal(rows, model.lda_.top_documents(model.vectorizer_.transform(texts()), 3))


@pytest.mark.parametrize("counted", [False, True])
def test_columns_in_another_order_than_the_documents_are_refused(model, tmp_path, counted):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"text": texts(), "year": [2020 + i % 2 for i in range(120)]})
    sorted_years = frame.year.sort_values(kind="stable")
    name, estimator, documents = "texts", model, frame.text
    report = {"path": tmp_path / "report.html"}
    if counted:
        counts = model.vectorizer_.transform(frame.text).toarray()
        name, estimator, documents = "X", model.lda_, pd.DataFrame(counts, frame.index)
        report["feature_names"] = model.feature_names_
    for method, column, more in (
        (estimator.topics_over_time, "dates", {}),
        (estimator.topics_by_group, "groups", {}),
        *((estimator.report, column, report) for column in ("names", "dates", "groups")),
    ):
        message = rf"^{column} has the index of {name} in another order"
        with pytest.raises(ValueError, match=message):
            method(documents, **{column: sorted_years}, **more)
        method(documents, **{column: sorted_years.loc[documents.index]}, **more)
        report["path"].unlink(missing_ok=True)


@pytest.mark.parametrize("counted", [False, True])
def test_weights_in_another_order_than_the_documents_are_refused(model, counted):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    texts_, name = pd.Series(texts()), "texts"
    learner, methods, documents = TopicModel(2), ["fit", "fit_transform"], texts_
    if counted:
        name, learner = "X", TemperedLDA(2, max_iter=1)
        methods += ["partial_fit"]
        documents = pd.DataFrame(model.vectorizer_.transform(texts_).toarray(), texts_.index)
    fitted = model.lda_ if counted else deepcopy(model)
    calls = [(learner, method) for method in methods]
    calls += [(fitted, method) for method in ("score", "perplexity")]
    calls += [] if counted else [(fitted, "update")]
    weights = pd.Series(1.0 + np.arange(120) % 3)
    message = rf"^sample_weight has the index of {name} in another order.*\.to_numpy\(\)"
    for estimator, method in calls:
        before = vars(estimator).copy()
        with pytest.raises(ValueError, match=message):
            getattr(estimator, method)(documents, sample_weight=weights[::-1])
        assert vars(estimator).keys() == before.keys()
        getattr(estimator, method)(documents, sample_weight=weights[::-1].to_numpy())
    for name in ("topics_over_time", "topics_by_group"):
        with pytest.raises(ValueError, match=message):
            getattr(fitted, name)(documents, np.arange(120) % 2, sample_weight=weights[::-1])
    relabeled = weights[::-1].reset_index(drop=True)
    assert fitted.score(documents, None, relabeled) == fitted.score(
        documents, None, weights[::-1].to_numpy()
    )


def test_weights_of_seeds_in_another_order_are_refused():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    X, weights = pd.DataFrame(np.eye(3)), pd.Series([1.0, 2.0, 3.0])
    seeds = SeedTopics({"a": ["x"]})
    seeds.prior(X, ["x", "y", "z"], 2, weights)
    with pytest.raises(ValueError, match="sample_weight has the index of X in another order"):
        seeds.prior(X, ["x", "y", "z"], 2, weights[::-1])
