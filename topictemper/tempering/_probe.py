"""A probe of the critical temperature, above which a model learns nothing."""

from __future__ import annotations

from .._utils import _validation as check
from .._utils._state import Stateful


class CriticalProbe(Stateful):
    """Cool until the model begins to learn, then say how hot annealing should start.

    Above a critical temperature that depends on the data, the best fit is the one where all
    components are alike. Annealing that starts far above it wastes its time, annealing that starts
    below it is of little use. The probe starts hot; after each step of the model it gets an
    order parameter that is 0 while the components are alike (a gain over a model without
    components, say). While the smoothed order parameter stays under a threshold nothing can be
    lost, and ``T - 1`` shrinks by the factor ``1 - rate``. Once it rises, the critical temperature
    has been passed, and ``max_temperature = 1 + reheat (T - 1)``, at most `start`. If T falls to
    `lowest` without a rise, ``max_temperature = 1``: no annealing is needed.

    Parameters
    ----------
    start : float, default=5.0
        First temperature, > 1.
    rate : float, default=0.01
        Shrinkage of T - 1 per update, in (0, 1). From 5 down to 1.02 takes
        ``log(4 / 0.02) / rate`` updates, about 530 at the default.
    threshold : float, default=0.03
        Order parameter at which components count as different, > 0, in the unit of the order
        parameter (nats per token, for a topic model's gain over the unigram model).
    reheat : float, default=1.5
        Factor on T - 1 once the threshold is passed, >= 1. It makes up for how far the
        temperature fell while the components, already unstable, drifted apart; the faster the
        rate, the larger it should be (2.5 for a rate of 0.03).
    smoothing : float, default=0.2
        Weight of the newest order parameter in the moving average, in (0, 1]. The average
        starts at 0, its value while components are alike.
    lowest : float, default=1.02
        Temperature at which the probe gives up, > 1 and < `start`.

    Attributes
    ----------
    temperature : float
        Temperature to use next; once finished, where the probe stopped.
    order_parameter : float
        The smoothed order parameter.
    finished : bool
        Whether the probe has its answer.
    max_temperature : float or None
        The answer: temperature from which to anneal, >= 1; None until finished.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    A model whose components part below T = 2:

    >>> probe = CriticalProbe()
    >>> while not probe.finished:
    ...     probe.update(0.1 if probe.temperature < 2.0 else 0.0)
    >>> round(probe.temperature, 2), round(probe.max_temperature, 2)
    (1.99, 2.48)
    """

    STATE = ("temperature", "order_parameter", "max_temperature")

    def __init__(
        self,
        *,
        start: float = 5.0,
        rate: float = 0.01,
        threshold: float = 0.03,
        reheat: float = 1.5,
        smoothing: float = 0.2,
        lowest: float = 1.02,
    ) -> None:
        self._start = check.number("start", start, 1.0, boundaries="neither")
        self._rate = _checked_rate(rate)
        self._threshold = check.number("threshold", threshold, 0.0, boundaries="neither")
        self._reheat = check.number("reheat", reheat, 1.0)
        self._smoothing = check.number("smoothing", smoothing, 0.0, 1.0, boundaries="right")
        self._lowest = check.number("lowest", lowest, 1.0, self._start, boundaries="neither")
        self.temperature: float = self._start
        self.order_parameter: float = 0.0
        self.max_temperature: float | None = None

    @property
    def finished(self) -> bool:
        """Whether the probe has its answer."""
        return self.max_temperature is not None

    def update(self, order_parameter: float, rate: float | None = None) -> None:
        """Record the order parameter measured at the current temperature, and lower T.

        Parameters
        ----------
        order_parameter : float
            Finite; may be noisy and negative.
        rate : float, optional
            Shrinkage of T - 1 for this update, in (0, 1), if steps differ in size.

        Raises
        ------
        TypeError, ValueError
            If an argument is out of range.
        RuntimeError
            If the probe is finished.
        """
        if self.finished:
            raise RuntimeError("the probe is finished; anneal from its max_temperature")
        value = check.number("order_parameter", order_parameter)
        rate = self._rate if rate is None else _checked_rate(rate)
        self.order_parameter += self._smoothing * (value - self.order_parameter)
        excess = self.temperature - 1.0
        if self.order_parameter >= self._threshold:
            self.max_temperature = min(self._start, 1.0 + excess * self._reheat)
            return
        excess *= 1.0 - rate
        self.temperature = 1.0 + excess
        if self.temperature < self._lowest:
            self.max_temperature = 1.0


def _checked_rate(rate: float) -> float:
    return check.number("rate", rate, 0.0, 1.0, boundaries="neither")
