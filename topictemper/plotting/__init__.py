"""Pictures of fitted models, as displays in the style of scikit-learn; needs matplotlib."""

from ._components import ComponentsDisplay

__all__ = ["ComponentsDisplay"]
