"""Learned temperatures without search, bound and inertia, beside the equations of the paper.

But for one thing: documents are inferred at the mean temperature of the corpus.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, logsumexp, psi, softmax

from topictemper import TemperedLDA
from topictemper.tempering import GlobalTempering, LocalTempering, inverse_temperature_grid

from ..small_lda import corpus

ALPHA, ETA, K = 0.3, 0.13, 4
GRID = inverse_temperature_grid(100)
START = 1 / GRID.mean()  # of a uniform q(T)


def e_log(parameters):
    return psi(parameters) - psi(parameters.sum(axis=-1, keepdims=True))


def e_step(X, topics, s):
    """VT eq. 19 without the count in the exponent: phi, gamma, and the energy of documents."""
    gamma = np.repeat(ALPHA + s * X.sum(axis=1, keepdims=True) / K, K, axis=1)
    for _ in range(5000):
        scores = e_log(gamma)[:, None] + e_log(topics).T
        phi = softmax(s * scores, axis=2)
        before, gamma = gamma, ALPHA + s * np.einsum("dv,dvk->dk", X, phi)
        if np.abs(gamma - before).max() < 1e-13:
            break
    return phi, gamma, np.einsum("dv,dvk,dvk->d", X, phi, scores)


def log_moment(parameters, s):
    """``log E[x^s]`` of the entries of a Dirichlet vector."""
    total = parameters.sum(axis=-1, keepdims=True)
    ratio = gammaln(parameters + s) - gammaln(parameters)
    return ratio + gammaln(total) - gammaln(total + s)


def log_c(X, topics, gamma):
    """The bound of log C of each document, at the temperatures of the grid."""
    of_topics = [logsumexp(log_moment(topics, s), axis=1) for s in GRID]
    of_token = [
        logsumexp(log_moment(gamma, s) + moments, axis=1)
        for s, moments in zip(GRID, of_topics, strict=True)
    ]
    return X.sum(axis=1)[:, None] * np.transpose(of_token)


def steps_of_the_paper(mode, X, topics, n_steps):
    """Steps of the whole corpus; the topics that they lead to, and T of every step."""
    temperatures, s = [], GRID.mean()
    for step in range(n_steps):
        temperatures.append(1 / s)
        phi, gamma, energies = e_step(X, topics, s)
        normalizers = log_c(X, topics, gamma)
        if mode == "vt":
            weights = np.full(len(X), s)
            s = softmax(GRID * energies.sum() - normalizers.sum(axis=0)) @ GRID  # eq. 9
        else:
            weights = softmax(GRID * energies[:, None] - normalizers, axis=1) @ GRID  # eq. 10
            s = weights.mean()
            if step == 0:  # the first value of the schedule is the start and a bound
                weights = np.maximum(weights, 1 / START)
        topics = ETA + np.einsum("d,dv,dvk->kv", weights, X, phi)  # eqs. 8 and 11
    return topics, temperatures


@pytest.mark.parametrize("mode", ["vt", "lvt"])
def test_steps_are_those_of_the_paper(mode):
    X = corpus(12)
    topics = ETA + np.random.default_rng(1).gamma(2.0, size=(K, X.shape[1]))
    kind = {"vt": GlobalTempering, "lvt": LocalTempering}[mode]
    tempering = kind(schedule=lambda passes: 1e6 if passes else START, inertia=0)
    lda = TemperedLDA(
        K,
        tempering=tempering,
        inference="vb",
        learning_method="batch",
        doc_topic_prior=ALPHA,
        topic_word_prior=ETA,
        init=topics,
        max_iter=4,
        tol=0.0,
        mean_change_tol=1e-13,
        max_doc_update_iter=5000,
        dtype="float64",
    )
    with pytest.warns(match="ended at the temperature"):
        lda.fit(X)
    expected, temperatures = steps_of_the_paper(mode, X.toarray(), topics, 4)
    assert max(temperatures) > 1.2 * min(temperatures)
    # log C is interpolated: relative errors are up to 2e-4 over eight seeds.
    assert_allclose(lda.temperature_history_["temperature"], temperatures, rtol=1e-3)
    assert_allclose(lda.components_, expected, rtol=1e-3)
