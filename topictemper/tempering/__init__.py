"""Temperatures that know nothing of the model they temper.

A tempered model raises the likelihood of its local variables to the power ``s = 1 / T``, the
inverse temperature. This package decides which ``s`` to use: by a schedule (annealed variational
inference), by one learned temperature (variational tempering), by a learned temperature per datum
(local variational tempering), or by a probe of the temperature above which a model learns nothing.
The model supplies energies and log normalizers (see `GlobalTemperature`); all of them are in nats.
"""

from ._global import GlobalTemperature
from ._grids import inverse_temperature_grid, temperature_grid
from ._local import QUANTILES, LocalTemperature
from ._modes import Annealing, GlobalTempering, LocalTempering, PosteriorAnnealing
from ._nodes import InverseTemperatureNodes
from ._normalizers import log_mean_exp, prior_log_partition
from ._probe import CriticalProbe
from ._schedules import (
    CallableSchedule,
    ConstantSchedule,
    ExponentialSchedule,
    InverseLinearSchedule,
    LinearSchedule,
    Schedule,
    as_schedule,
)

__all__ = [
    "QUANTILES",
    "Annealing",
    "CallableSchedule",
    "ConstantSchedule",
    "CriticalProbe",
    "ExponentialSchedule",
    "GlobalTemperature",
    "GlobalTempering",
    "InverseLinearSchedule",
    "InverseTemperatureNodes",
    "LinearSchedule",
    "LocalTemperature",
    "LocalTempering",
    "PosteriorAnnealing",
    "Schedule",
    "as_schedule",
    "inverse_temperature_grid",
    "log_mean_exp",
    "prior_log_partition",
    "temperature_grid",
]
