import json
import pickle
from copy import copy, deepcopy
from itertools import cycle

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import NotFittedError

import topictemper
from topictemper import TemperedLDA
from topictemper.lda._labels import topic_number
from topictemper.report import read_labels

from ..small_lda import corpus, small_lda
from .test_bad_input import Unchanged

WORDS = [f"w{v}" for v in range(60)]


def labeled(**parameters):
    return small_lda(**parameters).fit(corpus()).set_labels({1: "sports", 3: "law"})


def test_labels_name_output_features():
    lda = labeled()
    assert lda.labels_.tolist() == ["topic 0", "sports", "topic 2", "law"]
    assert lda.get_feature_names_out().tolist() == ["temperedlda0", "sports", "temperedlda2", "law"]
    lda.set_labels({"sports": "games", 0: "other"})
    assert lda.labels_.tolist() == ["other", "games", "topic 2", "law"]
    lda.set_labels({"3": "bread", 2: "1"})
    assert lda.labels_.tolist() == ["other", "games", "1", "bread"]
    assert lda.set_labels({"1": "one"}).labels_.tolist() == ["other", "games", "one", "bread"]
    lda.set_labels({"1": "", "bread": None})
    assert lda.labels_.tolist() == ["other", "topic 1", "one", "topic 3"]
    assert lda.set_labels(None).labels_.tolist() == [f"topic {k}" for k in range(4)]
    assert lda.set_labels(list("abcd")).labels_.tolist() == list("abcd")


def test_labels_name_the_columns_of_a_frame():
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = labeled().set_output(transform="pandas").transform(corpus())
    assert list(frame.columns) == ["temperedlda0", "sports", "temperedlda2", "law"]


def test_topics_of_one_name_are_told_apart_by_their_numbers():
    with pytest.raises(ValueError, match="topics 0, 2 have the label 'a'; give the number of one"):
        topic_number("a", np.array(["a", "b", "a"], dtype=object))


@pytest.mark.parametrize("label", ["topic 2", "temperedlda2"])
def test_a_label_is_no_name_of_another_topic(label):
    lda = labeled()
    with pytest.raises(ValueError, match=f"'{label}' cannot be the label of topic 0"):
        lda.set_labels({0: label})
    assert lda.labels_[0] == "topic 0"
    assert lda.set_labels({2: label, 0: "bread"}).labels_[2] == label
    assert lda.set_labels({0: "topic 1"}).labels_[0] == "topic 1"  # which is called "sports"


def test_labels_are_kept_in_files_and_by_partial_fit(tmp_path):
    lda = labeled()
    lda.save(tmp_path / "model")
    for kept in (
        topictemper.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(lda)),
        lda.partial_fit(corpus()),
    ):
        assert kept.labels_.tolist() == ["topic 0", "sports", "topic 2", "law"]


def test_a_new_fit_has_no_labels_and_a_warm_start_keeps_them():
    assert labeled().fit(corpus()).labels_[1] == "topic 1"
    assert labeled(warm_start=True).fit(corpus()).labels_[1] == "sports"
    lda = labeled()
    with pytest.raises(ValueError, match="batch_size"):
        lda.set_params(batch_size=0).fit(corpus())
    assert lda.labels_[1] == "sports"


def seeds(*labels):
    """Seed words of some labels; the same words for the same label."""
    return {label: WORDS[3 * ord(label[0]) % 50 :][:3] for label in labels}


def test_labels_of_a_warm_start_follow_its_seeds():
    lda = small_lda(warm_start=True, topic_word_prior=seeds("a", "b", "c"))
    lda.fit(corpus(), feature_names=WORDS).set_labels({"b": "bread", 3: "law"})
    assert lda.fit(corpus()).labels_.tolist() == ["a", "bread", "c", "law"]
    lda.set_params(topic_word_prior=seeds("c", "b")).fit(corpus())
    assert lda.labels_[[0, 1, 3]].tolist() == ["c", "bread", "law"]
    assert lda.labels_[2].startswith("w")  # its label went with the seed words
    lda.set_params(topic_word_prior=seeds("d", "e")).fit(corpus())
    assert lda.labels_[[0, 1, 3]].tolist() == ["d", "e", "law"]
    lda.set_params(topic_word_prior=None).fit(corpus())
    assert lda.labels_[[0, 1, 3]].tolist() == ["d", "e", "law"]


