import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.datasets import make_shapes


@pytest.mark.parametrize("kind", ["quads", "hand"])
def test_shapes(kind):
    data = make_shapes(20_000, kind, random_state=0)
    binary = data.components > 0
    assert data.X.shape == (20_000, 16)
    assert len(np.unique(binary, axis=0)) == 8  # all different
    if kind == "quads":
        assert (binary.sum(axis=1) == 4).all()
    for component, shape in zip(data.components, binary, strict=True):
        assert len(np.unique(component[shape])) == 1  # one weight a shape
        assert 0.5 <= component.max() <= 1
    assert_allclose(data.assignments.mean(axis=0), 0.3, atol=5 * np.sqrt(0.21 / 20_000))
    residuals = data.X - data.assignments @ data.components
    assert_allclose(residuals.var(), 0.1, rtol=5 * np.sqrt(2 / residuals.size))
    assert_array_equal(data.X, make_shapes(20_000, kind, random_state=0).X)
    assert (make_shapes(10, kind, random_state=1).components != data.components).any()


def test_shapes_without_noise():
    data = make_shapes(10, noise_var=0.0, pi=1.0, random_state=0)
    assert_array_equal(data.X, np.broadcast_to(data.components.sum(axis=0), (10, 16)))


@pytest.mark.parametrize(
    ("maker", "arguments", "name"),
    [
        (make_shapes, {"n_samples": 0}, "n_samples"),
        (make_shapes, {"kind": "faces"}, "kind"),
        (make_shapes, {"pi": 1.5}, "pi"),
        (make_shapes, {"noise_var": -1.0}, "noise_var"),
        (make_shapes, {"random_state": "x"}, "random_state"),
    ],
)
def test_bad_input(maker, arguments, name):
    with pytest.raises((TypeError, ValueError), match=name):
        maker(**arguments)
