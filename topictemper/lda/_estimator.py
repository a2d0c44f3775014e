"""TemperedLDA: parameters, learning and the scikit-learn contract."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._core._workers import Workers
from .._utils import _validation as check
from .._utils._rollback import unchanged_on_error
from ..persistence._models import SaveMixin, savable
from ..tempering._mixin import TemperingMixin
from ._assembly import new_trainer, plan_of_corpus
from ._callbacks import CallbackSupportMixin, with_callbacks
from ._config import Config, Tempering
from ._counts_mixin import CountsMixin
from ._fitted import FittedMixin
from ._inspection import InspectionMixin
from ._labels import LabelsMixin
from ._monitor import Monitor, Validation, held_out
from ._other_names import (
    ATTRIBUTES,
    CALLED,
    ELSEWHERE,
    OF_FIT,
    WITHOUT_EFFECT,
    OtherNamesMixin,
    understands_other_names,
)
from ._passes import train, train_in_full
from ._prediction_mixin import PredictionMixin
from ._reduction import ReductionMixin
from ._report import ReportMixin
from ._seeding import Seeds, seed_labels, seeded, unseeded
from ._shares import SharesMixin
from ._stream_mixin import StreamMixin
from ._training import Trainer


@savable
class TemperedLDA(
    CallbackSupportMixin,
    StreamMixin,
    SaveMixin,
    InspectionMixin,
    ReportMixin,
    PredictionMixin,
    FittedMixin,
    ReductionMixin,
    SharesMixin,
    LabelsMixin,
    CountsMixin,
    TemperingMixin,
    OtherNamesMixin,
    BaseEstimator,
):
    """Latent Dirichlet allocation by tempered stochastic variational inference.

    Most users set `n_components`, `random_state`, `n_jobs` and perhaps `max_iter`. The model learns
    from counts of words.

    Training starts at a high temperature T, where the likelihood has little weight and all topics
    are similar. T then falls to 1, where the objective is that of plain stochastic variational
    inference. This avoids many of the poor local optima in which plain inference ends [1]_.

    Parameters
    ----------
    n_components : int, default=100
        Number of topics, K.
    tempering : {"lvt", "vt", "avi", "svi", "dasvi"}, tempering object or None, default="lvt"
        What sets the temperature: one that is learned for each document ("lvt") or for the corpus
        ("vt"), a schedule ("avi"; "dasvi", where the priors are tempered, too), or nothing ("svi"
        or None: T = 1). A name stands for an object of `topictemper.tempering`; see Notes.
    inference : {"auto", "gibbs", "point", "vb"}, default="auto"
        How the topics of a document are inferred: by mean field at the mean of the topics
        ("point"), so at first and then by sampling ("gibbs"), or by mean field with Dirichlet
        topics ("vb"). "auto" is "gibbs" for ``learning_method="online"``, else "point". See Notes.
    doc_topic_prior : float, array-like of shape (n_components,) or "auto", default=None
        Dirichlet prior alpha of the topics of a document; the smaller, the fewer topics. A number
        or an array is used as it is. None starts with ``min(3 / n_components, 0.1)``, and learns a
        value for each topic once documents are sampled. "auto" also learns before that. See Notes.
    topic_word_prior : float, array-like, mapping, SeedTopics or "auto", default=None
        Dirichlet prior eta of the words of a topic: a number, or an array of shape (n_features,) or
        (n_components, n_features). None and "auto" learn one value; see Notes. A mapping of labels
        to words (names of columns), or a `topictemper.topics.SeedTopics`, seeds topics.
    learning_method : {"online", "batch"}, default="online"
        "online" makes a step for each minibatch, as `partial_fit` always does. "batch" makes one
        step from all documents in a pass; it needs 12 bytes of memory for each document and topic,
        and some 65 for each word that a document has, however often.
    max_iter : int, default=None
        Passes over the data in `fit`; for "batch" a maximum. None is 15. For "online" it is more
        for few documents (160,000 in all passes; for n > 40 passes ``sqrt(40 * n)``, at most 120),
        fewer for many documents (a million in all passes, at least 4), and up to three times as
        many for short ones (twice for 20 tokens; at most 120), except with ``inference="point"``.
    batch_size : int, default=None
        Documents in a minibatch. None is a 300th of all documents, at least 64; with more than
        67,000 documents a larger share, up to 2,048. A stream of unknown length counts as 20,000
        documents. Where documents are sampled, sizes differ; see Notes.
    total_samples : float, default=None
        Documents in the whole stream, D, for `partial_fit`. It may change between calls. None: the
        stream counts as 20,000 documents until there have been more. Even a rough number helps.
    learning_decay : float, default=None
        kappa of the learning rate ``(learning_offset + t) ** -learning_decay`` of step t, from 0.5
        (where convergence is not guaranteed) to 1. None is 0.7, and while documents are sampled,
        the rate stays high enough for the topics to remember only the last fifth of a pass.
    learning_offset : float, default=None
        tau of the learning rate, >= 1. None: a quarter of the planned minibatches, 10 to 1024.
    tol : float, default=None
        Only for "batch": training stops when the ELBO (evidence lower bound) rises by less than
        this in a pass at T = 1, in nats per token, unless all topics are still alike. None is 1e-4.
    mean_change_tol : float, default=1e-3
        Inference of a document's topics ends when the mean change of gamma is smaller.
    max_doc_update_iter : int, default=100
        Maximum number of updates of gamma in an E-step; at most 1,000,000.
    init : array-like of shape (n_components, n_features), default=None
        lambda to start from, up to 1e15; less than eta counts as eta. None: random. Given topics
        begin at T = 1, unless `tempering` has a `max_temperature` or a function.
    warm_start : bool, default=False
        Whether `fit` starts from the topics (and learned priors) of the previous fit, whose columns
        must be the same words. T begins as with `init`: a `length` alone is for the first fit.
    shuffle : bool, default=True
        Whether `fit` takes the documents in a new random order in each pass. Not for "batch", which
        takes all of them at once.
    early_stopping : bool, default=False
        Whether `fit` scores held-out documents after every pass, stops when their score no longer
        rises, and keeps the best model. Passes before T = 1 and before sampling do not count.
    validation_fraction : float, default=None
        Share of the documents that `early_stopping` holds out. None: 0.1. Not with `validation_X`.
    n_iter_no_change : int, default=None
        Passes without a better score after which `early_stopping` stops. None is a tenth of the
        planned passes, at least 3.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the model and of what `transform` returns.
    random_state : int, RandomState or None, default=None
        Seed of the start and of the order of documents. The same seed gives the same bits with one
        instruction set (`topictemper.set_isa`).
    n_jobs : int, default=None
        Number of threads. None is 1, -1 is all processors; at most 64, or four for each processor
        if that is more. Results have the same bits for any number.
    verbose : int, default=0
        1: log the first pass and the last, others once a second at most, and for "online" every few
        seconds how far a long pass or `partial_fit` is, with the logger "topictemper".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        lambda, the Dirichlet parameters of the topics. Rows divided by their sums are the topics.
        The array is read-only; change a copy of it.
    n_effective_topics_ : float
        Exponential of the entropy of the topics' sizes. Topics that repeat each other count.
    labels_ : ndarray of str, of shape (n_components,)
        Labels of the topics, from `set_labels`. Where none was set, the most probable words, or
        "topic 3" where words have no names.
    temperature_ : float
        Temperature at the end of training.
    max_temperature_ : float
        Temperature at which annealing started; NaN while it is being looked for.
    temperature_history_ : structured ndarray
        Fields ``pass`` and ``temperature``; for "lvt" also quantiles ``q05`` to ``q95`` of the
        temperatures of documents with words (NaN before there are any), before training replaces
        those above ``temperature`` by it. At most 4,096 rows: if there are more, every second one
        is dropped.
    score_history_ : structured ndarray
        Fields ``pass`` and ``score``; only after `fit` with `validation_X` or `early_stopping`.
    elbo_history_ : structured ndarray
        Fields ``pass``, ``temperature`` and ``elbo``, the annealed ELBO before each pass, in nats
        per token; only after `fit` with "batch". It has no terms of learned temperatures. It may
        fall a little, because each pass infers the proportions of documents anew. With "point",
        ``sum eta log E[beta]`` takes the place of the divergence of the topics, and the ELBO may
        also fall when "auto" raises eta.
    doc_topic_prior_ : ndarray of shape (n_components,)
        alpha for prediction.
    topic_word_prior_ : float or ndarray of shape (n_features,) or (n_components, n_features)
        eta.
    n_iter_ : int
        Passes begun; with `early_stopping`, passes of the model that was kept.
    n_batch_iter_ : int
        Minibatches seen.
    n_features_in_ : int
        Words in the vocabulary, V.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if the input had string names.

    See Also
    --------
    topictemper.TopicModel : Learns from texts.
    topictemper.dask.TemperedLDA : Learns on several machines.
    sklearn.decomposition.LatentDirichletAllocation : The mean-field algorithm at T = 1. The guide
        says which names and defaults differ, and with which settings the two are the same.

    Notes
    -----
    **Temperature.** "lvt" is `LocalTempering`, "vt" `GlobalTempering`, "avi" `Annealing`, "dasvi"
    `PosteriorAnnealing` [3]_, and "svi" plain stochastic variational inference [2]_. By default a
    search finds where documents begin to differ in their topics, in up to about a third of the
    planned passes, or six steps if these are more. Annealing starts there, and T falls linearly to
    1 within 0.3 of the planned passes. (If at most three passes are planned, it is a half and 0.4.
    Where short documents are sampled, passes beyond some 0.4 of the default hardly lengthen them.)
    There is no annealing if documents do not differ above T = 1.07. Nor is there any in fits of
    fewer than ten steps, unless the tempering object sets a schedule, start or length. Where
    documents are not sampled, the limits are eight steps, T = 1.02 and 12 steps. "dasvi" starts at
    T = 1.5 in all fits, without a search. Learned temperatures are averages over a grid of 100
    evenly spaced values of 1 / T, and over 0.15 ("vt": 0.05) of the planned passes. "lvt" learns
    from every minibatch while T > 1, "vt" 20 times in a pass.

    **Inference.** "point" is mean-field inference at the mean of the topics, E[beta] [5]_; "vb" has
    Dirichlet topics, exp(E[log beta]), as in [2]_ and in scikit-learn. Mean-field inference is
    overconfident: it assigns each document to too few topics. So "gibbs" begins as "point", but
    samples documents [6]_ once T = 1, though not within the first two passes (or two thirds of the
    planned ones, if that is less). Topics are averaged from then on, and `transform` uses collapsed
    inference. "gibbs" is not for ``learning_method="batch"``.

    **Alpha.** The values that None learns once documents are sampled [4]_ are learned for 15 passes
    or 160,000 documents (short ones: 80,000), whichever is more; their sum is at most 4. Then the
    values become nearly equal where documents are short. With the default passes or more this
    comes sooner there, after as little as 0.4 of that time. The last fifth of the planned passes
    learns them again. To predict, the values are multiplied by the factor with which half of a
    document best predicts the other half (1 to 4; 0.5 to 16 for mean field). With "gibbs", None
    learns nothing if each minibatch is the whole corpus.

    **Eta.** With "gibbs", None learns the value with which half of a document best predicts the
    other half, once documents have been sampled for a pass: from 0.002 to 0.05, and more for a
    small corpus. If each minibatch is the whole corpus, eta is such that a topic has half as many
    tokens of the prior as of documents (0.003 to 0.15). With "point", or if `learning_decay` is
    set, None is 0.05; with "vb" 0.1. "auto" learns the value that raises the ELBO, from 0.05 (0.1
    with "vb") upwards.

    **Minibatches.** Where documents are sampled, `batch_size=None` is at most a 20th of all
    documents, unless these are 64 or fewer; and once they are sampled, minibatches are joined, to a
    fiftieth of all documents, at most 512.

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

    Settings of a tempering mode are parameters of its object:

    >>> from topictemper.tempering import LocalTempering
    >>> lda = TemperedLDA(5, tempering=LocalTempering(max_temperature=3), random_state=0)
    >>> lda.fit(corpus.counts).max_temperature_
    3.0
    """

    _other_names = ATTRIBUTES

    @understands_other_names({**CALLED, **OF_FIT, **ELSEWHERE}, WITHOUT_EFFECT)
    def __init__(
        self,
        n_components: int = 100,
        *,
        tempering: Tempering = "lvt",
        inference: Literal["auto", "gibbs", "point", "vb"] = "auto",
        doc_topic_prior: float | ArrayLike | Literal["auto"] | None = None,
        topic_word_prior: float | ArrayLike | Seeds | Literal["auto"] | None = None,
        learning_method: Literal["online", "batch"] = "online",
        max_iter: int | None = None,
        batch_size: int | None = None,
        total_samples: float | None = None,
        learning_decay: float | None = None,
        learning_offset: float | None = None,
        tol: float | None = None,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        init: ArrayLike | None = None,
        warm_start: bool = False,
        shuffle: bool = True,
        early_stopping: bool = False,
        validation_fraction: float | None = None,
        n_iter_no_change: int | None = None,
        dtype: Any = "float32",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.tempering = tempering
        self.inference = inference
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.total_samples = total_samples
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.tol = tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.init = init
        self.warm_start = warm_start
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        validation_X: Any = None,
        feature_names: Any = None,
        on_interrupt: Literal["raise", "keep"] = "raise",
    ) -> Self:
        """Learn topics from scratch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts of words (columns) in documents (rows), >= 0; values below 1e-30 count as 0.
            Tf-idf weights and logs of counts give a warning. Memory-mapped arrays
            (`topictemper.datasets.open_corpus`) are not copied, except for rows that
            `early_stopping` holds out. An iterable must yield the same chunks of documents in every
            pass, as a list of sparse matrices does, or an object whose ``__iter__`` starts again.
            Its first pass checks the documents; `shuffle` reorders those of each chunk.
        y : None
            Ignored, but passed on to callbacks.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts, >= 0. Weight 2 has the same effect as two copies of the
            document in the same minibatch. D is the sum of the weights, so if they are mere ratios,
            divide them by their mean. Not for chunks.
        validation_X : array-like or sparse matrix of shape (n_validation, n_features), optional
            Documents that are scored after every pass, for `score_history_` and
            `early_stopping`; or an iterable of chunks of them, as for X.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Words of the columns, for `feature_names_in_`: a sequence; a mapping of words to
            columns or of columns to words, such as ``vocabulary_`` or a gensim ``Dictionary``; or
            a fitted vectorizer. They must not contradict the names of a data frame. None takes
            those, or with `warm_start` the names of the last fit. Else names of an earlier fit are
            dropped, as in scikit-learn. Arrays to predict need no names, unless those of the fit
            are the names of a data frame.
        on_interrupt : {"raise", "keep"}, default="raise"
            What Ctrl-C does. "keep" ends the fit with the model of the last whole pass, or the best
            one of `early_stopping`, and warns; not in the first pass. It needs memory for a copy.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the counts are invalid. After any error, including one in a callback,
            the estimator is unchanged.

        Warns
        -----
        ConvergenceWarning
            If the fit ended at T > 1: by a callback, by a schedule that is longer, or by too few
            minibatches to find the temperature to start from.

        Notes
        -----
        With scikit-learn 1.9 or later `set_callbacks` takes callbacks, such as those of
        `sklearn.callback`. The fit is a task with one subtask "pass" for every pass, whose
        `task_id` counts from 0. A hook that asks for ``fitted_estimator`` gets the model at that
        moment. A hook that returns True at the end of a pass ends the fit. `partial_fit` calls no
        hooks. A ``ScoringMonitor`` needs a `y` and a scoring function::

            monitor = ScoringMonitor(scoring={"score": lambda model, X, y: model.score(X)})
            lda.set_callbacks(monitor).fit(X, np.zeros(X.shape[0]))
        """
        with unchanged_on_error(self):
            keeps = check.choice("on_interrupt", on_interrupt, ("raise", "keep")) == "keep"
            self._fit(X, y, sample_weight, validation_X, feature_names, keeps)
        return self

    # Called within `unchanged_on_error`, because a callback may fail when it is torn down, too.
    @with_callbacks
    def _fit(
        self, X: Any, y: Any, sample_weight: Any, validation_X: Any, feature_names: Any, keeps: bool
    ) -> None:
        names_before = getattr(self, "feature_names_in_", None), self._names_of_frame
        X, sample_weight, validation_X = self._checked_documents(
            X, sample_weight, validation_X, feature_names
        )
        trainer, rows, validation = self._begun(X, sample_weight, validation_X, *names_before)
        context = self._init_callback_context(max_subtasks=trainer.plan.planned_passes)
        elbos: list[tuple[float, float, float]] = []
        hook_arguments = {
            "estimator": self,
            "X": X,
            "y": y,
            # Of the model at the time of the hook: in the end of the one that is kept.
            "reconstruction_attributes": lambda: vars(self._snapshot(trainer, validation, elbos)),
        }
        if sample_weight is not None:
            hook_arguments["metadata"] = {"sample_weight": sample_weight}
        interrupted = False
        with Workers(self.n_jobs) as workers, np.errstate(under="ignore"):
            context.call_on_fit_task_begin(**hook_arguments)
            monitor = Monitor(
                trainer,
                validation,
                context,
                hook_arguments,
                verbose=bool(self.verbose),
                workers=workers,
                keeps=keeps,
            )
            try:
                given = trainer, X, rows, sample_weight, workers, monitor
                if trainer.config.whole:
                    train_in_full(*given, elbos)
                else:
                    train(*given)
            except KeyboardInterrupt:
                trainer = monitor.kept_model(elbos)
                interrupted = True
        if validation is not None and validation.best is not None:
            trainer = validation.best
        trainer.adopt_average()
        self._set_fitted(trainer, validation, elbos)
        if not trainer.is_hot:  # when all topics may still be alike, however many they are
            self._warn_of_topics(X, sample_weight, keeps=keeps)
        elif not interrupted:
            self._warn_of_heat()
        context.call_on_fit_task_end(**hook_arguments)

    def _begun(
        self, X: Any, sample_weight: Any, validation_X: Any, words_before: Any, of_frame: bool
    ) -> tuple[Trainer, Any, Validation | None]:
        """A model to train, the rows of X that it learns from, and what scores it."""
        # Without seed words: their numbers follow from the documents that are learned from.
        # A fit needs memory for three copies of the topics.
        config = Config.of(unseeded(self), X.shape[1], copies=3)
        self._warn_of_pairs(config.n_components)
        self._warn_of_ratios(sample_weight, config.n_components)
        previous = getattr(self, "_trainer", None) if config.warm_start else None
        if previous and words_before is not None:
            self._keep_names(words_before, of_frame=of_frame)
        rows, validation = held_out(config, X, validation_X, sample_weight)
        parameters = seeded(self, X, sample_weight, rows)
        config = Config.of(parameters, X.shape[1])
        plan = plan_of_corpus(config, X, rows, sample_weight)
        trainer = new_trainer(config, plan, previous=previous)
        before = None if previous is None else seed_labels(self._trained_seeds)
        self._begin_labels(seed_labels(self.topic_word_prior), config.n_components, before)
        self._remember_parameters(parameters)
        return trainer, rows, validation
