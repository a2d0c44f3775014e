"""Parameters that an estimator does not have, but other libraries do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from .._utils._warnings import warn

Estimator = TypeVar("Estimator")
Parameters = ParamSpec("Parameters")

#: Of scikit-learn. They only say how often and how closely it measures perplexity.
WITHOUT_EFFECT = ("evaluate_every", "perp_tol")
#: Of gensim and tomotopy, with the name in `TemperedLDA`.
CALLED = {
    "n_topics": "n_components",
    "num_topics": "n_components",
    "k": "n_components",
    "alpha": "doc_topic_prior",
    "eta": "topic_word_prior",
    "passes": "max_iter",
    "chunksize": "batch_size",
    "decay": "learning_decay",
    "offset": "learning_offset",
    "gamma_threshold": "mean_change_tol",
    "workers": "n_jobs",
    "seed": "random_state",
}
#: Of the constructor of gensim, which learns in it.
OF_FIT = {
    "corpus": "fit(counts)",
    "id2word": "fit(counts, feature_names=id2word)",
}


def understands_other_names(
    called: Mapping[str, str], without_effect: Iterable[str] = ()
) -> Callable[
    [Callable[Concatenate[Estimator, Parameters], None]],
    Callable[Concatenate[Estimator, Parameters], None],
]:
    """Let `__init__` of an estimator know parameters of other libraries.

    Those in `called` raise a TypeError with the right name. Those in `without_effect` give a
    FutureWarning, so that code for scikit-learn's `LatentDirichletAllocation` runs.
    """

    def understanding(
        init: Callable[Concatenate[Estimator, Parameters], None],
    ) -> Callable[Concatenate[Estimator, Parameters], None]:
        # scikit-learn reads the parameters from the signature, which `wraps` keeps.
        @wraps(init)
        def with_other_names(
            self: Estimator, /, *args: Parameters.args, **kwargs: Parameters.kwargs
        ) -> None:
            name = type(self).__name__
            for old in without_effect:
                if old in kwargs:
                    del kwargs[old]
                    warn(
                        f"{old} has no effect in {name}, and will be an error; "
                        "fit(X, validation_X=...) scores every pass",
                        FutureWarning,
                    )
            for old in kwargs:
                if old in called:
                    raise TypeError(f"{name} has no parameter {old}; here it is {called[old]}")
            init(self, *args, **kwargs)

        return with_other_names

    return understanding
