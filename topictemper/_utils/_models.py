"""Models that hold a model."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted


def lda_of(model: Any) -> Any:
    """Return the model of counts: that of a model of texts, or the model itself."""
    return getattr(model, "lda_", model)


def fitted_lda_of(model: Any) -> Any:
    """Return the model of counts, of a model that must be fitted."""
    check_is_fitted(model)
    return lda_of(model)
