"""Learning by rounds, in one process: bits, scores, early stopping, refusals."""

import pickle
import warnings

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import topictemper
from topictemper import TemperedLDA as Local
from topictemper.dask import _corpus, _tasks
from topictemper.dask._tasks import merged
from topictemper.datasets import make_lda_corpus
from topictemper.tempering import Annealing

from .documents import N_WORDS, array_of, array_with, bits, counts, estimator, made, nth_time, parts


def unsorted(X):
    """The same counts, the words of each document in another order."""
    order = np.random.RandomState(0).permutation(X.shape[1])
    other = X[:, order] @ sp.eye_array(X.shape[1], format="csr")[order]
    assert not other.has_sorted_indices
    return other


@pytest.mark.parametrize(
    "documents",
    [
        lambda: parts(),
        lambda: parts(rows=7),
        lambda: array_of(parts(rows=110)),
        lambda: array_of(parts(rows=110), known=True),
        lambda: da.from_array(counts().toarray(), chunks=(64, N_WORDS)),
        lambda: dd.from_pandas(pd.DataFrame(counts().toarray()), npartitions=4),
        lambda: counts().astype(np.float32).tocsc(),
        lambda: [counts()[:70].toarray(), unsorted(counts()[70:])],
    ],
)
def test_bits_do_not_depend_on_blocks(reference, documents):
    assert bits(estimator().fit(documents())) == reference


@pytest.mark.parametrize(
    "parameters",
    [
        {"random_state": 1},
        {"n_shards": 2},
        {"rounds_per_pass": 3},
        {"sample_size": 150},
        {"max_iter": 1},
        {"shuffle": False},
    ],
)
def test_bits_depend_on_what_belongs_to_the_model(reference, parameters):
    assert bits(estimator(**parameters).fit(counts())) != reference


@pytest.mark.parametrize("kind", [unsorted, sp.csr_matrix.toarray])
def test_rounds_check_no_rows_but_their_own(kind, monkeypatch):
    checked = []
    counts_of = _corpus._counts
    monkeypatch.setattr(_corpus, "_counts", lambda X: checked.append(X.shape[0]) or counts_of(X))
    estimator().fit(kind(counts()))
    assert checked == [300, 300] + 12 * [50]  # two looks; three shards in four rounds


def test_a_block_that_lies_later_is_no_danger(tmp_path):
    def lying(block, folder):
        X = block.copy()
        if nth_time(folder) == 3:
            X.indptr[20:] += 10**6
        return X

    with pytest.raises(ValueError, match="block 2 of X: "):
        estimator().fit(array_with(2, lying, made(tmp_path / "loads")))


def test_a_block_of_many_parts_is_loaded_once_in_a_round(tmp_path, reference):
    def logged(block):
        with open(tmp_path / "loads", "a") as file:
            file.write("x")
        return block

    lda = estimator().fit(array_of([dask.delayed(logged)(counts())]))
    assert bits(lda) == reference
    assert len((tmp_path / "loads").read_text()) == 2 + 4
    assert len(pickle.dumps(lda)) < 50_000  # without a block


def test_threads_do_not_matter(reference):
    assert bits(estimator(n_jobs=2, batch_size=64).fit(counts())) == bits(
        estimator(batch_size=64).fit(counts())
    )


@pytest.fixture(scope="module")
def score_of_one_topic():
    """What documents score by the frequencies of words alone."""
    X = counts()
    return Local(1, random_state=0).fit(X[:250]).score(X[250:])


@pytest.mark.parametrize(
    "parameters",
    [
        {"inference": "point"},
        {"inference": "vb"},
        {"tempering": None},
        {"tempering": "dasvi"},
        {"dtype": np.float64},
        {"doc_topic_prior": "auto", "topic_word_prior": "auto"},
        {"topic_word_prior": np.linspace(0.02, 0.2, 4 * N_WORDS).reshape(4, N_WORDS)},
        {"init": np.random.default_rng(0).gamma(1.0, 1.0, (4, N_WORDS))},
    ],
)
def test_all_modes_learn(parameters, score_of_one_topic):
    X = counts()
    rounds = estimator(sample_size=100, **parameters).fit(X[:250]).to_local()
    assert rounds.temperature_ == 1.0
    assert rounds.components_.dtype == parameters.get("dtype", "float32")
    assert rounds.score(X[250:]) > score_of_one_topic + 0.05


