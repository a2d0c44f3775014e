import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TopicModel
from topictemper.topics import DocumentSearch

from ..small_lda import corpus, fitted, small_lda
from ..traced_memory import TracedMemory

RNG = np.random.default_rng(0)
X = RNG.poisson(0.5, size=(30, 12))
X[4] = 0
BETA = RNG.dirichlet(np.full(12, 0.3), size=3)
THETA = RNG.dirichlet(np.full(3, 0.5), size=30)


def test_scores_are_the_formula_of_the_paper():
    search = DocumentSearch(BETA, X, proportions=THETA, topic_weight=0.4, smoothing=20.0)
    query = np.zeros(12)
    query[[1, 5]] = 2, 1
    p = X.sum(axis=0) / X.sum()
    own = (X + 20.0 * p) / (X.sum(axis=1, keepdims=True) + 20.0)
    expected = np.log(0.6 * own + 0.4 * THETA @ BETA) @ query / 3
    expected[4] = -np.inf
    found = search.find([query], n=40)
    order = np.argsort(-expected)[:29]
    assert found["document"].tolist() == order.tolist()
    assert found["rank"].tolist() == list(range(1, 30))
    assert_allclose(found["score"], expected[order])
    # Proportions may be weights, of any sum.
    weights = THETA * np.arange(1, 31)[:, None]
    weighted = DocumentSearch(BETA, X, proportions=weights, topic_weight=0.4, smoothing=20.0)
    assert_allclose(weighted.find([query], n=40)["score"], expected[order])


def test_probabilities_of_all_words_sum_to_one():
    """Those of words that no document has, too."""
    X_unseen = np.hstack([X[:3], np.zeros((3, 12), int)])
    beta = np.full((1, 24), 1 / 24)
    search = DocumentSearch(beta, X_unseen, proportions=np.ones((3, 1)))
    found = search.find(np.eye(24), n=3)
    sums = np.bincount(found["document"], np.exp(found["score"]))
    assert_allclose(sums, 1.0)


def test_vectorizer_with_words_needs_no_fit():
    vectorizer = CountVectorizer(vocabulary=[f"w{v}" for v in range(12)])
    search = DocumentSearch(BETA, X, proportions=THETA, vectorizer=vectorizer)
    query = np.eye(12)[[1]] + np.eye(12)[[5]]
    assert search.find("w1 w5")["document"].tolist() == search.find(query)["document"].tolist()
    with pytest.raises(NotFittedError):
        DocumentSearch(BETA, X, proportions=THETA, vectorizer=CountVectorizer())


def test_stored_zeros_are_no_words():
    """The topics of the document make them impossible."""
    topics = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    stored = sp.csr_array(
        ([2, 1, 0, 0, 1, 1, 1, 1], [0, 1, 2, 0, 1, 2, 0, 1], [0, 3, 6, 8]), shape=(3, 4)
    )
    of_all = {"proportions": [[1, 0], [0.5, 0.5], [1, 0]], "topic_weight": 1.0}
    found = [DocumentSearch(topics, X, **of_all).similar(0) for X in (stored, stored.toarray())]
    assert found[0]["document"].tolist() == found[1]["document"].tolist() == [2, 1]


def test_proportions_in_another_order_than_the_documents_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    documents, theta = (pandas.DataFrame(a, index=range(100, 130)) for a in (X, THETA))
    search = DocumentSearch(BETA, documents, proportions=theta)
    expected = DocumentSearch(BETA, X, proportions=THETA).similar(0)
    assert search.similar(0)["score"].tolist() == expected["score"].tolist()
    with pytest.raises(ValueError, match=r"^proportions has the index of X in another order"):
        DocumentSearch(BETA, documents, proportions=theta[::-1])


def test_proportions_may_be_whole_numbers():
    whole = np.eye(3, dtype=int)[np.arange(30) % 3]
    found = [
        DocumentSearch(BETA, X, proportions=theta).similar(0) for theta in (whole, 1.0 * whole)
    ]
    assert_array_equal(*(np.asarray(table["score"]) for table in found))


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_queries_are_not_changed(dtype):
    search, n_words = DocumentSearch(BETA, X, proportions=THETA), BETA.shape[1]
    data, indices, indptr = np.array([2, 0, 3], dtype=dtype), np.array([0, 1, 2]), np.array([0, 3])
    queries = sp.csr_matrix((data, indices, indptr), shape=(1, n_words))
    found = search.find(queries)
    assert queries.data.tolist() == [2, 0, 3]
    assert queries.indptr.tolist() == [0, 3]
    for array in (queries.data, queries.indices, queries.indptr):
        array.flags.writeable = False  # as in a mapped corpus
    assert search.find(queries)["score"].tolist() == found["score"].tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_counts_that_are_changed_later_leave_the_search_alone(dtype):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.7, size=(10, 8)).astype(dtype))
    search = DocumentSearch(rng.random((2, 8)), X, proportions=rng.random((10, 2)))
    before = search.similar(0)
    X.data[:] += 1
    X.indices[:] = 0
    after = search.similar(0)
    for name in ("document", "score"):
        assert_array_equal(after[name], before[name])


