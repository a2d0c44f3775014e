"""The command line."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import time
from typing import NoReturn

from .. import __version__
from .._utils._log import logger
from .._utils._tables import printable
from ..datasets.formats._packed import InputError
from . import _demo, _fit, _label, _predict, _report, _shares, _topics, _update
from ._interrupts import Terminated, terminable
from ._printing import message_of

# In the order of the help. Each has `add`, which adds its command to the parser.
_COMMANDS = (_demo, _fit, _topics, _label, _report, _predict, _shares, _update)

_EXAMPLE = """\
an example, with texts in the column `body` of a table:
  topictemper fit posts.csv --column body --topics 50 --output posts.topics
  topictemper topics posts.topics
  topictemper report posts.topics posts.csv --column body --output report.html

`topictemper COMMAND --help` shows the options of a command.
"""

# Exit status of shells after a signal: 128 + SIGINT, 128 + SIGPIPE, 128 + SIGTERM.
_INTERRUPTED = 130
_BROKEN_PIPE = 141
_TERMINATED = 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Results go to standard output, progress and errors to standard error. An error in the arguments
    or in the input prints one line, and the status is 2.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments, without the name of the program. None takes those of the process.
    """
    try:
        with terminable():
            status = _run(argv)
        # Not `sys.stdout.flush()`, because `sys.stdout` may be None.
        print(end="", flush=True)
        return status
    except Terminated:
        return _TERMINATED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe, such as `head`.
        _let_go_of_stdout()
        return _BROKEN_PIPE
    except MemoryError as error:  # NumPy's says how much
        return _fail(": ".join(filter(None, ["not enough memory", str(error)])))
    except OSError as error:
        _let_go_of_stdout()
        return _fail(message_of(error))
    except (ImportError, ValueError) as error:
        return _fail(str(error))


def _run(argv: Sequence[str] | None) -> int:
    # A terminal may not support all characters of the words.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit:
        # Help or version has been printed.
        return 0
    with _progress():
        status: int = arguments.run(arguments)
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # argparse would print the usage first, which takes several lines.
        raise InputError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="topictemper",
        description="Find topics in documents by tempered latent Dirichlet allocation (LDA).",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"topictemper {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser


@contextmanager
def _progress() -> Iterator[None]:
    """Show the log of the package, with the seconds since the start."""
    handler = logging.StreamHandler()
    handler.setFormatter(_ProgressFormatter())
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            # Said of words that cannot occur, by `warn_of_unfindable`.
            warnings.filterwarnings("ignore", "Upper case characters found in vocabulary")
            warnings.showwarning = lambda message, *_: logger.warning("%s", message)
            yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _ProgressFormatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__()
        self._start = time()

    def format(self, record: logging.LogRecord) -> str:
        seconds = record.created - self._start
        return f"{seconds:7.1f} s  {_line(record.getMessage())}"


def _fail(message: str) -> int:
    print("topictemper: error:", _line(message), file=sys.stderr)
    return 2


def _line(message: str) -> str:
    """Return a message, which may have names of files and words, as one line for a terminal."""
    return printable(" ".join(message.split()))


def _let_go_of_stdout() -> None:
    """Discard unwritten output, which would raise another error at exit."""
    try:
        print(end="", flush=True)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
