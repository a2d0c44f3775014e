"""Parameters, methods and attributes that other libraries and the local estimators have."""

import re

import pytest
from sklearn.base import clone

import topictemper
from topictemper.dask import TemperedLDA, TopicModel

KINDS = [(TemperedLDA, topictemper.TemperedLDA), (TopicModel, topictemper.TopicModel)]


@pytest.mark.parametrize(
    ("kind", "name", "here"),
    [
        (TemperedLDA, "num_topics", "n_components"),
        (TemperedLDA, "passes", "max_iter"),
        (TemperedLDA, "workers", "client"),
        (TemperedLDA, "id2word", "fit(counts, feature_names=id2word)"),
        (
            TemperedLDA,
            "prevalence",
            "to_local(), then topics_by_group(counts, groups), after the fit",
        ),
        (TemperedLDA, "per_word_topics", "to_local(), then word_topics(counts)"),
        (TemperedLDA, "min_df", "CountVectorizer(min_df=...), which makes the counts"),
        (TemperedLDA, "eval_every", "fit(counts, validation_X=...), which scores every round"),
        (TemperedLDA, "warm_start", "init, or a checkpoint with fit(counts, resume=True)"),
        (TopicModel, "nr_topics", "n_components"),
        (
            TopicModel,
            "prevalence",
            "to_local(), then topics_by_group(texts, groups), after the fit",
        ),
        (TopicModel, "top_n_words", "to_local(), then lda_.top_words(n)"),
        (TopicModel, "min_df", "set_params(vectorizer__min_df=...)"),
        (TopicModel, "max_iter", "set_params(lda__max_iter=...)"),
        (TopicModel, "n_shards", "set_params(lda__n_shards=...)"),
        (TopicModel, "passes", "set_params(lda__max_iter=...)"),
    ],
)
def test_other_parameters_are_told(kind, name, here):
    told = re.escape(f"{kind.__name__} has no parameter {name}; here it is {here}")
    with pytest.raises(TypeError, match=f"{told}$"):
        kind(3, **{name: 5})


@pytest.mark.parametrize("name", ["warm_start", "seed_topic_list", "zeroshot_topic_list"])
def test_parameters_of_local_models_alone_are_unknown(name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        TopicModel(3, **{name: 5})


@pytest.mark.parametrize(("kind", "local"), KINDS)
def test_other_methods_and_attributes_are_told(kind, local):
    model = kind(2)
    for name in ("report", "show_topics", "merge_topics", "labels_", "load"):
        with pytest.raises(AttributeError, match=f"{kind.__name__} has no {name}; here it is "):
            getattr(model, name)
    with pytest.raises(AttributeError, match=r"here it is to_local\(\), then report$"):
        _ = model.report
    with pytest.raises(AttributeError, match=r"here it is topictemper.load\(path\)$"):
        kind.load("topics.npz")
    with pytest.raises(AttributeError, match=r"here it is transform\((counts|texts)\)$"):
        _ = model.get_document_topics
    with pytest.raises(AttributeError, match="no attribute 'topicz_'"):
        _ = model.topicz_
    told = (here.partition("to_local(), then ")[2] for here in model._other_names.values())
    firsts = {re.match(r"\w+", here)[0] for here in told if here}
    assert {name for name in firsts if not hasattr(local, name)} <= {
        *("lda_", "topictemper", "random_state")
    }
    assert clone(model).get_params() == model.get_params()


def test_has_the_parameters_of_the_local_estimator():
    # Those that have no meaning in rounds: a new one belongs to them, or to both estimators.
    local_only = {"learning_method", "tol", "total_samples", "validation_fraction", "warm_start"}
    names = TemperedLDA._get_param_names()
    assert set(topictemper.TemperedLDA._get_param_names()) - set(names) == local_only
    for name in local_only:
        with pytest.raises(TypeError, match=f"TemperedLDA has no parameter {name}; here it is "):
            TemperedLDA(3, **{name: 5})
