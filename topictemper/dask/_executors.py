"""Where tasks run: in this process, or on the workers of a Dask cluster."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from time import monotonic
from typing import Any, TypeVar
from uuid import uuid4

import dask
import distributed
from distributed.comm import CommClosedError
from distributed.protocol import pickle
from distributed.scheduler import KilledWorker

from .._utils._version import VERSION
from ._tasks import Machine, machine_of

_T = TypeVar("_T")


class StalledError(Exception):
    """Nothing happens on the workers, though results are waited for."""


# What is raised for a task that is given up because workers were lost, and not for its own sake.
_LOST = (KilledWorker, CancelledError, CommClosedError, StalledError)
# Attempts at a round whose workers are lost.
_ATTEMPTS = 3

_SECONDS_WITHOUT_WORKERS = 300.0
_SECONDS_WITHOUT_WORK = 120.0
_SECONDS_OF_A_WAIT = 5.0
_GO_ON = "fit(..., resume=True) goes on after the last round that was complete"
# States of tasks on a worker that is at work.
_AT_WORK = ("executing", "long-running", "flight")


class Local:
    """Runs every call at once, in this process."""

    client = None

    def __init__(self) -> None:
        self._loaded: tuple[Any, Any] = None, None  # the last block, and what it is

    def begin(self) -> None:
        """Do nothing before the tasks of a round."""

    def begin_again(self) -> None:
        """Do nothing after workers were lost: there are none."""

    def submit(
        self, function: Callable[..., Any], *arguments: Any, shard: int | None = None
    ) -> Any:
        """Call a function; its arguments may be results of other calls, or lists of such."""
        return function(*arguments)

    def load(self, block: Any, shard: int | None = None) -> Any:
        """Compute a block of documents, unless it is there: shards in turn have parts of it."""
        if not dask.is_dask_collection(block):
            return block
        if self._loaded[0] is not block:
            self._loaded = None, None  # before another one takes memory
            self._loaded = block, block.compute(scheduler="synchronous")
        return self._loaded[1]

    def wait(self, results: list[Any]) -> None:
        """Return: all results are there."""
        self._loaded = None, None

    def gather(self, results: list[Any]) -> list[Any]:
        """Return the results."""
        self.wait(results)
        return results

    def check_kept(self, results: list[Any]) -> None:
        """Do nothing: they are here."""

    def machines(self) -> dict[str, Machine]:
        """Return the kernels of this process."""
        return {"this process": machine_of()}

    def memory(self) -> dict[str, int]:
        """Return nothing: no limit is known."""
        return {}


class Cluster:
    """Runs calls on the workers of a client.

    The calls for a shard go to one worker, so that shards are shared out evenly. Another worker
    takes them if that one is lost.
    """

    def __init__(self, client: distributed.Client) -> None:
        self.client = client
        self._places: list[str] = []
        self._blocks: set[Any] = set()  # keys of those that have been loaded

    def begin(self) -> None:
        """Share out the shards among the workers that are there now."""
        check_client(self.client)
        self._places = sorted(self._workers())

    def begin_again(self) -> None:
        """Let Dask compute blocks again that it has given up; they keep their keys."""
        check_client(self.client)
        gc.collect()  # of the error, whose frames hold on to the tasks that failed
        held = {name for name, state in self.client.futures.items() if state.status == "error"}
        self.client.sync(self._retry, list(self._blocks & held))

    async def _retry(self, keys: list[Any]) -> None:
        # Not by `Client.retry`, which fails if tasks that a block depends on were given up, too.
        for key in await self.client.scheduler.retry(keys=keys, client=self.client.id):
            if key in self.client.futures:
                self.client.futures[key].retry()

    def submit(
        self, function: Callable[..., Any], *arguments: Any, shard: int | None = None
    ) -> Any:
        """Submit the call of a function, as `Local.submit` has it."""
        check_client(self.client)
        key = f"{function.__name__}-{uuid4().hex}"
        return self.client.submit(function, *arguments, key=key, **self._place(shard))

    def load(self, block: Any, shard: int | None = None) -> Any:
        """Submit what computes a block of documents."""
        check_client(self.client)
        future = self.client.compute(block, **self._place(shard))
        self._blocks.add(future.key)
        return future

    def wait(self, results: list[Any]) -> None:
        """Wait while workers work, or may do so again; raise the error of a call that failed."""
        seen = at_work = monotonic()
        n_done = 0
        while n_done < len(results):
            check_client(self.client)
            result = results[n_done]  # of one at a time: what waits stays behind when time is up
            try:
                distributed.wait([result], timeout=_SECONDS_OF_A_WAIT)
            except CancelledError:
                check_client(self.client)  # the reason, if it is gone
                raise
            except TimeoutError:
                if any(other.status == "error" for other in results):
                    break
                now, workers = monotonic(), self._workers()
                if workers:
                    seen = now
                if not workers or _any_at_work(workers):
                    at_work = now
                if now - seen > _SECONDS_WITHOUT_WORKERS:
                    raise _no_workers() from None
                if now - at_work > _SECONDS_WITHOUT_WORK:
                    raise _stalled(workers) from None
                continue
            if result.status == "error":
                break
            n_done += 1
            seen = at_work = monotonic()
        for result in results:
            if result.status == "error":
                error = result.exception()
                # Dask keeps the error itself, and the frames of its traceback would keep us.
                with suppress(Exception):  # some types cannot be copied
                    error = pickle.loads(pickle.dumps(error))
                raise error.with_traceback(result.traceback())

    def gather(self, results: list[Any]) -> list[Any]:
        """Wait for results, and fetch them."""
        self.wait(results)
        return self.client.gather(results)

    def check_kept(self, results: list[Any]) -> None:
        """Refuse results that the cluster has forgotten, and cannot compute again."""
        check_client(self.client)
        if any(result.status == "cancelled" for result in results):
            raise RuntimeError(
                "the Dask cluster has forgotten the topics, because it was restarted "
                f"(client.restart()). Fit again; with a checkpoint, {_GO_ON}"
            )

    def machines(self) -> dict[str, Machine]:
        """Ask every worker; those that are lost meanwhile do not count."""
        found: dict[str, Machine] = {}
        while not found:
            check_client(self.client)
            # Adaptive clusters without workers start some only when there is a task.
            task = self.client.submit(int, key=f"begin-{uuid4().hex}")
            try:
                self.client.wait_for_workers(1, timeout=_SECONDS_WITHOUT_WORKERS)
            except TimeoutError:
                raise _no_workers() from None
            found = machines_of(self.client)
            del task
        return found

    def memory(self) -> dict[str, int]:
        """Return what each worker may use before it is killed."""
        workers = self._workers()
        return {name: w["memory_limit"] for name, w in workers.items() if w["memory_limit"]}

    def _workers(self) -> dict[str, Any]:
        # All of them: some versions of Dask name five unless they are asked for more.
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def _place(self, shard: int | None) -> dict[str, Any]:
        if shard is None or not self._places:
            return {}
        place = self._places[shard % len(self._places)]
        return {"workers": [place], "allow_other_workers": True}


#: Runs functions. What they return stays where they ran until it is gathered.
Executor = Local | Cluster


def repeated(
    executor: Executor, attempt: Callable[[bool], _T], what: str, report: Callable[[str], None]
) -> _T:
    """Do something again from its start if workers are lost; `attempt` is told whether it is so.

    Raises
    ------
    RuntimeError
        If workers were lost in every attempt.
    """
    for n_left in reversed(range(_ATTEMPTS)):
        try:
            return attempt(n_left < _ATTEMPTS - 1)
        except _LOST as error:
            report(f"workers were lost in {what}: {error}")
            if not n_left:
                raise RuntimeError(
                    f"workers were lost {_ATTEMPTS} times in {what}, or did nothing, perhaps "
                    f"because they have too little memory: {error}. With a checkpoint, {_GO_ON}"
                ) from error
        executor.begin_again()
    raise AssertionError("the last attempt returns or raises")


def machines_of(client: distributed.Client) -> dict[str, Machine]:
    """Ask the present workers of a client which kernels they have.

    Raises
    ------
    RuntimeError
        If a worker lacks the package, or has another version of it than this process.
    """
    found: dict[str, Machine] = {}
    for name, answer in client.run(machine_of, on_error="return").items():
        if isinstance(answer, OSError):  # of the connection
            continue
        if not isinstance(answer, Machine):
            raise RuntimeError(
                f"worker {name} cannot run topictemper: {answer}. Install the same version of it "
                "everywhere"
            ) from answer
        if answer.version != VERSION:
            raise RuntimeError(
                f"worker {name} has topictemper {answer.version}, and this process has {VERSION}; "
                "install one version everywhere"
            )
        found[name] = answer
    return found


def check_client(client: distributed.Client) -> None:
    """Refuse a client that has been closed, or has lost its scheduler."""
    if client.status != "running":
        raise RuntimeError(
            f"the Dask client is {client.status}, because it was closed or its scheduler is gone. "
            f"Connect another one: distributed.Client(...). With a checkpoint, {_GO_ON}"
        )


def _any_at_work(workers: dict[str, Any]) -> bool:
    counts = [worker["metrics"].get("task_counts", {}) for worker in workers.values()]
    return any(count.get(state) for count in counts for state in _AT_WORK)


def _stalled(workers: dict[str, Any]) -> StalledError:
    states = ", ".join(f"{name} is {worker['status']}" for name, worker in workers.items())
    return StalledError(
        f"no worker has done anything for {_SECONDS_WITHOUT_WORK:.0f} seconds ({states}); Dask "
        "pauses workers whose memory is almost full"
    )


def _no_workers() -> RuntimeError:
    return RuntimeError(
        f"the Dask cluster has had no worker for {_SECONDS_WITHOUT_WORKERS:.0f} seconds. Start "
        f"workers; with a checkpoint, {_GO_ON}"
    )
