"""Parameters that `TemperedLDA` does not have, but other libraries do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Estimator = TypeVar("Estimator")
Parameters = ParamSpec("Parameters")

# Of scikit-learn. They only say how often and how closely it measures perplexity.
_WITHOUT_EFFECT = ("evaluate_every", "perp_tol")
# Of gensim and tomotopy, with the name here.
_CALLED = {
    "n_topics": "n_components",
    "num_topics": "n_components",
    "k": "n_components",
    "alpha": "doc_topic_prior",
    "eta": "topic_word_prior",
    "passes": "max_iter",
    "chunksize": "batch_size",
    "decay": "learning_decay",
    "offset": "learning_offset",
    "workers": "n_jobs",
    "seed": "random_state",
}


def understands_other_names(
    init: Callable[Concatenate[Estimator, Parameters], None],
) -> Callable[Concatenate[Estimator, Parameters], None]:
    """Let `__init__` of an estimator know parameters of other libraries.

    `evaluate_every` and `perp_tol` give a FutureWarning, so that code for scikit-learn's
    `LatentDirichletAllocation` runs. Others raise a TypeError with the right name.
    """

    # scikit-learn reads the parameters from the signature, which `wraps` keeps.
    @wraps(init)
    def with_other_names(
        self: Estimator, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> None:
        name = type(self).__name__
        for old in _WITHOUT_EFFECT:
            if old in kwargs:
                del kwargs[old]
                warnings.warn(
                    f"{old} has no effect in {name}, and will be an error; "
                    "fit(X, validation_X=...) scores every pass",
                    FutureWarning,
                    stacklevel=2,
                )
        for old in kwargs:
            if old in _CALLED:
                raise TypeError(f"{name} has no parameter {old}; here it is {_CALLED[old]}")
        init(self, *args, **kwargs)

    return with_other_names
