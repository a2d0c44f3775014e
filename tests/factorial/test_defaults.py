import numpy as np
import pytest
from numpy.testing import assert_allclose

from topictemper.datasets import make_shapes
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.factorial.fmm._config import critical_temperature
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.truncated._config import belief_network_config, sparse_coding_config
from topictemper.tempering import Annealing, GlobalTempering, LocalTempering, temperature_grid


def course(X, **parameters):
    parameters = {"max_iter": 20, "final_sweeps": 10} | parameters
    model = FactorialMixture(random_state=0, tol=0, **parameters)
    return model.fit(X).temperature_history_["temperature"]


def test_critical_temperature_is_the_largest_variance_over_that_of_the_noise():
    X = make_shapes(500, random_state=0).data
    largest = np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    assert_allclose(critical_temperature(Images(X), 0.1), largest / 0.1, rtol=1e-6)
    few = X.copy()
    few[:, 3] = np.nan  # never shown: as if it were not there
    largest = np.linalg.eigvalsh(np.cov(np.delete(X, 3, axis=1).T, bias=True))[-1]
    assert_allclose(critical_temperature(Images(few), 0.1), largest / 0.1, rtol=1e-6)


def test_annealing_starts_at_a_fifth_of_the_critical_temperature():
    X = make_shapes(500, random_state=0).data
    hot = course(X, n_components=8, tempering="avi")
    assert_allclose(hot[0], 0.2 * critical_temperature(Images(X), 0.1))
    assert_allclose(course(X, n_components=11, tempering="avi")[0], hot[0])
    assert_allclose(course(0.1 * X, n_components=8, tempering="avi")[0], 2.0)
    assert_allclose(hot[:10], hot[0] ** (1 - np.arange(10) / 10))
    assert (hot[10:] == 1).all()


def test_learned_temperatures_start_where_annealing_does():
    X = make_shapes(500, random_state=0).data
    for scale in (0.1, 5.0):
        start = course(scale * X, tempering="avi")[0]
        model = FactorialMixture(8, max_iter=3, random_state=0).fit(scale * X)
        assert_allclose(model.temperatures_, temperature_grid(100, start))
        assert_allclose(course(scale * X, tempering="vt")[0], start, rtol=0.1)


def test_temperatures_of_images_reach_twice_what_the_data_ask_for_at_first():
    X = make_shapes(500, random_state=0).data
    for scale, t_max in ((0.1, 10.0), (5.0, 2 * 25 * X.var(axis=0).mean() / 0.1)):
        model = FactorialMixture(8, tempering="lvt", max_iter=3, random_state=0).fit(scale * X)
        assert_allclose(model.temperatures_, temperature_grid(20, t_max))


@pytest.mark.parametrize("mode", [GlobalTempering, LocalTempering])
def test_a_grid_as_given(mode):
    X = make_shapes(500, random_state=0).data
    mode = mode(max_temperature=3, n_temperatures=2)
    assert_allclose(FactorialMixture(8, tempering=mode, max_iter=3).fit(X).temperatures_, [1, 3])


def test_the_last_sweeps_are_at_temperature_one():
    X = make_shapes(100, random_state=0).data
    for max_iter, final in ((100, 15), (20, 3), (2, 1)):
        hot = course(X, n_components=3, tempering="vt", max_iter=max_iter, final_sweeps=None) > 1
        assert hot[:-final].all()
        assert not hot[-final:].any()
    assert (course(X, n_components=3, tempering="lvt", max_iter=1, final_sweeps=None) == 1).all()


def test_a_schedule_that_ends_with_tempering():
    temperatures = np.linspace(5, 1.5, 10)
    hot = course(
        make_shapes(100, random_state=0).data,
        n_components=3,
        tempering=Annealing(schedule=lambda time: temperatures[int(time)]),
    )
    assert_allclose(hot, [*temperatures, *np.ones(10)])


@pytest.mark.parametrize(
    ("kind", "config_of"),
    [(BinarySparseCoding, sparse_coding_config), (SigmoidBeliefNetwork, belief_network_config)],
)
@pytest.mark.parametrize(
    ("n_components", "pi"), [(1, 0.5), (2, 0.5), (8, 0.125), (10_000, 1e-4), (12_000, 1e-4)]
)
def test_one_unit_of_a_datum_is_on_at_first_within_the_limits_of_pi(
    kind, config_of, n_components, pi
):
    model = kind(n_components, pi_init=None)
    assert config_of(model.get_params(), np.ones((2, 3))).pi == pi
