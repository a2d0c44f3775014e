"""Estimators in files: the method `save` and the function `load`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._feature_names import feature_names_of
from .._utils._state import Tree, random_state, within
from .._utils._version import VERSION
from ..tempering._modes import MODES
from ..tempering._schedules import SCHEDULES
from ._archive import read_archive, write_archive
from ._vectorizers import plain_vectorizer, vectorizer_of

#: Parameters of the process, not of the model.
OF_THE_PROCESS = ("n_jobs", "verbose")

_Estimator = TypeVar("_Estimator")

#: Estimators that can be saved, by name, and where those are that `import topictemper` leaves out.
_ESTIMATORS: dict[str, type[Any]] = {}
_HOMES = {
    "BinarySparseCoding": "topictemper.factorial",
    "DPGaussianMixture": "topictemper.mixture",
    "FactorialMixture": "topictemper.factorial",
    "SigmoidBeliefNetwork": "topictemper.factorial",
}
#: Objects with parameters of their own that estimators take as parameters, by name.
_PARTS: dict[str, type[Any]] = {}


def savable(estimator: type[_Estimator]) -> type[_Estimator]:
    """Register a class for `load`; a decorator."""
    _ESTIMATORS[estimator.__name__] = estimator
    return estimator


def savable_part(part: type[_Estimator]) -> type[_Estimator]:
    """Register a class whose objects are parameters of estimators; a decorator."""
    _PARTS[part.__name__] = part
    return part


class SaveMixin:
    """Adds the method `save` to an estimator.

    The estimator needs ``_get_state()``, which returns the fitted state as a tree of plain values
    and arrays, and ``_set_state(tree)``, which restores it in an unfitted estimator with the same
    parameters. ``_moment()`` returns what stays the same until something is learned, or None while
    it is.
    """

    def save(self, path: str | os.PathLike[str], *, feature_names: Any = None) -> None:
        """Save the fitted model to a file, for `topictemper.load`.

        The file holds the whole model: its parameters, and all that it has learned. `partial_fit`
        of a loaded `TemperedLDA` gives the same bits as that of the saved one, with the same
        instruction set (`topictemper.set_isa`). The file is an .npz archive without pickled
        objects, and safe to load from anywhere. An old file is replaced in one step, when the new
        one is complete, and its permissions are kept. The parameters `n_jobs` and `verbose` are not
        saved, because they describe a process, not a model.

        Parameters
        ----------
        path : str or path-like
            The file. The name is used as given, with or without ``.npz``.
        feature_names : array-like of str, mapping or vectorizer, optional
            Names of the columns, in any form that `TemperedLDA.top_words` takes. None takes
            `feature_names_in_`, if the model has it. The loaded model has them in
            `feature_names_in_`.

        Raises
        ------
        TypeError
            If a name is not a string, or `path` is not the name of a file.
        ValueError
            If the number of names is wrong, if a parameter cannot be saved, such as a schedule
            that is a function, or if the model has numbers that `load` would refuse, such as
            topics that are not finite.
        sklearn.exceptions.NotFittedError
            If the model is not fitted.
        OSError
            If the file cannot be written.
        RuntimeError
            If the model learns meanwhile in another thread, or if a signal handler saves it within
            a minibatch. The old file stays.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import topictemper
        >>> from topictemper.datasets import make_lda_corpus
        >>> counts = make_lda_corpus(200, 50, 3, random_state=0).counts
        >>> model = topictemper.TemperedLDA(3, random_state=0).partial_fit(counts[:100])
        >>> with TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.npz")
        ...     loaded = topictemper.load(Path(folder) / "model.npz")
        >>> for lda in (model, loaded):
        ...     _ = lda.partial_fit(counts[100:])
        >>> bool((loaded.components_ == model.components_).all())
        True
        """
        save_model(self, path, feature_names)


def save_model(estimator: Any, path: str | os.PathLike[str], feature_names: Any = None) -> None:
    """Write a fitted model to a file; see `SaveMixin.save`."""
    check_is_fitted(estimator)
    moment = estimator._moment()

    def check_moment() -> None:
        # Arrays change in place while a model learns.
        if moment is None or estimator._moment() != moment:
            raise RuntimeError(
                f"{os.fspath(path)} is not written: the model is learning, in another thread or "
                "in what a signal has interrupted; save it between two calls of partial_fit or "
                "update"
            )

    check_moment()
    try:
        tree = tree_of(estimator, feature_names)
    except ValueError:  # perhaps because of numbers of two moments
        check_moment()
        raise
    write_archive(path, tree, check_moment)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model from a file that its method `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator
        The fitted model, of the class that was saved, which predicts as the saved one. A
        `TemperedLDA` or `TopicModel` also continues training. `n_jobs` and `verbose` have their
        defaults.

    Raises
    ------
    TypeError
        If `path` is not the name of a file.
    ValueError
        If the file is damaged, is not a model, or has the format of a later version. The error
        names the file and the member or field.
    MemoryError
        If the arrays of the file take more memory than the machine or its container has. The error
        names the file and the size.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import topictemper
    >>> from topictemper.datasets import make_lda_corpus
    >>> X = make_lda_corpus(100, 50, 3, random_state=0).counts
    >>> lda = topictemper.TemperedLDA(3, max_iter=2, random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     lda.save(Path(folder) / "model.npz")
    ...     again = topictemper.load(Path(folder) / "model.npz")
    >>> bool((again.components_ == lda.components_).all())
    True
    """
    tree = read_archive(path)
    try:
        return estimator_of(tree)
    except ValueError as error:
        said = f"{os.fspath(path)} is a damaged topictemper model: {error}"
        # What another version has written may be no damage.
        version = tree.get("version")
        if isinstance(version, str) and version != VERSION:
            said = (
                f"{os.fspath(path)} is damaged, or this is another version of topictemper, "
                f"{VERSION}, than {version[:20]}, which wrote it: {error}"
            )
        raise ValueError(said) from error


