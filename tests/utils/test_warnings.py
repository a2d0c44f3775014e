"""Warnings name a line of the user's code."""

import inspect
import warnings

from sklearn.model_selection import cross_val_score

from topictemper import TemperedLDA
from topictemper.tempering import Annealing

from ..small_lda import corpus, small_lda

WORDS = [f"w{v}" for v in range(corpus().shape[1])]


def hot():
    return small_lda(max_temperature=3.0).partial_fit(corpus(), feature_names=WORDS)


def lines(call):
    """The lines of this file where a call warns of hot topics."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    hot = [each for each in found if "still hot" in str(each.message)]
    assert {each.filename for each in hot} == {__file__}
    source = inspect.getsource(inspect.getmodule(lines)).splitlines()
    return {source[each.lineno - 1].strip() for each in hot}


def test_it_is_the_line_that_calls():
    lda = hot()

    def call():
        lda.score(corpus())  # here

    assert lines(call) == {"lda.score(corpus())  # here"}


def test_in_a_method_of_a_subclass_it_is_the_line_that_calls_this():
    class Mine(TemperedLDA):
        def transform(self, X):
            return super().transform(X)

    lda = Mine(3, random_state=0).partial_fit(corpus(), feature_names=WORDS)

    def call():
        lda.transform(corpus())  # first
        lda.transform(corpus())  # second

    assert lines(call) == {f"lda.transform(corpus())  # {place}" for place in ("first", "second")}


def test_in_a_function_that_a_fit_calls_it_is_the_line_there():
    lda = hot()

    def schedule(passes):
        lda.score(corpus())  # in the schedule
        return max(1.0, 3.0 - passes)

    other = small_lda(tempering=Annealing(schedule=schedule))
    assert lines(lambda: other.fit(corpus())) == {"lda.score(corpus())  # in the schedule"}


def test_in_a_function_that_labels_topics_it_is_the_line_there():
    lda = hot()

    def label(*_):
        lda.transform(corpus())  # in the function
        return "a"

    def call():
        lda.set_labels(label)

    assert lines(call) == {"lda.transform(corpus())  # in the function"}


def test_in_a_scorer_of_scikit_learn_it_is_the_line_there():
    lda = hot()

    def scorer(estimator, X):
        return lda.score(X)  # in the scorer

    def call():
        cross_val_score(small_lda(), corpus(), cv=2, scoring=scorer)

    assert lines(call) == {"return lda.score(X)  # in the scorer"}
