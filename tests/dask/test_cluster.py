"""Learning and predicting on a cluster of processes: bits, lost workers and drivers, refusals."""

import asyncio
import re
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import dask
import dask.array as da
import dask.bag as db
import distributed
import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from dask.sizeof import sizeof
from distributed.core import Status
from sklearn.model_selection import GridSearchCV

import topictemper
from topictemper import TemperedLDA as Local
from topictemper.dask import _executors, document_temperatures, perplexity, score, transform
from topictemper.dask._checkpoint import Checkpoint
from topictemper.dask._rounds import Rounds
from topictemper.dask._tasks import machine_of

from .clusters import SECONDS
from .documents import (
    N_WORDS,
    TEXTS,
    array_of,
    array_with,
    bits,
    counts,
    estimator,
    killing,
    made,
    nth_time,
    parts,
    rounds_of_texts,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def text_reference():
    """The local model of a fit of texts without a cluster."""
    return rounds_of_texts().fit(db.from_sequence(TEXTS, npartitions=3)).to_local()


def test_any_number_of_workers(cluster, reference):
    with distributed.Client(cluster) as client:
        for n_workers in (1, 2, 3):
            cluster.scale(n_workers)
            client.wait_for_workers(n_workers, timeout=SECONDS)
            lda = estimator().fit(array_of(parts(rows=70)))
            assert lda.client_ is client
            assert bits(lda) == reference


# Each block is loaded for the first look, for the sample, and then about once in a pass.
@pytest.mark.parametrize("when", [1, 2, 3])
def test_a_worker_is_killed(client, reference, tmp_path, when):
    folder = made(tmp_path / "loads")
    before = client.scheduler_info()["workers"].keys()
    lda = estimator().fit(array_with(3, killing, folder, when))
    assert bits(lda) == reference
    assert nth_time(folder) > when + 1
    assert len(before - client.scheduler_info()["workers"].keys()) == 1


@pytest.mark.parametrize(("when", "what"), [(1, "the first look at X"), (3, "round [12]")])
def test_dask_gives_up(cluster, client, reference, tmp_path, capsys, when, what):
    X = array_with(3, killing, made(tmp_path / "loads"), when)
    cluster.scheduler.allowed_failures = 0
    try:
        lda = estimator(checkpoint=tmp_path / "rounds", verbose=1).fit(X)
    finally:
        cluster.scheduler.allowed_failures = 3
    assert bits(lda) == reference
    assert re.search(f"workers were lost in {what}", capsys.readouterr().err)


@pytest.mark.filterwarnings("ignore:.* have no word of the vocabulary")
def test_dask_gives_up_what_blocks_are_made_of(cluster, client, text_reference, tmp_path, capsys):
    # Blocks are loaded once for the first look, and then for the words and for the counts.
    bag = db.from_sequence(TEXTS, npartitions=4)
    killed = bag.map_partitions(killing, made(tmp_path / "loads"), 7).map_partitions(list)
    cluster.scheduler.allowed_failures = 0
    try:
        local = rounds_of_texts(verbose=1).fit(killed).to_local()
    finally:
        cluster.scheduler.allowed_failures = 3
    assert (local.lda_.components_ == text_reference.lda_.components_).all()
    assert "workers were lost in counting documents without words" in capsys.readouterr().err


def test_a_worker_is_lost_that_the_cluster_has_not_heard_of(cluster):
    cluster._update_worker_status("remove", "tcp://127.0.0.1:1")  # a KeyError of Dask's own


def test_a_worker_is_killed_while_it_is_asked(client, reference, tmp_path, monkeypatch):
    folder = made(tmp_path / "asked")

    def asked():
        killing(None, folder, 1)
        return machine_of()

    monkeypatch.setattr(_executors, "machine_of", asked)
    assert bits(estimator().fit(array_of(parts()))) == reference


def test_workers_that_do_nothing(client, reference, tmp_path):
    """Dask pauses workers whose memory is full, and says nothing."""
    full = made(tmp_path / "full")
    X = array_of([dask.delayed(pausing)(block, full) for block in parts()])
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_executors, "_SECONDS_WITHOUT_WORK", 0.5)
            patch.setattr(_executors, "_SECONDS_OF_A_WAIT", 0.1)
            patch.setattr(_executors, "_any_at_work", at_work_or_late)
            with pytest.raises(RuntimeError, match=r"lost 3 times in the first look.* is paused"):
                estimator().fit(X)
    finally:
        Path(full).rmdir()  # tasks of the fit may still run, and pause nothing any more
        client.run(set_status, Status.running)
    assert bits(estimator().fit(array_of(parts()))) == reference


