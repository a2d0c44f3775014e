"""How good topics are: prediction, coherence, diversity, and what two models share."""

from ._coherence import coherence
from ._comparison import TopicMatch, match_topics, topic_diversity
from ._predictive import perplexity, predictive_log_likelihood

__all__ = [
    "TopicMatch",
    "coherence",
    "match_topics",
    "perplexity",
    "predictive_log_likelihood",
    "topic_diversity",
]
