"""What is written: a model, a folder of counts, counts with their words."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA, load
from topictemper.datasets import open_corpus, read_corpus, save_corpus, write_corpus

N_WORDS = 3000
WHICH = ("old", "new", "other")


class Wrong(Exception):
    """What was found is neither old nor new, or not whole."""


@cache
def counts(which: str) -> sp.csr_array:
    X = sp.random_array((800, N_WORDS), density=0.02, format="csr", rng=WHICH.index(which))
    X.data = np.ceil(9 * X.data)
    return X.astype(np.int32)


@cache
def words(which: str) -> list[str]:
    return [f"{which}{v}" for v in range(N_WORDS)]


@cache
def model(which: str) -> TemperedLDA:
    lda = TemperedLDA(10, max_iter=1, random_state=WHICH.index(which))
    return lda.fit(counts(which)[:50])


class Writer(ABC):
    """Writes one thing in a folder, and says which of three is found there."""

    #: Whether there is an old one, which is replaced.
    has_old = True
    #: Calls around which a kill is tried, the last of them more often.
    renames = 4
    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / self.name
        for which in WHICH:  # before a child is forked
            counts(which), words(which), model(which)

    @abstractmethod
    def write(self, which: str) -> None: ...

    def remove(self) -> None:
        shutil.rmtree(self.path)

    @abstractmethod
    def read(self) -> list[bool]: ...

    def found(self) -> str:
        """Which one is there; "old" if nothing is, where there is nothing old."""
        if not self.has_old and not self.path.exists():
            return "old"
        try:
            is_it = self.read()
        except (OSError, ValueError) as error:
            raise Wrong(f"{type(error).__name__}: {error}") from error
        if sum(is_it) != 1:
            raise Wrong("neither old nor new")
        return WHICH[is_it.index(True)]

    def write_another(self) -> None:
        model("old").save(self.folder / "another.npz")


class SavedModel(Writer):
    name = "model.npz"

    def write(self, which: str) -> None:
        model(which).save(self.path)

    def read(self) -> list[bool]:
        found = load(self.path).components_
        return [np.array_equal(found, model(which).components_) for which in WHICH]


class SavedCorpus(Writer):
    name = "corpus"
    has_old = False
    renames = 8

    def write(self, which: str) -> None:
        save_corpus(self.path, counts(which), words(which))

    def read(self) -> list[bool]:
        return _alike(open_corpus(self.path))


class WrittenCorpus(Writer):
    name = "corpus.ldac"
    renames = 11

    def write(self, which: str) -> None:
        write_corpus(self.path, counts(which), feature_names=words(which))

    def read(self) -> list[bool]:
        return _alike(read_corpus(self.path))


def _alike(corpus) -> list[bool]:  # type: ignore[no-untyped-def]
    return [
        (corpus.counts != counts(which)).nnz == 0 and list(corpus.feature_names) == words(which)
        for which in WHICH
    ]


WRITERS = {"save": SavedModel, "save_corpus": SavedCorpus, "write_corpus": WrittenCorpus}
