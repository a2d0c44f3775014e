"""Displays of fitted models in the style of scikit-learn; they need matplotlib."""

from ._bounds import BoundDisplay
from ._components import ComponentsDisplay
from ._curves import LearningCurveDisplay, TemperatureDisplay
from ._documents import DocumentTemperatureDisplay
from ._hierarchy import TopicHierarchyDisplay
from ._n_components import NComponentsDisplay
from ._shares import TopicSharesDisplay
from ._surfaces import AnnealedSurfaceDisplay
from ._topics import TopicsDisplay

__all__ = [
    "AnnealedSurfaceDisplay",
    "BoundDisplay",
    "ComponentsDisplay",
    "DocumentTemperatureDisplay",
    "LearningCurveDisplay",
    "NComponentsDisplay",
    "TemperatureDisplay",
    "TopicHierarchyDisplay",
    "TopicSharesDisplay",
    "TopicsDisplay",
]
