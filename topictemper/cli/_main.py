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

# As shells count a process ended by a signal: 128 + SIGINT, 128 + SIGPIPE.
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Results go to standard output, progress and errors to standard error. An error of use or of
    input is one line and status 2.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments, without the name of the program; by default those of the process.
    """
    try:
        status = _run(argv)
        # Not `sys.stdout.flush()`: there is none if standard output is closed.
        print(end="", flush=True)
        return status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read has seen enough.
        _let_go_of_stdout()
        return _BROKEN_PIPE
    except MemoryError:
        return _fail("not enough memory")
    except OSError as error:
        _let_go_of_stdout()
        # Errors of our own have no number and say it all; those of the system may name a file.
        if error.strerror is None:
            return _fail(str(error))
        file = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _fail(file + error.strerror)
    except (ImportError, ValueError) as error:
        return _fail(str(error))


def _run(argv: Sequence[str] | None) -> int:
    # Words of any language, on a terminal of any encoding.
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
    # Before the work, not after.
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
    # Whoever loads the model did not ask for progress on theirs.
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
        _logger.warning("%s holds no words; the numbers of columns stand for them", arguments.model)
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
                f"{arguments.file}: the words of its columns (vocab.txt beside it) "
                f"are not those of {arguments.model}."
            )
    else:
        if vocabulary is None:
            raise InputError(f"{arguments.model}: holds no words to read text by; counts will do.")
        corpus = _read_by_vocabulary(arguments, vocabulary)
    counts = corpus.counts
    print(format_score(counts.shape[0], int(counts.sum()), model.score(counts)))
    return 0


def _kind(arguments: argparse.Namespace) -> str:
    """What FILE is taken for, if --column fits."""
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
                f"{arguments.file}: no vocab.txt beside it; --vocabulary names another file."
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
            "%d of %d words of the vocabulary are never found in text, such as %r: words are "
            "three or more letters in lower case",
            len(odd),
            len(vocabulary),
            odd[0],
        )
    return read_text(
        arguments.file, vocabulary=vocabulary, column=arguments.column, format=arguments.format
    )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # The usage, which argparse would print first, is more than a line.
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
        help="plain and tempered topics of the docstrings installed here, side by side",
        description="Fit plain (svi) and tempered (lvt) topics to the docstrings of the installed "
        "scientific Python packages and compare them on held-out text. Takes about a minute. "
        "Status 1 if tempering did not help.",
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
        "--seed", type=_seed, default=0, help="same seed, same topics (default: %(default)s)"
    )
    fit.add_argument("--jobs", type=_jobs, metavar="N", help="threads; -1 for all (default: 1)")
    fit.add_argument(
        "--vocabulary",
        type=Path,
        metavar="FILE",
        help="the words, one a line: of the columns of a matrix, or the only ones to count in text",
    )
    fit.add_argument(
        "--min-df",
        type=_document_frequency,
        metavar="N",
        help=f"leave out words in fewer documents, or a smaller share (default: {_MIN_DF})",
    )
    fit.add_argument(
        "--max-df",
        type=_document_frequency,
        metavar="N",
        help=f"leave out words in more documents, or a larger share (default: {_MAX_DF})",
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
    topics.add_argument("model", metavar="MODEL", type=Path, help="what `fit` saved")
    topics.add_argument(
        "--words", type=_positive, default=10, metavar="N", help="words a topic (default: 10)"
    )
    topics.set_defaults(run=_topics)

    score = commands.add_parser(
        "score",
        help="score a model on held-out documents",
        description="Score a model by how well it predicts one half of each document from the "
        "other: nats a token (higher is better) and perplexity.",
        allow_abbrev=False,
    )
    score.add_argument("model", metavar="MODEL", type=Path, help="what `fit` saved")
    _add_file(score)
    score.set_defaults(run=_score)
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="UTF-8 text with one document a line, plain or gzipped; a column of a Parquet file "
        "(.parquet); or counts: scipy.sparse.save_npz (.npz), Matrix Market (.mtx), SVMlight "
        "(.svm), LDA-C (.ldac, .dat), UCI bag of words (docword.*), with vocab.txt beside it, "
        "one word a line; or a folder of topictemper.datasets.save_corpus",
    )
    parser.add_argument(
        "--format", choices=("text", *FORMATS), help="what FILE holds, if not as its name says"
    )
    parser.add_argument("--column", metavar="NAME", help="where a Parquet file has the text")


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
        raise argparse.ArgumentTypeError("0 threads do no work; -1 stands for all")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _document_frequency(text: str) -> int | float:
    """A number of documents, if written as a whole number, else a share of them."""
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
    """Show what the package logs, with the seconds since the start."""
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
    """Drop what standard output cannot take, which would be an error again at exit."""
    try:
        print(end="", flush=True)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