def test_rounds_predict_as_well_as_a_plain_fit():
    # Over seeds 0 to 19 rounds score -2.6959 to -2.6943, standard deviation 0.0005, and over seeds
    # 0 to 3 plain fits -2.6928 to -2.6920: the margin is five deviations. Of 10 topics over 200
    # words some starts miss one, which costs 0.07.
    X = make_lda_corpus(1400, 100, 5, document_length=50, random_state=0).counts
    plain = Local(5, random_state=0).fit(X[200:])
    rounds = estimator(n_components=5, n_shards=4, max_iter=5, sample_size=600).fit(X[200:])
    assert rounds.score(X[:200]) > plain.score(X[:200]) - 0.005


def test_more_than_one_block_of_topics(monkeypatch, reference):
    monkeypatch.setattr("topictemper.dask._tasks.BYTES_OF_A_BLOCK", 7 * 4 * 4)
    assert bits(estimator().fit(counts())) == reference


def test_shards_of_a_round_count_together():
    def tree(n_updates, documents, sampled, scale):
        clock = {"n_updates": n_updates, "documents_seen": documents, "tokens_seen": 9 * documents}
        rest = {"priors": {"n_sampled": sampled}, "scale": scale, "random_state": 1}
        return {"trainer": {"clock": clock, "sampling_seed": n_updates, **rest}}

    result = merged(
        tree(5, 100.0, 20.0, 1.0), [tree(8, 160.0, 40.0, 2.0), tree(9, 170.0, 30.0, 3.0)]
    )
    assert result == {"trainer": tree(9, 230.0, 50.0, 2.5)["trainer"] | {"sampling_seed": 5}}


@pytest.mark.parametrize(("n_rows", "n_steps"), [(4, 1), (8, 1), (200, 2)])
def test_minibatches_of_a_shard_are_about_as_large_as_wanted(n_rows, n_steps):
    # Documents of a shard in a round: 1 and 2 are a minibatch, 50 are two of 25 instead of 20.
    lda = estimator(n_shards=2, rounds_per_pass=2, max_iter=1).fit(counts()[:n_rows])
    assert lda.to_local().n_batch_iter_ == 1 + 2 * n_steps  # with that of the sample


def test_scores_of_rounds_and_early_stopping():
    X = counts()
    lda = estimator().fit(X[100:], validation_X=X[:100])
    assert lda.score_history_["pass"].tolist() == [0.5, 1.0, 1.5, 2.0]
    assert lda.score_history_["score"][-1] == lda.score(X[:100])
    assert lda.n_rounds_ == 4
    assert lda.n_iter_ == 2.0
    stopped = estimator(
        max_iter=50, early_stopping=True, n_iter_no_change=2, learning_offset=1.0
    ).fit(X[100:], validation_X=X[:100])
    scores = stopped.score_history_["score"]
    assert len(scores) < 100
    assert stopped.n_rounds_ == scores.argmax() + 1 == len(scores) - 2
    assert stopped.score(X[:100]) == scores.max()
    assert not hasattr(estimator().fit(X), "score_history_")


def test_a_line_for_every_round(capsys):
    X = counts()
    estimator(verbose=1).fit(X, validation_X=X[:100])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("round 2/4: pass 1.00, ")
    assert lines[1].endswith(" nats per token")


def test_a_worker_that_joins_a_fit_must_have_its_version(monkeypatch):
    train = _tasks.train

    def of_a_new_worker(job, n_round, *arguments):
        if n_round == 1:
            monkeypatch.setattr(_tasks, "VERSION", "9.9")
        return train(job, n_round, *arguments)

    monkeypatch.setattr(_tasks, "train", of_a_new_worker)
    with pytest.raises(RuntimeError, match=r"this worker has topictemper 9\.9, but the fit began"):
        estimator().fit(counts())


@pytest.mark.parametrize("tempering", ["vt", "lvt"])
def test_underflow_is_no_error_where_the_caller_makes_it_one(tempering):
    fits = [estimator(tempering=tempering, sample_size=100) for _ in range(2)]
    fits[0].fit(counts())
    with np.errstate(all="raise"):
        fits[1].fit(counts())
        local = fits[1].to_local()
    assert bits(fits[0]) == bits(fits[1])
    assert local.components_.shape == (4, N_WORDS)


def test_the_local_model_predicts_saves_and_goes_on(tmp_path):
    X = counts()
    lda = estimator().fit(X)
    local = lda.to_local()
    for options in ({}, {"tempered": True}, {"inference": "collapsed"}):
        assert (lda.transform(X, **options) == local.transform(X, **options)).all()
        assert lda.score(X, **options) == local.score(X, **options)
        assert lda.perplexity(X, **options) == local.perplexity(X, **options)
    with pytest.raises(ValueError, match="inference must be one of"):
        lda.transform(array_of(parts()), inference="sampling")  # not when it is computed
    weights = np.arange(X.shape[0]) % 2
    assert lda.score(X, None, weights) == local.score(X, None, weights)
    assert lda.perplexity(X, None, weights) == local.perplexity(X, None, weights)
    assert (lda.document_temperatures(X) == local.document_temperatures(X)).all()
    local.save(tmp_path / "model.npz")
    loaded = topictemper.load(tmp_path / "model.npz")
    for model in (local, loaded):
        model.partial_fit(X[:60])
    assert (loaded.components_ == local.components_).all()
    assert local.get_params()["n_components"] == 4


