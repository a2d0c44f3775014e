"""Documents without a word of the vocabulary, and what leaves them without one."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._parts import Part
from ._vocabulary import GrowingVocabulary, document_limit

# With the default `min_df`, 16% to 29% of 200 titles have no word left, but of 500 at most 7%.
# Fewer documents are those of an example.
_LEAST_SHARE, _LEAST_DOCUMENTS = 0.2, 20


class EmptyDocuments:
    """Counts documents that have no word of the vocabulary, by what left their words out."""

    def __init__(self, growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
        self._growing = growing
        self._vectorizer = vectorizer
        self._n_documents = self._n_empty = self._n_without_words = 0
        #: Empty documents with a word that is in too few documents, in too many, and another.
        self._n_with = dict.fromkeys(("min_df", "max_df", "max_features"), 0)

    def add(self, part: Part, chosen: Part) -> None:
        """Look at a part, with the columns of the growing vocabulary and with the final ones."""
        n_documents = len(part.lengths)
        empty = chosen.lengths == 0
        self._n_documents += n_documents
        self._n_empty += int(empty.sum())
        self._n_without_words += int((part.lengths == 0).sum())
        of_empty = empty[part.rows]
        rows = part.rows[of_empty]
        many = self._growing.n_documents_of(part.columns[of_empty])
        low, high = (
            document_limit(limit, self._growing.n_documents)
            for limit in (self._vectorizer.min_df, self._vectorizer.max_df)
        )
        rare, frequent = many < low, many > high
        if self._vectorizer.max_features is None:
            # A forgotten word was rare, though its column may be that of another word now.
            rare = ~frequent
        by_limit = {"min_df": rare, "max_df": frequent, "max_features": ~(rare | frequent)}
        for name, left_out in by_limit.items():
            self._n_with[name] += len(np.unique(rows[left_out]))

    def warn(self) -> None:
        """Warn if there are many, unless the vocabulary was given."""
        warn_of_empty_documents(self._n_empty, self._n_documents, self._vectorizer, self._cure())

    def _cure(self) -> str:
        if self._n_without_words > self._n_empty / 2:
            return (
                "most of them are empty, or the vectorizer finds no words in them, such as in "
                "texts of stop words alone; leave them out"
            )
        most = max(self._n_with.values())
        cures = " or ".join(
            self._cure_of(name) for name, n_with in self._n_with.items() if n_with >= most / 2
        )
        if self._n_without_words:
            return f"leave out those that are empty; for the others, choose {cures}"
        return f"choose {cures}"

    def _cure_of(self, name: str) -> str:
        limit = getattr(self._vectorizer, name)
        if name != "min_df":
            return f"a larger {name} than {limit}"
        if document_limit(limit, self._n_documents) > 1:
            return f"a smaller min_df than {limit}"
        # It leaves no word out: they were forgotten.
        return "texts in a list, without corpus_folder, of which no word is forgotten"


def warn_of_empty_documents(
    n_empty: int, n_documents: int, vectorizer: CountVectorizer, cure: str
) -> None:
    """Warn if many documents have no word of the vocabulary, unless that was given."""
    if (
        vectorizer.vocabulary is None
        and n_documents >= _LEAST_DOCUMENTS
        and n_empty >= _LEAST_SHARE * n_documents
    ):
        warn(
            f"{n_empty:,} of {n_documents:,} documents have no word of the vocabulary, so nothing "
            f"is learned from them: {cure}"
        )
