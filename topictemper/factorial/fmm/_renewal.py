"""q(Z) of training images, inferred anew when T reaches 1 in a tempered fit."""

from __future__ import annotations

import numpy as np

from ..._core._workers import Workers
from ._images import Images
from ._inference import infer_assignments, is_better
from ._updates import Assignments, Components, Prior

# Sweeps from one renewal to the next. A renewal has 70 sweeps of q(Z), but no other updates, so
# later ones take less time than the sweeps between them.
_EVERY = 100


class Renewals:
    """When q(Z) of training images is inferred anew, and which q(Z) an image then has.

    A sweep starts from the q(Z) of the sweep before. So an image stays in an optimum that it found
    while the components were different, and which is often worse than that of `infer_assignments`.
    Components are then learned from these assignments, and fit new images less well.

    The first renewal is in the first sweep at T = 1 after a tempered one. All images get the q(Z)
    that they would have as new images. For some its bound is lower than before, so the bound of
    training may fall in this sweep. But on average new images gain more than if each image kept the
    better q(Z). Renewals follow every 100 sweeps, and when the fit has converged, which ends when a
    renewal does not help any more. In these, each image keeps the better q(Z), and the bound of
    training never falls. Without a tempered sweep there are no renewals.

    A renewal has 70 sweeps of q(Z), and needs memory for one more q(Z).
    """

    def __init__(self, images: Images, prior: Prior, workers: Workers) -> None:
        self._images, self._prior, self._workers = images, prior, workers
        self._was_tempered, self._is_first, self._earliest = False, True, 0
        self._converged = -np.inf

    def renewed(
        self, sweep: int, temperature: float, components: Components, present: Assignments
    ) -> Assignments:
        """Return q(Z) of a sweep, inferred anew if a renewal is due; call it after every sweep.

        Parameters
        ----------
        sweep : int
        temperature : float
            Of this sweep.
        components : Components
            q(mu) of this sweep.
        present : Assignments
            q(Z) as the sweep left it.

        Returns
        -------
        Assignments
        """
        if temperature > 1.0:
            self._was_tempered = True
        if temperature > 1.0 or not self._was_tempered or sweep < self._earliest:
            return present
        anew = infer_assignments(self._images, self._prior, components, self._workers)
        if not self._is_first:
            worse = ~is_better(anew.energies + anew.entropies, present.energies + present.entropies)
            for new, old in zip(anew, present, strict=True):
                new[..., worse] = old[..., worse]
        self._is_first, self._earliest = False, sweep + _EVERY
        return anew

    def goes_on(self, sweep: int, elbo: float, tol: float) -> bool:
        """Whether a fit that has converged goes on, with a renewal in the next sweep.

        It does once, and again if the bound `elbo` has risen by `tol` or more since the last time.
        """
        if not self._was_tempered or elbo - self._converged < tol:
            return False
        self._converged, self._earliest = elbo, sweep + 1
        return True
