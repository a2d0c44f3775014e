"""Does annealing help sparse coding and belief networks? Bars over seeds, with and without.

    python -m benchmarks.factorial.annealing --seeds 24

"3 / 30": the temperature falls linearly from 3 to 1 over 30 iterations. sigma and pi are learned
once T = 1. F is the bound after the last iteration, in nats an image; higher is better.
Differences are paired by seed, with their standard error. A bar is found where a component
correlates with it by more than 0.8. "pi known" starts from the probability that made the data, not
from the model's default. "the default" is what a user gets without a setting, and "N iterations"
shows how the length of the default scales with `max_iter`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.utils import Bunch

from topictemper._utils._typing import Floats
from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.tempering import Annealing

from .._common.corpora import machine, parser
from .._common.pairs import with_error

PI = 0.2
COLD: dict[str, Any] = {"tempering": None}
DEFAULT: dict[str, dict[str, Any]] = {"T = 1": COLD, "the default": {}}
COURSES: dict[str, dict[str, Any]] = {
    "T = 1": COLD,
    "3 / 30": {"tempering": Annealing(max_temperature=3, length=30)},
    "10 / 50": {"tempering": Annealing(max_temperature=10, length=50)},
    "30 / 50": {"tempering": Annealing(max_temperature=30, length=50)},
}
STARTS: dict[str, dict[str, Any]] = {
    "1 start": {},
    "3 starts": {"n_init": 3},
    "6 starts": {"n_init": 6},
}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, dict[str, Any]]]] = {
    "sparse coding": ("linear", {"max_iter": 200}, COURSES),
    "the same, 50 iterations": ("linear", {"max_iter": 50}, DEFAULT),
    "the same, 100 iterations": ("linear", {"max_iter": 100}, DEFAULT),
    "the same, 200 iterations": ("linear", {"max_iter": 200}, DEFAULT),
    "the same, 400 iterations": ("linear", {"max_iter": 400}, DEFAULT),
    "the same, pi known": ("linear", {"max_iter": 200, "pi_init": PI}, COURSES),
    "the same, sigma fixed at 2": (
        "linear",
        {"max_iter": 200, "learn_sigma": False, "sigma_init": 2.0},
        COURSES,
    ),
    "belief network": ("sigmoid", {"max_iter": 150}, COURSES),
    "the same, 250 iterations": ("sigmoid", {"max_iter": 250}, STARTS),
}


def bars_found(components: Floats, data: Bunch) -> int:
    """Number of bars that the components recover."""
    likeness = np.corrcoef(components, data.components)[:10, 10:]
    return int((likeness[linear_sum_assignment(-likeness)] > 0.8).sum())


def main() -> None:
    """Print a table."""
    arguments = parser(__doc__, data="none")
    arguments.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="rows")
    arguments.add_argument("--images", type=int, default=1000, help="images of each seed")
    options = arguments.parse_args()
    print(machine(options.jobs))
    print(f"{options.images:,} images of bars of 5 x 5 pixels, {options.seeds} seeds\n")
    print("| model | settings | F | difference | bars of 10 | all 10 |")
    print("|---|---|---|---|---|---|")
    for case in options.cases:
        kind, parameters, courses = CASES[case]
        first = None
        estimator = BinarySparseCoding if kind == "linear" else SigmoidBeliefNetwork
        for course, settings in courses.items():
            bounds, bars = np.empty(options.seeds), np.empty(options.seeds)
            for seed in range(options.seeds):
                data = make_bars(options.images, kind=kind, probability=PI, random_state=seed)
                model = estimator(
                    10, random_state=seed, n_jobs=options.jobs, **parameters, **settings
                ).fit(data.data)
                bounds[seed] = model.elbo_history_["elbo"][-1]
                bars[seed] = bars_found(model.components_, data)
            first = bounds if first is None else first
            gain = bounds - first
            print(
                f"| {case} | {course} | {bounds.mean():.3f} | {with_error(gain, 3)} "
                f"| {bars.mean():.2f} | {(bars == 10).sum()} of {options.seeds} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
