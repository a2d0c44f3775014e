"""Models of data that many hidden causes make together."""

from ._mixture import FactorialMixture

__all__ = ["FactorialMixture"]
