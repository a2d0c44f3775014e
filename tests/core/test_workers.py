import threading
from time import monotonic, sleep

import numpy as np
import pytest

from topictemper._core import _team, _workers
from topictemper._core._workers import Workers

from ..running_threads import assert_threads_end, running_threads


@pytest.fixture(autouse=True)
def all_come(monkeypatch):
    """No helper falls asleep, or is left out because it is late, as tests count them."""
    monkeypatch.setattr(_workers, "_LINGER", 10**9)
    monkeypatch.setattr(_workers, "_REST", 0)


def threads_of(workers, n_threads):
    """Threads that make a call; it returns once all have come."""
    all_here, threads = threading.Barrier(n_threads), []

    def join():
        all_here.wait(timeout=30)
        threads.append(threading.get_ident())

    workers.run(_team.call, join)
    return threads


def begun_call(workers, hold):
    """A call that a helper has begun, which ends when `hold` is set."""
    begun = threading.Event()

    def call():
        begun.set()
        return hold.wait(30)

    result = workers.start(call)
    assert begun.wait(30)
    return result


@pytest.mark.parametrize(("n_jobs", "n_threads"), [(None, 1), (1, 1), (2, 2), (5, 5)])
def test_every_thread_is_called(n_jobs, n_threads):
    with Workers(n_jobs) as workers:
        assert workers.n_jobs == n_threads
        for _ in range(3):
            threads = threads_of(workers, n_threads)
            assert len(set(threads)) == n_threads
            assert threading.get_ident() in threads


def test_all_processors():
    with Workers(-1) as workers:
        assert workers.n_jobs >= 1
        assert len(set(threads_of(workers, workers.n_jobs))) == workers.n_jobs


def test_threads_that_sleep_are_woken(monkeypatch):
    # Long enough for them to be awake still when they are called.
    monkeypatch.setattr(_workers, "_LINGER", 500_000)
    with Workers(3) as workers:
        for _ in range(3):
            deadline = monotonic() + 30
            while len(workers._sleeping) < 2 and monotonic() < deadline:
                sleep(0.001)
            assert workers._sleeping == {0, 1}
            assert len(set(threads_of(workers, 3))) == 3


def test_run_waits_for_every_thread():
    done = []
    main = threading.get_ident()
    all_here = threading.Barrier(3)

    def call():
        all_here.wait(timeout=30)
        if threading.get_ident() != main:
            sleep(0.02)
        done.append(threading.get_ident())

    with Workers(3) as workers:
        workers.run(_team.call, call)
        assert len(done) == 3
        assert main in done


def test_no_thread_is_at_work_when_a_run_returns():
    with Workers(4) as workers:
        for _ in range(500):
            begun, ended = [], []

            def call(begun=begun, ended=ended):
                begun.append(1)
                sleep(1e-5)
                ended.append(1)

            workers.run(_team.call, call)
            assert 1 <= len(begun) == len(ended) <= 4


@pytest.mark.parametrize("fails_in_main", [True, False])
def test_error_in_any_thread_is_raised(fails_in_main):
    main = threading.get_ident()
    all_here = threading.Barrier(2)

    def call():
        all_here.wait(timeout=30)
        if (threading.get_ident() == main) == fails_in_main:
            raise MemoryError("no room")

    with Workers(2) as workers:
        with pytest.raises(MemoryError, match="no room"):
            workers.run(_team.call, call)
        assert len(threads_of(workers, 2)) == 2  # still fit for use


def test_an_interrupt_is_raised_before_errors():
    main, failed = threading.get_ident(), threading.Event()

    def call():
        if threading.get_ident() == main:
            assert failed.wait(30)
            raise KeyboardInterrupt
        failed.set()
        raise MemoryError("no room")

    with Workers(2) as workers, pytest.raises(KeyboardInterrupt):
        workers.run(_team.call, call)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_task_is_done_once(n_jobs):
    with Workers(n_jobs) as workers:
        for n_tasks in (0, 1, 2, 100):
            done = []
            workers.spread(done.append, range(n_tasks))
            assert sorted(done) == list(range(n_tasks))


def test_tasks_are_spread_over_threads():
    all_here, threads = threading.Barrier(3), []

    def task(_):
        all_here.wait(timeout=30)
        threads.append(threading.get_ident())

    with Workers(3) as workers:
        workers.spread(task, range(3))
    assert len(set(threads)) == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_error_in_any_task_is_raised(n_jobs):
    def task(i):
        if i == 7:
            raise MemoryError("no room")

    with Workers(n_jobs) as workers, pytest.raises(MemoryError, match="no room"):
        workers.spread(task, range(20))


def test_threads_end_with_the_block():
    before = running_threads()
    with Workers(4) as workers:
        threads_of(workers, 4)
    assert_threads_end(before)


