"""How a `TemperedLDA` was made: its parameters, and what was in force where they are None."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# What does not change the topics, and what is said of every fit.
_LEFT_OUT = ("n_jobs", "verbose", "batch_size")


def settings_of(model: Any, made_by: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a fitted model as text.

    Parameters
    ----------
    model : TemperedLDA
        A fitted model.
    made_by : mapping of str to str
        What comes first: the class that the user has, and settings that the model does not know.
    """
    own = {
        name: _short(value)
        for name, value in model._trained_with.items()
        if value is not None and name not in _LEFT_OUT
    }
    return {"model": type(model).__name__, **made_by, **_in_force(model), **own}


def _in_force(model: Any) -> dict[str, str]:
    plan, alpha = model._trainer.plan, model.doc_topic_prior_
    made = {"passes": f"{model.n_iter_:,}", "minibatches": f"{model.n_batch_iter_:,}"}
    if not model._trainer.config.whole:
        made["batch size"] = f"{plan.batch_size:,}"
        if plan.n_joined > 1:
            made["batch size of samples"] = f"{plan.largest_batch:,}"
    made["alpha"] = f"{_range(alpha)} (sum {alpha.sum():.3g})"
    made["eta"] = _range(model.topic_word_prior_)
    if not np.isnan(model.max_temperature_):
        made["temperature where annealing starts"] = f"{model.max_temperature_:.3g}"
    made["temperature at the end"] = f"{model.temperature_:.3g}"
    return made


def _range(values: Any) -> str:
    low, high = f"{np.min(values):.3g}", f"{np.max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray | list | tuple):
        return f"array of shape {np.shape(value)}"
    return value if isinstance(value, str) else repr(value)
