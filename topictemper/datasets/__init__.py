"""Corpora, synthetic data, and corpora in files."""

from ._bars import make_bars
from ._docstrings import load_docstrings
from ._shapes import make_shapes
from ._synthetic import make_lda_corpus
from ._two_gaussians import make_two_gaussians
from .formats._formats import read_corpus, write_corpus
from .formats._gensim import from_gensim, to_gensim
from .formats._mapped import open_corpus, save_corpus
from .formats._parquet import iter_parquet_text

__all__ = [
    "from_gensim",
    "iter_parquet_text",
    "load_docstrings",
    "make_bars",
    "make_lda_corpus",
    "make_shapes",
    "make_two_gaussians",
    "open_corpus",
    "read_corpus",
    "save_corpus",
    "to_gensim",
    "write_corpus",
]
