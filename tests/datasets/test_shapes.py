import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.datasets import make_bars, make_shapes


@pytest.mark.parametrize("kind", ["quads", "hand"])
def test_shapes(kind):
    shapes = make_shapes(20_000, kind, random_state=0)
    binary = shapes.components > 0
    assert shapes.data.shape == (20_000, 16)
    assert len(np.unique(binary, axis=0)) == 8  # all different
    if kind == "quads":
        assert (binary.sum(axis=1) == 4).all()
    for component, shape in zip(shapes.components, binary, strict=True):
        assert len(np.unique(component[shape])) == 1  # one weight a shape
        assert 0.5 <= component.max() <= 1
    assert_allclose(shapes.assignments.mean(axis=0), 0.3, atol=5 * np.sqrt(0.21 / 20_000))
    residuals = shapes.data - shapes.assignments @ shapes.components
    assert_allclose(residuals.var(), 0.1, rtol=5 * np.sqrt(2 / residuals.size))
    assert_array_equal(shapes.data, make_shapes(20_000, kind, random_state=0).data)
    assert (make_shapes(10, kind, random_state=1).components != shapes.components).any()


def test_images_have_one_name_whoever_draws_them():
    for images in (make_shapes(3), make_bars(3), make_bars(3, kind="sigmoid")):
        assert len(images.data) == 3
        assert images.data.shape[1] == images.components.shape[1]


def test_shapes_without_noise():
    shapes = make_shapes(10, noise_var=0.0, pi=1.0, random_state=0)
    assert_array_equal(shapes.data, np.broadcast_to(shapes.components.sum(axis=0), (10, 16)))


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_samples", 0), ("kind", "faces"), ("pi", 1.5), ("noise_var", -1.0), ("random_state", "x")],
)
def test_bad_input(name, value):
    with pytest.raises((TypeError, ValueError), match=name):
        make_shapes(**{name: value})
