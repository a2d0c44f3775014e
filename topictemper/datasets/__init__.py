"""Corpora that need no download: one real, one drawn from the model."""

from ._docstrings import load_docstrings
from ._shapes import make_shapes, make_two_gaussians
from ._synthetic import make_lda_corpus

__all__ = ["load_docstrings", "make_lda_corpus", "make_shapes", "make_two_gaussians"]
