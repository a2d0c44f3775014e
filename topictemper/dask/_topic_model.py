"""`topictemper.dask.TopicModel`: topics of texts, on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from .._utils._chunks import n_empty_rows
from .._utils._counts import check_held_out
from .._utils._log import say
from .._utils._rollback import unchanged_on_error
from ..lda._held_out import split_tokens
from ..lda._other_names import OtherNamesMixin, understands_other_names
from ..text._counting import choose_words, count_by_vocabulary
from ..text._empty_documents import warn_of_empty_documents
from ..text._model import TopicModel as _Local
from ..text._model import text_model_of
from ..text._parameters import check_before_counting, new_vectorizer, unfitted_lda, with_parts
from ..text._prediction_mixin import TextsMixin
from ..text._texts import Texts
from ..text._vocabulary import GrowingVocabulary
from . import _prediction
from . import _text_tasks as tasks
from ._blocks import Blocks, blocks_of, is_lazy, joined, refuse_delayed, renamed
from ._estimator import TemperedLDA
from ._executors import Executor, repeated
from ._other_names import attributes_of, called_by_texts
from ._preflight import common_isa, executor_for
from ._tasks import itself

# Results that are put together at a time.
_AT_ONCE = 16


def _default_lda() -> TemperedLDA:
    return TemperedLDA(10)


class TopicModel(TextsMixin, OtherNamesMixin, BaseEstimator):
    """Topics of texts in a collection of Dask, on a cluster or in this process.

    Workers choose the vocabulary, count the words, and learn the topics by rounds. The vocabulary
    is that of `topictemper.TopicModel` for the same texts. The same texts, parameters and
    `random_state` give the same bits for any number of workers and any blocks.

    Parameters
    ----------
    n_components : int, default=None
        Number of topics. None: that of `lda` if it is given, else 10. As with the last three
        parameters, a value takes the place of the one of `lda`.
    vectorizer : CountVectorizer, default=None
        Cuts texts into words, and chooses the vocabulary; see `topictemper.TopicModel`.
    lda : topictemper.dask.TemperedLDA, default=None
        The model to fit, with the client, the shards and the checkpoint. None is one with its
        default settings.
    random_state : int or RandomState, default=None
        The same seed gives the same topics. None takes that of `lda`.
    n_jobs : int, default=None
        Threads of a worker. None: as `lda` says.
    verbose : int, default=None
        1: log a line for every round. None: as `lda` says.

    Attributes
    ----------
    lda_ : topictemper.dask.TemperedLDA
        The fitted model of the counts.
    vectorizer_ : CountVectorizer
        The fitted vectorizer.
    feature_names_ : ndarray of str, of shape (n_features,)
        The words.
    unknown_share_ : float
        Share of the words of the texts that are not in the vocabulary.

    See Also
    --------
    topictemper.TopicModel : Learns from texts on one machine.

    Notes
    -----
    Texts are read twice, to find the words and to count them. The counts stay with the
    workers while topics are learned; Dask writes to disk what does not fit into their memory. All
    different words of the texts, with their numbers of documents, go through this process.

    Examples
    --------
    >>> import dask.bag as db
    >>> from topictemper.dask import TemperedLDA, TopicModel
    >>> from topictemper.datasets import load_docstrings
    >>> texts = db.from_sequence(load_docstrings().text[:300], npartitions=4)
    >>> model = TopicModel(8, lda=TemperedLDA(n_shards=2, max_iter=2), random_state=0).fit(texts)
    >>> model.transform(texts)
    dask.array<concatenate, shape=(nan, 8), dtype=float32, chunksize=(nan, 8), ...>
    >>> len(model.to_local().topics_)
    8
    """

    _other_names = attributes_of(_Local)

    lda_: TemperedLDA
    vectorizer_: CountVectorizer
    unknown_share_: float

    @understands_other_names(called_by_texts(TemperedLDA._get_param_names()))
    def __init__(
        self,
        n_components: int | None = None,
        *,
        vectorizer: CountVectorizer | None = None,
        lda: TemperedLDA | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.vectorizer = vectorizer
        self.lda = lda
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the model, its vectorizer and its lda.

        Parameters
        ----------
        **params
            As for `topictemper.TopicModel.set_params`.

        Returns
        -------
        TopicModel
            The estimator itself.
        """
        super().set_params(**with_parts(self, params, _default_lda))
        return self

    def fit(
        self, texts: Any, y: Any = None, *, validation_texts: Any = None, resume: bool = False
    ) -> Self:
        """Choose the vocabulary, count the words, and learn the topics.

        Parameters
        ----------
        texts : dask.bag, or column of a dask.dataframe
            Texts, or lists of tokens. There is a warning if a fifth of them have no word of the
            vocabulary.
        y : None
            Ignored.
        validation_texts : iterable of str, or of lists of str, optional
            Documents to score after every round; see `TemperedLDA.fit`.
        resume : bool, default=False
            Whether to go on with the fit whose rounds are in the `checkpoint` of `lda`.

        Returns
        -------
        TopicModel
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or a document is invalid, or no words are left; the error names the
            block. The estimator is unchanged.
        RuntimeError
            If the client is closed, if workers lack the package or differ in version or processor,
            or if too many workers were lost.
        """
        with unchanged_on_error(self):
            self._fit(texts, validation_texts, resume)
        return self

    def transform(self, texts: Any) -> da.Array:
        """Proportions of the topics in texts.

        Parameters
        ----------
        texts : dask.bag, or column of a dask.dataframe
            The documents.

        Returns
        -------
        dask.array.Array of shape (n_samples, n_components)
            Lazy; the same bits as ``to_local().transform``.
        """
        check_is_fitted(self)
        meta = self.lda_._no_proportions
        return _prediction.transform(self._model(), _column(texts), meta=meta)

    def score(self, texts: Any, y: Any = None, sample_weight: Any = None) -> da.Array:
        """Predictive log-likelihood of held-out words: `topictemper.dask.score`.

        Parameters
        ----------
        texts : dask.bag, or column of a dask.dataframe
            The documents.
        y : None
            Ignored.
        sample_weight : array-like or dask.array.Array of shape (n_samples,), optional
            How often the words of each document count in the mean, >= 0.

        Returns
        -------
        dask.array.Array of shape ()
            Lazy; nats per held-out word. The same bits as ``to_local().score``.
        """
        check_is_fitted(self)
        return _prediction.score(self._model(), _column(texts), sample_weight=sample_weight)

    def perplexity(self, texts: Any, y: Any = None, sample_weight: Any = None) -> da.Array:
        """Perplexity of held-out words, ``exp(-score(texts))``.

        Parameters
        ----------
        texts, y, sample_weight
            As for `score`.

        Returns
        -------
        dask.array.Array of shape ()
            Lazy; lower is better.
        """
        return da.exp(-self.score(texts, None, sample_weight))

    def to_local(self) -> _Local:
        """Bring the model to this process.

        Returns
        -------
        topictemper.TopicModel
            The fitted model, which shows its topics, predicts, saves and goes on learning.
        """
        check_is_fitted(self)
        lda = self.lda_.to_local()
        lda.feature_names_in_ = self.feature_names_
        model = text_model_of(lda, self.vectorizer_)
        model._statistics, model.unknown_share_ = self._statistics, self.unknown_share_
        return model

    @property
    def feature_names_(self) -> Any:
        """The words."""
        check_is_fitted(self)
        return self.vectorizer_.get_feature_names_out()

    def _fit(self, texts: Any, validation_texts: Any, resume: bool) -> None:
        lda = self._new_lda()
        lda._check_rounds(resume=resume, validated=validation_texts is not None)
        check_before_counting(lda._unfitted_local())
        lda._check_storable()
        blocks = renamed(blocks_of(_column(texts)))
        executor = executor_for(lda.client, lazy=True)
        common_isa(executor.machines(), lda.isa)
        report: Callable[[str], None] = say if lda.verbose else lambda line: None

        def attempts(attempt: Callable[[], Any], what: str) -> Any:
            return repeated(executor, lambda _: attempt(), what, report)

        tokens = attempts(lambda: _tokens(executor, blocks), "the first look at texts")
        vectorizer = new_vectorizer(self.vectorizer, tokens)
        held_out = None if validation_texts is None else Texts(validation_texts, tokens)
        growing, filled = attempts(
            lambda: _words(executor, blocks, vectorizer, tokens), "counting words"
        )
        words, unknown_share, _ = choose_words(vectorizer, growing)
        shared = attempts(lambda: _sent(executor, vectorizer), "sending the vocabulary")
        counts = _persisted(executor, _counts(filled, shared, tokens, len(words)))
        del shared  # the tasks that need it hold on to it
        n_empty = attempts(lambda: _n_empty(executor, counts), "counting documents without words")
        warn_of_empty_documents(
            n_empty,
            growing.n_documents,
            vectorizer,
            "leave out those that are empty; if most of them have words, see whether min_df, "
            "max_df, max_features or stop words leave out too many",
        )
        validation = None
        if held_out is not None:
            parts = count_by_vocabulary(held_out, vectorizer)
            validation = sp.vstack([part.matrix(vectorizer) for part in parts], format="csr")
            check_held_out([split_tokens(validation)[1]], "validation_texts")
        self.lda_ = lda.fit(counts, validation_X=validation, resume=resume)
        self.vectorizer_, self.unknown_share_ = vectorizer, unknown_share
        self._statistics = attempts(
            lambda: _statistics(executor, blocks_of(counts), self._model()), "counting topics"
        )

    def _new_lda(self) -> TemperedLDA:
        if self.lda is not None and not isinstance(self.lda, TemperedLDA):
            raise TypeError(
                "lda must be a topictemper.dask.TemperedLDA or None, got "
                f"{type(self.lda).__module__}.{type(self.lda).__name__}"
            )
        return unfitted_lda(self, _default_lda)

    def _model(self) -> Any:
        """The fitted model of texts, or a Future of it."""
        return self.lda_._submitted(tasks.text_model, self.vectorizer_)


