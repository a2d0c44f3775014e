"""Parameters, methods and attributes that an estimator does not have, but other libraries do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from .._utils._warnings import warn

Estimator = TypeVar("Estimator")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: Of scikit-learn. They only say how often and how closely it measures perplexity.
WITHOUT_EFFECT = ("evaluate_every", "perp_tol")
#: Of gensim, tomotopy and stm, with the name in `TemperedLDA`.
CALLED = {
    "n_topics": "n_components",
    "num_topics": "n_components",
    **dict.fromkeys(("k", "K"), "n_components"),
    "alpha": "doc_topic_prior",
    "eta": "topic_word_prior",
    "passes": "max_iter",
    "chunksize": "batch_size",
    "decay": "learning_decay",
    "offset": "learning_offset",
    "iterations": "max_doc_update_iter",
    "gamma_threshold": "mean_change_tol",
    "workers": "n_jobs",
    "seed": "random_state",
}
#: Of the constructor of gensim, which learns in it.
OF_FIT = {
    "corpus": "fit(counts)",
    "id2word": "fit(counts, feature_names=id2word)",
    "callbacks": "set_callbacks(...)",
}
#: Of constructors of gensim, tomotopy and stm, with what does this here.
ELSEWHERE = {
    "eval_every": "fit(counts, validation_X=...), which scores every pass",
    "minimum_probability": "transform(counts), with the proportions of all topics",
    "per_word_topics": "word_topics(counts)",
    **dict.fromkeys(("min_cf", "min_df"), "CountVectorizer(min_df=...), which makes the counts"),
    "prevalence": "topics_by_group(counts, groups), after the fit",
    "rm_top": "CountVectorizer(max_df=...), which makes the counts",
}
#: The display of `topics_over_time` and `topics_by_group`.
SHARES_PLOT = "topictemper.plotting.TopicSharesDisplay"
#: Methods of BERTopic, with those of both `TemperedLDA` and `TopicModel`.
OF_BERTOPIC = {
    "delete_topics": "drop_topics(topics)",
    "reduce_topics": "reduce_to(n_components)",
    "set_topic_labels": "set_labels(labels)",
    **dict.fromkeys(("generate_topic_labels", "topic_labels_"), "labels_"),
    **dict.fromkeys(
        ("hierarchical_topics", "get_topic_tree"), "topictemper.topics.topic_hierarchy(model)"
    ),
    "visualize_barchart": "topictemper.plotting.TopicsDisplay.from_estimator(model)",
    "visualize_heatmap": "topictemper.topics.topic_distances(model)",
    "visualize_hierarchy": "topictemper.plotting.TopicHierarchyDisplay.from_estimator(model)",
}
#: Methods and attributes of other libraries, with those of `TemperedLDA`.
ATTRIBUTES = {
    **OF_BERTOPIC,
    **dict.fromkeys(("approximate_distribution", "probabilities_"), "transform(counts)"),
    **dict.fromkeys(("get_topic", "get_topic_info"), "top_words()"),
    "get_representative_docs": "top_documents(counts)",
    "topics_per_class": "topics_by_group(counts, groups)",
    **dict.fromkeys(
        ("visualize_documents", "visualize_topics"), "report(counts, documents, path=...)"
    ),
    "visualize_topics_over_time": f"{SHARES_PLOT}(model.topics_over_time(counts, dates)).plot()",
    "visualize_topics_per_class": f"{SHARES_PLOT}(model.topics_by_group(counts, groups)).plot()",
    "bound_": "elbo(counts), where bound_ is exp(-elbo)",
    "exp_dirichlet_component_": "components_",
    "random_state_": "random_state",
    "alpha": "doc_topic_prior_",
    "eta": "topic_word_prior_",
    "id2word": "feature_names_in_",
    "k": "n_components",
    "num_topics": "n_components",
    "bound": "elbo(counts)",
    "get_document_topics": "transform(counts)",
    "get_topic_terms": "components_[k], divided by its sum",
    "get_topics": "components_, divided by the sums of its rows",
    "log_perplexity": "score(counts)",
    "print_topic": "top_words()[k]",
    "print_topics": "top_words()",
    "show_topic": "top_words()[k]",
    "show_topics": "top_words()",
    "top_topics": "topictemper.metrics.coherence(lda, counts, per_topic=True)",
    "diff": "topictemper.metrics.match_topics(lda, other)",
    "update": "partial_fit(counts)",
    "add_corpus": "fit(counts)",
    "add_doc": "fit(counts)",
    "get_topic_word_dist": "components_[k], divided by its sum",
    "get_topic_words": "top_words()[k]",
    **dict.fromkeys(("docs", "infer", "make_doc"), "transform(counts)"),
    "load": "topictemper.load(path)",
    "ll_per_word": "score(counts)",
    "set_word_prior": "topic_word_prior",
    "summary": "top_words()",
    "train": "fit(counts)",
    "used_vocabs": "feature_names_in_",
}


def understands_other_names(
    called: Mapping[str, str], without_effect: Iterable[str] = ()
) -> Callable[
    [Callable[Concatenate[Estimator, Parameters], None]],
    Callable[Concatenate[Estimator, Parameters], None],
]:
    """Let `__init__` of an estimator know parameters of other libraries.

    Those in `called` raise a TypeError with the right names. Those in `without_effect` give a
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
            told = [
                f"{name} has no parameter {old}; here it is {called[old]}"
                for old in kwargs
                if old in called
            ]
            if told:
                raise TypeError("\n".join(told))
            init(self, *args, **kwargs)

        return with_other_names

    return understanding


