"""Data that need no download: a real corpus, and draws from models."""

from ._docstrings import load_docstrings
from ._synthetic import make_lda_corpus
from ._two_gaussians import make_two_gaussians

__all__ = ["load_docstrings", "make_lda_corpus", "make_two_gaussians"]
