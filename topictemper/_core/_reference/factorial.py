"""The kernels of factorial models once more, in plain NumPy; see `_reference`."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from ..._utils._typing import Floats


def bernoulli_sweep(
    projections: Floats,
    gram: Floats,
    bias: Floats,
    pattern: NDArray[np.int64],
    s: Floats,
    precision: float,
    n_sweeps: int,
    nu: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Return nu after the sweeps, its energies and its entropies."""
    nu = nu.copy()
    bias = bias[pattern].T
    if len(gram) > 1:
        rows = gram[pattern]
    for _ in range(n_sweeps):
        for k in range(len(nu)):
            if len(gram) > 1:
                others = np.einsum("nl,ln->n", rows[:, k], nu) - rows[:, k, k] * nu[k]
            else:
                others = gram[0, k] @ nu - gram[0, k, k] * nu[k]
            nu[k] = expit(s * (bias[k] + precision * (projections[k] - others)))
    if len(gram) > 1:
        squares = np.einsum("kn,nkl,ln->n", nu, rows, nu)
        squares -= np.einsum("nkk,kn->n", rows, nu**2)
    else:
        squares = ((gram[0] - np.diag(np.diag(gram[0]))) @ nu * nu).sum(axis=0)
    energy = (nu * (bias + precision * projections)).sum(axis=0) - precision * squares / 2
    return nu, energy, (entr(nu) + entr(1 - nu)).sum(axis=0)
