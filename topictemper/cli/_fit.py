"""``topictemper fit``."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._files import new_path
from .._utils._log import counted, logger
from ..datasets.formats._formats import vocabulary_beside
from ..datasets.formats._mapped import HEADER, WORDS
from ..datasets.formats._packed import InputError
from ..datasets.formats._text import lines, read_vocabulary
from ..lda._config import MODES
from ..lda._estimator import TemperedLDA
from ..text._composed import with_words_as_in_texts
from ..text._corpus_folder import counting_of
from ..text._model import TopicModel, fit_counted
from ..text._parameters import MAX_DF, MIN_DF, STOP_WORDS, WORD, default_vectorizer
from . import _arguments
from ._inputs import TextInput, kind_of, read_matrix
from ._interrupts import remembered
from ._models import Fitted, is_model, refuse_text_options, unfindable, warn_of_unfindable
from ._outputs import file_to_write, of_interrupted, save_learned
from ._printing import print_line

_COUNTING = ("min_df", "max_df", "stop_words", "ngrams", "token_pattern")
# Of each topic of an older model that is a seed.
_N_SEED_WORDS = 10


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "fit",
        "fit topics to a file and save them",
        "Fit topics to the documents of a file. The saved model holds the topics, the vocabulary, "
        "and the way in which text is split into words.",
    )
    _arguments.add_file(parser)
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        required=True,
        help="the file to save the model in, such as posts.topics; an interrupted fit saves the "
        "model of its whole passes as posts.topics.interrupted",
    )
    option = parser.add_argument
    option(
        "--topics",
        type=_arguments.positive,
        default=50,
        metavar="K",
        help="number of topics (default: 50)",
    )
    option(
        "--tempering",
        choices=("svi", *MODES),
        default="lvt",
        help="how the temperature is set: learned for each document (lvt, the default), learned "
        "for the corpus (vt), by a schedule (avi, dasvi), or no tempering (svi)",
    )
    option(
        "--passes",
        type=_arguments.positive,
        metavar="N",
        help="passes over the documents (default: from 4 for very many to 120 for few)",
    )
    option(
        "--early-stopping",
        action="store_true",
        help="hold out a tenth of the documents, and stop when their score no longer rises",
    )
    option(
        "--batch-size",
        type=_arguments.positive,
        metavar="N",
        help="documents in a step of learning (default: by the number of documents)",
    )
    option(
        "--seed",
        type=_arguments.seed,
        default=0,
        metavar="N",
        help="seed of random numbers; the same seed gives the same topics (default: %(default)s)",
    )
    option(
        "--seed-topics",
        type=Path,
        metavar="FILE",
        help='JSON with labels and words of topics that you know: {"space": ["nasa", "orbit"]}; or '
        "an older model, whose topics with labels become the first topics of this one",
    )
    _arguments.add_jobs(parser)
    option(
        "--corpus-folder",
        type=Path,
        metavar="FOLDER",
        help="a new folder to keep the counts of text in. If learning is interrupted, or to learn "
        "other topics, fit FOLDER does not count again; its model splits text into words as here",
    )
    _add_counting(parser)
    parser.set_defaults(run=run)


def _add_counting(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which words are counted."""
    option = parser.add_argument
    option(
        "--vocabulary",
        type=Path,
        metavar="FILE",
        help="file of words, one per line. For text: the only words to count. For a matrix of "
        "counts: the words of its columns",
    )
    option(
        "--min-df",
        type=_arguments.document_frequency,
        metavar="N",
        help="leave out words that are in fewer than N documents; N is a number or a share "
        f"(default: {MIN_DF})",
    )
    option(
        "--max-df",
        type=_arguments.document_frequency,
        metavar="N",
        help="leave out words that are in more than N documents; N is a number or a share "
        f"(default: {MAX_DF})",
    )
    option(
        "--stop-words",
        metavar="WORDS",
        help="words to leave out: english for a list of common ones (the default), none, or a file "
        "with one per line",
    )
    option(
        "--ngrams", type=_arguments.positive, metavar="N", help="also count runs of up to N words"
    )
    option(
        "--token-pattern",
        type=_arguments.pattern,
        metavar="REGEX",
        help="pattern of a word (default: three letters or more)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Fit a model, and save it."""
    # An unwritable path must fail before the fit, not after.
    inputs = (
        arguments.file,
        arguments.vocabulary,
        arguments.seed_topics,
        _stop_words_file(arguments),
    )
    target = file_to_write(arguments.output, "a model", *inputs)
    interrupted = of_interrupted(arguments.output)
    targets = target, file_to_write(interrupted, "a model", *inputs)
    lda = TemperedLDA(
        arguments.topics,
        tempering=arguments.tempering,
        max_iter=arguments.passes,
        batch_size=arguments.batch_size,
        early_stopping=arguments.early_stopping,
        topic_word_prior=_seeds(arguments.seed_topics),
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
        verbose=1,
    )
    counts = kind_of(arguments.file, arguments.format) == "counts"
    _check_counting(arguments, counts=counts)
    _check_corpus_folder(arguments.corpus_folder, arguments.file, targets, counts=counts)
    fit = _fit_counts if counts else _fit_text
    try:
        with remembered() as interrupts:
            model, n_documents, n_words = fit(arguments, lda)
            save_learned(model, interrupted if interrupts else target)
    except KeyboardInterrupt:
        logger.warning("interrupted: %s", _what_is_kept(arguments, None, counts=counts))
        raise
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{arguments.file}: {_by_options(str(error))}") from error
    if interrupts:
        logger.warning("interrupted: %s", _what_is_kept(arguments, interrupted, counts=counts))
        raise interrupts[0]
    print_line(
        f"{arguments.output}: {counted(arguments.topics, 'topic')} of {counted(n_words, 'word')}, "
        f"from {counted(n_documents, 'document')}"
    )
    return 0


def _fit_counts(
    arguments: argparse.Namespace, lda: TemperedLDA
) -> tuple[TemperedLDA | TopicModel, int, int]:
    """Return a model, and how many documents and words it is of."""
    refuse_text_options(arguments)
    corpus = read_matrix(arguments.file, arguments.vocabulary, arguments.format)
    counting = counting_of(arguments.file) if arguments.file.is_dir() else None
    if corpus.vocabulary is None:
        if counting is None:
            name = vocabulary_beside(arguments.file).name
            where = f"no {name} in the same folder; give --vocabulary"
        else:
            where = "no vocab.txt; if its words cannot be lines of a file, fit the texts themselves"
        raise InputError(f"{arguments.file}: {where}.")
    model: TemperedLDA | TopicModel
    if counting is None or counting.vectorizer is None:
        if counting is not None:
            logger.warning(
                "%s does not hold the vectorizer that counted it, such as one with a function of "
                "its own; the model splits text into words of three letters or more",
                arguments.file,
            )
        model = lda.fit(corpus.counts, feature_names=corpus.vocabulary, on_interrupt="keep")
    else:
        if arguments.vocabulary is not None:
            _warn_of_new_names(corpus.vocabulary, arguments.file, counting.vectorizer)
        model = fit_counted(corpus.counts, corpus.vocabulary, lda, *counting, on_interrupt="keep")
    return model, *corpus.counts.shape


def _warn_of_new_names(names: list[str], folder: Path, vectorizer: CountVectorizer) -> None:
    """Log a warning of names of columns that texts cut as those of a folder do not have."""
    with suppress(InputError, OSError):  # no words to learn from
        # A pattern may ask for what stands around a word, such as "#": alone none is found.
        if unfindable(read_vocabulary(folder / WORDS), vectorizer):
            return
    why = f"the texts of {folder} were not cut into such words"
    warn_of_unfindable(names, vectorizer, why)


def _fit_text(
    arguments: argparse.Namespace, lda: TemperedLDA
) -> tuple[TemperedLDA | TopicModel, int, int]:
    """Return a model, and how many documents and words it is of."""
    source = TextInput(arguments)
    model = TopicModel(vectorizer=_vectorizer(arguments), lda=lda)
    model.fit(source.texts(), corpus_folder=arguments.corpus_folder, on_interrupt="keep")
    return model, source.n_documents, len(model.feature_names_)


def _vectorizer(arguments: argparse.Namespace) -> CountVectorizer:
    if arguments.vocabulary is not None:
        words = read_vocabulary(arguments.vocabulary)
        vectorizer = CountVectorizer(token_pattern=WORD, dtype=np.int32)
        warn_of_unfindable(words, vectorizer)
        try:
            return with_words_as_in_texts(vectorizer.set_params(vocabulary=words))
        except ValueError as error:
            raise InputError(f"{arguments.vocabulary}: {error}") from error
    options = {
        "min_df": arguments.min_df,
        "max_df": arguments.max_df,
        "token_pattern": arguments.token_pattern,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return default_vectorizer().set_params(
        stop_words=_stop_words(arguments), ngram_range=(1, arguments.ngrams or 1), **given
    )


def _stop_words_file(arguments: argparse.Namespace) -> Path | None:
    given = arguments.stop_words
    return None if given in (None, "english", "none") else Path(given)


def _stop_words(arguments: argparse.Namespace) -> str | list[str] | None:
    file = _stop_words_file(arguments)
    if file is None:
        return None if arguments.stop_words == "none" else STOP_WORDS
    try:
        return [word for line in lines(file) if (word := line.strip())]
    except FileNotFoundError:
        raise InputError(
            f"--stop-words: {str(file)!r} is neither english, nor none, nor a file."
        ) from None


def _seeds(file: Path | None) -> dict[str, list[str]] | None:
    """Return the seeded topics of a file: JSON, or a model with labels."""
    if file is None:
        return None
    if is_model(file):
        old = Fitted(file)
        if old.words is None:
            raise InputError(f"{file}: the model has no words, so its topics cannot be seeds.")
        top = old.lda.top_words(_N_SEED_WORDS)
        labeled = {label: top[k] for k, label in sorted(old.lda._labels.items())}
        if not labeled:
            raise InputError(f"{file}: the model has no labels; give its topics some first.")
        return labeled
    with open(file, encoding="utf-8-sig") as content:
        try:
            seeds: Any = json.load(content, object_pairs_hook=_with_different_names)
        except UnicodeDecodeError:
            raise InputError(f"{file}: not UTF-8; save it as UTF-8.") from None
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{file}: not JSON ({error}).") from error
        except ValueError as error:  # of equal labels, or a number of thousands of digits
            raise InputError(f"{file}: {error}.") from error
    if not (isinstance(seeds, dict) and seeds) or not all(
        label and isinstance(words, list) and words and all(isinstance(word, str) for word in words)
        for label, words in seeds.items()
    ):
        raise InputError(
            f'{file}: labels and lists of words are needed, such as {{"space": ["nasa", "orbit"]}}.'
        )
    return seeds


def _with_different_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; of equal names `json` alone would keep the last."""
    named = dict(pairs)
    if len(named) < len(pairs):
        raise ValueError("two topics have the same label")
    return named


def _check_counting(arguments: argparse.Namespace, *, counts: bool) -> None:
    """Raise an error for an option of counting words that would have no effect."""
    given = [name for name in _COUNTING if getattr(arguments, name) is not None]
    if given and (counts or arguments.vocabulary):
        option = "--" + given[0].replace("_", "-")
        why = f"on {arguments.file}, which is counted already" if counts else "with --vocabulary"
        raise InputError(f"{option} has no effect {why}.")


def _check_corpus_folder(
    folder: Path | None, file: Path, targets: Sequence[Path], *, counts: bool
) -> None:
    """Raise an error for a folder of counts that cannot be made."""
    if folder is None:
        return
    if counts:
        raise InputError("--corpus-folder is for text; the counts of FILE are kept already.")
    if folder.resolve() == targets[0]:
        raise InputError("--corpus-folder and --output are the same.")
    if folder.resolve() in targets:
        raise InputError(
            f"--corpus-folder: {folder} is the file that an interrupted fit saves its model in; "
            "name another folder."
        )
    if (folder / HEADER).exists():
        raise InputError(
            f"--corpus-folder: {folder} has counts already; {_fit_of(folder)} learns from them. To "
            "count, name a new folder."
        )
    if file.is_dir() and folder.resolve().is_relative_to(file.resolve()):
        raise InputError(
            f"--corpus-folder: {folder} is in {file}, where every file is read as text; name a "
            "folder elsewhere."
        )
    new_path(folder)


def _what_is_kept(arguments: argparse.Namespace, saved: Path | None, *, counts: bool) -> str:
    """Return what is left of a fit that ends too early, and what to do with it."""
    model, folder = "no model is saved", arguments.corpus_folder
    if saved is not None:
        model = f"the model of the whole passes is {saved}"
    if counts:
        return model
    if folder is None:
        return f"{model}, and the counts are lost; --corpus-folder would keep them"
    if folder.exists():  # complete, since it has its name
        joint = "but" if saved is None else "and"
        return f"{model}, {joint} {folder} has the counts; {_fit_of(folder)} learns from them"
    return f"{model}, and counting had not ended"


def _fit_of(folder: Path) -> str:
    """Return the command that learns from a folder of counts, for a shell."""
    return f"topictemper fit {shlex.quote(os.fspath(folder))}"


def _by_options(message: str) -> str:
    """Return the message of an error with the names of options in place of parameters."""
    names = {"min_df": "--min-df", "max_df": "--max-df", "n_components": "--topics"}
    for parameter, option in names.items():
        message = message.replace(f"{parameter}=", f"{option} ").replace(parameter, option)
    return message
