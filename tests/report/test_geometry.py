import numpy as np
import pytest
from numpy.testing import assert_allclose

from topictemper.report._geometry import _candidates, _principal, map_of, neighbors


def distances(n, seed):
    places = np.random.default_rng(seed).normal(size=(n, 2)) * [2.0, 1.0]
    return np.linalg.norm(places[:, None] - places, axis=2)


@pytest.mark.parametrize("seed", range(6))
def test_principal_coordinates_have_the_distances_and_a_sign(seed):
    places = _principal(distances(7, seed))
    assert_allclose(np.linalg.norm(places[:, None] - places, axis=2), distances(7, seed), atol=1e-9)
    assert (places.std(axis=0)[0] > places.std(axis=0)[1]).all()
    # The topic farthest out is on the positive side of each axis.
    assert (places[np.abs(places).argmax(axis=0), [0, 1]] > 0).all()


@pytest.mark.parametrize("distance", [distances(9, 0), np.zeros((9, 9))])
def test_circles_of_a_map_touch_its_box_and_not_each_other(distance):
    shares = np.random.default_rng(0).dirichlet(np.full(9, 2.0))
    places, radii = map_of(distance, shares)
    assert_allclose((places - radii[:, None]).min(axis=0), 0.0, atol=1e-12)
    assert (places + radii[:, None]).max() == pytest.approx(1.0)
    assert_allclose(radii**2 / shares, (radii**2 / shares)[0])
    apart = np.linalg.norm(places[:, None] - places, axis=2) - radii[:, None] - radii
    assert apart[~np.eye(9, dtype=bool)].min() > -1e-3


def test_neighbors_are_other_topics_and_the_first_of_equally_near_ones():
    distance = np.array(
        [[0.0, 0.5, 0.2, 0.5], [0.5, 0, 0.3, 0.1], [0.2, 0.3, 0, 0.3], [0.5, 0.1, 0.3, 0]]
    )
    assert neighbors(distance, 2).tolist() == [[2, 1], [3, 2], [0, 1], [1, 2]]
    assert neighbors(distance, 9).shape == (4, 3)


@pytest.mark.parametrize("n", [1, 2, 400])
def test_circles_that_overlap_are_candidates_once_and_few_others_are(n):
    rng = np.random.default_rng(0)
    places, radius = rng.random((n, 2)), rng.uniform(0.001, 0.02, n)
    radius[0] = 0.5  # nearly all others are as close to each other as twice this
    first, second = _candidates(places, radius)
    pairs = list(zip(np.minimum(first, second), np.maximum(first, second), strict=True))
    assert len(pairs) == len(set(pairs))
    apart = np.linalg.norm(places[:, None] - places, axis=2) - radius[:, None] - radius
    assert set(zip(*np.nonzero(np.triu(apart < 0, 1)), strict=True)) <= set(pairs)
    assert len(pairs) < 3 * n
