"""Passes and documents that a model has seen, of a corpus or of a stream of unknown length."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._utils._state import Stateful
from ..tempering._control import Clock
from . import _defaults as default
from ._minibatch import Minibatch


class CorpusSize(NamedTuple):
    """D and W, the documents and the tokens of the whole corpus."""

    documents: float
    tokens: float

    @property
    def length(self) -> float:
        """Tokens of a document."""
        return self.tokens / self.documents


class StreamClock(Stateful):
    """Where training stands.

    Parameters
    ----------
    expected_samples : float or None
        Documents in the corpus, or in the stream, each counted once; None: nobody knows.

    Attributes
    ----------
    n_updates : int
        Steps made.
    documents_seen : float
        Documents learned from, each as often as it has been seen.
    total_samples : float
        D: documents that the topics stand for.
    """

    STATE = (
        "n_updates",
        "documents_seen",
        "_tokens_seen",
        "total_samples",
        "_once",
        "_pass_length",
        "_passes_before",
        "_seen_before",
    )

    def __init__(self, expected_samples: float | None) -> None:
        self.n_updates = 0
        self.documents_seen = 0.0
        self._tokens_seen = 0.0
        self._growing = False
        # Documents, each counted once: of the corpus, and of those that are known of so far.
        self.total_samples = expected_samples or default.STREAM_SAMPLES
        self._once = expected_samples or 0.0
        self._pass_length = self.total_samples
        self._passes_before, self._seen_before = 0.0, 0.0

    @property
    def passes(self) -> float:
        """Documents seen over documents in the corpus, or in a pass of a stream (DASVI eq. 25)."""
        return self._passes_before + (self.documents_seen - self._seen_before) / self._pass_length

    @property
    def length(self) -> float:
        """Tokens of a document, of those that have been seen."""
        return self._tokens_seen / self.documents_seen

    @property
    def documents_left(self) -> float:
        """Documents that are left of a stream of known length, if there are any."""
        return max(self._pass_length - (self.documents_seen - self._seen_before), 0.0)

    @property
    def is_short(self) -> bool:
        """Whether a stream of unknown length has had fewer documents than it is taken to have."""
        return self._once < self.total_samples

    @property
    def only_new(self) -> bool:
        """Whether no document has been seen before."""
        return self._growing or self.passes < 1.0

    def now(self, n_documents: float) -> Clock:
        """Return the time of a step of so many documents."""
        return Clock(self.passes, n_documents / self._pass_length)

    def expect(self, total_samples: float | None) -> float:
        """Go on for a corpus of so many documents; None: it grows as they come.

        Returns
        -------
        float
            The factor by which D changes.
        """
        self._growing = total_samples is None
        if total_samples is None or total_samples == self.total_samples:
            return 1.0
        self._passes_before, self._seen_before = self.passes, self.documents_seen
        self._pass_length = self._once = total_samples
        return self._resize(total_samples)

    def grow(self, n_documents: float) -> float:
        """Count new documents, if the corpus grows; returns the factor by which D changes."""
        if not self._growing:
            return 1.0
        self._once += n_documents
        return self._resize(self._once) if self._once > self.total_samples else 1.0

    def corpus_size(self, batch: Minibatch) -> CorpusSize:
        """Return D and W, with a minibatch that is being learned from."""
        documents = self.documents_seen + batch.size
        tokens = self._tokens_seen + batch.total_tokens
        return CorpusSize(self.total_samples, self.total_samples * tokens / documents)

    def after(self, batch: Minibatch) -> dict[str, Any]:
        """Return the attributes that a step changes, as they are after it."""
        return {
            "n_updates": self.n_updates + 1,
            "documents_seen": self.documents_seen + batch.size,
            "_tokens_seen": self._tokens_seen + batch.total_tokens,
        }

    def _resize(self, total_samples: float) -> float:
        factor = total_samples / self.total_samples
        self.total_samples = total_samples
        return factor
