"""Work on parts of a stream in other processes, while this one reads on and takes the results."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import chain, islice
from multiprocessing import current_process
from typing import TypeVar

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
        started: in a daemon, such as a worker of a `multiprocessing.Pool`.

    Raises
    ------
    RuntimeError
        If a process ends early.
    """
    parts = iter(parts)
    is_alone = n_processes == 1 or current_process().daemon
    yield from map(function, islice(parts, None if is_alone else _FIRST_HERE))
    following = list(islice(parts, 1))
    if following:
        yield from _elsewhere(function, chain(following, parts), min(n_processes, _MOST))


def _elsewhere(
    function: Callable[[_Part], _Result], parts: Iterable[_Part], n_processes: int
) -> Iterator[_Result]:
    # Some systems, such as WebAssembly, have no processes to import this for.
    from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor

    # What there is to warn of was said with the first parts.
    executor = ProcessPoolExecutor(
        n_processes, initializer=warnings.simplefilter, initargs=("ignore",)
    )
    results: deque[Future[_Result]] = deque()
    try:
        for result in _submitted(partial(executor.submit, function), parts):
            results.append(result)
            if len(results) > 2 * n_processes:
                yield results.popleft().result()
        while results:
            yield results.popleft().result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a process that counts words has ended early; was memory short? n_jobs=1 needs no "
            "other processes"
        ) from error
    finally:  # perhaps before the end
        for result in results:
            result.cancel()
        executor.shutdown()


def _submitted(
    submit: Callable[[_Part], Future[_Result]], parts: Iterable[_Part]
) -> Iterator[Future[_Result]]:
    """Submit parts. An error of theirs becomes the last result."""
    try:
        for part in parts:
            yield submit(part)
    except Exception as error:
        broken: Future[_Result] = Future()
        broken.set_exception(error)
        yield broken
