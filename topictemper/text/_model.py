"""TopicModel: topics of texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from .._utils import _chunks
from .._utils import _validation as check
from .._utils._counts import sample_weights
from .._utils._files import new_path
from .._utils._log import say
from .._utils._missing import check_order
from .._utils._rollback import complete, unchanged_on_error
from .._utils._warnings import warn
from ..lda._estimator import TemperedLDA
from ..lda._other_names import OtherNamesMixin, understands_other_names
from ..lda._seeding import Seeds
from ..persistence._models import savable
from ..persistence._vectorizers import as_tokens
from ._counting import count_by_vocabulary, learn_vocabulary, set_vocabulary
from ._other_names import ATTRIBUTES, CALLED
from ._parameters import (
    check_before_counting,
    default_lda,
    new_lda,
    new_vectorizer,
    refuse_changes,
    unfitted_lda,
    with_parts,
)
from ._parts import Part
from ._prediction_mixin import PredictionMixin, texts_by_name
from ._report import ReportTextsMixin
from ._saving import SaveTextsMixin
from ._summaries import LearnedDocuments, TopicStatistics, learned_statistics, proportions_of
from ._tables import TablesMixin
from ._texts import Texts, has_length
from ._unknown import UnknownShare, UnknownWords
from ._work import WorkMixin

_UNKNOWN_SHOWN = 20


@savable
@texts_by_name
class TopicModel(
    TablesMixin,
    WorkMixin,
    ReportTextsMixin,
    SaveTextsMixin,
    PredictionMixin,
    OtherNamesMixin,
    BaseEstimator,
):
    """Topics of texts: `fit` counts the words, fits a `TemperedLDA`, and keeps both together.

    `topics_` and `documents` are tables, `report` makes an HTML page, and `transform` gives
    proportions, also in a pipeline. All methods take a list of strings, an array, a column of
    pandas, polars or Arrow, or any iterable. Each document may also be a list of tokens instead of
    a string. A missing value is an empty document.

    Parameters
    ----------
    n_components : int, default=None
        Number of topics. None takes that of `lda`, or 10 without one. A value here takes the place
        of that of `lda`, and so do `random_state`, `n_jobs` and `verbose`.
    vectorizer : CountVectorizer, default=None
        Splits texts into words, and chooses the vocabulary. Texts and stop words are put in
        Unicode's NFC before, unless it has functions of its own. None counts words of three or more
        letters, in lower case, that are in at least 5 documents and in at most half of all
        documents (``min_df=5, max_df=0.5``). It leaves out English stop words and what is left of
        contractions, such as the "don" of "don't". ``set_params(vectorizer__min_df=10)`` changes
        one of these.
    lda : TemperedLDA, default=None
        The model to fit. None is one with its default settings.
    seed_topics : mapping of str to list of str, or SeedTopics, default=None
        Labels and words of topics that you know: ``{"space": ["space", "nasa", "orbit"]}`` makes
        the first topic one about these words. See `topictemper.topics.SeedTopics`.
    random_state : int or RandomState, default=None
        The same seed gives the same topics. None takes that of `lda`.
    n_jobs : int, default=None
        Number of threads of `lda`, and of processes that count the words of many texts. None: that
        of `lda`.
    verbose : int, default=None
        1: log the progress of counting and of learning. None: as `lda` says.

    Attributes
    ----------
    topics_ : pandas.DataFrame
        A row for each topic, with its label, share, documents, coherence and words.
    labels_ : ndarray of str, of shape (n_components,)
        Labels of the topics, from `set_labels`, or else their most probable words.
    lda_ : TemperedLDA
        The fitted model of the counts.
    vectorizer_ : CountVectorizer
        The fitted vectorizer.
    feature_names_ : ndarray of str, of shape (n_features,)
        The words.
    unknown_share_ : float
        Share of the words of the last `fit` or `update` that are not in the vocabulary.
    unknown_words_ : pandas.DataFrame
        The most frequent unknown words of the last `update`.

    See Also
    --------
    TemperedLDA : Learns from counts, such as those of another vectorizer.
    topictemper.dask.TopicModel : Learns on several machines.

    Notes
    -----
    A list or a column is counted in memory. An iterable without a length, such as a generator, may
    be larger than the memory: `fit` reads it once, writes the counts to a temporary folder (in
    ``TMPDIR``), and learns the topics from there. If there are more than two million different
    words, the rarest are forgotten while counting (lossy counting), so that memory does not grow
    with the stream. A warning then says by how much document frequencies may be too low.

    ``vectorizer__min_df`` or ``lda__tempering`` set parameters of the parts in `set_params`,
    `~sklearn.model_selection.GridSearchCV` and pipelines. Scores of models with different
    vocabularies are not comparable.

    Examples
    --------
    >>> from topictemper import TopicModel
    >>> from topictemper.datasets import load_docstrings
    >>> texts = load_docstrings().text[:1500]
    >>> model = TopicModel(8, random_state=0).fit(texts)
    >>> len(model.topics_)
    8
    >>> model.topics_.words[7]  # doctest: +SKIP
    ['array', 'axis', 'numpy', 'false', 'dtype', 'true', 'data', 'shape', 'arrays', 'like']
    >>> table = model.documents(["Sum of array elements over an axis.", ""])
    >>> table.topic[1]  # no topic
    np.int64(-1)

    New words are counted, not learned:

    >>> model.update(texts[:100]).unknown_share_ < 0.5
    True
    """

    #: Frequent unknown words of the last `update`, with their counts.
    _unknown: dict[str, int] | None = None
    #: What `unknown_share_` was after `fit`; None if it is that still.
    _unknown_in_fit: float | None = None

    _other_names = ATTRIBUTES

    @understands_other_names(CALLED)
    def __init__(
        self,
        n_components: int | None = None,
        *,
        vectorizer: CountVectorizer | None = None,
        lda: TemperedLDA | None = None,
        seed_topics: Seeds | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.vectorizer = vectorizer
        self.lda = lda
        self.seed_topics = seed_topics
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the model, its vectorizer and its lda.

        Parameters
        ----------
        **params
            By name; ``vectorizer__min_df`` and the like are those of a part. If the part is None,
            its default is set first. `n_jobs` and `verbose` hold for a fitted model at once, the
            others for the next `fit`. `update` refuses the changed ones that it would ignore.

        Returns
        -------
        TopicModel
            The estimator itself.
        """
        params = with_parts(self, params, default_lda)
        super().set_params(**params)
        of_process = params.keys() & {"n_jobs", "verbose"}
        if of_process and hasattr(self, "lda_"):
            asked = unfitted_lda(self, default_lda)
            self.lda_.set_params(**{name: getattr(asked, name) for name in of_process})
        return self

    def fit(
        self,
        texts: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        corpus_folder: str | os.PathLike[str] | None = None,
        on_interrupt: Literal["raise", "keep"] = "raise",
    ) -> Self:
        """Choose the vocabulary, count the words, and learn the topics.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents. There is a warning if a fifth of them have no word of the vocabulary.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            How often the words of each document count for the topics, >= 0; see `TemperedLDA.fit`.
            The vocabulary, and the columns ``documents`` and ``coherence`` of `topics_`, count
            every document once.
        corpus_folder : str or path-like, default=None
            A new folder to keep the counts and the words in, for
            `topictemper.datasets.open_corpus`. Topics are then learned from there, not from memory.
            It also says how texts are cut into words, for ``topictemper fit FOLDER``.
            It has no words if one cannot be a line of a file: with a line break, or a blank end.
        on_interrupt : {"raise", "keep"}, default="raise"
            What Ctrl-C does while topics are learned; see `TemperedLDA.fit`. At the end, while
            topics of the documents are inferred, "keep" keeps the topics, but the numbers of
            documents and the coherence in `topics_` are then NaN, also after an `update`.

        Returns
        -------
        TopicModel
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a parameter or a document is invalid, or no words are left. The estimator is then
            unchanged.
        """
        with self._learned(texts, sample_weight, corpus_folder, on_interrupt):
            return self

    def fit_transform(
        self,
        texts: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        corpus_folder: str | os.PathLike[str] | None = None,
        on_interrupt: Literal["raise", "keep"] = "raise",
    ) -> Any:
        """Fit, and return the proportions of the topics in the documents, which are read once.

        Parameters
        ----------
        texts, y, sample_weight, corpus_folder, on_interrupt
            As for `fit`. An interrupt or an error after the fit, while the proportions are
            inferred, is raised, but the estimator stays fitted.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As for `transform`.
        """
        with self._learned(texts, sample_weight, corpus_folder, on_interrupt) as counts:
            return self._transformed([counts])

    def update(self, texts: Any, *, sample_weight: Any = None) -> Self:
        """Learn from more documents; the vocabulary does not change.

        `update` uses `TemperedLDA.partial_fit`. Documents may come one by one from a generator,
        which is read once. Do not make many calls with few documents each: they make the topics
        worse.

        `unknown_share_` and `unknown_words_` say which words of the documents are not in the
        vocabulary. With `verbose` they are logged. There is a warning if the share is more than 0.1
        higher than in the documents of `fit`, both with and without the document that raises it
        most. Texts on new subjects raise it so, and a new `fit` is then better. A single document,
        such as an encoded file, gives no warning: `unknown_words_` shows it.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        sample_weight : array-like of shape (n_samples,), optional
            How often the words of each document count for the topics, as for `fit`. `texts` must
            then have a length.

        Returns
        -------
        TopicModel
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If a document or a weight is invalid, or if a parameter such as `seed_topics` or
            ``vectorizer__ngram_range`` is not that of the fit. The estimator is then unchanged.
            With a stream it may have learned from the documents before the invalid one;
            `unknown_share_` and `unknown_words_` are then those of the previous update.
        """
        check_is_fitted(self)
        refuse_changes(self)
        check_order("texts", texts, sample_weight=sample_weight)
        in_fit = self.unknown_share_ if self._unknown_in_fit is None else self._unknown_in_fit
        unknown, share = UnknownWords(), UnknownShare(in_fit)
        parts: Iterable[Part] = self._parts(texts, unknown)
        if sample_weight is not None:
            if not has_length(texts):
                raise ValueError(
                    "sample_weight must be None where texts is a stream; give a list of texts"
                )
            sample_weight = sample_weights(sample_weight, len(texts))
        documents = LearnedDocuments(self.lda_, self._statistics, sample_weight)
        if has_length(texts):
            # All are checked before the first is learned.
            parts = list(parts)

        def matrices() -> Iterator[Any]:
            for part in parts:
                share.add(part)
                counts = part.matrix(self.vectorizer_)
                # By the topics that were learned before.
                documents.read(counts, proportions_of(self.lda_, counts))
                yield counts

        try:
            if sample_weight is None:
                self.lda_.partial_fit(matrices())
            else:
                self.lda_.partial_fit(_chunks.stacked(list(matrices())), None, sample_weight)
            self._statistics = documents.statistics()
        except BaseException:  # a stream that breaks off has taught something
            complete(lambda: setattr(self, "_statistics", documents.statistics()))
            raise
        self.unknown_share_, self._unknown_in_fit = share.value, in_fit
        self._unknown = unknown.most_common(_UNKNOWN_SHOWN)
        if self.verbose:
            say(str(share))
        if share.has_risen:
            warn(f"{share}; if unknown_words_ has words of new subjects, fit anew to learn them")
        return self

    def _fit(
        self, lda: TemperedLDA, counts: Any, weights: Any, on_interrupt: Literal["raise", "keep"]
    ) -> None:
        names = self.vectorizer_.get_feature_names_out()
        self.lda_ = lda.fit(counts, None, weights, feature_names=names, on_interrupt=on_interrupt)
        self._statistics = learned_statistics(lda, counts, keeps=on_interrupt == "keep")
        self._unknown = self._unknown_in_fit = None

    @contextmanager
    def _learned(
        self,
        texts: Any,
        weights: Any,
        corpus_folder: Any,
        on_interrupt: Literal["raise", "keep"],
    ) -> Iterator[Any]:
        """Fit, and give the counts, which may lie in a temporary folder."""
        check.choice("on_interrupt", on_interrupt, ("raise", "keep"))
        with ExitStack() as stack:
            with unchanged_on_error(self):
                lda = new_lda(self)
                check_before_counting(lda)
                check_order("texts", texts, sample_weight=weights)
                documents = Texts(texts)
                # Whether there is one for each document of a stream is known at its end.
                sample_weights(weights, None if documents.is_stream else len(texts))
                vectorizer = new_vectorizer(self.vectorizer, documents.tokens)
                folder = None if corpus_folder is None else new_path(corpus_folder, "corpus_folder")
                temporary = None
                if folder is None and documents.is_stream:
                    temporary = _temporary_folder()
                    folder = Path(stack.enter_context(temporary)) / "corpus"
                found = learn_vocabulary(
                    documents,
                    vectorizer,
                    folder,
                    n_jobs=lda.n_jobs,
                    verbose=bool(lda.verbose),
                    n_left=documents.n_left,
                )
                if temporary is not None and os.name == "posix":
                    # Mapped files stay readable without their names, and nothing is left by a kill.
                    temporary.cleanup()
                self.vectorizer_, self.unknown_share_ = vectorizer, found.unknown_share
                if weights is None:  # or copies may count less already
                    found.copies.warn()
                self._fit(lda, found.counts, weights, on_interrupt)
            yield found.counts

    def _texts(self, texts: Any) -> Texts:
        """Documents of the kind of `fit`."""
        # An analyzer of the user's may take either.
        vectorizer = self.vectorizer_
        tokens = None if callable(vectorizer.analyzer) else vectorizer.tokenizer is as_tokens
        return Texts(texts, tokens)

    def _parts(self, texts: Any, unknown: UnknownWords | None = None) -> Iterator[Part]:
        """Count the words of documents, some at a time."""
        return count_by_vocabulary(
            self._texts(texts), self.vectorizer_, unknown, n_jobs=self.lda_.n_jobs
        )

    def _matrices(self, texts: Any) -> Iterator[Any]:
        return (part.matrix(self.vectorizer_) for part in self._parts(texts))


