"""Pictures of fitted models, as displays in the style of scikit-learn; needs matplotlib."""

from ._surfaces import AnnealedSurfaceDisplay

__all__ = ["AnnealedSurfaceDisplay"]
