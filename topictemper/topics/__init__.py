"""Topics one can work with: words, seeds, hierarchies, shares over time, search."""

from ._hierarchy import TopicHierarchy, topic_distances, topic_hierarchy
from ._words import frex, lift, relevance

__all__ = [
    "TopicHierarchy",
    "frex",
    "lift",
    "relevance",
    "topic_distances",
    "topic_hierarchy",
]
