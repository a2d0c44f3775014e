"""With the same topics, priors and tolerances, results are those of scikit-learn's LDA."""

import numpy as np
from scipy.special import psi
from sklearn.decomposition import LatentDirichletAllocation

from topictemper import TemperedLDA
from topictemper.datasets import make_lda_corpus


def test_proportions_and_bound_are_those_of_scikit_learn():
    counts = make_lda_corpus(300, 100, 5, random_state=0).counts
    same = {
        "doc_topic_prior": 0.2,
        "topic_word_prior": 0.2,
        "learning_method": "batch",
        "max_iter": 20,
        "mean_change_tol": 1e-6,
        "max_doc_update_iter": 1000,
        "random_state": 0,
    }
    ours = TemperedLDA(5, tempering=None, inference="vb", dtype="float64", **same).fit(counts)
    theirs = LatentDirichletAllocation(5, **same).fit(counts)
    topics = ours.components_
    theirs.components_ = topics
    theirs.exp_dirichlet_component_ = np.exp(psi(topics) - psi(topics.sum(axis=1, keepdims=True)))
    np.testing.assert_allclose(ours.transform(counts), theirs.transform(counts), atol=1e-6)
    np.testing.assert_allclose(ours.elbo(counts) * counts.sum(), theirs.score(counts), rtol=1e-9)
