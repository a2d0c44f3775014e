"""The docstrings of Python's standard library, NumPy, SciPy and scikit-learn as a corpus."""

from __future__ import annotations

import os
import platform
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.utils import Bunch

from .._utils import _validation as check
from .._utils._missing import objects
from . import _cache
from ._sources import find_docstrings

# Raise it with any change of what is parsed, counted or stored.
_SCHEMA = 1

_MIN_TOKENS = 10

# Words that belong to the form of a docstring, not to its subject.
_BOILERPLATE = frozenset(
    """
    api arg args argument arguments array arrays attribute attributes bool boolean call callable
    called calls class corresponding data default defaults defined deprecated describe details dict
    dictionary does doi dtype element elements example examples false float following function
    functions given guide html http https import input instance int integer ints keyword kwargs like
    list long math matplotlib method methods module ndarray new non none note notes number numbers
    numpy object objects optional org output param parameter parameters passed plt print provided
    pyplot python raise raised raises ref reference references result results return returned
    returns scalar scipy self sequence set shape short sklearn specified str string strings true
    tuple tuples type typeerror types use used user uses using value valueerror values versionadded
    versionchanged warning warnings www
    """.split()
)

_DESCR = """\
Docstrings of the scientific Python stack
-----------------------------------------

The docstrings of modules, classes, functions and methods in the installed sources of

{versions}

without their tests and compiled parts. A docstring counts once, even if several objects share it,
and only if it is longer than {min_length} characters.

Words are runs of three or more letters, in lower case. The corpus leaves out English stop words,
the boilerplate of docstrings ("parameters", "returns", "optional", ...), and words of fewer than
10 or more than half of the docstrings. It drops docstrings with fewer than 10 words left. The order
of rows is random but fixed, so any prefix is a random sample.

{n_samples} documents, {n_features} words in the vocabulary, {n_tokens} tokens.
"""


class _Docstrings(Bunch):
    counts: csr_array
    feature_names: NDArray[Any]
    names: NDArray[Any]
    text: list[str]
    DESCR: str

    def __getitem__(self, key: str) -> Any:
        # `vocabulary` is the name of the words in earlier scripts. Attributes are looked up here.
        earlier = key == "vocabulary" and key not in self
        return super().__getitem__("feature_names" if earlier else key)

    def __repr__(self) -> str:
        return f"Bunch of {', '.join(self)}"  # all texts would fill a notebook


def load_docstrings(
    *, data_home: str | os.PathLike[str] | None = None, min_length: int = 200
) -> _Docstrings:
    """Load the docstrings of the installed scientific Python stack as word counts.

    The first call parses the sources of the standard library, NumPy, SciPy and scikit-learn,
    without running them. This takes some seconds. The corpus stays on disk until one of the
    versions changes. Other versions give another corpus: pin them if results must be equal.

    Parameters
    ----------
    data_home : str or path-like, default=None
        Folder of the parsed corpus. None takes the environment variable `TOPICTEMPER_DATA`, or
        else `topictemper` in the user's cache folder. If the folder is not writable, every call
        parses the sources.
    min_length : int, default=200
        Docstrings of at most this many characters, without indentation, are left out.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        counts : csr_array of shape (n_samples, n_features), int32
            Counts of the words in each docstring.
        feature_names : ndarray of shape (n_features,), of str
            The words, in alphabetical order.
        names : ndarray of shape (n_samples,), of str
            Name of the object, such as `scipy.stats.ttest_ind`; the first one if several objects
            share a docstring.
        text : list of str, of length n_samples
            The docstrings as written, without indentation.
        DESCR : str
            Description of the corpus, with the versions of the sources.

    Raises
    ------
    TypeError
        If `min_length` is not an integer.
    ValueError
        If `min_length` is negative, or too few docstrings are longer.
    FileNotFoundError
        If no Python sources are installed.

    Examples
    --------
    >>> from topictemper.datasets import load_docstrings
    >>> corpus = load_docstrings()
    >>> corpus.counts.shape == (len(corpus.text), len(corpus.feature_names))
    True
    >>> "scipy.stats.ttest_ind" in corpus.names
    True
    """
    check.integer("min_length", min_length, 0)
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    key = {"schema": _SCHEMA, "min_length": int(min_length), **versions}
    # With the versions in the name, two environments do not overwrite each other's file.
    file_name = "-".join(["docstrings", *map(str, key.values())]) + ".npz"
    path = _cache.cache_folder(data_home) / file_name

    corpus = _from_cache(path, key)
    if corpus is None:
        documents = _parse(_source_folders(), min_length)
        try:
            corpus = _count(documents)
        except ValueError as error:
            raise ValueError(
                f"min_length={min_length} leaves {len(documents)} docstrings, which share too few "
                "words; use a smaller value."
            ) from error
        _to_cache(path, key, corpus)
    n_samples, n_features = corpus.counts.shape
    corpus.DESCR = _DESCR.format(
        versions="\n".join(f"- {name} {version}" for name, version in versions.items()),
        min_length=min_length,
        n_samples=n_samples,
        n_features=n_features,
        n_tokens=corpus.counts.sum(),
    )
    return corpus