def test_the_local_model_has_the_parameters_of_the_fit():
    prior = np.full(4, 0.1)
    lda = estimator(doc_topic_prior=prior).fit(counts())
    expected = lda.to_local()
    lda.set_params(n_components=5, tempering="svi", max_iter=1, random_state=9, verbose=1)
    prior[:] = 2.0
    local = lda.to_local()
    changed = {"doc_topic_prior", "verbose"}
    for name, value in expected.get_params(deep=False).items():
        assert name in changed or getattr(local, name) is value, name
    assert local.verbose == 1
    assert local.doc_topic_prior.tolist() == [0.1] * 4
    assert (local.components_ == expected.components_).all()
    local.partial_fit(counts())


def test_clone_and_parameters():
    lda = estimator(checkpoint="folder")
    assert clone(lda).get_params() == lda.get_params()
    with pytest.raises(ValueError, match="not fitted"):
        lda.transform(counts())


def test_a_warning_about_weights():
    X = counts().astype(float)
    X = sp.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
    with pytest.warns(UserWarning, match="tf-idf"):
        estimator().fit(parts(X))


def negative(block):
    block = block.copy()
    block.data[3] = -1
    return block


@pytest.mark.parametrize(
    ("spoiled", "what"),
    [
        (negative, "^Negative values .* block 2 of X: row"),
        (lambda block: block[:, :-1], "block 2 of X has 59 columns, but block 0 has 60"),
        (lambda block: block * np.nan, "^NaN values in data passed to block 2 of X: row 0"),
        (lambda block: block.toarray().astype(str), "^block 2 of X holds text"),
    ],
)
def test_a_bad_block_is_named(tmp_path, spoiled, what):
    lda = estimator(checkpoint=tmp_path / "rounds")
    with pytest.raises((TypeError, ValueError), match=what):
        lda.fit(array_with(2, spoiled))
    assert not (tmp_path / "rounds").exists()
    assert not hasattr(lda, "n_features_in_")


def test_blocks_without_rows_are_left_out():
    blocks = parts()
    there = estimator().fit(array_of(blocks))
    empty = [blocks[0][:0], *blocks[:2], blocks[0][:0], blocks[0][:0], *blocks[2:], blocks[0][:0]]
    lda = estimator().fit(array_of(empty))
    assert (lda.to_local().components_ == there.to_local().components_).all()
    with pytest.raises(ValueError, match="X has no words: all 0 rows"):
        estimator().fit(array_of([block[:0] for block in blocks]))


def test_names_that_are_numbers_are_kept():
    numbers, titles = range(1, 61), [f"title {v}" for v in range(60)]
    X = dd.from_pandas(pd.DataFrame(counts().toarray(), columns=numbers), npartitions=3)
    lda = estimator().fit(X)
    assert lda.feature_names_in_.tolist() == list(map(str, numbers))
    assert lda.transform(X).compute().shape == (counts().shape[0], lda.n_components)
    with pytest.raises(ValueError, match="feature names should match"):
        lda.to_local().transform(X.compute()[numbers[::-1]])
    assert estimator().fit(X, feature_names=titles).feature_names_in_.tolist() == titles


def test_names_of_columns_are_kept():
    # The last two are also attributes of matrices and of arrays of Dask.
    words = [*(f"word{v}" for v in range(58)), "format", "chunks"]
    X = dd.from_pandas(pd.DataFrame(counts().toarray(), columns=words), npartitions=3)
    lda = estimator().fit(X)
    assert lda.feature_names_in_.tolist() == words
    assert lda.to_local().feature_names_in_.tolist() == words
    assert lda.transform(X).compute().shape == (counts().shape[0], lda.n_components)
    with pytest.raises(ValueError, match=r"block \d of X: The feature names should match"):
        lda.transform(X[words[::-1]]).compute()
    assert estimator().fit(X, feature_names=words).feature_names_in_.tolist() == words
    with pytest.raises(ValueError, match="column 0 is 'chunks', and was 'word0'"):
        estimator().fit(X, feature_names=words[::-1])
    given = estimator().fit(counts(), feature_names=words)
    assert given.to_local().top_words(1)[0][0] in words
    assert not hasattr(given.fit(counts()), "feature_names_in_")
    with pytest.raises(ValueError, match="feature_names must have 60 names"):
        estimator().fit(counts(), feature_names=words[1:])