def test_queries_of_bytes_and_those_that_can_be_read_once():
    vectorizer = CountVectorizer(vocabulary=[f"w{v}" for v in range(12)])
    search = DocumentSearch(BETA, X, proportions=THETA, vectorizer=vectorizer)
    assert search.find(b"w1")["document"].tolist() == search.find("w1")["document"].tolist()
    found, expected = search.find(iter(["w1", "w5"])), search.find(["w1", "w5"])
    assert found["document"].tolist() == expected["document"].tolist()


def test_long_queries_are_worked_on_in_parts(monkeypatch):
    search = DocumentSearch(BETA, X, proportions=THETA)
    whole = search.find(X[:3])
    monkeypatch.setattr("topictemper.topics._search._MOST_VALUES", 1)
    parts = search.find(sp.csr_matrix(X[:3]))
    assert whole["document"].tolist() == parts["document"].tolist()
    assert_allclose(whole["score"], parts["score"])


def test_a_document_finds_itself_but_is_not_similar_to_itself():
    search = DocumentSearch(fitted(), corpus())
    found = search.find(corpus()[[3, 9]], n=1)
    assert found["document"].tolist() == [3, 9]
    similar = search.similar([3, 9], n=5)
    assert similar["query"].tolist() == [3] * 5 + [9] * 5
    assert 3 not in similar["document"][:5].tolist()
    assert (
        similar["document"][:5].tolist() == search.find(corpus()[3], n=6)["document"][1:].tolist()
    )


def test_words_break_the_ties_of_topics():
    """Documents about the same are ranked by their own words, and others by their topics."""
    disks, cups = ["disk drive bios", "disk drive cable", "cable drive"], ["goal cup", "cup team"]
    texts = disks + cups
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts * 10)
    lda = small_lda(n_components=2, max_iter=30).fit(counts)
    search = DocumentSearch(lda, counts[:5], vectorizer=vectorizer)
    assert search.find("bios", n=3)["document"].tolist()[0] == 0
    assert set(search.find("bios", n=3)["document"].tolist()) == {0, 1, 2}
    assert set(search.find(["cup", "cup cup"], n=2)["document"].tolist()) == {3, 4}


def test_columns_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=[f"w{v}" for v in range(60)])
    lda, turned = small_lda().fit(frame), frame[frame.columns[::-1]]
    search = DocumentSearch(lda, frame)
    with pytest.raises(ValueError, match=r"X has other columns .* column 0 is 'w59', not 'w0'"):
        DocumentSearch(lda, turned)
    with pytest.raises(ValueError, match="queries has other columns"):
        search.find(turned[:1])
    by_counts = DocumentSearch(lda, corpus()).find(corpus()[:1])
    assert search.find(frame[:1])["score"].tolist() == by_counts["score"].tolist()


def test_a_model_of_texts_and_counts():
    texts = ["disk drive disk", "cup goal cup", "drive disk", "goal cup"] * 10
    model = TopicModel(2, vectorizer=CountVectorizer(), random_state=0).fit(texts)
    X = model.vectorizer_.transform(texts)
    found = DocumentSearch(model, X, vectorizer=model.vectorizer_).find("disk")
    assert found["score"].tolist() == model.search_in(texts).find("disk")["score"].tolist()


def test_other_libraries_topics_and_output_as_frames():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=[f"w{v}" for v in range(60)])
    lda = small_lda().fit(frame).set_output(transform="pandas")
    ours = DocumentSearch(lda, frame).similar(0)
    theirs = DocumentSearch(lda.components_, frame, proportions=lda.transform(frame)).similar(0)
    assert ours["document"].tolist() == theirs["document"].tolist()


@pytest.mark.parametrize(
    ("queries", "error", "match"),
    [
        ("text", TypeError, "vectorizer"),
        (["text"], TypeError, "vectorizer"),
        (np.zeros((2, 12)), ValueError, "query 0 has no word"),
        (np.ones((2, 11)), ValueError, "queries has 11 features"),
        (sp.coo_array(X[3]), ValueError, r"queries must be a 2D array .* queries\[\[0\]\]"),
    ],
)
def test_refuses_queries(queries, error, match):
    with pytest.raises(error, match=match):
        DocumentSearch(BETA, X, proportions=THETA).find(queries)


