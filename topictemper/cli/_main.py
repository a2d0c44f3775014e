"""The command line: ``topictemper demo | fit | topics | score``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from .. import __version__
from .._utils._files import writable_path
from ..datasets.formats._formats import FORMATS
from ..datasets.formats._text import InputError, read_vocabulary
from ..lda._estimator import TemperedLDA
from ..persistence._models import load
from ._corpus_files import Corpus, kind_of, read_matrix, read_text, unfindable
from ._demo import run_demo
from ._report import format_score, format_topics, printable

_logger = logging.getLogger("topictemper")

_MODES = ("svi", "avi", "vt", "lvt", "dasvi")
_MIN_DF = 5
_MAX_DF = 0.5

# Exit status of shells after a signal: 128 + SIGINT, 128 + SIGPIPE.
_INTERRUPTED = 130
_BROKEN_PIPE = 141


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
        status = _run(argv)
        # Not `sys.stdout.flush()`, because `sys.stdout` may be None.
        print(end="", flush=True)
        return status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe, such as `head`.
        _let_go_of_stdout()
        return _BROKEN_PIPE
    except MemoryError:
        return _fail("not enough memory")
    except OSError as error:
        _let_go_of_stdout()
        # Errors of this package have a complete message; those of the system may name a file.
        if error.strerror is None:
            return _fail(str(error))
        file = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _fail(file + error.strerror)
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


def _demo(arguments: argparse.Namespace) -> int:
    return run_demo()


def _fit(arguments: argparse.Namespace) -> int:
    # An unwritable path must fail before the fit, not after.
    target = writable_path(arguments.output)
    for given in (arguments.file, arguments.vocabulary):
        if given is not None and target == given.resolve():
            raise InputError(f"{arguments.output}: this would overwrite the input.")
    corpus = _read_training(arguments)
    model = TemperedLDA(
        arguments.topics,
        tempering=arguments.tempering,
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
        verbose=1,
    )
    if arguments.passes is not None:
        model.set_params(max_iter=arguments.passes)
    model.fit(corpus.counts)
    # A loaded model should not log progress.
    model.set_params(verbose=0).save(target, feature_names=corpus.vocabulary)
    n_documents, n_words = corpus.counts.shape
    print(
        f"{arguments.output}: {arguments.topics} topics of {n_words:,} words, "
        f"from {n_documents:,} documents"
    )
    return 0


def _topics(arguments: argparse.Namespace) -> int:
    model = load(arguments.model)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        _logger.warning("%s has no words; column numbers are shown instead", arguments.model)
        names = range(model.n_features_in_)
    print(format_topics(model.components_.sum(axis=1), model.top_words(arguments.words, names)))
    return 0


def _score(arguments: argparse.Namespace) -> int:
    model = load(arguments.model)
    names = getattr(model, "feature_names_in_", None)
    vocabulary = None if names is None else names.tolist()
    if _kind(arguments) == "counts":
        corpus = read_matrix(arguments.file, format=arguments.format)
        if corpus.counts.shape[1] != model.n_features_in_:
            raise InputError(
                f"{arguments.file}: {corpus.counts.shape[1]} columns, "
                f"but {arguments.model} has {model.n_features_in_} words."
            )
        if vocabulary and corpus.vocabulary and vocabulary != corpus.vocabulary:
            raise InputError(
                f"{arguments.file}: the words of its columns (vocab.txt in its folder) "
                f"are not those of {arguments.model}."
            )
    else:
        if vocabulary is None:
            raise InputError(
                f"{arguments.model}: the model has no words to count in text; give counts instead."
            )
        corpus = _read_by_vocabulary(arguments, vocabulary)
    counts = corpus.counts
    print(format_score(counts.shape[0], int(counts.sum()), model.score(counts)))
    return 0


def _kind(arguments: argparse.Namespace) -> str:
    """Return how FILE is read, and check --column."""
    kind = kind_of(arguments.file, arguments.format)
    if arguments.column is not None and kind != "parquet":
        read_as = "lines of text" if kind == "text" else "counts"
        raise InputError(
            f"--column is for Parquet files (.parquet); {arguments.file} is read as {read_as}."
        )
    return kind


def _read_training(arguments: argparse.Namespace) -> Corpus:
    counting = {
        name: value
        for name in ("min_df", "max_df", "stop_words")
        if (value := getattr(arguments, name)) is not None
    }
    matrix = _kind(arguments) == "counts"
    if counting and (matrix or arguments.vocabulary):
        option = "--" + next(iter(counting)).replace("_", "-")
        raise InputError(
            f"{option} means nothing {'for a matrix' if matrix else 'with --vocabulary'}."
        )
    if matrix:
        corpus = read_matrix(arguments.file, arguments.vocabulary, arguments.format)
        if corpus.vocabulary is None:
            raise InputError(
                f"{arguments.file}: no vocab.txt in the same folder; give --vocabulary."
            )
        return corpus
    if arguments.vocabulary:
        return _read_by_vocabulary(arguments, read_vocabulary(arguments.vocabulary))
    if counting.get("stop_words") == "none":
        counting["stop_words"] = None
    counting = {"min_df": _MIN_DF, "max_df": _MAX_DF, **counting}
    return read_text(arguments.file, column=arguments.column, format=arguments.format, **counting)


def _read_by_vocabulary(arguments: argparse.Namespace, vocabulary: Sequence[str]) -> Corpus:
    odd = unfindable(vocabulary)
    if odd:
        _logger.warning(
            "%d of %d words of the vocabulary cannot occur in text, such as %r: words are three or "
            "more letters in lower case",
            len(odd),
            len(vocabulary),
            odd[0],
        )
    return read_text(
        arguments.file, vocabulary=vocabulary, column=arguments.column, format=arguments.format
    )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # argparse would print the usage first, which takes several lines.
        raise InputError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="topictemper",
        description="Topic models by tempered stochastic variational inference.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"topictemper {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    demo = commands.add_parser(
        "demo",
        help="compare plain and tempered topics of the installed docstrings",
        description="Fit plain (svi) and tempered (lvt) topics to the docstrings of the installed "
        "scientific Python packages and compare them on held-out text. Takes about a minute. "
        "The status is 1 if tempering did not help.",
        allow_abbrev=False,
    )
    demo.set_defaults(run=_demo)

    fit = commands.add_parser(
        "fit",
        help="fit topics to a file and save them",
        description="Fit topics to a file and save them.",
        allow_abbrev=False,
    )
    _add_file(fit)
    fit.add_argument("--output", type=Path, required=True, help="where to save the model (.npz)")
    fit.add_argument(
        "--topics", type=_positive, default=50, metavar="K", help="number of topics (default: 50)"
    )
    fit.add_argument(
        "--tempering",
        choices=_MODES,
        default="lvt",
        help="none (svi), by a schedule (avi, dasvi), learned for the corpus (vt), "
        "learned for each document (lvt, the default)",
    )
    fit.add_argument("--passes", type=_positive, metavar="N", help="passes over the documents")
    fit.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help="the same seed gives the same topics (default: %(default)s)",
    )
    fit.add_argument("--jobs", type=_jobs, metavar="N", help="threads; -1 for all (default: 1)")
    fit.add_argument(
        "--vocabulary",
        type=Path,
        metavar="FILE",
        help="file of words, one per line: of the columns of a matrix, or the only words to count",
    )
    fit.add_argument(
        "--min-df",
        type=_document_frequency,
        metavar="N",
        help=f"leave out words in fewer documents, a number or a share (default: {_MIN_DF})",
    )
    fit.add_argument(
        "--max-df",
        type=_document_frequency,
        metavar="N",
        help=f"leave out words in more documents, a number or a share (default: {_MAX_DF})",
    )
    fit.add_argument(
        "--stop-words", choices=("english", "none"), help="words to leave out (default: english)"
    )
    fit.set_defaults(run=_fit)

    topics = commands.add_parser(
        "topics",
        help="show the topics of a model",
        description="Show the topics of a model, the largest first: number, share, words.",
        allow_abbrev=False,
    )
    topics.add_argument("model", metavar="MODEL", type=Path, help="file of a model, from `fit`")
    topics.add_argument(
        "--words", type=_positive, default=10, metavar="N", help="words per topic (default: 10)"
    )
    topics.set_defaults(run=_topics)

    score = commands.add_parser(
        "score",
        help="score a model on held-out documents",
        description="Score how well a model predicts one half of each document from the other: "
        "nats a token (higher is better) and perplexity.",
        allow_abbrev=False,
    )
    score.add_argument("model", metavar="MODEL", type=Path, help="file of a model, from `fit`")
    _add_file(score)
    score.set_defaults(run=_score)
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="UTF-8 text with one document per line, plain or gzipped; a column of a Parquet file "
        "(.parquet); or counts: scipy.sparse.save_npz (.npz), Matrix Market (.mtx), SVMlight "
        "(.svm), LDA-C (.ldac, .dat), UCI bag of words (docword.*), with vocab.txt in the same "
        "folder, one word per line; or a folder of topictemper.datasets.save_corpus",
    )
    parser.add_argument(
        "--format", choices=("text", *FORMATS), help="format of FILE, if its name does not tell"
    )
    parser.add_argument("--column", metavar="NAME", help="column of the text in a Parquet file")


def _positive(text: str) -> int:
    number = _integer(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _seed(text: str) -> int:
    number = _integer(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 2**32 - 1")
    return number


def _jobs(text: str) -> int:
    number = _integer(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must not be 0; -1 uses all processors")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None


def _document_frequency(text: str) -> int | float:
    """Return a number of documents for an integer, else a share of documents."""
    try:
        return _positive(text)
    except argparse.ArgumentTypeError:
        try:
            share = float(text)
        except ValueError:
            share = -1.0
    if "." not in text or not 0.0 <= share <= 1.0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of documents, such as 5, nor a share, such as 0.5"
        )
    return share


@contextmanager
def _progress() -> Iterator[None]:
    """Show the log of the package, with the seconds since the start."""
    handler = logging.StreamHandler()
    handler.setFormatter(_ProgressFormatter())
    level = _logger.level
    _logger.addHandler(handler)
    _logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        _logger.setLevel(level)
        _logger.removeHandler(handler)


class _ProgressFormatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(seconds)7.1f s  %(message)s")
        self._start: float | None = None

    def format(self, record: logging.LogRecord) -> str:
        if self._start is None:
            self._start = record.created
        record.seconds = record.created - self._start
        return super().format(record)


def _fail(message: str) -> int:
    print("topictemper: error:", printable(" ".join(message.split())), file=sys.stderr)
    return 2


def _let_go_of_stdout() -> None:
    """Discard unwritten output, which would raise another error at exit."""
    try:
        print(end="", flush=True)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
