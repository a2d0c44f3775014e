"""`topictemper.dask.TemperedLDA`: learning by rounds of fixed shards."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, Self

import distributed
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._counts import check_held_out
from .._utils._feature_names import agreed_names
from .._utils._log import say
from .._utils._rollback import unchanged_on_error
from .._utils._state import Tree
from .._utils._version import VERSION
from ..lda import _estimator as _local
from ..lda._config import Config, Tempering
from ..lda._defaults import KAPPA
from ..lda._held_out import split_tokens
from ..lda._other_names import OtherNamesMixin, understands_other_names
from ..lda._plan import planned_passes
from ..lda._seeding import is_seeded
from ..lda._trained_with import kept
from ..persistence._models import OF_THE_PROCESS, plain_parameters
from ..tempering._history import record
from ..tempering._mixin import TemperingMixin
from ._blocks import column_names, is_lazy, matrices_of
from ._checkpoint import Checkpoint, as_json
from ._corpus import BlockFacts, Corpus, ShardMap, facts_of
from ._executors import Executor, repeated
from ._other_names import CALLED, attributes_of
from ._prediction_mixin import PredictionMixin
from ._preflight import check_memory, common_isa, executor_for, plan_of_a_shard
from ._rounds import Rounds
from ._tasks import Job, restored

# Parameters that the local estimator does not have.
_OWN = ("client", "n_shards", "rounds_per_pass", "sample_size", "checkpoint", "isa")
# benchmarks/dask/rounds.py: documents of the sample for each topic, and their range; documents to
# see in it, by passes in a range. Topics that have not parted in the sample do not part later.
_SAMPLE_OF_A_TOPIC, _SAMPLE_RANGE = 1000.0, (50_000.0, 250_000.0)
_SAMPLE_SEEN, _SAMPLE_PASSES = 2e6, (12.0, 40.0)
# A worker makes its part of the rounds that the driver asks for.
_NEVER_STOPS = {"early_stopping": False, "n_iter_no_change": None}


class TemperedLDA(PredictionMixin, TemperingMixin, OtherNamesMixin, BaseEstimator):
    """Latent Dirichlet allocation by rounds, on a Dask cluster or in this process.

    First a worker anneals a model on a sample of the documents, until it samples their topics at
    T = 1. Then come rounds: each of `n_shards` shards of the documents learns from the common
    topics and its own next part, as if that stood for the whole corpus; the mean of the shards
    begins the next round. The topics of the fitted model are an average over the rounds, mainly
    over the last third or so.

    Shards belong to the model, not to the cluster. So the same data, parameters and `random_state`
    give the same bits for any number of workers, for any blocks, after the loss of workers, and
    without a cluster. They are not the bits of `topictemper.TemperedLDA`.

    Parameters
    ----------
    n_components : int, default=100
        Number of topics, K.
    tempering, inference, doc_topic_prior, topic_word_prior, learning_decay, mean_change_tol, \
