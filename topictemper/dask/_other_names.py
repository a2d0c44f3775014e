"""Names of other libraries, and of the local estimators, with those of the estimators of Dask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..lda._estimator import TemperedLDA as _Local
from ..lda._other_names import CALLED as OTHER_NAMES
from ..lda._other_names import ELSEWHERE, OF_FIT
from ..text._other_names import CALLED as OF_TEXTS
from ..text._parameters import OF_LDA

# What the estimators of Dask have themselves, as local ones tell of it.
_HERE = {
    *("fit(counts)", "score(counts)", "transform(counts)", "feature_names_in_", "n_components"),
    *("fit(texts)", "score(texts)", "transform(texts)", "feature_names_", "topictemper.load(path)"),
}
# What a local model has, and a model from a cluster does not need.
_NOWHERE = ("fit_transform", "n_iter_", "set_callbacks", "set_output", "set_word_prior")
# Parameters of texts, with functions that models of Dask do not have.
_NOWHERE_OF_TEXTS = ("seed_topic_list", "zeroshot_topic_list")
# Parameters of other libraries for what only local models do.
_OF_LOCAL = ("per_word_topics", "prevalence", "representation_model", "top_n_words")

#: Parameters of gensim, tomotopy, stm and the local estimator, with those of
#: `topictemper.dask.TemperedLDA`.
CALLED = {
    **{name: here for name, here in {**OTHER_NAMES, **OF_FIT}.items() if name != "callbacks"},
    **{
        name: f"to_local(), then {here}" if name in _OF_LOCAL else here
        for name, here in ELSEWHERE.items()
    },
    "eval_every": "fit(counts, validation_X=...), which scores every round",
    "learning_method": "always 'online', by rounds",
    "tol": "early_stopping, with fit(counts, validation_X=...)",
    "total_samples": "the number of rows of counts",
    "validation_fraction": "fit(counts, validation_X=...)",
    "warm_start": "init, or a checkpoint with fit(counts, resume=True)",
    "workers": "client",
}


def called_by_texts(of_lda: Sequence[str]) -> dict[str, str]:
    """Return parameters of the parts and of other libraries, with those of a `TopicModel`.

    Parameters
    ----------
    of_lda : sequence of str
        Parameters of `topictemper.dask.TemperedLDA`.
    """
    without = {*_Local._get_param_names(), *_NOWHERE_OF_TEXTS}.difference(of_lda)
    return {
        **{
            name: f"to_local(), then {here}" if name in _OF_LOCAL else here
            for name, here in OF_TEXTS.items()
            if name not in without
        },
        **{name: f"set_params(lda__{name}=...)" for name in of_lda if name not in OF_LDA},
    }


def attributes_of(local: Any) -> Mapping[str, str]:
    """Return methods and attributes of a local estimator and of other libraries, with those here.

    Parameters
    ----------
    local : type
        The class of which `to_local` gives a model.
    """
    own = {name: name for name in dir(local) if not name.startswith("_") and hasattr(local, name)}
    return {
        name: here if here in _HERE else f"to_local(), then {here}"
        for name, here in {**local._other_names, **own}.items()
        if name not in _NOWHERE and not name.endswith("_request")
    }
