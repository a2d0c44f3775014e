"""LDA of other packages, and ours, fitted from the same rows of counts; one generator for each.

A generator first yields None: what it did before (the package's own format of the corpus) is not
timed. Then it yields, for each of the lengths asked for, topics and alpha. Topics are lambda where
a package has it and its documents see exp(E[log beta]), else probabilities. Every other package
starts from alpha = 3 / K and eta = 0.1, which serve the peers better than their own; tomotopy,
MALLET and pyspark then go on to learn alpha. tomotopy also runs with eta = 0.01, and with topics
that are averaged over samples, as an expert would; MALLET starts from eta = 0.01 and learns it.
All else is the package's default but what is written here.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topictemper._utils._typing import Floats

ETA = 0.1
BATCH = 500  # of the online peers, with an offset of 64 where there is one: both tuned by hand

Topics = tuple[NDArray[Any], Any]
Fits = Iterator[Topics | None]


def alpha_of(n_components: int) -> float:
    """The prior of the proportions that all packages start from."""
    return min(3.0 / n_components, 0.1)


def rows_of(X: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """The words of each document, and their counts."""
    for start, stop in pairwise(X.indptr):
        yield X.indices[start:stop], X.data[start:stop]


def tokens_of(X: Any) -> Iterator[NDArray[Any]]:
    """The words of each document, as often as they occur."""
    return (np.repeat(words, counts.astype(int)) for words, counts in rows_of(X))


def tempered(X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int) -> Fits:
    """Ours, defaults but K and passes: 0 is the default of passes, a part of one is one pass over
    so many of the documents."""
    from topictemper import TemperedLDA

    yield None
    for passes in lengths:
        rows = X[: int(passes * X.shape[0])] if 0 < passes < 1 else X
        model = TemperedLDA(
            n_components,
            max_iter=max(1, round(passes)) if passes else None,
            random_state=seed,
            n_jobs=threads,
        )
        model.fit(rows)
        topics = model.components_
        yield topics / topics.sum(axis=1, keepdims=True), model.doc_topic_prior_


def tomotopy(
    X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int, eta: float = ETA
) -> Fits:
    """Collapsed Gibbs sampling, the last sample; alpha is optimized every ten iterations."""
    model = _tomotopy_model(X, n_components, seed, eta)
    yield None
    done = 0
    for iterations in lengths:
        model.train(int(iterations) - done, workers=threads)
        done = int(iterations)
        yield _tomotopy_topics(model, X.shape[1]), np.array(model.alpha)


def tomotopy_averaged(
    X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int
) -> Fits:
    """The same, averaged: samples five iterations apart, the first half of all left out."""
    yield None
    for iterations in lengths:
        model = _tomotopy_model(X, n_components, seed, ETA)
        model.train(int(iterations) // 2, workers=threads)
        topics, alpha, n = 0.0, 0.0, 0
        while 5 * n < iterations // 2:
            model.train(5, workers=threads)
            topics, alpha = topics + _tomotopy_topics(model, X.shape[1]), alpha + model.alpha
            n += 1
        yield topics / n, np.asarray(alpha) / n


def _tomotopy_model(X: Any, n_components: int, seed: int, eta: float) -> Any:
    import tomotopy

    model = tomotopy.LDAModel(k=n_components, alpha=alpha_of(n_components), eta=eta, seed=seed)
    for words in tokens_of(X):
        if words.size:
            model.add_doc([str(word) for word in words])
    return model


def _tomotopy_topics(model: Any, n_features: int) -> Floats:
    seen = np.array([int(word) for word in model.used_vocabs])
    known = np.array([model.get_topic_word_dist(k) for k in range(model.k)])
    # A word that is in no training document has eta alone, like the rarest word of a topic.
    topics = np.repeat(known.min(axis=1, keepdims=True), n_features, axis=1)
    topics[:, seen] = known
    return topics / topics.sum(axis=1, keepdims=True)


def sklearn_online(
    X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int
) -> Fits:
    """Stochastic variational inference in float32; `partial_fit` takes the steps of `fit`."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_components,
        doc_topic_prior=alpha_of(n_components),
        topic_word_prior=ETA,
        learning_offset=64.0,
        batch_size=BATCH,
        total_samples=X.shape[0],
        random_state=seed,
        n_jobs=threads,
    )
    yield None
    done = 0
    for passes in lengths:
        while done < passes:
            model.partial_fit(X)
            done += 1
        yield model.components_, alpha_of(n_components)