max_doc_update_iter, dtype
        As for `topictemper.TemperedLDA`. Lengths in passes are passes over the sample. A
        `learning_decay`, here 0.7, is that of the rounds.
    max_iter : int, default=None
        Passes over the documents by rounds. None: as many as `topictemper.TemperedLDA` makes.
    batch_size : int, default=None
        Documents in a minibatch. None: as for a corpus of the size of a shard, from 250 to 500.
        With few documents less, so that a shard makes some six steps in a round.
    learning_offset : float, default=None
        tau of the learning rate, which starts anew after the sample. None: as for a corpus of the
        size of a shard.
    init : array-like of shape (n_components, n_features), default=None
        lambda from which the fit of the sample starts.
    shuffle : bool, default=True
        Whether documents are taken in a random order within the sample and within each part.
    early_stopping : bool, default=False
        Whether to stop when the score of `validation_X` no longer rises, and keep the best round.
    n_iter_no_change : int, default=None
        Rounds without a better score after which `early_stopping` stops. None is a tenth of the
        planned rounds, at least 3.
    random_state : int, RandomState or None, default=None
        Seed of everything that is random.
    n_jobs : int, default=None
        Threads of a worker. None is 1, -1 is all processors of its machine.
    verbose : int, default=0
        1: log a line for every round with the logger "topictemper".
    client : distributed.Client, default=None
        The cluster. None: the current client of Dask, if there is one and X is a collection of
        Dask; otherwise all work is done in this process.
    n_shards : int, default=8
        Shards. At least as many as workers, or some have nothing to do.
    rounds_per_pass : int, default=4
        Rounds in a pass over the documents.
    sample_size : int, default=None
        Documents in the sample, about. None: 1,000 for each topic, from 50,000 to 250,000. There
        are 12 to 40 passes over the sample: as many as two million documents take.
    checkpoint : str or path-like, default=None
        Folder that this process and all workers share, for the last complete round. With it, a
        round is all that a lost worker, driver or cluster can cost. None: what is lost with a
        worker is computed again from the start, if need be.
    isa : str, default=None
        Instruction set that all workers are to use (`topictemper.available_isas`). None: the one
        that they use, which must be the same.

    Attributes
    ----------
    score_history_ : structured ndarray
        Fields ``pass`` and ``score``, for every round; only with `validation_X`.
    n_rounds_ : int
        Rounds made; with `early_stopping`, rounds of the model that was kept.
    n_iter_ : float
        The same in passes.
    n_features_in_ : int
        Words in the vocabulary, V.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        The words, of a data frame or as given to `fit`.
    client_ : distributed.Client or None
        The client that was used. The topics stay on its workers until `to_local`.

    See Also
    --------
    topictemper.TemperedLDA : Learns on one machine.

    Notes
    -----
    Topics travel between workers in blocks of 16 MB, and never through the scheduler or this
    process, except for parameters of that size. A worker needs memory for three times the topics.

    Examples
    --------
    >>> import dask.array as da
    >>> from topictemper.dask import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(400, 100, 5, random_state=0).counts
    >>> X = da.from_array(counts.toarray(), chunks=(100, 100))
    >>> lda = TemperedLDA(5, n_shards=2, max_iter=2, random_state=0).fit(X)
    >>> lda.n_rounds_
    8
    >>> lda.transform(X)
    dask.array<concatenate, shape=(400, 5), dtype=float32, chunksize=(100, 5), ...>
    >>> model = lda.to_local()
    >>> model.components_.shape
    (5, 100)
    """

    _other_names = attributes_of(_local.TemperedLDA)

    score_history_: NDArray[Any]
    n_rounds_: int
    n_iter_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    client_: distributed.Client | None

    @understands_other_names(CALLED)
    def __init__(
        self,
        n_components: int = 100,
        *,
        tempering: Tempering = "lvt",
        inference: Literal["auto", "gibbs", "point", "vb"] = "auto",
        doc_topic_prior: float | ArrayLike | Literal["auto"] | None = None,
        topic_word_prior: float | ArrayLike | Literal["auto"] | None = None,
        max_iter: int | None = None,
        batch_size: int | None = None,
        learning_decay: float = KAPPA,
        learning_offset: float | None = None,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        init: ArrayLike | None = None,
        shuffle: bool = True,
        early_stopping: bool = False,
        n_iter_no_change: int | None = None,
        dtype: Any = "float32",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        client: distributed.Client | None = None,
        n_shards: int = 8,
        rounds_per_pass: int = 4,
        sample_size: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        isa: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.inference = inference
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.init = init
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.client = client
        self.n_shards = n_shards
        self.rounds_per_pass = rounds_per_pass
        self.sample_size = sample_size
        self.checkpoint = checkpoint
        self.isa = isa

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        validation_X: Any = None,
        feature_names: Any = None,
        resume: bool = False,
    ) -> Self:
        """Learn topics from scratch, or go on after the last round of a checkpoint.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_features), dask.dataframe or matrix
            Counts of words (columns) in documents (rows). Blocks may be NumPy arrays, SciPy's or
            pydata's sparse matrices, of known or unknown length, even empty; each has all columns.
            They are read twice before the first round, then once in each round that takes some of
            their documents: once in a pass, if a block has no more documents than a shard takes in
            a round. `X.persist()` keeps them in the memory of the workers. Without a client also a
            matrix, or a list of matrices.
        y : None
            Ignored.
        validation_X : array-like or sparse matrix of shape (n_validation, n_features), optional
            Documents to score after every round, for `score_history_` and `early_stopping`. Each
            worker that scores gets all of them: some thousands are enough.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Words of the columns, as for `topictemper.TemperedLDA.fit`. They must not contradict
            the names of a data frame, which None takes.
        resume : bool, default=False
            Whether to go on with the fit whose rounds are in the `checkpoint`, or start if there
            are none.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or a block is invalid; the error names the block. The estimator and the
            checkpoint are unchanged.
        FileExistsError
            If `checkpoint` has rounds of an earlier fit, and `resume` is false.
        MemoryError
            If a worker has too little memory.
        RuntimeError
            If the client is closed, if workers lack the package or differ in version or processor,
            if all workers are gone, or if a round has failed three times because workers were lost.
        """
        # What runs in this process may underflow; workers ignore that by themselves.
        with unchanged_on_error(self), np.errstate(under="ignore"):
            self._fit(X, validation_X, feature_names, resume=resume)
        return self

    def _fit(self, X: Any, validation_X: Any, feature_names: Any, *, resume: bool) -> None:
        self._check_rounds(resume=resume, validated=validation_X is not None)
        blocks = matrices_of(X)
        words = column_names(X, numbers=feature_names is None)
        if feature_names is not None:
            words = agreed_names(feature_names, blocks.n_columns, words)
        config = Config.of(self._unfitted_local().get_params(deep=False), blocks.n_columns)
        # Predictions and `to_local` need them, and the estimator may have others by then. `init`,
        # which may be large, is not copied: only the first round uses it.
        parameters = {
            name: value if name == "init" else kept(value)
            for name, value in self._local_parameters().items()
        }
        self._check_storable()
        validation = _validation_counts(validation_X, blocks.n_columns, words)
        executor = executor_for(self.client, lazy=blocks.lazy)
        machines = executor.machines()
        isa = common_isa(machines, self.isa)
        report: Callable[[str], None] = say if self.verbose else lambda line: None
        corpus = Corpus.of(_facts(executor, blocks.parts, report), blocks.n_columns)
        shards = self._shard_map(corpus.n_rows)
        passes = planned_passes(config, corpus.n_rows, corpus.length)
        plan = plan_of_a_shard(config, shards, passes)
        machine = f"{isa} ({next(iter(machines.values())).architecture})"
        seed = int(check.random_state(self.random_state).randint(2**31 - 1))
        checkpoint, record = None, None
        if self.checkpoint is not None:
            fit = self._identity(corpus, shards, machine, validation)
            checkpoint = Checkpoint(self.checkpoint, fit)
            record = checkpoint.begin()
        if record is not None:
            seed = record["seed"]
        steps = {"batch_size": plan.batch_size, "learning_offset": plan.learning_offset}
        n_sample = self._sample_rows(corpus.n_rows)
        fewest, most = _SAMPLE_PASSES
        of_the_sample = {"max_iter": round(min(max(_SAMPLE_SEEN / n_sample, fewest), most))}
        common = self._local_parameters() | {"random_state": seed} | _NEVER_STOPS
        job = Job(
            parameters=common | steps | {"init": None},
            sample_parameters=common | of_the_sample,
            n_rows=corpus.n_rows,
            n_columns=corpus.n_columns,
            passes=passes,
            seed=seed,
            version=VERSION,
            isa=isa,
            machine=machine,
            n_jobs=self.n_jobs,
        )
        # A fit that is resumed has its sample behind it.
        check_memory(executor, job, corpus, shards, n_sample if record is None else 0)
        n_rounds = passes * shards.rounds_per_pass
        rounds = Rounds(
            executor,
            job,
            corpus,
            shards,
            blocks.parts,
            validation=validation,
            patience=config.patience(n_rounds),
            checkpoint=checkpoint,
            report=report,
        )
        state = rounds.run(n_rounds, n_sample, record)
        self._executor, self._job, self._state = executor, job, state
        self._steps, self._fitted_with = steps, parameters
        self._set_fitted(words, rounds.scores)

    def _set_fitted(self, words: Any, scores: list[list[float]]) -> None:
        """Set the attributes that follow from ``_executor``, ``_job`` and ``_state``, and these."""
        self.client_ = self._executor.client
        self.n_features_in_ = self._job.n_columns
        self.__dict__.pop("feature_names_in_", None)
        if words is not None:
            self.feature_names_in_ = words
        self.n_rounds_ = self._state.n_rounds
        self.n_iter_ = self._state.n_rounds / self.rounds_per_pass
        self.__dict__.pop("score_history_", None)
        if scores:
            self.score_history_ = record([*map(tuple, scores)], "pass", "score")

    def to_local(self) -> _local.TemperedLDA:
        """Bring the model to this process.

        Returns
        -------
        topictemper.TemperedLDA
            The fitted model with the parameters of the fit, which predicts, saves and goes on
            learning. `n_jobs` and `verbose` are those that are set now.
        """
        check_is_fitted(self)
        executor, state = self._executor, self._state
        executor.check_kept([state.tree, *state.averages])
        tree, *blocks = executor.gather([state.tree, *state.averages])
        fitted_with = self._fitted_with | self._steps
        lda = _local.TemperedLDA(**fitted_with, n_jobs=self.n_jobs, verbose=self.verbose)
        words = getattr(self, "feature_names_in_", None)
        return restored(lda, self.n_features_in_, dict(tree, parameters=self._steps), blocks, words)

    def _check_rounds(self, *, resume: Any, validated: bool) -> None:
        """Check the parameters that the local estimator does not have, and `resume`."""
        if self.checkpoint is not None and not isinstance(self.checkpoint, str | os.PathLike):
            raise TypeError(
                f"checkpoint must be the path of a folder or None, got {self.checkpoint!r}"
            )
        if check.flag("resume", resume) and self.checkpoint is None:
            raise ValueError("resume=True goes on with a checkpoint: set the parameter checkpoint")
        if self.checkpoint is not None and not resume:
            Checkpoint.check_new(self.checkpoint)
        if is_seeded(self.topic_word_prior):
            raise TypeError(
                "topic_word_prior must be numbers on Dask, not seed words; make an array of them "
                "with topictemper.topics.SeedTopics(seeds).prior(...)"
            )
        check.integer("n_shards", self.n_shards, 1)
        check.integer("rounds_per_pass", self.rounds_per_pass, 1)
        if self.sample_size is not None:
            check.integer("sample_size", self.sample_size, 1)
        if self.early_stopping and not validated:
            raise ValueError(
                "early_stopping=True needs validation_X, or validation_texts of texts: documents "
                "are not held out of the others here"
            )

    def _check_storable(self) -> None:
        """Refuse what the files of a checkpoint cannot hold, before documents are read."""
        if self.checkpoint is not None:
            plain_parameters(self._local_parameters())

    def _unfitted_local(self) -> _local.TemperedLDA:
        """The local estimator with the same parameters."""
        return _local.TemperedLDA(
            **self._local_parameters(), n_jobs=self.n_jobs, verbose=self.verbose
        )

    def _local_parameters(self) -> dict[str, Any]:
        """Parameters of the local estimator, without those of the process."""
        names = TemperedLDA._get_param_names()  # a subclass may have others
        others = {*_OWN, *OF_THE_PROCESS}
        return {name: getattr(self, name) for name in names if name not in others}

    def _shard_map(self, n_rows: int) -> ShardMap:
        n_shards, rounds_per_pass = self.n_shards, self.rounds_per_pass
        if n_shards * rounds_per_pass > n_rows:
            raise ValueError(
                f"n_shards={n_shards} times rounds_per_pass={rounds_per_pass} must be at most the "
                f"number of documents, {n_rows}: each shard learns from a part of its own"
            )
        return ShardMap(n_rows, n_shards, rounds_per_pass)

    def _sample_rows(self, n_rows: int) -> int:
        if self.sample_size is not None:
            return min(self.sample_size, n_rows)
        least, most = _SAMPLE_RANGE
        return int(min(max(_SAMPLE_OF_A_TOPIC * self.n_components, least), most, n_rows))

    def _identity(self, corpus: Corpus, shards: ShardMap, machine: str, validation: Any) -> Tree:
        """What a fit must have in common with the one of a checkpoint, to go on with it."""
        parameters = plain_parameters(self._local_parameters())
        held_out = None
        if validation is not None:  # scores of other documents cannot be compared
            held_out = f"{validation.shape[0]} rows, {facts_of(0, validation).fingerprint:016x}"
        return {
            "documents": f"{corpus.n_rows} x {corpus.n_columns}, {corpus.fingerprint:016x}",
            "validation_X": held_out,
            "n_shards": shards.n_shards,
            "rounds_per_pass": shards.rounds_per_pass,
            "sample_size": self._sample_rows(corpus.n_rows),
            "isa": machine,
            **{name: as_json(value) for name, value in parameters.items()},
        }

    def __sklearn_clone__(self) -> Self:
        # A client is a connection: copies of an estimator share it.
        parameters: dict[str, Any] = self.get_params(deep=False)
        copies = {
            name: value if name == "client" else clone(value, safe=False)
            for name, value in parameters.items()
        }
        return type(self)(**copies)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")


def _validation_counts(X: Any, n_columns: int, words: NDArray[Any] | None) -> Any:
    """Checked held-out documents, or None."""
    if X is None:
        return None
    if is_lazy(X):
        raise TypeError(
            "validation_X must be a matrix in memory, such as validation_X.compute(), because "
            "each worker that scores gets all of it"
        )
    lda = _local.TemperedLDA()
    lda.n_features_in_ = n_columns
    if words is not None:
        lda.feature_names_in_ = words
    X = lda._checked_counts(X, reset=False, name="validation_X")
    check_held_out([split_tokens(X)[1]], "validation_X")
    return X


def _facts(
    executor: Executor, blocks: list[Any], report: Callable[[str], None]
) -> list[BlockFacts]:
    """Look at all blocks for the first time."""

    def look(again: bool) -> list[BlockFacts]:
        return executor.gather(
            [
                executor.submit(facts_of, place, executor.load(block))
                for place, block in enumerate(blocks)
            ]
        )

    return repeated(executor, look, "the first look at X", report)