def _column(texts: Any) -> Any:
    """Return the texts, if they are a collection of Dask."""
    refuse_delayed("texts", texts)
    if not is_lazy(texts) or hasattr(type(texts), "chunks"):
        raise TypeError(
            "texts must be a dask.bag or a column of a dask.dataframe; for texts in memory use "
            f"topictemper.TopicModel; got {type(texts).__name__}"
        )
    if getattr(texts, "ndim", 1) != 1:
        raise TypeError(
            "texts is a data frame; give one column of text, such as frame['text']. For counts of "
            "words use TemperedLDA"
        )
    return texts


def _tokens(executor: Executor, blocks: Blocks) -> bool:
    """Whether documents are lists of tokens: as in the first block that has any."""
    for place, block in enumerate(blocks.parts):
        [tokens] = executor.gather([executor.submit(tasks.tokens_of, place, executor.load(block))])
        if tokens is not None:
            return bool(tokens)
    raise ValueError("texts has no documents")


def _words(
    executor: Executor, blocks: Blocks, vectorizer: CountVectorizer, tokens: bool
) -> tuple[GrowingVocabulary, list[tuple[int, Any, int]]]:
    """The words, and the blocks with documents: place, block and length."""
    shared = executor.submit(itself, vectorizer)
    found = [
        executor.submit(tasks.words_of, place, executor.load(block), shared, tokens)
        for place, block in enumerate(blocks.parts)
    ]
    merged = _reduced(executor, tasks.merged_words, found)
    lengths = [executor.submit(tasks.length_of, words) for words in found]
    del found  # words of a block take memory no longer than it takes to merge them
    n_rows = executor.gather(lengths)
    [growing] = executor.gather([merged])
    filled = [
        (place, block, rows)
        for place, (block, rows) in enumerate(zip(blocks.parts, n_rows, strict=True))
        if rows
    ]
    return growing, filled


