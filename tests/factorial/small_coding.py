"""A small sparse coding model of bars, for tests."""

from functools import cache

from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding


def small(**parameters):
    """Bars of a 3 x 3 image: 6 components, 64 states, no tempering."""
    defaults = {
        "n_components": 6,
        "tempering": None,
        "n_states": 12,
        "n_prior_samples": 6,
        "n_marginal_samples": 6,
        "max_iter": 30,
        "n_inference_iter": 20,
        "random_state": 0,
    }
    return BinarySparseCoding(**(defaults | parameters))


@cache
def images():
    return make_bars(400, 3, random_state=0).data


@cache
def fitted():
    return small().fit(images())
