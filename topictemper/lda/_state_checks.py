"""What holds in every state that training leads to: values in range, and that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core._isa import ISAS
from .._utils._state import StateError, Tree
from ._prior_scale import MOST_WAITED

# Beyond what parameters and counts allow, and within what single precision can work with.
_PRIOR = (1e-8, 1e6)
_NUMBER = (0.0, 1e18)
_MOST_LAMBDA = 1e30
_TEMPERATURE = (1.0, 1e6)
_COOL = (1e-6, 1.0)

_TOPICS = {
    "M": (0.0, 3e38),
    "a": (1e-30, 1e30),
    "b": (0.0, 1.001),
    "base": (1e-8, 1e17),
    "column_sums": (0.0, 1e60),
}
_COMPARISON = {
    "gains": (-1e36, 0.0),
    "begin": (-1.0, 2e18),
    "steps": (0, 2**53),
    "next": (1, 2**53),
}
_RANGES = {
    **{f"topics/{name}": values for name, values in _TOPICS.items()},
    **{f"average/topics/{name}": values for name, values in _TOPICS.items()},
    **{f"prior_scale/{name}": values for name, values in _COMPARISON.items()},
    **{f"predictive_eta/{name}": values for name, values in _COMPARISON.items()},
    **{f"predictive_scale/{name}": values for name, values in _COMPARISON.items()},
    "average/n_added": (0, 2**53),
    "average/due": _NUMBER,
    "alpha": _PRIOR,
    "eta": (1e-8, 1e16),
    "control/learned": _COOL,
    "control/course/max_temperature": _TEMPERATURE,
    "control/course/begin": _NUMBER,
    "control/course/probe/temperature": _TEMPERATURE,
    "control/course/probe/order_parameter": (-1e6, 1e6),
    "control/course/probe/max_temperature": _TEMPERATURE,
    "control/posterior/responsibilities": (0.0, 1.0 + 1e-9),
    "normalizer/moments": (0.0, 1e15),
    "normalizer/seed": (0, 2**31),
    "control/quantiles": (0.999, 1e7),
    # That of a topic without words is 0, but for rounding.
    "priors/means": (-0.01, 1e12),
    "priors/alpha_share": (0.0, 2.0),
    "priors/eta_share": (-3.0, 2.0),
    "priors/n_sampled": _NUMBER,
    "priors/even_size": _NUMBER,
    "prior_scale/scale": (2.0**-4, 2.0**6),
    "predictive_scale/scale": (1.0, 4.0),
    "sampling_seed": (0, 2**63 - 1),
    "clock/n_updates": (0, 2**53),
    "clock/documents_seen": _NUMBER,
    "clock/tokens_seen": (0.0, 1e36),
    "clock/total_samples": (1e-18, 1e18),
    "clock/once": _NUMBER,
    "clock/pass_length": (1e-18, 1e18),
    "clock/passes_before": _NUMBER,
    "clock/seen_before": _NUMBER,
}
# Rounding of column sums that are kept up to date step by step.
_ROUNDING = {"float32": 1e-4, "float64": 1e-9}
_A_HAIR = 1e-6


def check_trainer(tree: Tree) -> None:
    """Raise `StateError` for a state of a trainer, from `get_state`, that no training leads to."""
    for place, value in _leaves(tree):
        if place in _RANGES and value is not None:
            low, high = _RANGES[place]
            # Not a number is what quantiles are before there are any; elsewhere it is refused.
            if place == "control/quantiles":
                value = value[~np.isnan(value)]
            if np.size(value) and not (np.min(value) >= low and np.max(value) <= high):
                raise StateError(place, f"must be from {low:g} to {high:g}")
    if tree["isa"].partition(" ")[0] not in ISAS:
        raise StateError("isa", f"must begin with one of {ISAS}, got {tree['isa']!r}")
    for place, sound in _relations(tree):
        if not sound:
            raise StateError(place, "does not belong to the rest of the state")


def _leaves(tree: Tree, above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{above}{name}/")
        else:
            yield above + name, value


def _of_topics(topics: Tree, place: str) -> Iterator[tuple[str, bool]]:
    M = topics["M"]
    yield f"{place}/M", float(M.max()) * topics["a"] <= _MOST_LAMBDA
    sums = M.sum(axis=0, dtype=np.float64)
    rounding = _ROUNDING[M.dtype.name] * sums
    yield f"{place}/column_sums", bool((abs(topics["column_sums"] - sums) <= rounding).all())


def _relations(tree: Tree) -> Iterator[tuple[str, bool]]:
    topics, control, clock = (tree[name] for name in ("topics", "control", "clock"))
    M, average = topics["M"], tree["average"]
    yield from _of_topics(topics, "topics")
    if average["topics"] is not None:
        yield from _of_topics(average["topics"], "average/topics")
        yield "average/n_added", average["n_added"] > 0
    yield "clock/n_updates", (clock["n_updates"] > 0) == (clock["documents_seen"] > 0)
    yield "clock/seen_before", clock["seen_before"] <= clock["documents_seen"]
    since = (clock["documents_seen"] - clock["seen_before"]) / clock["pass_length"]
    passes = clock["passes_before"] + since
    yield "clock/pass_length", passes <= _NUMBER[1]
    now = passes * (1.0 + _A_HAIR) + _A_HAIR
    yield "control/course/begin", control["course"]["begin"] <= now
    for name in ("prior_scale", "predictive_eta", "predictive_scale"):
        steps = tree[name]["steps"]
        yield f"{name}/next", steps < tree[name]["next"] <= steps + MOST_WAITED
    means = tree["priors"]["means"]
    yield "priors/means", means is None or means.shape == (M.shape[1] + 1,)
    history = control["history"]
    yield (
        "control/history",
        bool(
            ((history[:, 0] >= 0) & (history[:, 0] <= now)).all()
            and ((history[:, 1] >= 0.999) & (history[:, 1] <= 1e7)).all()
            and (np.isnan(history[:, 2:]) | (abs(history[:, 2:]) <= 1e7)).all()
        ),
    )
    normalizer = tree["normalizer"]
    if normalizer and "refreshed" in normalizer:
        yield "normalizer/refreshed", normalizer["refreshed"] <= now
        used = normalizer["refreshed"] > -np.inf
        yield "normalizer/moments", not used or normalizer["moments"].min() > 0
    posterior = control["posterior"]
    if posterior:
        energy, log_c, r = (posterior[x] for x in ("energy", "log_c", "responsibilities"))
        yield "control/posterior/energy", (energy is None) == (log_c is None)
        yield "control/posterior/log_c", log_c is None or log_c.shape == r.shape
        yield "control/posterior/responsibilities", abs(r.sum() - 1.0) <= _A_HAIR