def at_work_or_late(workers, any_at_work=_executors._any_at_work):
    """The same, but as long as none is paused, they are late on a busy machine."""
    paused = any(worker["status"] == "paused" for worker in workers.values())
    return not paused or any_at_work(workers)


def pausing(block, full):
    """Return the block, and let the worker do nothing more while a folder is there."""
    worker = distributed.get_worker()
    worker.loop.add_callback(pause, full, worker)
    return block


def pause(full, worker):
    if Path(full).exists():
        set_status(Status.paused, worker)


def set_status(status, dask_worker):
    dask_worker.memory_manager.memory_pause_fraction = False  # or it goes on by itself
    dask_worker.status = status


def test_the_driver_is_killed(client, reference, tmp_path):
    sp.save_npz(tmp_path / "counts.npz", counts())
    made(tmp_path / "loads")
    driver = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        import dask, dask.array as da, numpy as np, scipy.sparse as sp
        from distributed import Client
        from topictemper.dask import TemperedLDA

        address, folder = sys.argv[1:]
        X = sp.load_npz(folder + "/counts.npz")

        def loaded(block, process):
            loads = len(list(Path(folder, "loads").iterdir()))
            Path(folder, "loads", str(loads)).touch()
            if loads == 3:  # in the third round or the fourth
                os.kill(process, signal.SIGKILL)
            return block

        blocks = [dask.delayed(X[i : i + 50]) for i in range(0, 300, 50)]
        blocks[3] = dask.delayed(loaded)(blocks[3], os.getpid())
        X = da.concatenate(
            [
                da.from_delayed(block, shape=(np.nan, 60), meta=sp.csr_matrix((0, 60)))
                for block in blocks
            ]
        )
        with Client(address):
            TemperedLDA(
                4, n_shards=3, rounds_per_pass=2, max_iter=2, batch_size=20, sample_size=40,
                random_state=0, checkpoint=folder + "/rounds"
            ).fit(X)
        """
    )
    address = client.scheduler.address
    died = subprocess.run(
        [sys.executable, "-c", driver, address, str(tmp_path)], check=False, timeout=SECONDS
    )
    assert died.returncode == -9
    [last] = (tmp_path / "rounds").glob("round-*")
    assert last.name in ("round-000002", "round-000003")
    lda = estimator(checkpoint=tmp_path / "rounds").fit(array_of(parts()), resume=True)
    assert bits(lda) == reference


def test_bad_blocks_are_named_and_the_cluster_goes_on(client, reference, tmp_path):
    estimator(checkpoint=tmp_path / "rounds").fit(array_of(parts()))
    before = (tmp_path / "rounds" / "checkpoint.json").read_bytes()
    for spoiled, what in (
        (lambda block: -block, r"^Negative values .* block 4 of X: row"),
        (lambda block: block[:, :-1], "block 4 of X has 59 columns, but block 0 has 60"),
    ):
        with pytest.raises(ValueError, match=what):
            estimator(checkpoint=tmp_path / "rounds").fit(array_with(4, spoiled), resume=True)
    with pytest.raises(ValueError, match=r"^Negative values .* block 4 of X: row"):
        transform(Local(2, max_iter=1).fit(counts()), array_with(4, lambda b: -b)).compute()
    assert (tmp_path / "rounds" / "checkpoint.json").read_bytes() == before
    assert bits(estimator().fit(array_of(parts()))) == reference


def test_an_error_whose_type_is_known_nowhere_else(client):
    """The user sees it, not an error about copying it."""

    def spoiled(block):
        class HereError(Exception):
            def __init__(self, what, why):
                super().__init__(f"{what}: {why}")

        raise HereError("the disk", "gone")

    with pytest.raises(Exception, match="the disk: gone"):
        estimator().fit(array_with(4, spoiled))


def test_the_order_in_which_blocks_come_does_not_matter(client, reference):
    late = [dask.delayed(waiting)(block, 0.05 * (5 - i)) for i, block in enumerate(parts())]
    assert bits(estimator().fit(array_of(late))) == reference


def waiting(block, seconds):
    """Return the block, after a while."""
    sleep(seconds)
    return block


def test_one_instruction_set(client):
    *_, baseline = topictemper.available_isas()
    if topictemper.get_isa() == baseline:
        pytest.skip("this processor has one instruction set")
    X, [one, *_] = array_of(parts()), sorted(client.scheduler_info()["workers"])
    own = topictemper.get_isa()
    client.run(topictemper.set_isa, baseline, workers=[one])
    try:
        with pytest.raises(ValueError, match=f"isa='{own}' lets all of them"):
            estimator().fit(X)
        pinned = bits(estimator(isa=baseline).fit(X))
    finally:
        client.run(topictemper.set_isa, own, workers=[one])
    assert set(client.run(topictemper.get_isa).values()) == {own}
    assert pinned == bits(estimator(isa=baseline).fit(counts()))


def _predictions():
    """What predicts on a cluster, without computing it."""
    lda, X = Local(2, max_iter=1).fit(counts()), array_of(parts())
    return [lambda f=f: f(lda, X) for f in (transform, score, perplexity, document_temperatures)]


def test_a_worker_without_the_package_is_named(client, monkeypatch):
    def missing():
        raise ModuleNotFoundError("No module named 'topictemper'")

    monkeypatch.setattr(_executors, "machine_of", missing)
    texts = db.from_sequence(TEXTS, npartitions=3)
    fits = [lambda: estimator().fit(array_of(parts())), lambda: rounds_of_texts().fit(texts)]
    for runs in [*fits, *_predictions()]:
        with pytest.raises(RuntimeError, match=r"worker tcp:.* cannot run .*Install the same vers"):
            runs()


def test_a_worker_with_another_version_is_named(client, monkeypatch):
    monkeypatch.setattr(_executors, "VERSION", "9.9")
    for runs in [lambda: estimator().fit(array_of(parts())), *_predictions()]:
        with pytest.raises(RuntimeError, match=r"worker tcp:.* and this process has 9\.9"):
            runs()


def test_predictions_elsewhere_need_no_cluster(client, monkeypatch):
    monkeypatch.setattr(_executors, "VERSION", "9.9")
    lda = Local(2, max_iter=1).fit(counts())
    with dask.config.set(scheduler="synchronous"):
        assert float(score(lda, array_of(parts()))) == lda.score(counts())


def test_too_little_memory(client, monkeypatch, tmp_path):
    monkeypatch.setattr(_executors.Cluster, "memory", lambda self: {"tcp://it": 3000})
    with pytest.raises(MemoryError, match=r"Worker tcp://it has a limit of .* memory_limit"):
        estimator().fit(array_of(parts()))
    # Enough for the topics and for a round, but not for all documents in the sample.
    begun = estimator(sample_size=300, checkpoint=tmp_path / "rounds")
    monkeypatch.setattr(_executors.Cluster, "memory", lambda self: {"tcp://it": 1_000_000})
    begun.fit(array_of(parts()))
    monkeypatch.setattr(_executors.Cluster, "memory", lambda self: {"tcp://it": 100_000})
    with pytest.raises(MemoryError, match=r"times the documents of the sample.* sample_size$"):
        estimator(sample_size=300).fit(array_of(parts()))
    estimator(sample_size=20).fit(array_of(parts()))
    begun.fit(array_of(parts()), resume=True)  # whose sample has been fitted


def test_a_cluster_that_starts_workers_for_tasks(reference, monkeypatch):
    monkeypatch.setattr(_executors, "_SECONDS_WITHOUT_WORKERS", SECONDS)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as adaptive,
        distributed.Client(adaptive) as client,
    ):
        adaptive.adapt(minimum=0, maximum=1)
        assert bits(estimator(client=client).fit(array_of(parts()))) == reference


def test_clients(cluster, client):
    closed = distributed.Client(cluster, set_as_default=False)
    closed.close()
    with pytest.raises(RuntimeError, match="the Dask client is closed"):
        estimator(client=closed).fit(array_of(parts()))
    with pytest.raises(TypeError, match="X is in the memory of this process"):
        estimator(client=client).fit(counts())

    async def learn():
        async with distributed.Client(cluster.scheduler_address, asynchronous=True) as own:
            estimator(client=own).fit(array_of(parts()))

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(TypeError, match="client is asynchronous"),
    ):
        # In a thread: a browser of other tests may have left a loop that runs in this one.
        executor.submit(asyncio.run, learn()).result()
    lda = estimator(client=client).fit(array_of(parts()))
    with pytest.raises(TypeError, match=r"to_local\(\)"):
        lda.transform(counts())
    # A current client is no reason to send a matrix away.
    assert estimator().fit(counts()).client_ is None


def test_a_client_is_closed_in_a_fit(cluster, client, reference, tmp_path, monkeypatch):
    own = distributed.Client(cluster, set_as_default=False)
    write = Checkpoint.write

    def closing(self, executor, state, record):
        state = write(self, executor, state, record)
        if state.n_rounds == 2:
            own.close()
        return state

    monkeypatch.setattr(Checkpoint, "write", closing)
    lda = estimator(client=own, checkpoint=tmp_path / "rounds")
    with pytest.raises(RuntimeError, match="the Dask client is closed"):
        lda.fit(array_of(parts()))
    assert [path.name for path in (tmp_path / "rounds").glob("round-*")] == ["round-000002"]
    assert bits(lda.set_params(client=client).fit(array_of(parts()), resume=True)) == reference


def test_a_cluster_is_restarted(cluster, client, reference, tmp_path, monkeypatch):
    X, texts = array_of(parts()), db.from_sequence(TEXTS, npartitions=3).map(str.lower)
    lda = estimator(checkpoint=tmp_path / "fitted").fit(X)
    model = rounds_of_texts().fit(texts)
    # Dask cannot restart if tasks are left that nobody waits for, as those of texts were.
    client.restart(wait_for_workers=False)
    calls = [lda.to_local, lambda: lda.transform(X), lambda: lda.score(X), model.to_local]
    for lost in [*calls, lambda: model.score(texts)]:
        with pytest.raises(RuntimeError, match="has forgotten the topics, because it was restart"):
            lost()
    assert bits(lda.fit(X, resume=True)) == reference

    make = Rounds._made

    def restarting(self, state, *, again):
        if state.n_rounds == 2 and not again:
            client.restart(wait_for_workers=False)
        return make(self, state, again=again)

    monkeypatch.setattr(Rounds, "_made", restarting)
    with pytest.raises(RuntimeError, match="has forgotten the topics, because it was restarted"):
        estimator().fit(X)
    # A checkpoint has them.
    assert bits(estimator(checkpoint=tmp_path / "rounds").fit(X)) == reference


def test_topics_stay_on_the_workers(client, monkeypatch):
    """Nothing of the size of the topics passes through the client, or the scheduler's graph."""
    size = 200 * N_WORDS * 8
    sizes = []

    def measured(method):
        def call(self, *arguments, **options):
            values = [x for x in arguments if not callable(x)]
            sizes.append(sum(sizeof(x) for x in values if not isinstance(x, distributed.Future)))
            result = method(self, *arguments, **options)
            if isinstance(result, list):
                sizes.append(sizeof(result))
            return result

        return call

    for name in ("submit", "gather"):
        method = getattr(distributed.Client, name)
        monkeypatch.setattr(distributed.Client, name, measured(method))
    estimator(n_components=200, dtype="float64").fit(array_of(parts()))
    assert sizes
    assert max(sizes) < size / 4


