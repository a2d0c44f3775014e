import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from topictemper._core._workers import Workers
from topictemper.datasets import make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm import _images
from topictemper.factorial.fmm._config import Config
from topictemper.factorial.fmm._images import Images, masked_gram, masked_sums
from topictemper.factorial.fmm._training import ascend_from
from topictemper.factorial.fmm._updates import Prior
from topictemper.tempering import temperature_grid

PRIOR = Prior(np.full(4, 0.3), 0.1, 0.35)


def shapes(n=200):
    return make_shapes(n, random_state=0).data


def run(X, nu, mode):
    temperatures, n_tempered = (None, 0) if mode == "vi" else (temperature_grid(20, 10.0), 20)
    how = Config(
        PRIOR, mode, None, temperatures, share=0.1, max_iter=30, n_tempered=n_tempered,
        tol=0.0, n_init=1, random_state=np.random.RandomState(0), log=None,
    )  # fmt: skip
    with Workers() as workers:
        return ascend_from(Images(X), how, nu, workers)


@pytest.mark.parametrize("mode", ["vt", "lvt"])
def test_a_pixel_that_no_image_shows_changes_nothing(mode):
    X, nu = shapes(), np.random.RandomState(0).random_sample((4, 200))
    holes = np.random.RandomState(1).random_sample(X.shape) < 0.2
    for Y in (X, np.where(holes, np.nan, X)):
        wide = np.insert(Y, 5, np.nan, axis=1)
        without, with_it = run(Y, nu, mode), run(wide, nu, mode)
        m, v = with_it.components
        assert (m[:, 5] == 0).all()
        assert_allclose(v[:, 5], PRIOR.prior_var, rtol=1e-15)
        assert_allclose(np.delete(m, 5, axis=1), without.components.m, rtol=1e-8, atol=1e-10)
        assert_allclose(np.delete(v, 5, axis=1), without.components.v, rtol=1e-8)
        assert_allclose(with_it.elbo, without.elbo, rtol=1e-10)
        for field in ("temperature", "elbo"):
            assert_allclose(with_it.history.elbos[field], without.history.elbos[field], rtol=1e-10)


@pytest.mark.parametrize("mode", ["vt", "lvt"])
def test_many_patterns_take_turns(mode, monkeypatch):
    X, nu = shapes(), np.random.RandomState(0).random_sample((4, 200))
    X[np.random.RandomState(1).random_sample(X.shape) < 0.2] = np.nan
    at_once = run(X, nu, mode)
    monkeypatch.setattr(_images, "_MOST_NUMBERS", 16 * 7)
    parts = list(Images(X).parts(4))
    assert len(parts) > 10
    assert parts[0][0] == slice(0, 7)  # so many Gram matrices have these numbers
    assert_array_equal(np.sort(np.concatenate([chosen for _, chosen in parts])), np.arange(200))
    in_turn = run(X, nu, mode)
    assert_allclose(in_turn.components.m, at_once.components.m, rtol=1e-8, atol=1e-10)
    assert_allclose(in_turn.elbo, at_once.elbo, rtol=1e-10)
    monkeypatch.setattr(_images, "_MOST_NUMBERS", 1)
    assert next(Images(X).parts(4))[0] == slice(0, 1)


def test_an_image_that_shows_nothing_changes_nothing_but_the_temperature():
    """Its bits are tempered like others, but it has no say in components at a fixed T."""
    X, nu = shapes(), np.random.RandomState(0).random_sample((4, 201))
    model = FactorialMixture(4, tempering="vi", max_iter=30, random_state=0, tol=0)
    more = np.vstack([X, np.full(16, np.nan)])
    a, b = run(more, nu, "vi"), run(X, nu[:, :200], "vi")
    assert_allclose(a.components.m, b.components.m, rtol=1e-8, atol=1e-10)
    # what is left of its bound is the divergence of its q(Z) from pi: none
    bounds, of_more = b.history.elbos["elbo"], a.history.elbos["elbo"]
    assert_allclose(len(more) * of_more, len(X) * bounds, rtol=1e-10)
    assert_allclose(model.fit(X).transform(more)[-1], 0.3, rtol=1e-12)
    assert_array_equal(model.transform(more[-1:]), model.transform(np.full((1, 16), np.nan)))