def test_seeds_of_a_warm_start_take_no_label_that_was_set():
    lda = small_lda(warm_start=True).fit(corpus(), feature_names=WORDS).set_labels({3: "law"})
    lda.set_params(topic_word_prior=seeds("law"))
    with pytest.raises(ValueError, match="seed words of 'law', but topic 3 has this label"):
        lda.fit(corpus())
    assert lda.labels_[3] == "law"
    assert lda.set_labels({3: "laws"}).fit(corpus()).labels_[[0, 3]].tolist() == ["law", "laws"]


def test_labels_that_are_the_words_of_another_topic_stay_apart():
    lda = named()
    first, second, *_ = lda.labels_
    lda.set_labels({1: first})
    assert lda.labels_[0] == " ".join(lda.top_words(4)[0])
    lda.set_labels({first: second})  # a label has one topic
    assert (lda.labels_[0], lda.labels_[1]) == (first, second)


def other_fit(**parameters):
    """A model of other words, with the topics of `labeled` in another order."""
    order = np.r_[0:60][::-1][:55]
    lda = small_lda(random_state=3, max_iter=20, **parameters)
    return lda.fit(corpus()[:, order], feature_names=np.array(WORDS)[order])


def named():
    return small_lda(max_iter=20).fit(corpus(), feature_names=WORDS)


def test_labels_of_another_model_go_to_the_same_topics():
    old, new = named().set_labels({1: "sports", 3: "law"}), other_fit()
    assert new.set_labels(old) is new
    assert set(new._labels.values()) == {"sports", "law"}
    for k, label in new._labels.items():
        before = old.labels_.tolist().index(label)
        assert len(set(new.top_words(10)[k]) & set(old.top_words(10)[before])) >= 7
    assert sorted(new._labels) != [1, 3]  # the numbers are others


def test_labels_of_another_model_leave_those_that_are_set():
    old, new = named().set_labels(["a", "b", "c", "d"]), other_fit()
    place = {label: k for k, label in enumerate(new.set_labels(old).labels_)}
    new.set_labels(None).set_labels({place["a"]: "mine", place["b"]: "c"})
    with pytest.warns(UserWarning, match=r"labels that no topic of this model has: 'a', 'b'\."):
        new.set_labels(old)
    expected = {"mine": place["a"], "c": place["b"], "d": place["d"]}
    assert {label: k for k, label in new._labels.items()} == expected


def test_labels_of_topics_without_a_counterpart_are_named_in_a_warning():
    old, new = named().set_labels(["a", "b", "c", "d"]), other_fit()
    place = new.set_labels(old).labels_.tolist().index("c")
    fewer = new.set_labels(None).drop_topics(place)
    with pytest.warns(UserWarning, match=r"no topic of this model has: 'c'\. Their topics"):
        fewer.set_labels(old)
    assert sorted(fewer.labels_) == ["a", "b", "d"]


def test_labels_that_were_saved_for_other_topics_are_refused(tmp_path):
    """They have the numbers of the topics, and the words from which they are known."""
    lda, file = named(), tmp_path / "labels.json"
    words = lda.top_words(10)
    file.write_text(json.dumps({1: {"label": "sports", "words": words[1]}, 3: "law"}))
    labels = read_labels(file)
    assert copy(lda).set_labels(labels).labels_[[1, 3]].tolist() == ["sports", "law"]
    assert deepcopy(lda).partial_fit(corpus()).set_labels(labels).labels_[1] == "sports"
    other = lda.drop_topics(0)
    with Unchanged(other, "labels were saved from a report of other topics: topic 1 had the words"):
        other.set_labels(labels)
    with pytest.raises(ValueError, match="labels were saved from a report of other topics"):
        other.report(corpus(), labels=labels, path=tmp_path / "report.html")
    assert other.set_labels({1: labels[1]}).labels_[1] == "sports"
    rest = read_labels(file)
    del rest[1], rest[3]
    assert other.set_labels(rest).labels_[1] == "sports"  # which it still has
    small_lda().fit(corpus()).set_labels(labels)  # a model that has no words
    file.write_text(json.dumps({9: {"label": "sports", "words": words[1]}}))
    with pytest.raises(ValueError, match="topics are 0 to 3, got 9"):
        lda.set_labels(read_labels(file))