def gensim(X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int) -> Fits:
    """`LdaModel`: online variational inference, one thread."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    corpus = list(Sparse2Corpus(X, documents_columns=False))
    names = {i: str(i) for i in range(X.shape[1])}
    yield None
    for passes in lengths:
        model = LdaModel(
            corpus,
            n_components,
            names,
            alpha=[alpha_of(n_components)] * n_components,
            eta=ETA,
            chunksize=BATCH,
            passes=int(passes),
            eval_every=None,
            random_state=seed,
        )
        yield model.state.get_lambda(), alpha_of(n_components)


def lda(X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int) -> Fits:
    """Collapsed Gibbs sampling, one thread; its reading of the corpus is inside its `fit`."""
    from lda import LDA

    rows = X[np.diff(X.indptr) > 0].astype(np.intc).toarray()  # sparse rows take it minutes to read
    yield None
    for iterations in lengths:
        model = LDA(
            n_components,
            int(iterations),
            alpha=alpha_of(n_components),
            eta=ETA,
            random_state=seed,
            refresh=10**9,
        ).fit(rows)
        yield model.components_, alpha_of(n_components)


def mallet(X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int) -> Fits:
    """MALLET's sparse Gibbs sampling in Rust, one thread: the mean of five samples after the rest.

    alpha and eta are optimized every ten iterations after the fiftieth, or half of them.
    """
    from pyrmallet import LatentDirichletAllocation

    names = np.array([_in_letters(word) for word in range(X.shape[1])])
    texts = [" ".join(names[words]) for words in tokens_of(X)]
    words = {name: word for word, name in enumerate(names)}
    yield None
    for iterations in lengths:
        model = LatentDirichletAllocation(
            n_components,
            doc_topic_prior=n_components * alpha_of(n_components),
            topic_word_prior=0.01,
            max_iter=int(iterations),
            burn_in=min(50, int(iterations) // 2),
            optimize_interval=10,
            random_state=seed,
        ).fit(texts)
        topics = np.repeat(model.components_.min(axis=1, keepdims=True), X.shape[1], axis=1)
        topics[:, [words[name] for name in model.feature_names_in_]] = model.components_
        yield topics / topics.sum(axis=1, keepdims=True), np.array(model._model.alpha)


def _in_letters(number: int) -> str:
    """A word for a number: MALLET takes digits for white space."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:06d}")


def vowpalwabbit(
    X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int
) -> Fits:
    """Online variational inference, one thread, from and to files; its default minibatch of 256."""
    from vowpalwabbit import Workspace

    with TemporaryDirectory() as folder:
        lines = (
            " ".join(f"{w}:{c:g}" for w, c in zip(words, counts, strict=True))
            for words, counts in rows_of(X)
        )
        Path(folder, "rows").write_text("".join(f"| {line}\n" for line in lines if line))
        yield None
        for passes in lengths:
            Workspace(
                f"--data {folder}/rows --cache_file {folder}/cache --kill_cache --quiet "
                f"--lda {n_components} --lda_alpha {alpha_of(n_components)} --lda_rho {ETA} "
                f"--lda_D {X.shape[0]} --minibatch 256 --power_t 0.7 --initial_t 64 "
                f"--bit_precision {max(1, int(X.shape[1] - 1).bit_length())} "
                f"--passes {int(passes)} --random_seed {seed} --readable_model {folder}/topics"
            ).finish()
            lines_of = Path(folder, "topics").read_text().splitlines()
            found = [line.split() for line in lines_of if line[:1].isdigit()]
            topics = np.array([row[1:] for row in found if len(row) == n_components + 1], float)
            yield topics[: X.shape[1]].T, alpha_of(n_components)


def pyspark(X: Any, n_components: int, lengths: Sequence[float], seed: int, threads: int) -> Fits:
    """Spark's online variational inference in local mode: minibatches of a twentieth."""
    from pyspark.ml.clustering import LDA
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local[{threads}]")
        .config("spark.driver.memory", "6g")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    rows = [
        (Vectors.sparse(X.shape[1], words, counts.astype(float)),) for words, counts in rows_of(X)
    ]
    frame = spark.createDataFrame(rows, ["features"]).cache()
    frame.count()
    yield None
    for passes in lengths:
        model = LDA(
            k=n_components,
            maxIter=int(20 * passes),
            subsamplingRate=0.05,
            learningOffset=64.0,
            learningDecay=0.7,
            docConcentration=[alpha_of(n_components)] * n_components,
            topicConcentration=ETA,
            seed=seed,
        ).fit(frame)
        yield model.topicsMatrix().toArray().T, np.array(model.estimatedDocConcentration())


@dataclass(frozen=True)
class System:
    """A way to fit LDA, and the lengths of training at which it is scored."""

    fit: Callable[..., Fits]
    package: str
    unit: str
    lengths: tuple[float, ...]
    goes_on: bool = False  # whether one fit serves all lengths; else each is a fit of its own
    threaded: bool = True

    def version(self) -> str | None:
        """Version of the package; None if it is not installed."""
        if importlib.util.find_spec(self.module) is None:
            return None
        return importlib.metadata.version(self.package)

    @property
    def module(self) -> str:
        return {"scikit-learn": "sklearn"}.get(self.package, self.package)


SYSTEMS = {
    "TemperedLDA": System(tempered, "topictemper", "passes", (0, 0.1, 0.3, 1, 3, 5, 10, 30, 100)),
    "tomotopy": System(tomotopy, "tomotopy", "iterations", (50, 200, 1000), goes_on=True),
    "tomotopy, eta 0.01": System(
        partial(tomotopy, eta=0.01), "tomotopy", "iterations", (50, 200, 1000), goes_on=True
    ),
    "tomotopy, averaged": System(tomotopy_averaged, "tomotopy", "iterations", (100, 300)),
    "sklearn online": System(sklearn_online, "scikit-learn", "passes", (1, 2, 5, 10), goes_on=True),
    "gensim LdaModel": System(gensim, "gensim", "passes", (1, 5), threaded=False),
    "pyspark online": System(pyspark, "pyspark", "passes", (2, 5)),
    "lda": System(lda, "lda", "iterations", (50, 200), threaded=False),
    "MALLET (pyrmallet)": System(mallet, "pyrmallet", "iterations", (200, 1000), threaded=False),
    "vowpalwabbit": System(vowpalwabbit, "vowpalwabbit", "passes", (1, 5), threaded=False),
}