def test_an_interrupt_while_threads_start_leaves_none(monkeypatch):
    before, start = running_threads(), _workers.start_new_thread

    def interrupted(*arguments):
        start(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(_workers, "start_new_thread", interrupted)
    with pytest.raises(KeyboardInterrupt), Workers(3):
        pass
    assert_threads_end(before)


@pytest.mark.parametrize(("module", "name"), [(_team, "serve"), (_workers, "_serve")])
def test_nobody_waits_for_a_thread_that_has_failed(module, name, monkeypatch):
    """Without memory a thread may end in its function, or before that begins."""
    done, failed = [], threading.Event()

    def no_memory(*_):
        raise MemoryError

    def use():
        with Workers(2) as workers:
            failed.wait(30)
            workers.spread(done.append, range(5))
            done.append(workers.start(lambda: 5)())

    monkeypatch.setattr(module, name, no_memory)
    monkeypatch.setattr("sys.unraisablehook", lambda _: failed.set())  # the last that it does
    using = threading.Thread(target=use, daemon=True)
    using.start()
    using.join(30)
    assert failed.is_set()
    assert not using.is_alive()
    assert sorted(done) == list(range(6))


@pytest.mark.parametrize("most", [0, 2])
def test_a_system_that_starts_no_more_threads(monkeypatch, most):
    before, start, started = running_threads(), _workers.start_new_thread, []

    def limited(*arguments):
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(start(*arguments))

    monkeypatch.setattr(_workers, "start_new_thread", limited)
    with Workers(5) as workers:
        assert len(threads_of(workers, 1 + most)) == 1 + most
        assert workers.start(lambda: 7)() == 7
    assert_threads_end(before)


@pytest.mark.parametrize(("most", "n_threads"), [(0, 1), (1, 1), (2, 2), (9, 3)])
def test_no_more_threads_than_have_something_to_do(most, n_threads):
    with Workers(3, most) as workers:
        assert len(threads_of(workers, n_threads)) == n_threads


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_begins_with_no_block_handed_out(n_jobs):
    """`resume` goes on where that run has ended, unless another one has begun."""
    tickets = []

    def take(team):
        tickets.append(int(team[0]))
        team[0] += 1

    with Workers(n_jobs) as workers:
        assert workers.team.dtype == np.int64
        workers.run(take)
        run = workers.next_run
        workers.resume(run, take)  # all of it
        workers.resume(run, take)
        workers.run(take)
        workers.resume(run, take)  # which is over
    assert tickets == [0, 0, 1, 0]


def test_no_threads_is_refused():
    with pytest.raises(ValueError, match="n_jobs"):
        Workers(0)


def test_a_call_is_made_beside_what_follows():
    begun = threading.Event()

    def call(error=None):
        begun.set()
        if error:
            raise error
        return threading.get_ident()

    with Workers(2) as workers:
        result = workers.start(call)
        assert begun.wait(30)
        assert result() != threading.get_ident()
        begun.clear()
        result = workers.start(call, ValueError("no"))
        assert begun.wait(30)
        with pytest.raises(ValueError, match="no"):
            result()


def test_a_call_that_no_helper_has_begun_is_made_by_who_asks():
    hold, threads = threading.Event(), []
    with Workers(2) as workers:
        busy = begun_call(workers, hold)
        result = workers.start(lambda: threads.append(threading.get_ident()))
        result()
        hold.set()
        assert busy()
    assert threads == [threading.get_ident()]


def test_a_thread_that_comes_too_late_is_not_waited_for():
    calls = []
    hold = threading.Event()
    with Workers(2) as workers:
        busy = begun_call(workers, hold)
        workers.run(_team.call, lambda: calls.append(1))  # this thread does all of it
        assert len(calls) == 1
        hold.set()
        assert busy()


@pytest.mark.parametrize(("longest", "rests"), [(10**12, True), (10**8, False)])
def test_a_thread_that_is_late_rests(monkeypatch, longest, rests):
    monkeypatch.setattr(_workers, "_REST", 10**6)
    monkeypatch.setattr(_workers, "_LONG", longest)
    main = threading.get_ident()
    all_here, left, calls = threading.Barrier(2), threading.Event(), []

    def late():
        all_here.wait(timeout=30)
        if threading.get_ident() == main:
            left.set()
        else:
            left.wait(timeout=30)
            sleep(0.5 + monotonic() - began)  # far longer than the work of the other thread

    def alone():
        calls.append(threading.get_ident())
        sleep(0.01)  # for the other thread to come, if it does not rest

    with Workers(2) as workers:
        began = monotonic()
        workers.run(_team.call, late)
        if rests:
            for _ in range(10):
                workers.run(_team.call, alone)
            assert calls == 10 * [main]
            assert workers.start(threading.get_ident)() == main
        else:
            assert len(threads_of(workers, 2)) == 2