def _sent(executor: Executor, vectorizer: CountVectorizer) -> Any:
    """The vectorizer, in the memory of a worker.

    If a lost worker has had both the vectorizer and a block still to make, Dask may give up both
    at once, and would then wait for the block without making it.
    """
    shared = executor.submit(itself, vectorizer)
    executor.wait([shared])
    return shared


def _counts(
    blocks: list[tuple[int, Any, int]], vectorizer: Any, tokens: bool, n_columns: int
) -> da.Array:
    """The counts of texts, as a lazy array; the vectorizer may be a Future."""
    parts = [
        dask.delayed(tasks.counts_of)(place, block, vectorizer, tokens)
        for place, block, _ in blocks
    ]
    return joined(parts, [n_rows for _, _, n_rows in blocks], sp.csr_matrix((0, n_columns)))


def _persisted(executor: Executor, X: da.Array) -> da.Array:
    """The same array, which is computed once."""
    if executor.client is None:
        return X.persist(scheduler="synchronous")
    # Blocks of texts were loaded before: optimized in another way, their tasks would be two.
    return executor.client.persist(X, optimize_graph=False)


def _n_empty(executor: Executor, counts: da.Array) -> int:
    """How many documents have no word of the vocabulary."""
    numbers = [executor.submit(n_empty_rows, executor.load(X)) for X in blocks_of(counts).parts]
    return sum(executor.gather(numbers))


def _statistics(executor: Executor, blocks: Blocks, model: Any) -> Any:
    """What the documents say of the topics."""
    parts = [executor.submit(tasks.described, executor.load(X), model) for X in blocks.parts]
    total = _reduced(executor, tasks.added, parts)
    [statistics] = executor.gather([executor.submit(tasks.statistics_of, model, total)])
    return statistics


def _reduced(executor: Executor, function: Callable[..., Any], results: list[Any]) -> Any:
    """Put together results, some at a time, in their order."""
    while True:
        results = [
            executor.submit(function, results[start : start + _AT_ONCE])
            for start in range(0, len(results), _AT_ONCE)
        ]
        if len(results) == 1:
            return results[0]
