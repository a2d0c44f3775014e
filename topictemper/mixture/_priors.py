"""Prior and start of a Dirichlet process mixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from .._utils import _validation as check
from .._utils._typing import Floats
from ._normal_wishart import Diagonal, Full, NormalWishart

# Quotients of smaller and larger numbers leave the range of float64.
LOWEST, LARGEST = 1e-100, check.LARGEST
# So do the inverses of smaller variances.
_LOWEST_VARIANCE = 1e-300
# Columns that a message names.
_NAMED = 10


def prior_of(X: Floats, full: bool, parameters: Mapping[str, Any]) -> NormalWishart:
    """Return the prior of the components; parameters that are None follow from the data."""
    D = X.shape[1]
    k = check.number("mean_precision_prior", parameters["mean_precision_prior"], LOWEST, LARGEST)
    lowest = D - 1.0 if full and D > 1 else LOWEST
    dof = parameters["degrees_of_freedom_prior"]
    if dof is None:
        dof = D if full else 1.0
    dof = check.number("degrees_of_freedom_prior", dof, lowest, LARGEST, boundaries="right")
    mean = parameters["mean_prior"]
    if mean is None:
        mean = X.mean(axis=0)
    else:
        mean = check.table("mean_prior", mean, [(D,)], -LARGEST, LARGEST).copy()
    scale = parameters["covariance_prior"]
    if scale is None:
        scale = _covariance_of(X, full)
    else:
        shape, largest = (D, D) if full else (D,), LARGEST**2
        scale = check.table("covariance_prior", scale, [shape], -largest, largest)
        if not _positive_definite(scale):
            wanted = "symmetric and positive definite" if full else "positive"
            raise ValueError(
                f"covariance_prior must be {wanted}, with variances >= {_LOWEST_VARIANCE:g}"
            )
    return (Full if full else Diagonal)(
        mean[None], np.array([k]), np.array([dof]), np.array(scale, dtype=np.float64)[None]
    )


def start_of(init_params: Any, shape: tuple[int, int]) -> str | Floats:
    """Check the start: the name of a method, or responsibilities (N, n_components)."""
    if isinstance(init_params, str):
        return check.choice("init_params", init_params, ("kmeans", "random"))
    phi = check.table("init_params", init_params, [shape], 0.0, 1.0 + 1e-6).copy()
    if np.abs(phi.sum(axis=1) - 1.0).max() > 1e-6:
        raise ValueError("init_params must be responsibilities: >= 0, with rows that sum to 1")
    return phi


def draw_start(
    X: Floats, init: str | Floats, n_components: int, random_state: np.random.RandomState
) -> Floats:
    """Return responsibilities (N, n_components) to start from."""
    if not isinstance(init, str):
        return init
    if init == "random":
        phi = random_state.standard_exponential((len(X), n_components))
        return phi / phi.sum(axis=1, keepdims=True)
    # k-means warns where clusters outnumber distinct rows; components without a cluster are empty.
    n_clusters = _n_distinct(X, n_components)
    labels = KMeans(n_clusters, n_init=1, random_state=random_state).fit(X).labels_
    phi = np.zeros((len(X), n_components))
    phi[np.arange(len(X)), labels] = 1.0
    return phi


def _n_distinct(X: Floats, most: int) -> int:
    """Return the number of distinct rows, or `most` if there are more."""
    # Some rows mostly have as many, and to sort all takes long.
    for rows in (X[: 10 * most], X):
        n_distinct = len(np.unique(rows, axis=0))
        if n_distinct >= most:
            return most
    return n_distinct


def _covariance_of(X: Floats, full: bool) -> Floats:
    """Covariance of the data, (D, D), or its diagonal, (D,); refused if it is not definite."""
    message = "covariance_prior cannot be computed from X: {}, or give covariance_prior"
    # The computed variance of equal numbers is seldom 0: their computed mean is another number.
    spread, size = np.ptp(X, axis=0), np.abs(X).max(axis=0)
    constant = np.flatnonzero(spread <= np.finfo(float).eps * size)
    if constant.size == 1:
        raise ValueError(message.format(f"column {constant[0]} is constant; remove it"))
    if constant.size:
        named = ", ".join(map(str, constant[:_NAMED])) + ", ..." * (constant.size > _NAMED)
        raise ValueError(message.format(f"columns {named} are constant; remove them"))
    scale = np.atleast_2d(np.cov(X.T)) if full else X.var(axis=0, ddof=1)
    if not _positive_definite(scale):
        if (np.diagonal(scale) if full else scale).min() < _LOWEST_VARIANCE:
            raise ValueError(message.format("squares of its values vanish; scale it up"))
        raise ValueError(
            message.format(
                f"its {X.shape[1]} columns are linearly dependent, as they always are in "
                f"{X.shape[1]} rows or fewer; remove columns, choose covariance_type='diag'"
            )
        )
    return scale


def _positive_definite(scale: Floats) -> bool:
    """Whether a matrix is symmetric and positive definite, or the diagonal of one is positive."""
    if scale.ndim == 1:
        return bool((scale >= _LOWEST_VARIANCE).all())
    if not np.allclose(scale, scale.T, rtol=1e-10, atol=0.0):
        return False
    # Relative to the diagonal, so that columns may have different units.
    variances = np.diagonal(scale)
    if not (variances >= _LOWEST_VARIANCE).all():
        return False
    deviation = np.sqrt(variances)
    lowest = np.linalg.eigvalsh(scale / np.outer(deviation, deviation))[0]
    return bool(lowest > len(scale) * np.finfo(float).eps)
