import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import topictemper
from topictemper._utils import _counts
from topictemper.topics import SeedTopics

from ..small_lda import corpus, learned_state, small_lda

WORDS = [f"w{v}" for v in range(60)]
# Words that are frequent in one topic of a fit each.
TOPS = small_lda(max_iter=20, learning_offset=None).fit(corpus()).top_words(10, WORDS)
SEEDS = {"one": TOPS[2][:3], "two": TOPS[0][:3]}


def frame(X):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.DataFrame(X.toarray(), columns=WORDS)


def test_prior_is_a_share_of_the_tokens_of_documents_with_the_words():
    X = np.array([[2, 2, 4, 0], [0, 0, 4, 4], [1, 0, 3, 4], [0, 0, 0, 0]])
    prior = SeedTopics({"t": ["a", "b"]}, strength=0.5, base=0.1).prior(X, list("abcd"), 2)
    totals = np.array([3, 2, 11, 8])
    length = 8  # of the three documents with words
    own = np.array([2, 2, 4, 0]) / 8  # of the one that has both
    excess = np.maximum(length * (own - totals / 24), 0)
    expected = 0.5 * np.maximum(excess, [3, 2, 0, 0]) + 0.1
    assert_allclose(prior, [expected, np.full(4, 0.1)])


def test_a_single_word_or_words_that_never_meet_have_the_documents_of_either():
    X = np.array([[3, 0, 3], [0, 9, 1], [0, 9, 0]])
    alone = SeedTopics({"t": ["a"]}, strength=1.0).prior(X, list("abc"), 1)[0]
    assert alone[0] > alone[2] > alone[1]
    apart = SeedTopics({"t": ["a", "b"]}, strength=1.0).prior(X, list("abc"), 1)[0]
    assert apart[:2].tolist() == [3.05, 18.05]
    assert apart[2] > 0.05


def test_weights_are_copies():
    X, weight = corpus().toarray(), np.arange(200) % 3
    copies = np.repeat(X, weight, axis=0)
    seeds = SeedTopics(SEEDS)
    assert_allclose(seeds.prior(X, WORDS, 4, weight), seeds.prior(copies, WORDS, 4))


def test_weights_that_sum_to_less_than_one_only_scale_the_prior():
    X, weight = corpus(), np.full(200, 1e-4)
    seeds = SeedTopics(SEEDS, base=1e-12)
    small, usual = seeds.prior(X, WORDS, 4, weight), seeds.prior(X, WORDS, 4)
    assert_allclose(small[:2], usual[:2] * 1e-4, rtol=1e-6, atol=1e-11)


def test_seeded_topics_come_first_with_their_labels(tmp_path):
    X = frame(corpus())
    for seed in range(5):
        lda = small_lda(topic_word_prior=SEEDS, max_iter=20, random_state=seed).fit(X)
        tops = lda.top_words(6)
        assert len(set(tops[0]) & set(SEEDS["one"])) >= 2
        assert len(set(tops[1]) & set(SEEDS["two"])) >= 2
    assert lda.labels_.tolist() == ["one", "two", *(" ".join(top[:3]) for top in tops[2:])]
    assert lda.get_feature_names_out().tolist() == ["one", "two", "temperedlda2", "temperedlda3"]
    lda.save(tmp_path / "model")
    loaded = topictemper.load(tmp_path / "model")
    assert loaded.topic_word_prior == SEEDS
    assert loaded.labels_.tolist() == lda.labels_.tolist()
    assert learned_state(loaded.partial_fit(X)) == learned_state(lda.partial_fit(X))


def test_the_object_and_its_settings():
    X = frame(corpus())
    plain = small_lda(topic_word_prior=SEEDS).fit(X)
    lda = small_lda(topic_word_prior=SeedTopics(SEEDS, strength=0.05)).fit(X)
    assert learned_state(lda) == learned_state(plain)
    strong = clone(lda).set_params(topic_word_prior__strength=0.3).fit(X)
    assert strong.topic_word_prior_.sum() > 5 * lda.topic_word_prior_.sum()
    prior = lda.topic_word_prior.prior(corpus(), WORDS, 4)
    assert_allclose(lda.topic_word_prior_, prior, rtol=1e-6)
    vb = small_lda(topic_word_prior=SEEDS, inference="vb").fit(X)
    assert_allclose(vb.topic_word_prior_[3], 0.1)


def test_files_keep_the_object(tmp_path):
    lda = small_lda(topic_word_prior=SeedTopics(SEEDS, base=0.2)).fit(frame(corpus()))
    lda.save(tmp_path / "model")
    loaded = topictemper.load(tmp_path / "model")
    assert loaded.topic_word_prior.get_params() == lda.topic_word_prior.get_params()
    assert_array_equal(loaded.topic_word_prior_, lda.topic_word_prior_)


