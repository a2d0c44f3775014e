"""Errors of counts."""

import pickle

from topictemper._utils._counts import NothingHeldOutError, nothing_held_out


def test_an_error_of_a_worker_is_the_same_here():
    error = pickle.loads(pickle.dumps(nothing_held_out("X")))
    assert type(error) is NothingHeldOutError
    assert str(error) == "X has no document with two tokens, so there is nothing to predict"
