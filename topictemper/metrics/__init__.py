"""Measures of the quality of topics: prediction, coherence, diversity, and shared topics."""

from ._coherence import coherence
from ._comparison import TopicMatch, match_topics, topic_diversity
from ._n_components import NComponentsComparison, compare_n_components
from ._predictive import perplexity, predictive_log_likelihood

__all__ = [
    "NComponentsComparison",
    "TopicMatch",
    "coherence",
    "compare_n_components",
    "match_topics",
    "perplexity",
    "predictive_log_likelihood",
    "topic_diversity",
]
