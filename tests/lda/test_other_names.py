"""Parameters, methods and attributes that other libraries have."""

import inspect
import re
from operator import attrgetter
from pkgutil import resolve_name

import numpy as np
import pytest
from sklearn.base import clone

import topictemper.plotting
import topictemper.topics
from topictemper import TemperedLDA, TopicModel


@pytest.mark.parametrize("name", ["evaluate_every", "perp_tol"])
def test_parameters_of_scikit_learn_without_effect_warn(name):
    with pytest.warns(FutureWarning, match=f"{name} has no effect in TemperedLDA"):
        lda = TemperedLDA(3, **{name: 5})
    assert lda.n_components == 3
    assert name not in lda.get_params()
    assert clone(lda).get_params() == lda.get_params() == TemperedLDA(3).get_params()
    assert name not in inspect.signature(TemperedLDA).parameters


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("num_topics", "n_components"),
        ("k", "n_components"),
        ("passes", "max_iter"),
        ("gamma_threshold", "mean_change_tol"),
        ("iterations", "max_doc_update_iter"),
        ("id2word", r"fit\(counts, feature_names=id2word\)"),
        ("minimum_probability", r"transform\(counts\), with the proportions of all topics"),
        ("K", "n_components"),
        ("prevalence", r"topics_by_group\(counts, groups\), after the fit"),
        ("rm_top", r"CountVectorizer\(max_df=...\), which makes the counts"),
    ],
)
def test_other_names_are_told(name, here):
    with pytest.raises(TypeError, match=f"TemperedLDA has no parameter {name}; here it is {here}"):
        TemperedLDA(**{name: 5})


def test_all_other_names_of_a_call_are_told():
    with pytest.raises(TypeError, match=r"num_topics; .* n_components\n.* passes; .* max_iter$"):
        TemperedLDA(num_topics=5, passes=3)


def test_normalize_of_scikit_learn_is_told():
    lda = TemperedLDA(2, max_iter=1, random_state=0).fit(np.eye(20, 4) + 1)
    for normalize in (True, False):
        for transform in (lda.transform, lda.fit_transform):
            with pytest.raises(TypeError, match=r"of TemperedLDA has no normalize: .* X\.sum"):
                transform(np.eye(4), normalize=normalize)
    with pytest.raises(TypeError, match="unexpected keyword argument 'normalise'"):
        lda.transform(np.eye(4), normalise=True)


def test_sub_sampling_of_scikit_learn_is_told():
    lda = TemperedLDA(2, max_iter=1, random_state=0).fit(np.eye(20, 4) + 1)
    for sub_sampling in (True, False):
        with pytest.raises(TypeError, match="perplexity of TemperedLDA has no sub_sampling: "):
            lda.perplexity(np.eye(4) + 1, sub_sampling=sub_sampling)


def test_unknown_names_stay_unknown():
    with pytest.raises(TypeError, match="unexpected keyword argument 'topicz'"):
        TemperedLDA(topicz=5)


@pytest.mark.parametrize("kind", [TemperedLDA, TopicModel])
def test_other_methods_and_attributes_are_told(kind):
    model = kind(2, random_state=0)
    others = {old for old in model._other_names if not hasattr(kind, old)}
    assert {"show_topics", "get_topics", "infer"} <= others
    for old in others:
        told = re.escape(f"{kind.__name__} has no {old}; here it is {model._other_names[old]}")
        with pytest.raises(AttributeError, match=f"{told}$"):
            getattr(model, old)
    assert not others & set(dir(model))


@pytest.mark.parametrize("kind", [TemperedLDA, TopicModel])
def test_what_is_told_exists(kind):
    model = kind(2, random_state=0)
    if kind is TemperedLDA:
        model.fit(np.eye(20, 4) + 1, feature_names=list("abcd"))
    else:
        model.fit(["apples pears", "boats water"] * 20)
    for here in model._other_names.values():
        name = re.match(r"[\w.]+", here)[0]
        if name.startswith("topictemper."):
            assert callable(resolve_name(name))
        else:
            attrgetter(name)(model)


@pytest.mark.parametrize("kind", [TemperedLDA, TopicModel])
def test_load_is_told_of_the_class(kind):
    told = rf"{kind.__name__} has no load; here it is topictemper\.load\(path\)$"
    with pytest.raises(AttributeError, match=told):
        kind.load("topics.npz")
    assert not hasattr(kind, "load")
    with pytest.raises(AttributeError, match=told.replace(kind.__name__, "Mine")):
        type("Mine", (kind,), {}).load("topics.npz")
    assert "load" not in dir(kind(2))
    assert "load" in dir(type("Mine", (kind,), {"load": None})(2))


@pytest.mark.parametrize("kind", [TemperedLDA, TopicModel])
def test_functions_that_are_told_run(kind, tmp_path):
    pytest.importorskip("matplotlib")
    texts, groups = ["apples pears", "boats water"] * 20, ["a", "b", "b", "a"] * 10
    model, counts = TopicModel(2, random_state=0).fit(texts), None
    if kind is TemperedLDA:
        model, counts = model.lda_, model.vectorizer_.transform(texts)
    told = {
        "topictemper": topictemper,
        "model": model,
        "lda": model,
        "other": model,
        "texts": texts,
        "counts": counts,
        "groups": groups,
        "dates": np.repeat(np.array(["2024-01-31", "2024-02-29"], dtype="M8[D]"), 20),
    }
    told["path"] = tmp_path / "model.npz"
    told["model"].save(told["path"])
    calls = {here for here in kind._other_names.values() if here.startswith("topictemper.")}
    assert len(calls) > 3
    for call in calls:
        eval(call, told)


@pytest.mark.parametrize(
    ("kind", "name", "here"),
    [
        (TemperedLDA, "get_topics", "components_, divided by the sums of its rows"),
        (TemperedLDA, "reduce_topics", "reduce_to(n_components)"),
        (TemperedLDA, "topics_per_class", "topics_by_group(counts, groups)"),
        (TopicModel, "reduce_topics", "reduce_to(n_components)"),
        (TopicModel, "find_topics", "transform([query])"),
        (TopicModel, "representative_docs_", "top_documents(texts)"),
        (TemperedLDA, "bound_", "elbo(counts), where bound_ is exp(-elbo)"),
        (TopicModel, "get_topic_word_dist", "lda_.components_[k], divided by its sum"),
        (TopicModel, "set_callbacks", "lda=TemperedLDA(...).set_callbacks(...)"),
    ],
)
def test_how_values_and_places_differ_is_told(kind, name, here):
    with pytest.raises(AttributeError, match=re.escape(f"here it is {here}") + "$"):
        getattr(kind(2), name)


def test_errors_of_attributes_of_our_own_stay():
    with pytest.raises(AttributeError, match="TopicModel has no topics_ before fit"):
        _ = TopicModel().topics_
    with pytest.raises(AttributeError, match="not fitted"):
        _ = TopicModel().labels_
    with pytest.raises(AttributeError, match="no attribute 'topicz_'"):
        _ = TopicModel().topicz_
