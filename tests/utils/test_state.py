"""The state of random number generators, as files have it."""

import numpy as np
import pytest

from topictemper._utils._state import random_state


@pytest.mark.parametrize("n_drawn", [0, 1, 312, 400])  # 312 numbers take all 624 words of a state
@pytest.mark.parametrize("source", [5, np.random.PCG64(5), np.random.SFC64(5)])
def test_a_generator_goes_on(source, n_drawn):
    generator = np.random.RandomState(source)
    generator.random_sample(n_drawn)
    other = random_state(generator.get_state(legacy=False))
    assert (other.random_sample(700) == generator.random_sample(700)).all()


@pytest.mark.parametrize("name", ["seed", "RandomState", "Generator", "no generator"])
def test_nothing_else_of_numpy_is_called(name):
    state = np.random.RandomState(5).get_state(legacy=False)
    with pytest.raises(ValueError, match=f"'{name}' is not a random number generator"):
        random_state(state | {"bit_generator": name})
