"""Topics one can work with: words, seeds, hierarchies, shares over time, search."""

from ._differences import share_differences
from ._hierarchy import TopicHierarchy, topic_distances, topic_hierarchy
from ._search import DocumentSearch
from ._seeds import SeedTopics
from ._shares import shares_by_group, shares_over_time
from ._twins import effective_topics, twin_topics
from ._words import frex, lift, relevance

__all__ = [
    "DocumentSearch",
    "SeedTopics",
    "TopicHierarchy",
    "effective_topics",
    "frex",
    "lift",
    "relevance",
    "share_differences",
    "shares_by_group",
    "shares_over_time",
    "topic_distances",
    "topic_hierarchy",
    "twin_topics",
]
