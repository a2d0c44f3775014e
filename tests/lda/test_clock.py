"""Where training stands, in a corpus and in streams."""

import numpy as np
import pytest

from topictemper.lda._clock import CorpusSize, StreamClock
from topictemper.lda._defaults import STREAM_SAMPLES

from ..small_lda import minibatch


def see(clock, batch, times=1):
    """Count a minibatch that is learned from."""
    for _ in range(times):
        clock.grow(batch.size)
        vars(clock).update(clock.after(batch))


@pytest.fixture
def hundred():
    """100 documents of 6 tokens each."""
    return minibatch(np.full((100, 2), 3.0))


def test_documents_of_a_stream_of_unknown_length_are_always_new(hundred):
    clock = StreamClock(None)
    clock.expect(None)
    assert clock.only_new
    see(clock, hundred, 300)  # one and a half passes of the length that it is taken to have
    assert clock.passes == pytest.approx(1.5)
    assert clock.only_new


def test_documents_of_a_corpus_are_new_in_the_first_pass(hundred):
    clock = StreamClock(300)
    new = []
    for _ in range(5):
        new.append(clock.only_new)
        see(clock, hundred)
    assert new == [True, True, True, False, False]


def test_a_stream_of_unknown_length_is_short_until_it_has_what_it_is_taken_to_have(hundred):
    clock = StreamClock(None)
    clock.expect(None)
    see(clock, hundred, 199)
    assert clock.is_short
    see(clock, hundred)
    assert (clock._once, clock.total_samples) == (STREAM_SAMPLES, STREAM_SAMPLES)
    assert not clock.is_short


def test_documents_that_are_left_of_a_stream(hundred):
    clock, left = StreamClock(250), []
    for _ in range(4):
        left.append(clock.documents_left)
        see(clock, hundred)
    assert left == [250, 150, 50, 0]
    clock.expect(500)  # another pass begins, of so many
    assert clock.documents_left == 500


def test_the_size_of_the_corpus_follows_from_the_length_of_documents_so_far(hundred):
    clock = StreamClock(1000)
    assert clock.corpus_size(hundred) == (1000, 6000)
    see(clock, hundred)
    other = minibatch(np.full((300, 1), 2.0))
    assert clock.corpus_size(other) == CorpusSize(1000, 3000)  # 1200 tokens in 400 documents
    assert clock.corpus_size(other).length == 3
    assert clock.length == 6
