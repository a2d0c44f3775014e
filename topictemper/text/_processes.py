"""Work on parts of a stream in other processes, while this one reads on and takes the results."""

from __future__ import annotations

import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import chain, islice
from multiprocessing import current_process
from typing import Any, Generic, TypeVar

from sklearn.feature_extraction.text import CountVectorizer

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

# Other processes take a second to start, in which this one gets as far.
_FIRST_HERE = 8
# To read texts and to put counts together takes a fifth of the time of counting, so that more
# processes would wait for this one. Each takes some 150 MB.
_MOST = 6


def is_plain(vectorizer: CountVectorizer) -> bool:
    """Whether a vectorizer counts the same in any process: it calls no function of the user's."""
    functions = vectorizer.preprocessor, vectorizer.tokenizer, vectorizer.strip_accents
    return type(vectorizer) is CountVectorizer and not any(
        map(callable, (vectorizer.analyzer, *functions))
    )


def in_processes(
    function: Callable[[_Part], _Result], parts: Iterable[_Part], n_processes: int
) -> Iterator[_Result]:
    """Yield what a function gives for each part, in order.

    Parameters
    ----------
    function : callable
        Gives the same in every process.
    parts : iterable
        Read in this process and thread, some parts ahead. If it fails, that is raised after the
        results of the parts before.
    n_processes : int
        How many to use. The first parts are worked on here, and all where no process can be
        started: in a daemon, such as a worker of a `multiprocessing.Pool`, and without standard
        output, as in a program with windows.

    Raises
    ------
    ChildProcessError
        If a process ends early.
    """
    parts = iter(parts)
    # Where `sys.stdout` or `sys.stderr` is None, joblib would fail.
    can_start = not current_process().daemon and None not in (sys.stdout, sys.stderr)
    is_alone = n_processes == 1 or not can_start
    yield from map(function, islice(parts, None if is_alone else _FIRST_HERE))
    following = list(islice(parts, 1))
    if following:
        yield from _elsewhere(function, chain(following, parts), min(n_processes, _MOST))


def _elsewhere(
    function: Callable[[_Part], _Result], parts: Iterator[_Part], n_processes: int
) -> Iterator[_Result]:
    with ExitStack() as stack:
        idle = [stack.enter_context(_Process(function)) for _ in range(n_processes)]
        busy: deque[_Process[_Part, _Result]] = deque()
        results: list[_Result] = []
        broken = None
        while True:
            try:
                part = next(parts)
            except StopIteration:
                break
            except Exception as error:
                broken = error
                break
            if not idle:
                results.append(busy[0].result())
                idle.append(busy.popleft())
            # It begins before what the result is wanted for.
            process = idle.pop()
            process.begin(part)
            busy.append(process)
            while results:
                yield results.pop()
        for process in busy:
            yield process.result()
        if broken is not None:
            raise broken


class _Process(Generic[_Part, _Result]):
    """Another process, which works on one part at a time.

    Nothing is shared but a pipe, which breaks when either process ends, however that happens. The
    queues of a pool hang where a process is ended while it writes to one.
    """

    def __init__(self, function: Callable[[_Part], _Result]) -> None:
        # Some systems, such as WebAssembly, have no processes to import this for.
        from joblib.externals.loky.backend import get_context

        context = get_context("loky")  # whose processes do not import the script again
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, function), daemon=True)
        self._process.start()
        there.close()

    def __enter__(self) -> _Process[_Part, _Result]:
        return self

    def __exit__(self, *error: object) -> None:
        self._pipe.close()
        self._process.terminate()
        self._process.join()

    def begin(self, part: _Part) -> None:
        """Work on a part, after the result of the one before has been taken."""
        try:
            self._pipe.send(part)
        except ConnectionError as error:
            raise _ended() from error

    def result(self) -> _Result:
        """Return the result, or raise the error of the function."""
        try:
            result, error = self._pipe.recv()
        except (EOFError, ConnectionError) as broken:
            raise _ended() from broken
        if error is not None:
            raise error
        return result


def _ended() -> ChildProcessError:
    return ChildProcessError(
        "a process that counts words has ended early; was memory short? n_jobs=1 needs no other "
        "processes"
    )


def _serve(pipe: Any, function: Callable[[Any], Any]) -> None:
    """Answer every part of a pipe, until that breaks."""
    # Ctrl-C goes to all processes of a terminal. The first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")  # the first process has given them for the first parts
    with suppress(EOFError, ConnectionError):
        while True:
            part = pipe.recv()
            answer: tuple[Any, Exception | None]
            try:
                answer = function(part), None
            except Exception as error:
                answer = None, error
            pipe.send(answer)
