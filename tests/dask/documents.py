"""Documents in blocks of Dask, some of which do something when they are loaded."""

import hashlib
import os
import signal
from functools import cache
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp

from topictemper.dask import TemperedLDA, TopicModel
from topictemper.datasets import make_lda_corpus

N_WORDS = 60
ROWS = 50  # of a block

_THEMES = ("boat barge bay buoy beacon", "engine exhaust", "violin viola verse voice")


def _texts() -> list[str]:
    """Texts of three themes in turn, now and then with a rare word, or without any."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(_THEMES[d % 3].split(), 10)) for d in range(240)]
    texts[::60] = ["", "tin roof", "tin can", ""]
    return texts


TEXTS = _texts()


def rounds_of_texts(**parameters: Any) -> TopicModel:
    """A model of texts with eight rounds of two shards."""
    lda = TemperedLDA(n_shards=2, max_iter=2, batch_size=20)
    return TopicModel(**({"n_components": 3, "lda": lda, "random_state": 0} | parameters))


@cache
def counts() -> sp.csr_matrix:
    """Counts of documents of four topics; cached, so not to be changed."""
    corpus = make_lda_corpus(300, N_WORDS, 4, document_length=30, random_state=0)
    return sp.csr_matrix(corpus.counts)


def parts(X: Any = None, rows: int = ROWS) -> list[sp.csr_matrix]:
    """Consecutive rows."""
    X = counts() if X is None else X
    return [X[start : start + rows] for start in range(0, X.shape[0], rows)]


def array_of(blocks: list[Any], *, known: bool = False) -> da.Array:
    """A dask.array of sparse blocks, of unknown lengths unless they are to be known."""
    meta = sp.csr_matrix((0, N_WORDS))
    return da.concatenate(
        [
            da.from_delayed(
                block if hasattr(block, "key") else dask.delayed(block),
                shape=(block.shape[0] if known else np.nan, N_WORDS),
                meta=meta,
            )
            for block in blocks
        ]
    )


def array_with(place: int, function: Any, *arguments: Any) -> da.Array:
    """A dask.array, one of whose blocks is what a function makes of it when it is loaded."""
    blocks: list[Any] = list(parts())
    blocks[place] = dask.delayed(function)(blocks[place], *arguments)
    return array_of(blocks)


def made(folder: Path) -> str:
    """A new folder."""
    folder.mkdir()
    return str(folder)


def nth_time(folder: str) -> int:
    """How often this has been called for a folder."""
    for n in range(1, 1000):
        try:
            os.close(os.open(Path(folder) / str(n), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return n
    raise AssertionError("called too often")


def killing(block: Any, folder: str, when: int) -> Any:
    """Return the block; the n-th time kill the process that loads it."""
    if nth_time(folder) == when:
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def failing(block: Any, folder: str, when: int) -> Any:
    """Return the block, but raise an error the n-th time."""
    if nth_time(folder) == when:
        raise OSError("the disk is gone")
    return block


def estimator(**parameters: Any) -> TemperedLDA:
    """An estimator that makes four rounds of three shards in some hundredths of a second."""
    defaults = {
        "n_components": 4,
        "n_shards": 3,
        "rounds_per_pass": 2,
        "max_iter": 2,
        "batch_size": 20,
        "sample_size": 40,
        "random_state": 0,
    }
    return TemperedLDA(**(defaults | parameters))


def bits(lda: TemperedLDA) -> str:
    """SHA-256 of the topics and of the alpha for prediction."""
    local = lda.to_local()
    both = local.components_.tobytes() + local.doc_topic_prior_.tobytes()
    return hashlib.sha256(both).hexdigest()