def test_chunks_and_held_out_documents():
    X = frame(corpus())

    class Chunks:
        def __iter__(self):
            return iter([X[:90], X[90:]])

    whole = small_lda(topic_word_prior=SEEDS, shuffle=False).fit(X)
    chunks = small_lda(topic_word_prior=SEEDS, shuffle=False).fit(Chunks())
    assert_allclose(chunks.topic_word_prior_, whole.topic_word_prior_, rtol=1e-5)
    early = small_lda(topic_word_prior=SEEDS, early_stopping=True).fit(X)
    assert early.topic_word_prior_.sum() < whole.topic_word_prior_.sum()


def test_a_stream_stands_for_all_its_documents():
    X = frame(corpus())
    half = small_lda(topic_word_prior=SEEDS, total_samples=200).partial_fit(X[:100])
    assert half.labels_[0] == "one"
    prior = SeedTopics(SEEDS).prior(corpus()[:100], WORDS, 4)
    assert_allclose(half.topic_word_prior_, 2 * (prior - 0.05) + 0.05, rtol=1e-5)


def test_a_stream_has_the_same_prior_wherever_its_chunks_end():
    X = frame(corpus(900))
    chunks = [X[:300], X[300:600], X[600:]]
    whole, cut = (
        small_lda(topic_word_prior=SEEDS).partial_fit(part for part in parts)
        for parts in ([X], chunks)
    )
    assert_array_equal(cut.topic_word_prior_, whole.topic_word_prior_)


OTHER_SEEDS = [
    {"one": SEEDS["one"]},
    {"one": SEEDS["one"], "two": TOPS[1][:3]},
    {"two": SEEDS["two"], "one": SEEDS["one"]},  # their topics have other numbers
    SeedTopics(SEEDS, strength=0.5),
    SeedTopics(SEEDS, base=0.2),
]


@pytest.mark.parametrize("loads", [False, True])
@pytest.mark.parametrize("seeds", OTHER_SEEDS)
def test_a_stream_refuses_other_seeds(seeds, loads, tmp_path):
    lda = small_lda(topic_word_prior=SEEDS).partial_fit(frame(corpus()))
    lda.set_params(topic_word_prior=seeds)
    if loads:
        lda.save(tmp_path / "model")
        lda = topictemper.load(tmp_path / "model")
    before = learned_state(lda)
    with pytest.raises(ValueError, match=r"topic_word_prior is .*, but training began with"):
        lda.partial_fit(frame(corpus()))
    assert learned_state(lda) == before
    lda.merge_topics([2, 3]).partial_fit(frame(corpus()))
    lda.set_params(topic_word_prior=SeedTopics(SEEDS)).partial_fit(frame(corpus()))


def test_a_stream_takes_the_same_seeds_with_words_in_another_order():
    lda = small_lda(topic_word_prior=SEEDS).partial_fit(frame(corpus()))
    turned = {label: [*words[::-1], words[0]] for label, words in SEEDS.items()}
    other = small_lda(topic_word_prior=turned).partial_fit(frame(corpus()))
    assert_array_equal(other.topic_word_prior_, lda.topic_word_prior_)
    for same in (turned, {label: set(words) for label, words in SEEDS.items()}):
        lda.set_params(topic_word_prior=same).partial_fit(frame(corpus()))


def test_a_stream_refuses_seeds_that_are_changed_in_place():
    seeds = {label: list(words) for label, words in SEEDS.items()}
    lda = small_lda(topic_word_prior=seeds).partial_fit(frame(corpus()))
    seeds["one"].append("w7")
    with pytest.raises(ValueError, match=r"topic_word_prior is .*'w7'.*, but training began with"):
        lda.partial_fit(frame(corpus()))
    lda.set_params(topic_word_prior={"one": "w7"})
    with pytest.raises(TypeError, match="'one' must have a list of words"):
        lda.partial_fit(frame(corpus()))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("cut", [lambda X: X, lambda X: [X[:90], X[90:]]], ids=["one", "chunks"])
def test_an_empty_mapping_is_the_fault_though_names_are_missing(method, cut):
    lda = small_lda(topic_word_prior={})
    with pytest.raises(ValueError, match="topic_word_prior, are an empty mapping; give labels"):
        getattr(lda, method)(cut(corpus()))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_seeds_that_no_document_has_are_warned_of(method):
    X = corpus().toarray()
    X[:, 7] = 0
    lda = small_lda(topic_word_prior={"one": SEEDS["one"], "gone": ["w7"]})
    with pytest.warns(UserWarning, match="no document has a word of the seeded topics 'gone'"):
        getattr(lda, method)(X, feature_names=WORDS)
    assert_allclose(lda.topic_word_prior_[1], 0.05)


def test_words_of_a_large_corpus(tmp_path):
    lda = small_lda(topic_word_prior=SEEDS, total_samples=1e8)
    lda.partial_fit(frame(corpus()))
    assert lda.topic_word_prior_.max() > 1e5
    lda.save(tmp_path / "model")
    assert_array_equal(
        topictemper.load(tmp_path / "model").topic_word_prior_, lda.topic_word_prior_
    )