def test_prediction(client):
    X = counts()
    lda = Local(4, max_iter=2, random_state=0).fit(X)
    lazy = array_of(parts())
    assert (transform(lda, lazy).compute() == lda.transform(X)).all()
    assert float(score(lda, lazy)) == lda.score(X)
    rounds = estimator().fit(lazy)
    local = rounds.to_local()
    theta = rounds.transform(lazy)
    assert isinstance(theta, da.Array)
    assert (theta.compute() == local.transform(X)).all()
    assert float(rounds.score(lazy)) == local.score(X)
    assert float(rounds.perplexity(lazy)) == local.perplexity(X)
    mean_field = {"inference": "mean_field"}
    assert float(rounds.score(lazy, **mean_field)) == local.score(X, **mean_field)
    assert float(rounds.perplexity(lazy, **mean_field)) == local.perplexity(X, **mean_field)
    theta = rounds.transform(lazy, **mean_field).compute()
    assert (theta == local.transform(X, **mean_field)).all()
    temperatures = rounds.document_temperatures(lazy).compute()
    assert (temperatures == local.document_temperatures(X)).all()
    assert (document_temperatures(lda, lazy).compute() == lda.document_temperatures(X)).all()
    assert float(perplexity(lda, lazy)) == lda.perplexity(X)