def test_columns_in_another_order_are_refused():
    words = [f"word{v}" for v in range(N_WORDS)]
    frame = pd.DataFrame(counts().toarray(), columns=words)
    other = frame[words[::-1]]
    blocks = [frame[:9].to_numpy(), frame[9:100], frame[100:110], other[110:]]
    with pytest.raises(ValueError, match="block 3 of X has other names of columns than block 1"):
        estimator().fit(blocks)
    with pytest.raises(ValueError, match="validation_X: The feature names should match"):
        estimator().fit(frame, validation_X=other)


class Plain(topictemper.dask.TemperedLDA):
    """An estimator with few parameters of its own."""

    def __init__(self, note=""):
        super().__init__(**estimator().get_params())
        self.note = note


def test_a_subclass_may_have_other_parameters(reference):
    plain = clone(Plain(note="mine")).fit(counts())
    assert (bits(plain), plain.note) == (reference, "mine")
    assert plain.to_local().components_.shape == (plain.n_components, N_WORDS)


def test_what_only_the_local_estimator_takes():
    with pytest.raises(TypeError, match="validation_X must be a matrix in memory"):
        estimator().fit(counts(), validation_X=array_of(parts()))
    with pytest.raises(TypeError, match="must be numbers on Dask, not seed words"):
        estimator(topic_word_prior={"some": ["word1"]}).fit(counts())


def test_a_block_that_changes_is_refused(tmp_path):
    def shrinking(block, folder):
        return block[:-1] if nth_time(folder) == 3 else block

    with pytest.raises(ValueError, match=r"block 2 of X: it had 50 rows .* and has 49 now"):
        estimator().fit(array_with(2, shrinking, made(tmp_path / "loads")))


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"n_shards": 200}, "n_shards=200 times rounds_per_pass=2 must be at most"),
        ({"n_shards": 0}, "n_shards == 0"),
        ({"rounds_per_pass": 1.5}, "rounds_per_pass must be an instance of"),
        ({"sample_size": 0}, "sample_size == 0"),
        ({"sample_size": 1, "random_state": 2}, "choose a larger sample_size"),
        ({"isa": "sse"}, "isa='sse' must be an instruction set"),
        ({"early_stopping": True}, "early_stopping=True needs validation_X"),
        ({"n_iter_no_change": 3}, "n_iter_no_change=3 is for early_stopping=True"),
        ({"n_components": 0}, "n_components == 0"),
        ({"client": "tcp://here"}, "client must be a distributed.Client"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_parameters(parameters, what):
    with pytest.raises((TypeError, ValueError), match=what):
        estimator(**parameters).fit(counts())


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (lambda: da.zeros((10, N_WORDS), chunks=(5, 20)), r"rechunk\({1: -1}\)"),
        (lambda: da.zeros(10, chunks=5), "must have two dimensions"),
        (
            lambda: da.from_delayed(dask.delayed(counts)(), (np.nan, np.nan), float),
            "X must have a known number of columns",
        ),
        (lambda: da.zeros((20, N_WORDS), chunks=(5, N_WORDS)), "X has no words"),
        (lambda: array_of(parts(counts()[:, :-1])), "said to have 60 columns, but .* have 59"),
        (lambda: ["some text"], "X must be a dask.array"),
        (lambda: db.from_sequence(["some text"]), "X must hold counts"),
        (lambda: [], "X must be a dask.array"),
        (lambda: dask.delayed(counts)(), "X is Delayed.* dask.array.from_delayed"),
        (lambda: [dask.delayed(counts)()], "X is Delayed"),
    ],
)
def test_bad_documents(X, what):
    with pytest.raises((TypeError, ValueError), match=what):
        estimator().fit(X())


def test_bad_validation_documents():
    with pytest.raises(ValueError, match="validation_X has 59 features"):
        estimator().fit(counts(), validation_X=counts()[:, :-1])
    with pytest.raises(ValueError, match="validation_X has no document with two tokens"):
        estimator().fit(counts(), validation_X=np.zeros((2, N_WORDS)))
    with pytest.raises(ValueError, match="Negative values in data passed to validation_X"):
        estimator().fit(counts(), validation_X=-counts())


def test_no_warning_is_lost_or_made():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator().fit(array_of(parts()))


def test_a_sample_may_end_hot():
    # Of the sample there are 40 passes.
    lda = estimator(tempering=Annealing(max_temperature=3.0, length=41.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lda.fit(parts()).to_local().temperature_ == 1.0
