"""TemperedLDA: parameters, fitted attributes and the scikit-learn contract."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from .._core._workers import Workers
from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import Chunks, is_chunks, rows_that_count
from .._utils._rollback import unchanged_on_error
from .._utils._state import Tree, within
from ..persistence._models import SaveMixin, parameters_of, plain_parameters, savable
from ._batch import train_in_full
from ._callbacks import CallbackSupportMixin, with_callbacks
from ._config import new_trainer, planned_passes, restored_trainer
from ._e_step import Gatherer
from ._fitted import FittedMixin
from ._inspection import TopicsReportMixin
from ._monitor import Progress
from ._prediction_mixin import PredictionMixin
from ._sound import check_trainer
from ._stopping import Validation, new_validation
from ._training import Trainer, train

_HISTORIES = {"score_history": ("pass", "score"), "bound_history": ("pass", "temperature", "bound")}


def _history(rows: Any, fields: tuple[str, ...]) -> NDArray[Any]:
    """A history from a file."""
    if rows.ndim != 1 or rows.dtype != [(field, float) for field in fields]:
        raise ValueError(f"no table of {' and '.join(fields)}")
    if not all(np.isfinite(rows[field]).all() for field in fields):
        raise ValueError("not finite")
    return rows


@savable
class TemperedLDA(
    CallbackSupportMixin,
    SaveMixin,
    TopicsReportMixin,
    PredictionMixin,
    FittedMixin,
    ClassNamePrefixFeaturesOutMixin,
    BaseEstimator,
):
    """Latent Dirichlet allocation by tempered stochastic variational inference.

    Learning starts at a high temperature, where the likelihood counts for little and the topics
    are alike, and cools to 1, where it is plain stochastic variational inference. Poor local
    optima in which that method ends when it starts cold are mostly avoided [1]_.

    Parameters
    ----------
    n_components : int, default=100
        Number of topics, K.
    tempering : {"lvt", "vt", "avi", "svi", "dasvi"}, default="lvt"
        What sets the temperature:

        - "lvt", local variational tempering: a temperature is learned for each document;
        - "vt", variational tempering: one temperature is learned for the corpus;
        - "avi", annealed variational inference: the temperature follows `schedule`;
        - "svi": no tempering, T = 1 throughout [2]_;
        - "dasvi", deterministic annealing of the posterior, priors included [3]_.
    topic_estimate : {"mean", "dirichlet"}, default="mean"
        What documents see of a topic while they are explained:

        - "mean": E[beta], as in zero-order collapsed inference [5]_; lambda over
          its sum is then the best point estimate of a topic whose prior is Dir(1 + eta);
        - "dirichlet": exp(E[log beta]), as mean-field inference has it, which makes rare words
          of a topic rarer still. Scores are lower by 0.01 to 0.08 nats (benchmarks/defaults.py).
    inference : {"auto", "gibbs", "mean_field"}, default="auto"
        How documents are explained once T = 1, but for the first two passes, or the first two
        thirds of the planned passes if these are fewer:

        - "gibbs": topics of their tokens are sampled, and their proportions averaged over samples
          [6]_. The fixed point takes documents for surer of a few topics than they are, and
          topics that are learned so predict worse with every pass; not for "batch";
        - "mean_field": by the variational fixed point, as in all passes before;
        - "auto": "gibbs" for ``learning_method="online"`` with ``topic_estimate="mean"``, else
          "mean_field".
    doc_topic_prior : float, array-like of shape (n_components,) or "auto", default=None
        Dirichlet prior alpha of each topic in a document. None is 3 / n_components, 0.1 at
        most, while topics are learned, and for other documents the multiple of it by which one
        half of a training document best predicts the other, from a half to 16 times: how sure
        one may be of the topics of a document differs between corpora. "auto" starts there and
        learns one for each topic from the bound, half of that at the least, once T is under
        1.1 [4]_.
    topic_word_prior : float, array-like or "auto", default=None
        Dirichlet prior eta of each word in a topic. None is 0.05, or 0.1 for
        ``topic_estimate="dirichlet"``, where "auto" starts, too. An array of shape
        (n_features,) or (n_components, n_features) has a value for each word, or for each word of
        each topic: a topic takes to words of large values (seeded topics). "auto" learns one
        value for all, never below the default: the bound would drive both priors down, with
        every pass, to where predictions suffer.
    components_init : array-like of shape (n_components, n_features), default=None
        lambda to start from in `fit` or the first `partial_fit`, like `components_` of another
        model: about as many counts as the corpus has. Where it is below `topic_word_prior` it
        starts there; 1e15 at most. None is a random start. From given topics annealing starts at
        T = 1, if `max_temperature` is "auto", so that they are not melted down.
    warm_start : bool, default=False
        Whether `fit` starts from the topics (and learned priors) of the fit before, as from
        `components_init`.
    max_temperature : "auto" or float, default="auto"
        Where annealing starts, and what bounds learned temperatures, >= 1. "auto" finds it: T
        falls from 5 until documents begin to differ in their topics, and annealing starts a
        little above that point. For "dasvi" "auto" is 1.5.
    n_temperatures : int, default=100
        Size of the grid of inverse temperatures, evenly spaced in (0, 1] ("vt" and "lvt"); at
        most 10,000.
    schedule : {"linear", "exponential"} or callable, default="linear"
        Course of T, or of its bound, from `max_temperature` to 1. A callable takes the number of
        passes made so far and returns T >= 1; `max_temperature` must then be "auto" and
        `annealing_passes` None. Not used by "svi", like all that is said of the temperature.
    annealing_passes : float, default=None
        Passes from `max_temperature` to 1. None is 0.4 of the planned passes, `max_iter` in
        `fit` and one in `partial_fit`.
    temperature_inertia : float, default=None
        Passes over which learned temperatures are averaged. None is 0.15 of the planned passes,
        and 0.05 for "vt".
    temperature_updates : int, default=20
        How many times a pass learned temperatures are renewed and the history is kept.
    normalizer : {"posterior", "prior", "prior_lower", "prior_upper"}, default="posterior"
        What the energy is weighed against for a learned temperature: the normaliser under the
        current topics, or ("vt" only) the paper's, under the prior, by sampling or by one of
        its two bounds.
    learning_method : {"online", "batch"}, default="online"
        "online" makes a step for each minibatch. "batch" makes one of all documents in a pass,
        each to the best topics for its statistics, until the bound has converged; needs memory
        for 12 bytes a document and topic. `partial_fit` is always online.
    tol : float, default=1e-4
        "batch" stops when the bound grows by less in a pass at T = 1, in nats a token.
    learning_decay : float, default=0.7
        kappa of the learning rate ``(learning_offset + t) ** -learning_decay``, in (0.5, 1].
    learning_offset : float, default=None
        tau of the learning rate, >= 1. None is a quarter of the planned number of minibatches,
        but from 10 to 1024: the start must be forgotten within the passes that are planned.
    batch_size : int, default=None
        Documents in a minibatch. None is a 300th of the documents, and more of more than 50,000,
        of which `max_iter` makes fewer passes: from 64 to 2,048.
    max_iter : int, default=None
        Passes over the data in `fit`, the most of them for "batch". None is 10; of more than
        50,000 documents "online" makes as many passes as see 500,000, and 3 at the least.
    total_samples : float, default=None
        Documents in the whole stream, D; used by `partial_fit` only, and may change from call to
        call. None, where nobody knows: 50,000 until there have been more, then as many as there
        have been. A rough number is better than none.
    mean_change_tol : float, default=1e-3
        A document's sweeps end when the mean change of its gamma is smaller.
    max_doc_update_iter : int, default=100
        Most sweeps of a document; at most 1,000,000.
    shuffle : bool, default=True
        Whether `fit` takes the documents in a new random order in each pass.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the model and of what `transform` returns.
    random_state : int, RandomState or None, default=None
        Seed of the start, which the first minibatch has a part in, and of the order of documents.
        The same seed gives the same bits with one instruction set (`topictemper.set_isa`).
    n_jobs : int, default=None
        Threads. None is 1, -1 is all processors. Results have the same bits for any number.
    verbose : int, default=0
        1: log a line for every pass, by the logger "topictemper": temperature, documents a second
        in training, and the score of the validation documents if there are any.
    early_stopping : bool, default=False
        Whether `fit` scores held-out documents after every pass, stops when their score no longer
        rises, and keeps the model of the best pass. Passes that end at T > 1 do not count, nor do
        those before documents are sampled, if they are to be (`inference`).
    validation_fraction : float, default=0.1
        Share of the documents that are held out for `early_stopping`, chosen at random, where
        `fit` is given no `validation_X`; in (0, 1).
    n_iter_no_change : int, default=3
        Evaluations that count in a row without a new best score after which `early_stopping` stops.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        lambda, the Dirichlet parameters of the topics; rows over their sums are the topics.
    temperature_ : float
        Temperature at the end of training.
    max_temperature_ : float
        Where annealing started, found or given; NaN while it is still looked for.
    temperature_history_ : structured ndarray
        Fields ``pass`` and ``temperature``; for "lvt" also the quantiles ``q05`` to ``q95`` over
        documents of 1 / E[1/T_d] (NaN before there are any).
    score_history_ : structured ndarray
        Fields ``pass`` and ``score``, of every pass that `fit` made; only where it was given
        `validation_X` or had `early_stopping`.
    bound_history_ : structured ndarray
        Fields ``pass``, ``temperature`` and ``bound``, the tempered evidence lower bound of the
        topics that a pass began with, in nats a token; only after `fit` with "batch". For
        ``topic_estimate="mean"`` it has ``sum eta log E[beta]`` for the divergence of the topics,
        and may fall where "auto" raises eta.
    doc_topic_prior_ : ndarray of shape (n_components,)
        alpha of documents that are transformed and scored.
    topic_word_prior_ : float or ndarray of shape (n_features,) or (n_components, n_features)
        eta.
    n_iter_ : int
        Passes behind the model; with `early_stopping` `fit` made some more.
    n_batch_iter_ : int
        Minibatches seen.
    n_features_in_ : int
        Words in the vocabulary, V.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where the input had string names.

    References
    ----------
    .. [1] Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS.
    .. [2] Hoffman, Blei, Wang, Paisley (2013). Stochastic Variational Inference. JMLR 14.
    .. [3] Abrol, Mandt, Ranganath, Blei (2014). Deterministic Annealing for Stochastic
       Variational Inference. arXiv:1411.1810.
    .. [4] Minka (2000). Estimating a Dirichlet distribution. Technical report, MIT.
    .. [5] Asuncion, Welling, Smyth, Teh (2009). On Smoothing and Inference for Topic Models. UAI;
       Foulds, Boyles, DuBois, Smyth, Welling (2013). Stochastic Collapsed Variational Bayesian
       Inference for Latent Dirichlet Allocation. KDD.
    .. [6] Mimno, Hoffman, Blei (2012). Sparse Stochastic Inference for Latent Dirichlet
       Allocation. ICML.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> corpus = make_lda_corpus(n_samples=300, n_features=200, n_components=5, random_state=0)
    >>> lda = TemperedLDA(n_components=5, max_iter=20, batch_size=20, random_state=0)
    >>> lda.fit_transform(corpus.counts).shape
    (300, 5)
    >>> bool(lda.perplexity(corpus.counts) < 200)
    True

    Words that a topic is known by, and steps of the whole corpus until the bound has converged:

    >>> import numpy as np
    >>> words = corpus.components[2].argsort()[-3:]
    >>> eta = np.full((5, 200), 0.1)
    >>> eta[0, words] = 20.0
    >>> lda = TemperedLDA(
    ...     5, topic_word_prior=eta, learning_method="batch", max_iter=100, random_state=0
    ... ).fit(corpus.counts)
    >>> bool(lda.n_iter_ < 100 and lda.bound_history_["bound"][-1] > -5.3)
    True
    >>> set(lda.top_words(3, range(200))[0]) == {str(word) for word in words}
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        tempering: Literal["lvt", "vt", "avi", "svi", "dasvi"] = "lvt",
        topic_estimate: Literal["mean", "dirichlet"] = "mean",
        inference: Literal["auto", "gibbs", "mean_field"] = "auto",
        doc_topic_prior: float | ArrayLike | Literal["auto"] | None = None,
        topic_word_prior: float | ArrayLike | Literal["auto"] | None = None,
        components_init: ArrayLike | None = None,
        warm_start: bool = False,
        max_temperature: float | Literal["auto"] = "auto",
        n_temperatures: int = 100,
        schedule: str | Callable[[float], float] = "linear",
        annealing_passes: float | None = None,
        temperature_inertia: float | None = None,
        temperature_updates: int = 20,
        normalizer: Literal["posterior", "prior", "prior_lower", "prior_upper"] = "posterior",
        learning_method: Literal["online", "batch"] = "online",
        tol: float = 1e-4,
        learning_decay: float = 0.7,
        learning_offset: float | None = None,
        batch_size: int | None = None,
        max_iter: int | None = None,
        total_samples: float | None = None,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        shuffle: bool = True,
        dtype: Any = "float32",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.topic_estimate = topic_estimate
        self.inference = inference
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.components_init = components_init
        self.warm_start = warm_start
        self.max_temperature = max_temperature
        self.n_temperatures = n_temperatures
        self.schedule = schedule
        self.annealing_passes = annealing_passes
        self.temperature_inertia = temperature_inertia
        self.temperature_updates = temperature_updates
        self.normalizer = normalizer
        self.learning_method = learning_method
        self.tol = tol
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.total_samples = total_samples
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.shuffle = shuffle
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change

    # Learning

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, validation_X: Any = None
    ) -> Self:
        """Learn topics from scratch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts of words (columns) in documents (rows), >= 0; less than 1e-30 is taken as 0.
            Rows that are scaled to norm 1, such as tf-idf, give a warning. Memory-mapped arrays
            (`topictemper.datasets.open_corpus`) are not copied. An iterable gives one chunk of
            documents after another, the same in every pass: a list of sparse matrices, or an
            object whose ``__iter__`` begins anew. It is gone through once more, at first, to be
            checked and counted; `shuffle` then orders the documents of each chunk anew.
        y : None
            Ignored, but handed on to callbacks.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts, >= 0. A weight of 2 gives a document twice the say in the
            topics, as if it stood there twice in the same minibatch; a row of weight 0 is as good
            as absent. Documents in the corpus, D, are the sum of the weights. Chunks have none.
        validation_X : array-like or sparse matrix of shape (n_validation, n_features), optional
            Documents that are scored after every pass, into `score_history_`, and that
            `early_stopping` goes by.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the counts make no sense. The estimator is then as it was before.
            So it is if a callback fails.

        Notes
        -----
        With scikit-learn 1.9 or later `set_callbacks` takes callbacks, such as those of
        `sklearn.callback`. The fit is a task with one task "pass" within it for every pass, whose
        `task_id` counts them from 0. A hook that asks for ``fitted_estimator`` gets the model as
        it is then: its `temperature_`, its `n_iter_`, and its `score_history_` if there are
        validation documents. A hook at the end of a pass that returns True ends the fit, which
        leaves the model learned so far (with `early_stopping` the best one). `partial_fit` calls
        no hooks. A ``ScoringMonitor`` scores only where it sees a `y`, and needs to be told how::

            monitor = ScoringMonitor(scoring={"score": lambda model, X, y: model.score(X)})
            lda.set_callbacks(monitor).fit(X, np.zeros(X.shape[0]))
        """
        with unchanged_on_error(self):
            self._fit(X, y, sample_weight, validation_X)
        return self

    # Inside `unchanged_on_error`, for a callback may fail when it is torn down, too.
    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, validation_X: Any) -> None:
        if is_chunks(X):
            self._refuse_for_chunks(sample_weight)
            X = Chunks(X, self._chunk_counts)
        else:
            X = self._training_counts(X, reset=True)
            sample_weight = _counts.sample_weights(sample_weight, X.shape[0])
            _counts.check_words(X, "X", sample_weight)
        if validation_X is not None:
            validation_X = self._counts(validation_X, reset=False, name="validation_X")
        rows, validation = new_validation(self, X, validation_X, sample_weight)
        learned, weight = X, sample_weight
        if rows is not None:
            learned = X[rows]
            weight = None if weight is None else weight[rows]
            _counts.check_words(learned, "X without the documents held out", weight)
        n_documents = learned.shape[0] if weight is None else weight.sum()
        n_passes = planned_passes(self, n_documents)
        previous = getattr(self, "_trainer", None) if self.warm_start else None
        trainer = new_trainer(self, X.shape[1], float(n_documents), n_passes, previous=previous)
        self._trained_with = self.get_params(deep=False)
        with Workers(self.n_jobs) as workers:
            context = self._init_callback_context(max_subtasks=n_passes)
            told = {
                "estimator": self,
                "X": X,
                "y": y,
                "reconstruction_attributes": lambda: vars(self._as_of(trainer, validation)),
            }
            if sample_weight is not None:
                told["metadata"] = {"sample_weight": sample_weight}
            context.call_on_fit_task_begin(**told)
            progress = Progress(
                trainer,
                n_passes,
                validation,
                context,
                told,
                verbose=bool(self.verbose),
                workers=workers,
            )
            shared: dict[str, Any] = {
                "sample_weight": weight,
                "workers": workers,
                "before_pass": progress.before_pass,
                "after_pass": progress.after_pass,
            }
            bounds: list[tuple[float, float, float]] = []
            if self.learning_method == "batch":
                bounds = train_in_full(trainer, learned, n_passes, tol=self.tol, **shared)
            else:
                train(trainer, learned, n_passes, shuffle=self.shuffle, **shared)
        if validation is not None and validation.best is not None:
            trainer = validation.best
        self._set_fitted(trainer, validation, bounds)
        context.call_on_fit_task_end(**told)

    def _refuse_for_chunks(self, sample_weight: Any) -> None:
        """Raise ValueError for what takes all documents at once."""
        if sample_weight is not None:
            raise ValueError("sample_weight must be None where X is an iterable of chunks")
        if self.learning_method == "batch":
            raise ValueError(
                "learning_method='batch' takes all documents at once; for X in chunks use 'online'"
            )

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from more documents of a stream.

        A stream is planned to be seen once, whatever `max_iter`: the temperature follows the
        course of a `fit` of one pass over `total_samples` documents, and is 1 after about two
        thirds of them; where `total_samples` is None, after some 30,000 documents. Then
        learning goes on at T = 1 for as long as there are documents, and the topics stand for as
        many documents as there have been. To go over the same documents several times, give
        `total_samples`, and more `annealing_passes` than the 0.4 of a single one. After `fit`,
        the documents come on top of those of `fit`.

        Documents are taken by `batch_size`, so a call should bring that many at least; by default
        it is 500 where `total_samples` is None.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts of words in documents, >= 0. Taken in the order given.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            As for `fit`; a document counts as often for `total_samples` too.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the counts make no sense. The estimator is then as it was before.

        Notes
        -----
        Each minibatch is learned from wholly or not at all. After an interrupt or an error the
        model is as it was before a minibatch or after one; `n_batch_iter_` says after which.
        """
        before = vars(self).copy()
        try:
            self._partial_fit(X, sample_weight)
        except BaseException:
            # Of a first call that has not learned anything nothing is to be left.
            if "_trainer" not in before and not getattr(self, "n_batch_iter_", 0):
                self.__dict__ = before
            raise
        return self

    def _partial_fit(self, X: Any, sample_weight: Any) -> None:
        first = not hasattr(self, "_trainer")
        X = self._training_counts(X, reset=first)
        total = self.total_samples
        if total is not None:
            total = check.number("total_samples", total, 1.0, 1e15)
        sample_weight = _counts.sample_weights(sample_weight, X.shape[0])
        with Workers(self.n_jobs) as workers:
            if first:
                self._trained_with = self.get_params(deep=False)
                self._trainer = new_trainer(self, X.shape[1], total, 1)
            gatherer = Gatherer(X, self._trainer.topics.M.dtype, sample_weight)
            self._trainer.expect(total)
            self._trainer.run(gatherer, rows_that_count(X, sample_weight), workers)

    @property
    def _n_features_out(self) -> int:
        return self._trainer.topics.n_components

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_trainer")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    # Inside

    def _counts(self, X: Any, *, reset: bool, name: str = "X") -> Any:
        """Checked CSR counts."""
        X = _counts.acceptable(X, name)
        wanted = {"accept_sparse": "csr", "dtype": [np.float64, np.float32, np.int64, np.int32]}
        if reset or not sp.issparse(X):
            X = validate_data(self, X, reset=reset, **wanted)
        else:
            # Not by `validate_data`, which warns that names are missing: no sparse matrix has any.
            X = check_array(X, estimator=self, input_name=name, **wanted)
            _counts.check_width(X, self.n_features_in_, type(self).__name__, name)
        return _counts.without_vanishing(_counts.check_counts(X, name))

    def _training_counts(self, X: Any, *, reset: bool) -> Any:
        """Checked CSR counts to learn from."""
        X = self._counts(X, reset=reset)
        _counts.warn_of_tfidf(X)
        return X

    def _chunk_counts(self, chunk: Any, reset: bool) -> Any:
        checked = self._training_counts if reset else self._counts
        return checked(_counts.acceptable_chunk(chunk), reset=reset)

    def _fitted_counts(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._counts(X, reset=False)

    def _get_state(self) -> Tree:
        """All that learning has made, and the parameters that it went by, for `save`."""
        trainer = self._trainer
        state = trainer.get_state()
        check_trainer(state)
        return {
            "parameters": plain_parameters(
                {
                    name: value
                    for name, value in self._trained_with.items()
                    if value is not getattr(self, name)
                }
            ),
            "expected_samples": trainer.settings.expected_samples,
            "planned_passes": trainer.settings.planned_passes,
            "given_topics": trainer.settings.given_topics,
            "first_alpha": trainer.first_alpha,
            "first_eta": trainer.first_eta,
            "trainer": state,
            **{name: getattr(self, f"{name}_", None) for name in _HISTORIES},
        }

    def _set_state(self, tree: Tree) -> None:
        """Go on from what `_get_state` returned, with `n_features_in_` set."""
        with within("parameters"):
            self._trained_with = self.get_params(deep=False) | parameters_of(tree["parameters"])
        lda = type(self)(**self._trained_with)
        self._trainer = restored_trainer(lda, self.n_features_in_, tree)
        for name, fields in _HISTORIES.items():
            with within(name):
                if tree[name] is not None:
                    setattr(self, f"{name}_", _history(tree[name], fields))

    def _set_fitted(
        self,
        trainer: Trainer,
        validation: Validation | None,
        bounds: list[tuple[float, float, float]] | None = None,
    ) -> None:
        """Become what `fit` has made."""
        self._trainer, self._components = trainer, None
        for name, fields in _HISTORIES.items():
            of_scores = validation.scores if validation is not None else None
            history = of_scores if name == "score_history" else bounds
            # Attributes that there are only where they were asked for.
            if history:
                dtype = [(field, float) for field in fields]
                setattr(self, f"{name}_", np.array(history, dtype=dtype))
            else:
                self.__dict__.pop(f"{name}_", None)

    def _as_of(self, trainer: Trainer, validation: Validation | None) -> Self:
        """Another estimator, fitted as if learning had ended here, that learning leaves alone."""
        other = copy(self)
        other._set_fitted(deepcopy(trainer), validation)
        return other