@pytest.mark.filterwarnings("ignore:.* have no word of the vocabulary")
def test_texts(client, text_reference, tmp_path):
    words, counting = made(tmp_path / "words"), made(tmp_path / "counting")
    bag = db.from_sequence(TEXTS, npartitions=4)
    killed = bag.map_partitions(killing, words, 2).map_partitions(killing, counting, 8)
    rounds = rounds_of_texts().fit(killed)
    assert nth_time(counting) > 8
    local = rounds.to_local()
    assert (local.lda_.components_ == text_reference.lda_.components_).all()
    assert local.topics_.equals(text_reference.topics_)
    assert (rounds.transform(bag).compute() == local.transform(TEXTS)).all()


def test_the_vocabulary_is_on_a_worker_before_blocks_are_counted(cluster, client, monkeypatch):
    # Given up together with a block, as by a worker that is lost, it would not let Dask go on.
    persist, found = distributed.Client.persist, []

    def noted(self, X, **options):
        states = {task.state for task in cluster.scheduler.tasks.values() if "itself" in task.key}
        made = [key for key in X.__dask_graph__() if "CountVectorizer" in str(key)]
        found.append((states, made))
        return persist(self, X, **options)

    monkeypatch.setattr(distributed.Client, "persist", noted)
    rounds_of_texts().fit(db.from_sequence(TEXTS, npartitions=4))
    assert found == [({"memory"}, [])]


def test_blocks_in_the_memory_of_workers(client, reference):
    X = array_of(parts()).persist()
    lda = estimator().fit(X)
    assert bits(lda) == reference
    theta = lda.transform(X)
    del X  # the result needs it still
    assert (theta.compute() == lda.to_local().transform(counts())).all()


def test_the_scheduler_forgets_the_names_of_blocks(cluster, client):
    """It warns where two graphs have different tasks of one name."""
    X = array_of(parts())
    lda = estimator().fit(X)
    names = {key for [key] in X.__dask_keys__()}
    assert len(names) == len(parts())
    assert not names & cluster.scheduler.tasks.keys()
    assert lda.transform(X).compute().shape == (300, 4)


def test_search_on_the_workers(client):
    search = GridSearchCV(
        Local(max_iter=3, batch_size=20, random_state=0), {"n_components": [1, 4]}, cv=2
    )
    alone = search.fit(counts()).cv_results_["mean_test_score"]
    with joblib.parallel_config("dask", wait_for_workers_timeout=30):
        together = search.fit(counts()).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(alone, together)
