"""Does annealing help sparse coding and belief networks? Bars over seeds, with and without.

    python -m benchmarks.factorial.annealing --seeds 24

A temperature T0 falls linearly to 1 over the iterations given; sigma and pi are not learned while
T > 1. F is the free energy at T = 1 after the last iteration, in nats an image, higher is better;
differences are paired by seed, with their standard error. A bar is found where a component
correlates with it by more than 0.8. "pi known" starts from the probability that made the data, not
from the model's default.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.utils import Bunch

from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.tempering import LinearSchedule, Schedule

from .._common.corpora import machine, parser

PI = 0.2
COURSES: dict[str, Schedule | None] = {
    "T = 1": None,
    "3 / 30": LinearSchedule(3, 30),
    "10 / 50": LinearSchedule(10, 50),
    "30 / 50": LinearSchedule(30, 50),
}
CASES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "sparse coding, N = 1,000": ("linear", 1000, {"max_iter": 200}),
    "the same, pi known": ("linear", 1000, {"max_iter": 200, "pi_init": PI}),
    "the same, sigma fixed at 2": (
        "linear",
        1000,
        {"max_iter": 200, "learn_sigma": False, "sigma_init": 2.0},
    ),
    "belief network, N = 1,000": ("sigmoid", 1000, {"max_iter": 150}),
}


def found(components: NDArray[np.float64], data: Bunch) -> int:
    """Bars that are there."""
    likeness = np.corrcoef(components, data.components)[:10, 10:]
    return int((likeness[linear_sum_assignment(-likeness)] > 0.8).sum())


def main() -> None:
    """Print a table."""
    options = parser(__doc__.splitlines()[0]).parse_args()
    print(machine(options.jobs))
    print(f"bars of 5 x 5 pixels, {options.seeds} seeds\n")
    print("| model | T0 / iterations | F | less T = 1 | bars of 10 | all 10 |")
    print("|---|---|---|---|---|---|")
    for case, (kind, n_samples, parameters) in CASES.items():
        cold = np.zeros(options.seeds)
        estimator = BinarySparseCoding if kind == "linear" else SigmoidBeliefNetwork
        for course, schedule in COURSES.items():
            energies, bars = np.empty(options.seeds), np.empty(options.seeds)
            for seed in range(options.seeds):
                data = make_bars(n_samples, kind=kind, probability=PI, random_state=seed)
                model = estimator(
                    10, schedule=schedule, random_state=seed, n_jobs=options.jobs, **parameters
                ).fit(data.data)
                energies[seed] = model.free_energy_history_[-1]
                bars[seed] = found(model.components_, data)
            if schedule is None:
                cold = energies
            gain = energies - cold
            error = gain.std(ddof=1) / np.sqrt(options.seeds)
            print(
                f"| {case} | {course} | {energies.mean():.3f} | {gain.mean():+.3f} ± {error:.3f} "
                f"| {bars.mean():.2f} | {(bars == 10).sum()} of {options.seeds} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