def test_names_by_number_are_not_taken_over():
    """They would be refused: the number is that of another topic."""
    old, new = named().set_labels(["topic 0", "temperedlda1", "topic 30", "d"]), other_fit()
    assert set(new.set_labels(old)._labels.values()) == {"d"}
    with pytest.raises(ValueError, match="labels is a model without labels"):
        new.set_labels(small_lda().fit(corpus(), feature_names=WORDS).set_labels({3: "topic 3"}))


def test_models_that_have_no_labels_are_refused():
    lda = labeled()
    with pytest.raises(ValueError, match="labels is a model without labels"):
        lda.set_labels(small_lda().fit(corpus()))
    with pytest.raises(TypeError, match="TemperedLDA or a TopicModel, got a LatentDirichletAlloc"):
        lda.set_labels(LatentDirichletAllocation(2, max_iter=1).fit(corpus()))
    with pytest.raises(NotFittedError):
        lda.set_labels(small_lda())
    fewer = small_lda().fit(corpus()[:, :50]).set_labels({0: "a"})
    with pytest.raises(ValueError, match="labels and this model must have the same words"):
        lda.set_labels(fewer)
    assert lda.labels_.tolist() == ["topic 0", "sports", "topic 2", "law"]


def test_a_function_gets_words_and_documents():
    lda, calls = small_lda().fit(corpus()), []
    titles = [f"document {i}" for i in range(200)]

    def label(words, documents):
        calls.append((words, documents))
        return words[0]

    lda.set_labels(
        label, X=corpus(), documents=titles, feature_names=WORDS, n_words=3, n_documents=2
    )
    rows = lda.top_documents(corpus(), 2)
    top = lda.top_words(3, WORDS)
    assert calls == [(top[k], [titles[rows[k][0]], titles[rows[k][1]]]) for k in range(4)]
    assert [label.split()[0] for label in lda.labels_] == [words[0] for words in top]


def test_usual_labels_are_three_words_if_there_are_names():
    lda = small_lda().fit(corpus(), feature_names=WORDS)
    assert lda.labels_.tolist() == [" ".join(words) for words in lda.top_words(3)]


def test_usual_labels_of_topics_with_the_same_three_words_differ(monkeypatch):
    lda = small_lda().fit(corpus(), feature_names=WORDS)
    top = [list("abcdefghij"), list("abckefghij"), list("dbcaefghij"), list("cbadefghij")]
    monkeypatch.setattr(lda, "top_words", lambda n: [words[:n] for words in top])
    assert lda.labels_.tolist() == ["a b c d", "a b c k", "d b c", "c b a"]


@pytest.mark.parametrize(
    "given",
    [
        {"X": corpus()},
        {"documents": ["a"]},
        {"feature_names": WORDS},
        {"n_words": 10},
        {"n_documents": 5},
    ],
)
@pytest.mark.parametrize("labels", [["a", "b", "c", "d"], {0: "a"}, None])
def test_only_a_function_gets_words_and_documents(labels, given):
    (name,) = given
    with pytest.raises(ValueError, match=f"{name} is for labels given by a function"):
        labeled().set_labels(labels, **given)


def test_a_function_may_return_a_label_twice():
    lda = small_lda().fit(corpus()).set_labels(lambda *_: "a", feature_names=WORDS)
    assert lda.labels_.tolist() == ["a", "a (2)", "a (3)", "a (4)"]


