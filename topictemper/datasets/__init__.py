"""Corpora that need no download: one real, one drawn from the model."""

from ._docstrings import load_docstrings
from ._synthetic import make_lda_corpus

__all__ = ["load_docstrings", "make_lda_corpus"]