def test_hidden_pixels_cannot_be_seen():
    X = shapes()
    mask = np.random.RandomState(1).random_sample(X.shape) < 0.5
    model = FactorialMixture(4, max_iter=50, random_state=0).fit(X)
    given = np.where(mask, np.nan, X)
    nu = model.transform(given)
    m, v = model.components_, model.component_variances_
    spread = np.sqrt(0.1 + (nu * (1 - nu)) @ m**2 + nu @ v)
    expected = norm.logpdf(X, nu @ m, spread)[mask].mean()
    assert_allclose(model.predictive_log_likelihood(X, mask), expected, rtol=1e-12)
    # a pixel that is missing is not predicted, and one that is given changes the rest
    some = X.copy()
    some[:, 0] = np.nan
    by_hand = mask.copy()
    by_hand[:, 0] = False
    nu_some = model.transform(np.where(mask, np.nan, some))
    spread = np.sqrt(0.1 + (nu_some * (1 - nu_some)) @ m**2 + nu_some @ v)
    expected = norm.logpdf(X, nu_some @ m, spread)[by_hand].mean()
    assert_allclose(model.predictive_log_likelihood(some, mask), expected, rtol=1e-12)


def test_one_mask_for_all_images_is_that_mask_for_each():
    X = shapes()
    model = FactorialMixture(4, max_iter=50, random_state=0).fit(X)
    half = np.arange(16) % 2 == 0
    each = np.broadcast_to(half, X.shape).copy()
    one = model.predictive_log_likelihood(X, half)
    assert model.predictive_log_likelihood(X, each) == one
    each[0, :] = ~half  # a second pattern: the other way to sweep
    assert_allclose(model.predictive_log_likelihood(X[1:], each[1:]), one, rtol=0.05)


def test_components_are_found_through_holes():
    shapes = make_shapes(3000, random_state=0)
    X = np.where(
        np.random.RandomState(0).random_sample(shapes.data.shape) < 0.2, np.nan, shapes.data
    )
    model = FactorialMixture(8, tempering="lvt", random_state=0, max_iter=200).fit(X)
    distances = np.linalg.norm(model.components_[:, None] - shapes.components, axis=2)
    close = (distances / np.linalg.norm(shapes.components, axis=1)).min(axis=0) < 0.2
    assert close.sum() >= 6
    # holes carry information: what is known of them beats a guess from the mean
    hidden = np.isnan(X)
    filled = model.inverse_transform(model.transform(X))
    guess = np.broadcast_to(np.nanmean(X, axis=0), X.shape)
    error = ((filled - shapes.data)[hidden] ** 2).mean()
    assert error < 0.7 * ((guess - shapes.data)[hidden] ** 2).mean()


@pytest.mark.parametrize("size", [1, 7, 3000])
def test_sums_over_masks(size):
    """3000 terms: more than are unpacked at a time."""
    rng = np.random.RandomState(0)
    rows, weights = rng.normal(size=(3, size)), rng.random_sample(size)
    for masks in (rng.random_sample((5, size)) < 0.5, np.ones((1, size), bool),
                  np.ones((4, size), bool), np.zeros((1, size), bool)):  # fmt: skip
        assert_allclose(masked_sums(masks, rows), masks @ rows.T, atol=1e-10)
        for w in (None, weights):
            expected = np.einsum("an,n,kn,ln->akl", masks, np.ones(size) if w is None else w,
                                 rows, rows)  # fmt: skip
            assert_allclose(masked_gram(masks, w, rows), expected, atol=1e-10)


def test_patterns_give_back_what_is_missing():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(50, 9))
    X[rng.random_sample(X.shape) < 0.1] = np.nan
    X[10:20] = np.where(np.arange(9) < 4, np.nan, 1.0)
    images = Images(X)
    assert_array_equal(images.image_masks[images.image_pattern], ~np.isnan(X))
    assert_array_equal(images.pixel_masks[images.pixel_pattern], ~np.isnan(X).T)
    assert_array_equal(images.observed, (~np.isnan(X)).sum(axis=1))
    assert len(images.image_masks) == len(np.unique(np.isnan(X), axis=0))
    assert_allclose(images.pixel_variance(), np.nanvar(X, axis=0).mean(), rtol=1e-12)


def test_columns_of_a_data_frame_are_fitted_as_rows_of_an_array():
    X = shapes()
    X[np.random.RandomState(1).random_sample(X.shape) < 0.2] = np.nan
    of_rows = FactorialMixture(4, max_iter=10, random_state=0).fit(X)
    of_columns = FactorialMixture(4, max_iter=10, random_state=0).fit(np.asfortranarray(X))
    assert_array_equal(of_columns.components_, of_rows.components_)
    assert_array_equal(of_rows.transform(np.asfortranarray(X)), of_rows.transform(X))
