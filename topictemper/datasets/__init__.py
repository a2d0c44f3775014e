"""Corpora: two that need no download, and the files of others."""

from ._docstrings import load_docstrings
from ._mapped import open_corpus, save_corpus
from ._synthetic import make_lda_corpus

__all__ = ["load_docstrings", "make_lda_corpus", "open_corpus", "save_corpus"]
