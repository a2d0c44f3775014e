"""Corpora: two that need no download, and the files of others."""

from ._docstrings import load_docstrings
from ._formats import read_corpus, write_corpus
from ._gensim import from_gensim, to_gensim
from ._mapped import open_corpus, save_corpus
from ._parquet import iter_parquet_text
from ._synthetic import make_lda_corpus

__all__ = [
    "from_gensim",
    "iter_parquet_text",
    "load_docstrings",
    "make_lda_corpus",
    "open_corpus",
    "read_corpus",
    "save_corpus",
    "to_gensim",
    "write_corpus",
]
