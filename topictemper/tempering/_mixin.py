"""The settings of `tempering` as nested parameters of an estimator."""

from __future__ import annotations

from typing import Any, Self

from ._modes import MODES


class TemperingMixin:
    """Gives an estimator with the parameter `tempering` nested parameters, also of a name."""

    tempering: Any

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, and settings of its tempering.

        Parameters
        ----------
        **params
            By name; ``tempering__length`` and the like are settings of the tempering. If
            `tempering` is a name, the object that it stands for is set first.

        Returns
        -------
        object
            The estimator itself.

        Raises
        ------
        ValueError
            If there is no such parameter, or without tempering.
        """
        nested = next((name for name in params if name.startswith("tempering__")), None)
        if nested is not None:
            tempering = params.get("tempering", self.tempering)
            if isinstance(tempering, str) and tempering in MODES:
                tempering = params["tempering"] = MODES[tempering]()
            if tempering is None or isinstance(tempering, str):
                raise ValueError(f"tempering={tempering!r} has no settings, such as {nested}")
        parent: Any = super()
        parent.set_params(**params)
        return self
