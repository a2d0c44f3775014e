"""Corpora that need no download: one real, one drawn from the model."""

from ._bars import make_bars
from ._docstrings import load_docstrings
from ._synthetic import make_lda_corpus

__all__ = ["load_docstrings", "make_bars", "make_lda_corpus"]