def _temporary_folder() -> TemporaryDirectory[str]:
    """Return a folder for the counts of a stream; what is left in it is no error at the end."""
    try:
        return TemporaryDirectory(prefix="topictemper", ignore_cleanup_errors=True)
    except OSError as error:
        raise type(error)(
            "a stream of texts is counted in a temporary folder, and none can be made "
            f"({error.strerror}): set TMPDIR to a folder that can be written, or give "
            "corpus_folder, or a list of texts"
        ) from error


def text_model_of(lda: TemperedLDA, vectorizer: CountVectorizer) -> TopicModel:
    """Return a model of texts made of a fitted model of counts, whose words are known.

    Which words were left out of the counts is not known, so its `unknown_share_` is NaN.
    """
    model = TopicModel(vectorizer=clone(vectorizer), lda=clone(lda))
    model.lda_, model.vectorizer_ = lda, vectorizer
    set_vocabulary(vectorizer, lda.feature_names_in_.tolist())
    model._statistics, model.unknown_share_ = TopicStatistics.blank(lda), np.nan
    return model


def fit_counted(
    counts: Any,
    words: list[str],
    lda: TemperedLDA,
    vectorizer: CountVectorizer,
    unknown: float,
    *,
    on_interrupt: Literal["raise", "keep"],
) -> TopicModel:
    """Return the model that `TopicModel.fit` of the texts gives, from their counts."""
    if vectorizer.vocabulary is not None:
        # In the order of the columns, and by the names that they have now.
        vectorizer.set_params(vocabulary=words)
    model = TopicModel(vectorizer=vectorizer, lda=lda)
    model.vectorizer_, model.unknown_share_ = clone(vectorizer), unknown
    set_vocabulary(model.vectorizer_, words)
    model._fit(new_lda(model), counts, None, on_interrupt)
    return model
