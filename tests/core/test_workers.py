import threading
from time import monotonic, sleep

import numpy as np
import pytest

from topictemper._core import _workers
from topictemper._core._workers import Workers

from ..running_threads import assert_threads_end, running_threads


@pytest.fixture(autouse=True)
def no_rest(monkeypatch):
    """A helper that this machine keeps from its work is not left out, as tests count them."""
    monkeypatch.setattr(_workers, "_REST", 0)


def add_blocks(out, ticket_taken, all_here, ticket):
    """A kernel in Python that takes a block by the ticket, once all threads have come."""
    all_here.wait(timeout=30)
    with ticket_taken:
        ticket[0] += 1
        out.append(int(ticket[0]))


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 1), (1, 1), (2, 2), (5, 5)])
def test_every_thread_is_called_with_the_same_ticket(n_jobs, threads):
    with Workers(n_jobs) as workers:
        assert workers.n_jobs == threads
        for _ in range(3):
            out = []
            workers.run(add_blocks, out, threading.Lock(), threading.Barrier(threads))
            assert sorted(out) == list(range(1, threads + 1))  # a new ticket for each run


def test_all_processors():
    with Workers(-1) as workers:
        assert workers.n_jobs >= 1
        out = []
        workers.run(add_blocks, out, threading.Lock(), threading.Barrier(workers.n_jobs))
        assert len(out) == workers.n_jobs


def test_run_waits_for_every_thread():
    done = []
    main = threading.get_ident()
    all_here = threading.Barrier(3)

    def kernel(ticket):
        all_here.wait(timeout=30)
        if threading.get_ident() != main:
            sleep(0.02)
        done.append(threading.get_ident())

    with Workers(3) as workers:
        workers.run(kernel)
        assert len(done) == 3
        assert main in done


@pytest.mark.parametrize("fails_in_main", [True, False])
def test_error_in_any_thread_is_raised(fails_in_main):
    main = threading.get_ident()
    all_here = threading.Barrier(2)

    def kernel(ticket):
        all_here.wait(timeout=30)
        if (threading.get_ident() == main) == fails_in_main:
            raise MemoryError("no room")

    with Workers(2) as workers:
        with pytest.raises(MemoryError, match="no room"):
            workers.run(kernel)
        out = []
        workers.run(add_blocks, out, threading.Lock(), threading.Barrier(2))  # still fit for use
        assert len(out) == 2


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
        workers.run(add_blocks, [], threading.Lock(), threading.Barrier(4))
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


@pytest.mark.parametrize("most", [0, 2])
def test_a_system_that_starts_no_more_threads(monkeypatch, most):
    before, start, started = running_threads(), _workers.start_new_thread, []

    def limited(*arguments):
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(start(*arguments))

    monkeypatch.setattr(_workers, "start_new_thread", limited)
    with Workers(5) as workers:
        out = []
        workers.run(add_blocks, out, threading.Lock(), threading.Barrier(1 + most))
        assert len(out) == 1 + most
        assert workers.start(lambda: 7)() == 7
    assert_threads_end(before)


@pytest.mark.parametrize(("most", "threads"), [(0, 1), (1, 1), (2, 2), (9, 3)])
def test_no_more_threads_than_have_something_to_do(most, threads):
    with Workers(3, most) as workers:
        out = []
        workers.run(add_blocks, out, threading.Lock(), threading.Barrier(threads))
        assert len(out) == threads


def test_ticket_is_what_kernels_take():
    tickets = []
    with Workers() as workers:
        workers.run(tickets.append)
    (ticket,) = tickets
    assert ticket.dtype == np.int64
    assert ticket.shape == (1,)
    assert ticket[0] == 0


def test_no_threads_is_refused():
    with pytest.raises(ValueError, match="n_jobs"):
        Workers(0)


def test_a_thread_that_comes_too_late_is_not_waited_for():
    calls = []
    hold = threading.Event()
    with Workers(2) as workers:
        busy = workers.start(hold.wait, 30)
        workers.run(calls.append)  # the other thread is taken: this one does all of it
        assert len(calls) == 1
        hold.set()
        assert busy()


@pytest.mark.parametrize(("longest", "rests"), [(10**12, True), (10**8, False)])
def test_a_thread_that_is_late_rests(monkeypatch, longest, rests):
    monkeypatch.setattr(_workers, "_REST", 10**6)
    monkeypatch.setattr(_workers, "_LONG", longest)
    main = threading.get_ident()
    all_here, left, calls = threading.Barrier(2), threading.Event(), []

    def kernel(ticket):
        all_here.wait(timeout=30)
        if threading.get_ident() == main:
            left.set()
        else:
            left.wait(timeout=30)
            sleep(0.5 + monotonic() - began)  # far longer than the work of the other thread

    def alone(ticket):
        calls.append(threading.get_ident())
        sleep(0.01)  # for the other thread to come, if it does not rest

    with Workers(2) as workers:
        began = monotonic()
        workers.run(kernel)
        if rests:
            for _ in range(10):
                workers.run(alone)
            assert calls == 10 * [main]
        else:
            workers.run(add_blocks, calls, threading.Lock(), threading.Barrier(2))
            assert len(calls) == 2