def _source_folders() -> list[tuple[str, Path]]:
    """Return (prefix of the module names, folder) for each source of docstrings."""
    packages = [(module.__name__, module.__file__) for module in (np, scipy, sklearn)]
    return [
        ("", Path(sysconfig.get_path("stdlib"))),
        *((name, Path(file).parent) for name, file in packages if file),
    ]


def _parse(folders: Iterable[tuple[str, Path]], min_length: int) -> list[tuple[str, str]]:
    """Return (name, docstring) of all distinct docstrings longer than `min_length`."""
    names: dict[str, str] = {}
    for name, text in find_docstrings(folders):
        if len(text) > min_length:
            names.setdefault(text, name)
    return [(name, text) for text, name in names.items()]


def _count(documents: list[tuple[str, str]]) -> _Docstrings:
    """Count the words of (name, docstring) pairs and put the documents in a shuffled order."""
    order = np.random.default_rng(0).permutation(len(documents))
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}",
        stop_words=sorted(ENGLISH_STOP_WORDS | _BOILERPLATE),
        min_df=10,
        max_df=0.5,
        dtype=np.int32,
    )
    counts = csr_array(vectorizer.fit_transform([documents[i][1] for i in order]))
    kept = np.flatnonzero(counts.sum(axis=1) >= _MIN_TOKENS)
    if not len(kept):
        raise ValueError("No document has enough words.")
    documents = [documents[order[i]] for i in kept]
    return _bunch(
        counts[kept],
        vectorizer.get_feature_names_out().tolist(),
        [name for name, _ in documents],
        [text for _, text in documents],
    )


def _bunch(counts: csr_array, words: list[str], names: list[str], text: list[str]) -> _Docstrings:
    return _Docstrings(
        # An array, not a matrix, as SciPy advises: `*` is elementwise and sums are 1-d.
        counts=counts,
        feature_names=objects(words),
        names=objects(names),
        text=text,
    )


def _from_cache(path: Path, key: dict[str, Any]) -> _Docstrings | None:
    found = _cache.read(path, key)
    if found is None:
        return None
    arrays, record = found
    try:
        corpus = _bunch(
            csr_array(
                (arrays["data"], arrays["indices"], arrays["indptr"]),
                shape=(len(record["text"]), len(record["vocabulary"])),
            ),
            record["vocabulary"],
            record["names"],
            record["text"],
        )
        corpus.counts.check_format(full_check=True)
    except (KeyError, TypeError, ValueError):
        return None
    return corpus


def _to_cache(path: Path, key: dict[str, Any], corpus: _Docstrings) -> None:
    counts = corpus.counts
    _cache.write(
        path,
        key,
        {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr},
        {
            "vocabulary": list(corpus.feature_names),
            "names": list(corpus.names),
            "text": corpus.text,
        },
    )
