"""Models on disk: one .npz file, no pickle."""

from __future__ import annotations

import json
import math
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._lda import TemperedLDA

_FORMAT = "topictemper model"

# To be raised when an older version could no longer make sense of the file.
_SCHEMA = 1


def save_model(
    model: TemperedLDA,
    path: str | os.PathLike[str],
    vocabulary: Sequence[str] | NDArray[Any] | None = None,
) -> None:
    """Write a fitted model to a file.

    Only the fitted topics are kept, with the parameters, the priors and the learned temperature:
    enough to transform, score and show topics, and to begin a new `partial_fit` from these topics.
    The state of an unfinished training and its history are not kept.

    The file is a .npz archive that holds no pickled objects. It appears whole or not at all: until
    then a file of that name stays as it was.

    Parameters
    ----------
    model : TemperedLDA
        A fitted model.
    path : str or path-like
        Where to write. The name is taken as it is, with or without ``.npz``.
    vocabulary : sequence of str, of length n_features_in_, default=None
        The words, in the order of the columns.

    Raises
    ------
    TypeError
        If `model` is not a TemperedLDA or a word not a string.
    ValueError
        If `vocabulary` is of the wrong length, or a parameter cannot be written down, such as a
        schedule that is a function.
    sklearn.exceptions.NotFittedError
        If `model` is not fitted.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(200, 50, 3, random_state=0).counts
    >>> model = TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.npz")
    ...     restored, vocabulary = load_model(Path(folder) / "model.npz")
    >>> bool(abs(restored.score(counts) - model.score(counts)) < 1e-4)
    True
    >>> vocabulary is None
    True
    """
    if not isinstance(model, TemperedLDA):
        raise TypeError(f"model must be a TemperedLDA, not {type(model).__name__}.")
    check_is_fitted(model)
    components = model.components_
    header = {
        "format": _FORMAT,
        "schema": _SCHEMA,
        "version": _version(),
        "parameters": _plain_parameters(model),
        "topic_word_prior": float(model.topic_word_prior_),
        "inverse_temperature": float(model._learned_inverse_temperature),
        "vocabulary": _plain_vocabulary(vocabulary, components.shape[1]),
    }
    _write(
        path,
        {
            "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
            "components": components,
            "doc_topic_prior": model.doc_topic_prior_,
        },
    )


def load_model(path: str | os.PathLike[str]) -> tuple[TemperedLDA, list[str] | None]:
    """Read a model that `save_model` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : TemperedLDA
        The model, fitted: it transforms, scores and shows its topics as the one that was saved.
    vocabulary : list of str, of length n_features_in_, or None
        The words, in the order of the columns, if they were saved.

    Raises
    ------
    ValueError
        If the file is damaged, not a model, or written by a later version that changed the format.
    OSError
        If the file cannot be opened.
    """
    # Opened here: numpy leaves its own file open when it fails to make sense of it.
    with open(path, "rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                header = json.loads(archive["header"].tobytes())
                if header["format"] != _FORMAT:
                    raise ValueError("another format")
                schema = header["schema"]
                # A later schema may keep its arrays under other names.
                arrays = (
                    {name: archive[name] for name in ("components", "doc_topic_prior")}
                    if schema <= _SCHEMA
                    else {}
                )
        except MemoryError:
            raise
        except Exception as error:
            # Cut short, damaged, something else: many kinds of error and one thing to say.
            raise ValueError(
                f"{os.fspath(path)} is not a topictemper model, or damaged."
            ) from error
    if schema > _SCHEMA:
        raise ValueError(
            f"{os.fspath(path)} was written by topictemper {header.get('version')} (format "
            f"{schema}); this is topictemper {_version()}, which reads formats up to {_SCHEMA}."
        )
    try:
        return _restore(header, **arrays), header["vocabulary"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{os.fspath(path)} is a damaged topictemper model: {error}") from error


def writable_path(path: str | os.PathLike[str]) -> Path:
    """Return the file that writing to `path` replaces or makes; raise OSError if none can be.

    Links are followed. Nothing is left behind.
    """
    target = Path(os.path.realpath(path))
    if target.exists():
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{os.fspath(path)} is a folder.")
        # A device or a pipe would be replaced by a file.
        if not stat.S_ISREG(mode):
            raise OSError(f"{os.fspath(path)} is not a regular file.")
    try:
        with _temporary(target) as file:
            os.unlink(file.name)
    except OSError as error:
        raise type(error)(f"{os.fspath(path)} cannot be written: {error.strerror}.") from error
    return target


def _temporary(target: Path) -> Any:
    """Open a new file beside `target`, with the permissions of any new file."""
    # Not by tempfile, whose files nobody else may read.
    return open(target.parent / f".{secrets.token_hex(8)}.part", "xb")


def _write(path: str | os.PathLike[str], arrays: dict[str, Any]) -> None:
    target = writable_path(path)
    file = _temporary(target)
    try:
        with file:
            np.savez_compressed(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, target)
    except BaseException:
        os.unlink(file.name)
        raise


def _plain_parameters(model: TemperedLDA) -> dict[str, Any]:
    """Return the parameters as JSON can hold them."""
    parameters = {}
    for name, value in model.get_params(deep=False).items():
        plain = np.dtype(value).name if name == "dtype" else value
        if isinstance(plain, np.generic | np.ndarray):
            plain = plain.tolist()
        try:
            json.dumps(plain)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name}={value!r} cannot be written to a file; numbers, strings and None can."
            ) from error
        parameters[name] = plain
    return parameters


def _plain_vocabulary(
    vocabulary: Sequence[str] | NDArray[Any] | None, n_features: int
) -> list[str] | None:
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str):
        raise TypeError("vocabulary must be a sequence of words, not one string.")
    words = []
    for word in vocabulary:
        if not isinstance(word, str):
            raise TypeError(f"vocabulary must hold strings, not {word!r}.")
        words.append(str(word))
    if len(words) != n_features:
        raise ValueError(f"vocabulary has {len(words)} words; the model has {n_features} columns.")
    return words


def _restore(
    header: dict[str, Any], components: NDArray[Any], doc_topic_prior: NDArray[Any]
) -> TemperedLDA:
    if components.ndim != 2 or doc_topic_prior.shape != components.shape[:1]:
        raise ValueError(
            f"components of shape {components.shape} do not fit "
            f"a doc_topic_prior of shape {doc_topic_prior.shape}."
        )
    for name, array in (("components", components), ("doc_topic_prior", doc_topic_prior)):
        if array.dtype.kind != "f" or not (np.isfinite(array) & (array > 0)).all():
            raise ValueError(f"{name} must be positive numbers.")
    _plain_vocabulary(header["vocabulary"], components.shape[1])
    prior, inverse = float(header["topic_word_prior"]), float(header["inverse_temperature"])
    if not (0.0 < prior < math.inf and 0.0 < inverse <= 1.0):
        raise ValueError(f"topic_word_prior={prior}, inverse_temperature={inverse}.")
    model = TemperedLDA(**header["parameters"])
    if model.n_components != len(components):
        raise ValueError(f"n_components={model.n_components}, but {len(components)} topics.")
    return model._restore(components, doc_topic_prior, prior, inverse)


def _version() -> str:
    # Here, because the package imports this module before it is complete.
    from . import __version__

    return __version__
