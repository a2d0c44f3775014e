import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from topictemper._core import _factorial as kernels
from topictemper._core._reference import factorial as reference
from topictemper._core._workers import Workers


def problem(n_images, n_components, n_patterns, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    m = rng.normal(scale=scale, size=(n_components, 12))
    masks = rng.random((n_patterns, 12)) < (1.1 if n_patterns == 1 else 0.6)
    pattern = rng.integers(n_patterns, size=n_images)
    X = rng.normal(size=(n_images, 12)) * masks[pattern]
    gram = np.einsum("pd,kd,ld->pkl", masks, m, m)
    return {
        "projections": np.ascontiguousarray(m @ X.T),
        "gram": np.ascontiguousarray(gram),
        "bias": np.ascontiguousarray(-0.8 - np.einsum("pkk->pk", gram)),
        "pattern": pattern,
        "s": rng.random(n_images),
        "precision": 2.0,
    }, rng.random((n_components, n_images))


def swept(arguments, nu, n_sweeps=1, n_jobs=1):
    nu, energy, entropy = nu.copy(), *np.full((2, nu.shape[1]), np.nan)
    with Workers(n_jobs) as workers:
        workers.run(kernels.bernoulli_sweep, *arguments.values(), n_sweeps, nu, energy, entropy)
    return nu, energy, entropy


pytestmark = pytest.mark.usefixtures("isa")


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.integers(1, 130), st.integers(1, 19), st.integers(1, 5), st.integers(1, 4), st.integers(0)
)
def test_kernel_is_its_twin(n_images, n_components, n_patterns, n_sweeps, seed):
    arguments, nu = problem(n_images, n_components, n_patterns, seed % 2**32)
    expected = reference.bernoulli_sweep(**arguments, n_sweeps=n_sweeps, nu=nu)
    for value, right in zip(swept(arguments, nu, n_sweeps), expected, strict=True):
        assert_allclose(value, right, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_patterns", [1, 9])
@pytest.mark.parametrize("scale", [1e-3, 30.0, 1e4])
def test_extreme_logits(n_patterns, scale):
    """Logits up to 1e9: probabilities stay in [0, 1] and entropies finite."""
    arguments, nu = problem(100, 6, n_patterns, scale=scale)
    result = swept(arguments, nu, 3)
    with np.errstate(over="ignore"):
        expected = reference.bernoulli_sweep(**arguments, n_sweeps=3, nu=nu)
    assert all(np.isfinite(x).all() for x in result)
    assert (result[0] >= 0).all()
    assert (result[0] <= 1).all()
    assert_allclose(result[0], expected[0], atol=1e-9)
    assert_allclose(result[2], expected[2], atol=1e-8)


@pytest.mark.parametrize("logit", [0.0, 1e-9, 0.3, 0.8813, 0.8814, 1.0, 20.0, 40.0, 700.0, 1e300])
@pytest.mark.parametrize("n_patterns", [1, 2])
def test_probability_and_entropy_to_the_last_digits(logit, n_patterns):
    far = np.exp(-logit)  # the obvious formula loses digits where nu is near 1
    expected = np.log1p(far) + (logit * far / (1 + far) if far else 0.0)
    for x in (logit, -logit):
        arguments = {
            "projections": np.zeros((1, 2)),
            "gram": np.zeros((n_patterns, 1, 1)),
            "bias": np.full((n_patterns, 1), x),
            "pattern": np.zeros(2, dtype=np.int64),
            "s": np.ones(2),
            "precision": 1.0,
        }
        nu, _, entropy = swept(arguments, np.full((1, 2), 0.5))
        assert_allclose(nu, expit(x), rtol=1e-15, atol=1e-307)
        assert_allclose(entropy, expected, rtol=4e-15, atol=3e-16)


@pytest.mark.parametrize("n_patterns", [1, 9])
def test_same_bits_for_any_number_of_threads_and_any_neighbors(n_patterns):
    arguments, nu = problem(1000, 7, n_patterns)
    one = swept(arguments, nu, 2)
    for n_jobs in (2, 3):
        for value, right in zip(swept(arguments, nu, 2, n_jobs), one, strict=True):
            assert_array_equal(value, right)
    some = np.arange(3, 1000, 7)
    part = dict(arguments, projections=np.ascontiguousarray(arguments["projections"][:, some]))
    part.update(pattern=arguments["pattern"][some], s=arguments["s"][some])
    for value, right in zip(swept(part, np.ascontiguousarray(nu[:, some]), 2), one, strict=True):
        assert_array_equal(value, right[..., some])


@pytest.mark.parametrize("n_patterns", [1, 2])
def test_entropies_of_many_components(n_patterns):
    """1300 coins at log 2 each: more than a product can hold."""
    size = 1300
    zeros = np.zeros((size, 3))
    arguments = {
        "projections": zeros,
        "gram": np.zeros((n_patterns, size, size)),
        "bias": np.zeros((n_patterns, size)),
        "pattern": np.zeros(3, dtype=np.int64),
        "s": np.ones(3),
        "precision": 1.0,
    }
    _, _, entropy = swept(arguments, zeros + 0.1)
    assert_allclose(entropy, size * np.log(2), rtol=1e-12)


def test_no_images():
    arguments, nu = problem(0, 3, 1)
    swept(arguments, nu)
