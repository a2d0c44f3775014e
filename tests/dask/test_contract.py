"""What the estimators of Dask say of themselves to scikit-learn."""

import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from topictemper import TemperedLDA, TopicModel
from topictemper import dask as clusters

# One shard and one round: checks have few documents.
SMALL = {"n_shards": 1, "rounds_per_pass": 1, "max_iter": 1, "sample_size": 50}
# Checks of what an estimator cannot take if its tags are wrong, and of what a pipeline needs.
CHECKS = {
    "check_estimator_sparse_tag",
    "check_estimator_tags_renamed",
    "check_estimators_pickle",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_valid_tag_types",
}


def test_checks_of_scikit_learn():
    done = set()
    for estimator, check in estimator_checks_generator(clusters.TemperedLDA(2, **SMALL)):
        if (name := check.func.__name__) in CHECKS:
            check(clone(estimator))
            done.add(name)
    assert done == CHECKS


@pytest.mark.parametrize(
    ("here", "local"),
    [(clusters.TemperedLDA(), TemperedLDA()), (clusters.TopicModel(), TopicModel())],
)
def test_tags_and_metadata_are_those_of_the_local_estimator(here, local):
    assert get_tags(here) == get_tags(local)
    with config_context(enable_metadata_routing=True):
        mine, theirs = (each.get_metadata_routing() for each in (here, local))
        for method in ("fit", "score", "transform"):
            names = getattr(mine, method).requests.keys() - {"resume", "validation_texts"}
            assert names <= getattr(theirs, method).requests.keys()