#: Keywords of methods of scikit-learn's LDA: of which method, the keyword, what to use instead.
NORMALIZE = (
    "transform",
    "normalize",
    "rows sum to one. Times X.sum(axis=1) they are the words of each topic in the documents",
)
SUB_SAMPLING = (
    "perplexity",
    "sub_sampling",
    "it is that of held-out words, of all documents in X. Pass some rows of X for a part of them",
)


def tells_of(
    name: str, keyword: str, instead: str
) -> Callable[
    [Callable[Concatenate[Estimator, Parameters], Result]],
    Callable[Concatenate[Estimator, Parameters], Result],
]:
    """Let a method say what to use in place of a keyword of scikit-learn's LDA."""

    def telling(
        method: Callable[Concatenate[Estimator, Parameters], Result],
    ) -> Callable[Concatenate[Estimator, Parameters], Result]:
        @wraps(method)
        def refusing(
            self: Estimator, /, *args: Parameters.args, **kwargs: Parameters.kwargs
        ) -> Result:
            if keyword in kwargs:
                raise TypeError(f"{name} of {type(self).__name__} has no {keyword}: {instead}")
            return method(self, *args, **kwargs)

        return refusing

    return telling


class _OfTheClass:
    # A name that is looked up in a class, where `__getattr__` is not asked. Without a docstring,
    # because the documentation would take it for that of a method.

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type[OtherNamesMixin]) -> Any:
        raise _told(owner, self._name)


class OtherNamesMixin:
    """Tells what methods and attributes of other libraries are called here."""

    _other_names: ClassVar[Mapping[str, str]]

    if not TYPE_CHECKING:  # a class with `__getattr__` has any attribute, for mypy
        load = _OfTheClass()

        def __dir__(self) -> list[str]:
            # A subclass may have one of its own.
            return [name for name in super().__dir__() if name != "load" or hasattr(self, name)]

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name) or name not in self._other_names:
                return super().__getattribute__(name)  # raises the error that has led here
            raise _told(type(self), name)


def _told(kind: type[OtherNamesMixin], name: str) -> AttributeError:
    # With the object Python would add a similar name that the class has.
    return AttributeError(
        f"{kind.__name__} has no {name}; here it is {kind._other_names[name]}", name=name
    )