def test_refuses():
    search = DocumentSearch(BETA, X, proportions=THETA)
    with pytest.raises(ValueError, match="rows must be from 0 to 29"):
        search.similar(30)
    with pytest.raises(TypeError, match=r"rows must be .{,120}; for texts .* use find"):
        search.similar("a new document " * 50)
    for rows in ([[3]], [["red", "sky"], ["sea"]]):
        with pytest.raises(TypeError, match="rows must be a number or a list of numbers"):
            search.similar(rows)
    for find, query in ((search.find, X[3]), (search.similar, 3)):
        with pytest.raises(ValueError, match="n == 0"):
            find(query, n=0)
    with pytest.raises(ValueError, match="document 4 has no words"):
        search.similar([3, 4])
    with pytest.raises(TypeError, match="proportions"):
        DocumentSearch(BETA, X)
    for theta, message in (
        (THETA[:5], r"proportions must be of shape \(30, 3\), got \(5, 3\)"),
        (-THETA, "proportions must be >= 0"),
        (np.full((30, 3), np.nan), "proportions contains NaN"),
        ([["a", "b", "c"]] * 30, "proportions must hold numbers: row 0 has 'a'"),
    ):
        with pytest.raises(ValueError, match=message):
            DocumentSearch(BETA, X, proportions=theta)
    with pytest.raises(ValueError, match="no words"):
        DocumentSearch(BETA, np.zeros((3, 12)), proportions=THETA[:3])
    for name in ("topic_weight", "smoothing"):
        with pytest.raises(ValueError, match=name):
            DocumentSearch(BETA, X, proportions=THETA, **{name: -1.0})


def test_proportions_are_in_memory_once_more():
    theta = np.ones((40_000, 100), dtype=np.float32)
    counts = sp.csr_matrix(np.ones((len(theta), 1), dtype=np.int32))
    with TracedMemory() as memory:
        search = DocumentSearch(np.ones((100, 1)), counts, proportions=theta)
        search.find([[1]])
    assert memory.peak < 1.6 * theta.nbytes  # a copy, and what is smaller
    assert (theta == 1).all()


def test_long_queries_take_no_memory_by_documents_and_words():
    counts = sp.csr_matrix((np.ones(40_000), (np.arange(40_000), np.arange(40_000) % 200)))
    search = DocumentSearch(np.ones((2, 200)), counts, proportions=np.ones((40_000, 2)))
    with TracedMemory() as memory:
        search.find(np.ones((1, 200)))
    assert memory.peak < 40_000 * 200 * 8 / 4


def test_a_table_of_many_queries_takes_little_more_memory_than_it_has():
    """3.2 times as much; 7.3 if it is made of a list of rows."""
    search = DocumentSearch(BETA, X, proportions=THETA)
    rows = np.tile([1, 2, 3], 500)
    search.similar(rows[:1])
    with TracedMemory() as memory:
        found = search.similar(rows, n=25)
    n_bytes = sum(np.asarray(found[name]).nbytes for name in found.columns)
    assert n_bytes == 32 * 25 * len(rows)
    assert memory.peak < 5 * n_bytes
    assert len(search.similar(rows[:0])) == 0


def test_it_says_what_it_is():
    search = DocumentSearch(BETA, X, proportions=THETA)
    assert repr(search) == "<DocumentSearch of 30 documents by words and 3 topics>"


def test_proportions_must_be_given_for_topics_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    topics = pandas.DataFrame(BETA, columns=[f"word{v}" for v in range(12)])
    with pytest.raises(TypeError, match="proportions must be given for an array of topics"):
        DocumentSearch(topics, X)


def test_columns_of_one_name_are_told_what_helps():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    names = [f"word{number}" for number in range(60, 0, -1)]  # which a sum would sort
    lda = small_lda(max_iter=1).fit(pandas.DataFrame(corpus().toarray(), columns=names))
    halves = np.hstack([corpus().toarray(), corpus().toarray()])
    twice = pandas.DataFrame(halves, columns=[*names, *names])
    with pytest.raises(ValueError, match=r"^X has more than one column 'word60'") as told:
        DocumentSearch(lda, twice)
    advice = str(told.value).rpartition(" by ")[2].replace("X.", "twice.")
    DocumentSearch(lda, eval(advice, {"twice": twice}))
    # Topics and weights of words are not there to be added up.
    theta = pandas.DataFrame(THETA, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"^proportions has more than one .*: rename them$"):
        DocumentSearch(BETA, X, proportions=theta)
    beta = pandas.DataFrame(BETA, columns=[*names[:11], names[0]])
    with pytest.raises(ValueError, match=r"^model has more than one .*: rename them$"):
        DocumentSearch(beta, X, proportions=THETA)