@pytest.mark.parametrize(
    ("labels", "error", "match"),
    [
        (["a"], ValueError, "one label for each of the 4"),
        ("abcd", ValueError, "one label for each of the 4"),
        (set("abcd"), ValueError, "labels must have one label for each of the 4"),
        (iter("abcd"), ValueError, "labels must have one label for each of the 4"),
        ({4: "a"}, ValueError, "topics are 0 to 3, got 4"),
        ({"4": "a"}, ValueError, "topics are 0 to 3, got 4"),
        ({"sport": "a"}, ValueError, "no topic has the label 'sport'"),
        ({1.5: "a"}, TypeError, "number or a label"),
        ({0: 7}, TypeError, "strings"),
        ({0: " "}, ValueError, "empty"),
        ({0: "law"}, ValueError, "topics 3 and 0 get 'law'"),
    ],
)
def test_refuses(labels, error, match):
    lda = labeled()
    with pytest.raises(error, match=match):
        lda.set_labels(labels)
    assert lda.labels_[1] == "sports"


def test_counts_as_lists():
    lda = labeled().set_labels(
        lambda words, documents: f"{words[0]} {documents[0]}",
        X=corpus().toarray().tolist(),
        documents=list(range(corpus().shape[0])),
        feature_names=WORDS,
    )
    assert len(set(lda.labels_)) == len(lda.labels_)


def test_documents_in_another_order_than_their_counts_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=WORDS)
    titles = pandas.Series([f"document {i}" for i in range(len(frame))])
    with pytest.raises(ValueError, match="documents has the index of X in another order"):
        small_lda().fit(frame).set_labels(lambda *_: "a", X=frame, documents=titles[::-1])


def test_refuses_what_is_of_no_use():
    with pytest.raises(ValueError, match="together"):
        labeled().set_labels(lambda *_: "a", X=corpus(), feature_names=WORDS)
    with pytest.raises(ValueError, match="one entry for each row"):
        labeled().set_labels(lambda *_: "a", X=corpus(), documents=["a"], feature_names=WORDS)
    with pytest.raises(ValueError, match="n_words == 0"):
        labeled().set_labels(lambda *_: "a", feature_names=WORDS, n_words=0)
    documents = {"X": corpus(), "documents": list(range(corpus().shape[0]))}
    with pytest.raises(ValueError, match="n_documents == 0"):
        labeled().set_labels(lambda *_: "a", **documents, feature_names=WORDS, n_documents=0)
    with pytest.raises(ValueError, match="n_documents=3 needs the documents"):
        labeled().set_labels(lambda *_: "a", feature_names=WORDS, n_documents=3)
    with pytest.raises(NotFittedError):
        small_lda().set_labels({0: "a"})


def test_labels_that_another_thread_sets_meanwhile_come_whole():
    turns = cycle([{0: "a0", 1: "a1"}, {0: "b0", 1: "b1"}, {}])

    class Relabeled(TemperedLDA):
        _labels = property(lambda self: next(turns))  # as if set by another thread before each look

    lda = named()
    lda.__class__ = Relabeled
    words = named().labels_.tolist()
    for _ in range(9):
        found = lda.labels_.tolist()
        assert found[2:] == words[2:]
        assert found[:2] in (["a0", "a1"], ["b0", "b1"], words[:2])
        state = lda._labels_state()
        assert state is None or state[:2] in (["a0", "a1"], ["b0", "b1"])


def test_words_of_labels_are_ranked_once_until_topics_or_labels_change(monkeypatch):
    lda, ranked, top_words = named(), [], TemperedLDA.top_words
    monkeypatch.setattr(
        TemperedLDA, "top_words", lambda *args: ranked.append(1) or top_words(*args)
    )

    def labels():
        found = [lda.labels_ for _ in range(3)]
        again = pickle.loads(pickle.dumps(lda))  # which has to rank them
        for each in found:
            assert each.tolist() == again.labels_.tolist()
        found[0][:] = "written by the caller"
        n, ranked[:] = len(ranked), []
        return n

    assert labels() == 2
    assert labels() == 1
    lda.partial_fit(corpus()[:, ::-1])
    assert labels() == 2
    lda.set_labels({1: "sports"})
    assert labels() == 2
    lda.set_labels(list("abcd"))
    assert labels() == 0
    lda.set_labels(None).fit(corpus()[::-1], feature_names=WORDS[::-1])
    assert labels() == 2