def test_a_label_is_no_name_of_another_topic():
    with pytest.raises(ValueError, match="'topic 3' cannot be the label of topic 0"):
        small_lda(topic_word_prior={"topic 3": ["w1"]}).fit(frame(corpus()))


@pytest.mark.parametrize("X", [["a text"], np.ones(60), None])
def test_counts_are_checked(X):
    with pytest.raises((TypeError, ValueError), match=r"X holds text|X must be a 2D array"):
        SeedTopics(SEEDS).prior(X, WORDS, 4)


def test_counts_are_checked_once(monkeypatch):
    checked, check = [], _counts.check_counts

    def seen(X, name):
        checked.append(name)
        return check(X, name)

    monkeypatch.setattr(_counts, "check_counts", seen)
    X = np.array([[2.0, 2.0, 1e-300], [0.0, 1.0, 1.0]])
    prior = SeedTopics({"t": ["a"]}).prior(X, list("abc"), 2)
    assert checked == ["X"]
    X[0, 2] = 0  # a count that a model takes for none
    assert_array_equal(prior, SeedTopics({"t": ["a"]}).prior(X, list("abc"), 2))


def test_weights_are_checked():
    for weights, match in (([1, 2], "one weight for each"), (-np.ones(200), "must be >= 0")):
        with pytest.raises(ValueError, match=match):
            SeedTopics(SEEDS).prior(corpus(), WORDS, 4, sample_weight=weights)


def test_words_in_an_array():
    arrays = {label: np.array(words) for label, words in SEEDS.items()}
    prior = SeedTopics(SEEDS).prior(corpus(), WORDS, 4)
    assert_array_equal(SeedTopics(arrays).prior(corpus(), WORDS, 4), prior)


@pytest.mark.parametrize(
    ("topics", "error", "match"),
    [
        ({}, ValueError, "an empty mapping; give labels and words"),
        (5, TypeError, "mapping of labels to words"),
        ([["a"]], TypeError, "mapping of labels to words"),
        ({"t": "w1 w2"}, TypeError, "'t' must have a list of words"),
        ({"t": []}, TypeError, "'t' must have a list of words"),
        ({"t": iter(["w1"])}, TypeError, "'t' must have a list of words"),
        ({"t": [1]}, TypeError, "'t' must have a list of words"),
        ({"t": {"w1": 5}}, TypeError, "'t' has a mapping, got {'w1': 5}; .*: give a list of them"),
        ({1: ["w1"]}, TypeError, "label"),
        ({" ": ["w1"]}, TypeError, "label"),
        ({"t": ["x", "y"]}, ValueError, "none of the words of the seeded topic 't'.*: x, y"),
        ({str(k): ["w1"] for k in range(5)}, ValueError, "5 seeded topics, but n_components=4"),
    ],
)
def test_refuses(topics, error, match):
    with pytest.raises(error, match=match):
        SeedTopics(topics).prior(corpus(), WORDS, 4)


def test_refuses_settings_and_columns_without_names():
    with pytest.raises(ValueError, match="strength"):
        SeedTopics(SEEDS, strength=0).prior(corpus(), WORDS, 4)
    with pytest.raises(ValueError, match="base"):
        SeedTopics(SEEDS, base=0.0).prior(corpus(), WORDS, 4)
    lda = small_lda().fit(corpus())
    before = learned_state(lda)
    with pytest.raises(ValueError, match="columns of X need names"):
        lda.set_params(topic_word_prior=SEEDS).fit(sp.csr_matrix(corpus()))
    assert learned_state(lda) == before
    with pytest.warns(UserWarning, match="not in the vocabulary: x"):
        SeedTopics({"t": ["w1", "x"]}).prior(corpus(), WORDS, 4)


def test_words_that_are_there_in_lower_case():
    with pytest.warns(
        UserWarning, match=r"not in the vocabulary: W2, x; in lower case .* it has w2$"
    ):
        SeedTopics({"t": ["w1", "W2", "x"]}).prior(corpus(), WORDS, 4)
    with pytest.raises(
        ValueError, match=r"is in the vocabulary: W1, W2; in lower case .* has w1, w2; give words"
    ):
        SeedTopics({"t": ["W1", "W2"]}).prior(corpus(), WORDS, 4)


def test_words_that_are_there_in_nfc():
    with pytest.raises(ValueError, match=r"cafe\u0301; in .*Unicode's NFC it has caf\u00e9; give"):
        SeedTopics({"t": ["cafe\u0301"]}).prior(corpus(), ["caf\u00e9", *WORDS[1:]], 4)


def test_documents_are_as_long_in_single_precision():
    counts = np.random.default_rng(0).random((200, 500)).astype(np.float32)
    names = [f"word{v}" for v in range(500)]
    seeds = SeedTopics({"mine": names[:3]})
    priors = [seeds.prior(counts.astype(dtype), names, 2) for dtype in ("float32", "float64")]
    assert_array_equal(*priors)