def tree_of(estimator: Any, feature_names: Any = None) -> Tree:
    """Return a fitted estimator as a tree of plain values and arrays; see `SaveMixin.save`."""
    check_is_fitted(estimator)
    name = type(estimator).__name__
    if type(estimator) not in _ESTIMATORS.values():
        raise TypeError(f"{name} is not an estimator of topictemper, so load could not read it.")
    # Texts have no columns.
    n_features: Any = getattr(estimator, "n_features_in_", None)
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    if feature_names is not None:
        feature_names = feature_names_of(feature_names, n_features, strings=True).tolist()
    return {
        "estimator": name,
        "parameters": plain_parameters(estimator.get_params(deep=False)),
        "n_features": n_features,
        "feature_names": feature_names,
        "state": estimator._get_state(),
    }


def estimator_of(tree: Tree) -> Any:
    """Return the estimator from the result of `tree_of`.

    Raises
    ------
    ValueError
        If something is missing or invalid; the error names the field.
    """
    with within("estimator"):
        kind = _estimator(tree["estimator"])
    with within("parameters"):
        estimator = kind(**parameters_of(tree["parameters"]))
    with within("n_features"):
        if tree["n_features"] is not None:
            estimator.n_features_in_ = check.integer("n_features", tree["n_features"], 1)
    with within("feature_names"):
        if tree["feature_names"] is not None:
            estimator.feature_names_in_ = feature_names_of(
                tree["feature_names"], estimator.n_features_in_, strings=True
            )
    with within("state"):
        estimator._set_state(tree["state"])
    return estimator


def plain_parameters(parameters: dict[str, Any]) -> Tree:
    """Return parameters as plain values, without those of the process."""
    return {
        name: _plain(name, value)
        for name, value in parameters.items()
        if name not in OF_THE_PROCESS
    }


def parameters_of(tree: Tree) -> dict[str, Any]:
    """Return the parameters from the result of `plain_parameters`."""
    return {
        name: _restored(value) if isinstance(value, dict) else value
        for name, value in tree.items()
        if name not in OF_THE_PROCESS
    }


def _restored(tree: Tree) -> Any:
    """An object that is a parameter: of tempering, a part, words, a source of random numbers."""
    if "words" in tree:
        return tree["words"]
    for key, kinds, what in (
        ("part", _PARTS, "a parameter of topictemper"),
        ("mode", MODES, "a mode of tempering"),
        ("schedule", SCHEDULES, "a schedule"),
    ):
        if key in tree:
            name = tree[key]
            if name not in kinds:
                raise ValueError(f"{name!r} is not {what}")
            try:
                return kinds[name](**parameters_of(tree["settings"]))
            except (TypeError, AttributeError) as error:  # other names, or no tree
                raise ValueError(f"settings of {name!r} are damaged") from error
    if "estimator" in tree:
        return _estimator(tree["estimator"])(**parameters_of(tree["parameters"]))
    if "vectorizer" in tree:
        return vectorizer_of(tree["vectorizer"])
    return random_state(tree)


def _plain(name: str, value: Any) -> Any:
    kind = type(value)
    if name == "dtype":
        return np.dtype(value).name
    if isinstance(value, np.random.RandomState):
        return value.get_state(legacy=False)
    if kind in _PARTS.values() or kind in MODES.values():
        settings = {key: _plain(key, each) for key, each in value.get_params(deep=False).items()}
        what = {"part": kind.__name__} if kind in _PARTS.values() else {"mode": value.mode}
        return {**what, "settings": settings}
    if kind in SCHEDULES.values():
        return {"schedule": kind.__name__, "settings": asdict(value)}
    if isinstance(value, Mapping):
        words = {str(key): [str(word) for word in each] for key, each in value.items()}
        return {"words": words}
    if kind in _ESTIMATORS.values():
        parameters = plain_parameters(value.get_params(deep=False))
        return {"estimator": kind.__name__, "parameters": parameters}
    if isinstance(value, CountVectorizer):
        return {"vectorizer": plain_vectorizer(value)}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) or hasattr(value, "__array__"):  # also of data frames
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return array
    raise ValueError(f"{name}={repr(value)[:60]} cannot be written to a file; {_what_can(value)}.")


def _what_can(value: Any) -> str:
    """Say what can be written in place of a value."""
    known = {*_PARTS.values(), *MODES.values(), *SCHEDULES.values(), *_ESTIMATORS.values()}
    for kind in type(value).__mro__:
        if kind in known:
            return f"load does not know the subclass, so take an object of {kind.__name__} itself"
    return "numbers, arrays of numbers, strings, RandomState and None can"


def _estimator(name: str) -> type[Any]:
    """Return the estimator class of that name."""
    if isinstance(name, str) and name in _HOMES:
        import_module(_HOMES[name])
    if not isinstance(name, str) or name not in _ESTIMATORS:
        raise ValueError(f"{name!r} is not an estimator of topictemper.")
    return _ESTIMATORS[name]
