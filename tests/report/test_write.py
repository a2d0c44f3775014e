"""What `report.write` packs into the page, and what it refuses."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

from tests.report.small_report import (
    N_DOCUMENTS,
    N_TOPICS,
    WORDS,
    arguments,
    corpus,
    data_of,
    written,
)
from topictemper import TemperedLDA, TopicModel, report
from topictemper.lda import _defaults
from topictemper.metrics import coherence, match_topics
from topictemper.report import _documents, _of_model, _survey


def test_shares_are_means_of_documents_with_words(path):
    content = written(path)
    theta = corpus().proportions[:-2]
    np.testing.assert_allclose(content["share"], theta.mean(axis=0), atol=1e-6)
    assert content["led"] == np.bincount(theta.argmax(axis=1), minlength=N_TOPICS).tolist()
    assert content["documents_given"] == N_DOCUMENTS
    assert content["tokens"] == corpus().counts.sum()
    assert content["documents_counted"] == N_DOCUMENTS - 2


@pytest.mark.parametrize("n_empty", [0, N_DOCUMENTS])
def test_coherence_is_that_of_metrics(path, n_empty):
    counts = sp.vstack([corpus().counts, sp.csr_array((n_empty, len(WORDS)))]).tocsr()
    theta = np.vstack([corpus().proportions, np.ones((n_empty, N_TOPICS))])
    report.write(corpus().topics, theta, WORDS, counts=counts, path=path)
    expected = coherence(corpus().topics, counts, per_topic=True)
    np.testing.assert_allclose(data_of(path)["coherence"], expected, atol=1e-4)


def test_other_models_must_have_the_same_words(path):
    X = corpus().counts
    lda = TemperedLDA(3, max_iter=2, random_state=0).fit(X, feature_names=WORDS)
    other = TemperedLDA(3, max_iter=2, random_state=1).fit(X, feature_names=WORDS[::-1])
    with pytest.raises(ValueError, match=r"other_models\[1\] must have the words of this model"):
        lda.report(X, path=path, other_models=[lda, other])
    assert not path.exists()


def test_what_is_no_report_of_a_model(path):
    X = corpus().counts
    lda = TemperedLDA(3, max_iter=1, random_state=0).fit(X)
    with pytest.raises(TypeError, match=r"other_models\[0\] must be a model .* topictemper.load"):
        lda.report(X, feature_names=WORDS, path=path, other_models=["model.npz"])
    with pytest.raises(ValueError, match="no document has a word of the vocabulary"):
        lda.report(0 * X, feature_names=WORDS, path=path)
    assert not path.exists()


def test_other_models_may_be_models_of_texts(path):
    texts = ["disk drive disk", "cup goal cup", "drive disk", "goal cup"] * 10
    model, other = (
        TopicModel(2, vectorizer=CountVectorizer(vocabulary=words), random_state=0).fit(texts)
        for words in (["cup", "disk", "drive", "goal"], ["goal", "drive", "disk", "cup"])
    )
    X = model.vectorizer_.transform(texts)
    model.lda_.report(X, path=path, other_models=[model])
    with pytest.raises(ValueError, match=r"other_models\[0\] must have the words of this model"):
        model.lda_.report(X, path=path, other_models=[other])


def test_a_model_stands_for_its_topics(path):
    class LikeGensim:
        def get_topics(self):
            return corpus().topics

    theirs = LatentDirichletAllocation(N_TOPICS, max_iter=1, random_state=0).fit(corpus().counts)
    for model, topics in ((LikeGensim(), corpus().topics), (theirs, theirs.components_)):
        assert written(path, topics=model) == written(path, topics=topics)
        assert written(path, other_topics=[model]) == written(path, other_topics=[topics])
    with pytest.raises(TypeError, match=r"topics must be an array .* or a fitted estimator"):
        written(path, topics=object())

    class LikeBERTopic:
        def get_topics(self):
            return {0: [("word", 0.1)]}

    with pytest.raises(TypeError, match="got LikeBERTopic"):
        written(path, topics=LikeBERTopic())


def test_of_many_documents_a_sample_gives_coherence_score_and_perplexities(path, monkeypatch):
    monkeypatch.setattr(_documents, "SAMPLE", 40)
    rows = np.sort(np.random.default_rng(0).choice(N_DOCUMENTS, 40, replace=False))
    counts = sp.csr_matrix(corpus().counts)
    lda = TemperedLDA(3, random_state=0, max_iter=5).fit(counts)
    lda.report(counts, corpus().documents, feature_names=WORDS, path=path)
    content = data_of(path)
    assert content["sampled"]
    expected = coherence(lda, counts[rows], per_topic=True)
    np.testing.assert_allclose(content["coherence"], expected, atol=1e-4)
    assert content["fit"]["score"] == pytest.approx(lda.score(counts[rows]), abs=1e-4)
    judged = [perplexity is not None for perplexity in content["documents"]["perplexity"]]
    assert np.flatnonzero(judged).tolist() == [row for row in rows if counts[row].sum()]


def test_a_sample_without_words_has_no_fit(path, monkeypatch):
    monkeypatch.setattr(_documents, "SAMPLE", 10)
    counts = sp.lil_array((1000, len(WORDS)), dtype=int)
    counts[500, 3] = 1
    theta = np.full((1000, N_TOPICS), 1 / N_TOPICS)
    report.write(corpus().topics, theta, WORDS, counts=counts.tocsr(), path=path)
    assert data_of(path)["fit"] is None


def test_examples_have_the_largest_proportions(path):
    documents = written(path)["documents"]
    for k, places in enumerate(documents["examples"]):
        rows = [documents["row"][i] for i in places]
        expected = np.argsort(-corpus().proportions[:-2, k], kind="stable")[: len(rows)]
        assert rows == expected.tolist()


@pytest.mark.parametrize("at_once", [7, 1 << 22])
def test_blocks_of_documents_do_not_change_the_file(path, monkeypatch, at_once):
    whole = report.write(**arguments(path=path)).read_bytes()
    monkeypatch.setattr(_survey, "_VALUES_AT_ONCE", at_once)
    data = data_of(report.write(**arguments(path=path)))
    path.write_bytes(whole)
    assert data["documents"] == data_of(path)["documents"]
    np.testing.assert_allclose(data["share"], data_of(path)["share"], atol=2e-6)


def test_sparse_lists_and_frames_give_the_same(path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    expected = written(path)
    theta = corpus().proportions
    for same in (sp.csr_matrix(theta), theta.tolist(), pd.DataFrame(theta)):
        assert written(path, proportions=same) == expected


def test_the_same_arguments_give_the_same_bits(path):
    first = report.write(**arguments(path=path)).read_bytes()
    assert report.write(**arguments(path=path)).read_bytes() == first
    assert data_of(path)["created"] == "1970-01-01"


def test_one_topic_of_one_document(path):
    content = data_of(report.write([[3, 1]], [[1]], ["a", "b"], path=path, documents=["a b a"]))
    assert content["share"] == [1]
    assert content["title"] == "Topics in 1 document"
    assert content["neighbors"] == [[]]


def test_without_counts_frequencies_are_those_of_the_mixture(path):
    content = written(path, counts=None)
    assert content["coherence"] is None
    assert content["fit"] is None
    share = corpus().proportions.mean(axis=0)
    frequency = dict(zip(content["words"], content["log_frequency"], strict=True))
    expected = np.log(share @ corpus().topics)
    for word, value in zip(WORDS, expected, strict=True):
        assert frequency[word] == pytest.approx(value, abs=1e-5)


def test_without_documents_the_file_has_no_text(path):
    html = report.write(**arguments(path=path, documents=None, names=None)).read_text(
        encoding="utf-8"
    )
    assert data_of(path)["documents"] is None
    assert "Title 1" not in html


def test_texts_beyond_the_budget_are_cut_and_sampled(path, monkeypatch):
    monkeypatch.setattr(_documents, "N_WORST", 3)
    monkeypatch.setattr(_documents, "_TEXT_BUDGET", 3000)
    monkeypatch.setattr(_documents, "_LONGEST_SAMPLED", 60)
    documents = written(path)["documents"]
    assert not documents["complete"]
    assert documents["cut"] == len(documents["row"]) > 30
    assert sum(map(len, documents["text"])) <= 3000
    assert {i for places in documents["examples"] for i in places} <= set(
        range(len(documents["row"]))
    )


def test_doubts_name_duplicates_and_what_other_fits_lack(path):
    topics = np.vstack([corpus().topics, corpus().topics[:1]])
    theta = np.column_stack([corpus().proportions, corpus().proportions[:, 0]])
    other = corpus().topics[::-1].copy()
    other[2] = np.roll(other[2], 8)
    content = written(path, topics=topics, proportions=theta, other_topics=[other])
    doubts = {(topic, kind) for topic, kind, _, _ in content["doubts"]}
    assert {(0, "duplicate"), (3, "duplicate")} <= doubts
    assert (1, "duplicate") not in doubts
    match = match_topics(topics, other)
    far = {k: d for k, d in zip(match.first, match.distance, strict=True) if d > 0.65}
    unstable = {k: value for k, kind, value, _ in content["doubts"] if kind == "unstable"}
    assert len(far) == 1
    assert {k: unstable[k] for k in far} == pytest.approx(far, abs=1e-4)


@pytest.mark.parametrize("n_topics", [8, 60])
def test_topics_of_common_words_are_doubted_whatever_the_number_of_topics(path, n_topics):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(600, 0.03), n_topics)
    topics[5] = topics.mean(axis=0)
    theta = rng.dirichlet(np.full(n_topics, 0.1), 200)
    report.write(topics, theta, [f"w{v}" for v in range(600)], path=path)
    assert [doubt[:2] for doubt in data_of(path)["doubts"] if doubt[1] == "general"] == [
        [5, "general"]
    ]


@pytest.mark.parametrize("name", ["report.txt", "report", "html"])
def test_a_report_is_a_page(tmp_path, name, monkeypatch):
    message = f"path must end in .html, because a report is a web page, got .*{name}'"
    with pytest.raises(ValueError, match=message):
        written(tmp_path / name)
    lda = TemperedLDA(3, random_state=0, max_iter=1).fit(corpus().counts)
    monkeypatch.setattr(lda, "_proportions", None)  # the error comes first
    with pytest.raises(ValueError, match=message):
        lda.report(corpus().counts, feature_names=WORDS, path=tmp_path / name)
    assert not list(tmp_path.iterdir())
    assert written(tmp_path / "REPORT.HTM")


def test_a_report_of_an_estimator_knows_score_and_course(path):
    counts = sp.csr_matrix(corpus().counts)
    lda = TemperedLDA(3, random_state=0, max_iter=5).fit(counts, validation_X=counts)
    lda.report(counts, corpus().documents, feature_names=WORDS, path=path)
    content = data_of(path)
    assert content["fit"]["score"] == pytest.approx(lda.score(counts), abs=1e-4)
    assert [value for _, value in content["history"]["score"]] == pytest.approx(
        lda.score_history_["score"].tolist(), rel=1e-4
    )
    assert content["parameters"]["random_state"] == "0"
    np.testing.assert_allclose(content["share"], lda.transform(counts[:-2]).mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("kept", [True, False])
def test_proportions_are_inferred_once_unless_they_are_many(path, monkeypatch, kept):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    lda = TemperedLDA(3, random_state=0).fit(corpus().counts)
    lda.report(corpus().counts, corpus().documents, feature_names=WORDS, path=path)
    before, inferred, infer = path.read_bytes(), [], lda._proportions

    def counted(X):
        inferred.append(X.shape[0])
        return infer(X)

    monkeypatch.setattr(lda, "_proportions", counted)
    if not kept:
        monkeypatch.setattr(_of_model, "_MOST_KEPT", 0)
    lda.report(corpus().counts, corpus().documents, feature_names=WORDS, path=path)
    assert path.read_bytes() == before
    assert (inferred == [corpus().counts.shape[0]]) == kept


def test_a_report_of_an_estimator_takes_labels_as_set_labels_does(path):
    lda = TemperedLDA(3, random_state=0, max_iter=1).fit(corpus().counts)
    lda.set_labels({0: "old", 2: "kept"})
    for labels, expected in (
        (None, ["old", "", "kept"]),
        ({"old": "new"}, ["new", "", "kept"]),
        ({"1": "one", "topic 1": "two", 0: ""}, ["", "two", "kept"]),
        ({0: None, 2: "same", 1: "same"}, ["", "same", "same"]),
        (["a", "b", ""], ["a", "b", ""]),
        ({0: "a", 1: "b", 2: ""}.values(), ["a", "b", ""]),  # as a column is no Sequence either
    ):
        lda.report(corpus().counts, feature_names=WORDS, labels=labels, path=path)
        assert data_of(path)["labels"] == expected
    assert lda.labels_.tolist() == ["old", "topic 1", "kept"]
    for wrong, message in (({"nothing": "x"}, "no topic has the label"), ({3: "x"}, "0 to 2")):
        with pytest.raises(ValueError, match=message):
            lda.report(corpus().counts, feature_names=WORDS, labels=wrong, path=path)


@pytest.mark.parametrize(("count", "n"), [(9, 50), (1, 60)])
def test_the_score_of_a_report_is_that_of_the_estimator(path, count, n):
    """Also of documents in which one word occurs again and again, or once."""
    ones = sp.csr_matrix((np.full(n, count), (np.arange(n), np.full(n, 3))), (n, len(WORDS)))
    counts = sp.vstack([sp.csr_matrix(corpus().counts), ones]).tocsr()
    lda = TemperedLDA(3, random_state=0, max_iter=5).fit(counts)
    lda.report(counts, feature_names=WORDS, path=path)
    assert data_of(path)["fit"]["score"] == pytest.approx(lda.score(counts), abs=1e-4)
    lda.report(ones, feature_names=WORDS, path=path)
    assert data_of(path)["fit"]["kind"] == ("held-out" if count > 1 else "own")


def test_a_report_of_an_estimator_says_what_was_in_force(path):
    settings = {"max_iter": 40, "doc_topic_prior": [0.1, 0.2, 0.3]}
    lda = TemperedLDA(3, random_state=0, n_jobs=1, **settings).fit(corpus().counts)
    lda.set_params(max_iter=9)
    lda.report(corpus().counts, feature_names=WORDS, path=path)
    said = data_of(path)["parameters"]
    alpha, eta = lda.doc_topic_prior_, lda.topic_word_prior_
    assert next(iter(said)) == "model"
    assert said.items() >= {
        ("model", "TemperedLDA"),
        ("passes", str(lda.n_iter_)),
        ("minibatches", str(lda.n_batch_iter_)),
        ("batch size", "64"),
        ("alpha", f"{alpha.min():.3g} to {alpha.max():.3g} (sum {alpha.sum():.3g})"),
        ("eta", f"{eta:.3g}"),
        ("temperature where annealing starts", f"{lda.max_temperature_:.3g}"),
        ("temperature at the end", "1"),
        ("max_iter", "40"),  # not what was set later
        ("tempering", "lvt"),
    }
    assert "None" not in said.values()
    assert not {"n_jobs", "verbose", "batch_size"} & set(said)


def test_settings_of_other_fits(path, monkeypatch):
    eta = np.linspace(0.1, 0.2, len(WORDS))
    batch = TemperedLDA(3, learning_method="batch", doc_topic_prior=0.5, topic_word_prior=eta)
    batch.fit(corpus().counts).report(corpus().counts, feature_names=WORDS, path=path)
    said = data_of(path)["parameters"]
    assert (said["alpha"], said["eta"]) == ("0.5 (sum 1.5)", "0.1 to 0.2")
    assert said["topic_word_prior"] == "array of shape (28,)"
    assert "batch size" not in said
    monkeypatch.setattr(_defaults, "SAMPLED_SHARE", 3)  # some batches, of so few documents
    sampled = TemperedLDA(3, inference="gibbs", max_iter=2).fit(corpus().counts)
    sampled.report(corpus().counts, feature_names=WORDS, path=path)
    said = data_of(path)["parameters"]
    assert (said["batch size"], said["batch size of samples"]) == ("64", "128")


def test_parameters_have_no_addresses(path):
    lda = TemperedLDA(3, random_state=np.random.RandomState(0), max_iter=1)
    lda.fit(corpus().counts).report(corpus().counts, feature_names=WORDS, path=path)
    assert data_of(path)["parameters"]["random_state"] == "RandomState(MT19937)"


def test_labels_come_back(tmp_path):
    file = tmp_path / "labels.json"
    file.write_text("\ufeff" + json.dumps({"0": "space", "2": "cooking"}), encoding="utf-8")
    labels = report.read_labels(file)
    some = ["space", "", "cooking"]
    for given in (labels, labels | {1: None}, ["space", float("nan"), "cooking"]):
        assert written(tmp_path / "report.html", labels=given)["labels"] == some
    lda = TemperedLDA(3, random_state=0, max_iter=1).fit(corpus().counts)
    page = tmp_path / "of_lda.html"
    lda.set_labels(labels).report(corpus().counts, feature_names=WORDS, path=page)
    assert data_of(page)["labels"] == ["space", "", "cooking"]
    other = '{"0": {"label": "a", "words": %s}}'
    wrongs = ('{"0": {"label": "a"}}', other % '"a"', other % "[1]", '{"0": {"words": []}}')
    for wrong in ("[]", "{", '{"a": "b"}', '{"0": 1}', "[" * 10**5, *wrongs):
        file.write_text(wrong)
        with pytest.raises(ValueError, match="no labels of a report"):
            report.read_labels(file)


@pytest.mark.parametrize("key", ["0", "00", " +0", "\\u0030"])
def test_labels_of_one_topic_twice_are_refused(tmp_path, key):
    file = tmp_path / "labels.json"
    first = '"0": {"label": "space", "words": ["0", "b"], "0_": 1}'
    file.write_text(f'{{{first}, "7": "0", "{key}": "stars"}}')
    said = r"labels\.json has two labels of topic 0, 'space' and 'stars'; leave one$"
    with pytest.raises(ValueError, match=said):
        report.read_labels(file)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"topics": -np.ones((3, 28))}, "topics must be >= 0"),
        ({"topics": np.zeros((3, 28))}, "row 0 is all zeros"),
        ({"proportions": np.ones((60, 2))}, r"shape \(n_documents, 3\)"),
        ({"proportions": [[(0, 1.0)], [(0, 0.5), (2, 0.5)]]}, r"model.inference\(corpus\)\[0\]"),
        ({"proportions": np.ones((0, 3))}, "at least one document"),
        ({"proportions": np.zeros((60, 3))}, "no document with a topic"),
        ({"proportions": np.full((60, 3), np.nan)}, "document 0 has nan of topic 0"),
        ({"words": WORDS[:-1]}, "words must have 28 names"),
        ({"counts": np.ones((59, 28))}, "a row for each document"),
        ({"counts": np.zeros((60, 28))}, "counts has no words"),
        ({"documents": ["one"]}, "documents must have one entry for each of the 60"),
        ({"names": ["one"]}, "names must have one entry"),
        ({"groups": ["one"]}, "groups must have one entry"),
        ({"dates": ["2024-01-01"]}, "dates must have one date"),
        ({"dates": ["soon"] * 60}, "document 0 has 'soon'"),
        ({"dates": ["today"] * 60}, "document 0 has 'today'"),
        ({"dates": [1577836800] * 60}, "document 0 has 1577836800"),
        ({"labels": ["one"]}, "labels must have 3 entries"),
        ({"labels": {3: "one"}}, "topics 0 to 2"),
        ({"labels": {"a": "one"}}, "labels name topic 'a'"),
        ({"score": -1e4}, "score"),
        ({"other_topics": [np.ones((3, 5))]}, r"other_topics\[0\] must have the 28 words"),
        ({"score": np.nan}, "score must be finite"),
        ({"history": {"loss": np.zeros(2)}}, "history must have the names"),
        ({"history": {"score": np.zeros(2)}}, r"history\['score'\] must be a structured array"),
    ],
)
def test_bad_arguments_are_named(path, changed, message):
    with pytest.raises(ValueError, match=message):
        report.write(**arguments(path=path, **changed))
    assert not path.exists()


def test_a_text_is_no_list_of_texts(path):
    with pytest.raises(TypeError, match="documents must hold one string for each"):
        report.write(**arguments(path=path, documents="text"))
    with pytest.raises(TypeError, match="labels must be a sequence of strings"):
        report.write(**arguments(path=path, labels=b"one"))


@pytest.mark.parametrize("seconds", ["today", "9" * 30])
def test_a_day_that_is_none(path, monkeypatch, seconds):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    with pytest.raises(ValueError, match=f"SOURCE_DATE_EPOCH must be a number .* got '{seconds}'"):
        report.write(**arguments(path=path))
    assert not path.exists()


def test_the_policy_allows_nothing_but_the_code_of_the_page(path):
    html = report.write(
        **arguments(path=path, title="</title><script>alert(1)</script>")
    ).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert html.count("<script") == 2
    assert "<title>&lt;/title&gt;" in html
    assert not re.search(r'(src|href)="', html.split("<body>")[0])


def test_columns_in_another_order_than_the_proportions_are_refused(path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    theta = pd.DataFrame(corpus().proportions)
    for name in ("counts", "documents", "names", "dates", "groups"):
        values = pd.Series(["2024-01-31"] * len(theta), index=theta.index[::-1])
        with pytest.raises(ValueError, match=f"^{name} has the index of proportions in another"):
            report.write(**arguments(path=path, proportions=theta) | {name: values})
        assert not path.exists()


@pytest.mark.parametrize("columns", [WORDS, range(1, len(WORDS) + 1)])
def test_counts_whose_columns_are_in_another_order_are_refused(path, columns):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    counts = pd.DataFrame(corpus().counts.toarray(), columns=columns)
    words = list(map(str, columns))
    message = f"^counts has its columns in another order .* 0 is {words[-1]!r}, not {words[0]!r}"
    with pytest.raises(ValueError, match=message):
        written(path, counts=counts[columns[::-1]], words=words)
    assert not path.exists()
    expected = written(path)["coherence"]
    # Words may be written otherwise than the columns.
    for same in (words, [f"_{word}" for word in words]):
        assert written(path, counts=counts, words=same)["coherence"] == expected
