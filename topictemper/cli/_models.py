"""A model of a file, and the documents of FILE as it counts them."""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._chunks import parts as parts_of
from .._utils._log import Progress, counted, logger
from .._utils._topics import lda_of
from ..datasets.formats._packed import InputError
from ..lda._estimator import TemperedLDA
from ..persistence._models import load
from ..text._batches import analyzer_of
from ..text._counting import count_by_vocabulary
from ..text._model import TopicModel, text_model_of
from ..text._parameters import WORD
from ..text._summaries import TopicStatistics
from ._inputs import Document, TextInput, kind_of, read_matrix

_USUAL_WORDS = "words are three or more letters in lower case, in Unicode's NFC"


class Documents(NamedTuple):
    """Some documents of FILE, counted."""

    #: CSR matrix.
    counts: Any
    documents: Sequence[Document]
    #: Words of each document that are not in the vocabulary.
    unknown: NDArray[Any]


def is_model(path: Path) -> bool:
    """Whether a file is that of a model, rather than JSON. A pipe, which opens once, is not."""
    return path.is_file() and zipfile.is_zipfile(path)


class Fitted:
    """A model from a file: a `TopicModel`, or a `TemperedLDA` of counts.

    Parameters
    ----------
    path : Path
        The file.
    n_jobs : int, optional
        Threads, and processes that count words.

    Attributes
    ----------
    model : TopicModel or TemperedLDA
        The loaded model.
    lda : TemperedLDA
        The model of counts.
    words : list of str or None
        The words of its columns.
    statistics : TopicStatistics or None
        What a `TopicModel` knows of its topics.

    Raises
    ------
    InputError
        If the file holds another model.
    """

    def __init__(self, path: Path, n_jobs: int | None = None) -> None:
        self._path = path
        self._n_left: Callable[[int], float] = lambda _: 0.0
        self.model = load(path)
        self.lda: TemperedLDA = lda_of(self.model)
        if not isinstance(self.lda, TemperedLDA):
            raise InputError(
                f"{path}: this is a {type(self.model).__name__}; a TopicModel or a TemperedLDA is "
                "needed."
            )
        self.lda.set_params(n_jobs=n_jobs)
        self.statistics: TopicStatistics | None = getattr(self.model, "_statistics", None)
        names = getattr(self.lda, "feature_names_in_", None)
        self.words: list[str] | None = None if names is None else names.tolist()

    def names(self) -> list[str]:
        """Return the words, or else, with a warning, the numbers of the columns."""
        if self.words is not None:
            return self.words
        logger.warning("%s has no words; column numbers are shown instead", self._path)
        return [str(column) for column in range(self.lda.n_features_in_)]

    def progress(self, what: str) -> Progress:
        """Return a log of work on the documents that `parts` yields from now on."""
        return Progress(what, verbose=True, n_left=lambda n_done: self._n_left(n_done))

    def parts(self, arguments: argparse.Namespace) -> Iterator[Documents]:
        """Yield the documents of FILE, counted.

        Raises
        ------
        InputError
            If FILE is malformed or has no documents, or its columns are not those of the model.
        """
        if kind_of(arguments.file, arguments.format) == "text":
            yield from self._text_parts(TextInput(arguments))
        else:
            start, X = 0, self.matrix(arguments)
            self._n_left = lambda n_done: X.shape[0] - n_done
            for counts in parts_of(X):
                n = counts.shape[0]
                documents = [Document(str(row), "") for row in range(start, start + n)]
                yield Documents(counts, documents, np.zeros(n, dtype=np.int64))
                start += n

    def _text_parts(self, source: TextInput) -> Iterator[Documents]:
        vectorizer = self.of_texts().vectorizer_
        self._n_left = source.n_left
        waiting: list[Document] = []

        def texts() -> Iterator[str]:
            for document in source:
                waiting.append(document)
                yield document.text

        for part in count_by_vocabulary(texts(), vectorizer, n_jobs=self.lda.n_jobs):
            n = len(part.lengths)
            documents, waiting[:n] = waiting[:n], []
            yield Documents(part.matrix(vectorizer), documents, part.n_unknown())

    def of_texts(self) -> TopicModel:
        """Return the model as one of texts; a model of counts gets the usual vectorizer.

        Raises
        ------
        InputError
            If the model takes no texts.
        """
        if isinstance(self.model, TopicModel):
            if callable(self.model.vectorizer_.tokenizer):
                raise InputError(
                    f"{self._path}: the model was fitted to lists of tokens, not to texts."
                )
            return self.model
        if self.words is None:
            raise InputError(
                f"{self._path}: the model has no words to count in text; give counts instead."
            )
        vectorizer = CountVectorizer(token_pattern=WORD)
        warn_of_unfindable(self.words, vectorizer)
        return text_model_of(self.lda, vectorizer)

    def matrix(self, arguments: argparse.Namespace) -> Any:
        """Return the counts of FILE."""
        refuse_text_options(arguments)
        corpus = read_matrix(arguments.file, format=arguments.format)
        if not corpus.counts.shape[0]:
            raise InputError(f"{arguments.file}: no documents.")
        if corpus.counts.shape[1] != self.lda.n_features_in_:
            raise InputError(
                f"{arguments.file}: {corpus.counts.shape[1]} columns, "
                f"but {self._path} has {self.lda.n_features_in_} words."
            )
        if self.words and corpus.vocabulary and self.words != corpus.vocabulary:
            raise InputError(
                f"{arguments.file}: the words of its columns (vocab.txt in its folder) "
                f"are not those of {self._path}."
            )
        return corpus.counts


def refuse_text_options(arguments: argparse.Namespace) -> None:
    """Raise an error if an option for text is given with counts."""
    for name in ("column", "id", "date", "group", "weight", "encoding", "no_texts"):
        if getattr(arguments, name, None) is not None:
            option = name.replace("_", "-")
            raise InputError(f"--{option} is for text; {arguments.file} is read as counts.")


def warn_of_unfindable(
    vocabulary: Sequence[str], vectorizer: CountVectorizer, why: str = _USUAL_WORDS
) -> None:
    """Log a warning of words that a vectorizer does not find in text; `why` says what it finds."""
    odd = unfindable(vocabulary, vectorizer)
    if odd:
        logger.warning(
            "%d of %d words of the vocabulary cannot occur in text, such as %r: %s",
            len(odd),
            len(vocabulary),
            odd[0],
            why,
        )


def warn_of_fewer(option: str, n: int, n_there: int, noun: str) -> None:
    """Log a warning if an option asks for more than a model has."""
    if n > n_there:
        logger.warning("%s %d: the model has %s; all are given", option, n, counted(n_there, noun))


def unfindable(words: Sequence[str], vectorizer: CountVectorizer) -> list[str]:
    """Return the words that a vectorizer does not find where they stand alone."""
    analyze = analyzer_of(vectorizer)
    return [word for word in words if word not in analyze(word)]
