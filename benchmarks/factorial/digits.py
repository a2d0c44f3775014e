"""Scanned digits, as a user has them: does it help to subtract the mean of each pixel?

    python -m benchmarks.factorial.digits

1,400 of scikit-learn's digits of 8 x 8 pixels, from 0 to 1; the others are held out. Figures are
the ELBO of a held-out digit in nats, by the number of components: means over seeds. The variance of
the noise of the factorial mixture is given; sparse coding learns its own. The last table shows how
the held-out ELBO chooses this variance.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from topictemper._utils._typing import Floats
from topictemper.factorial import BinarySparseCoding, FactorialMixture

from .._common.corpora import machine, parser
from .._common.pairs import with_error

SIZES = (8, 16, 32)
VARIANCES = (0.005, 0.01, 0.02, 0.03, 0.05)


def digits(center: bool) -> tuple[Floats, Floats]:
    """Digits of training and held-out digits."""
    X = load_digits().data / 16
    train, test = X[:1400], X[1400:]
    mean = train.mean(axis=0) if center else 0.0
    return train - mean, test - mean


def mixtures(K: int, noise_var: float, center: bool, seeds: int) -> str:
    """Held-out ELBO of factorial mixtures."""
    train, test = digits(center)
    models = (FactorialMixture(K, noise_var=noise_var, random_state=seed) for seed in range(seeds))
    return with_error(np.array([model.fit(train).score(test) for model in models]), 1)


def coding(K: int, center: bool, seeds: int) -> str:
    """Held-out ELBO and mean number of active components of sparse coding."""
    train, test = digits(center)
    models = [BinarySparseCoding(K, random_state=seed).fit(train) for seed in range(seeds)]
    active = np.mean([K * model.pi_ for model in models])
    return f"{with_error(np.array([model.score(test) for model in models]), 1)} ({active:.2f})"


def main() -> None:
    """Print the tables."""
    options = parser(__doc__, data="none", jobs=None).parse_args()
    seeds = options.seeds
    print(machine(1), f"{seeds} seeds", sep="\n")
    print("\n| components | mixture | mixture, centered | coding (active) | coding, centered |")
    print("|---|---|---|---|---|")
    for K in SIZES:
        cells = [mixtures(K, 0.02, center, seeds) for center in (False, True)]
        cells += [coding(K, center, seeds) for center in (False, True)]
        print(f"| {K} | " + " | ".join(cells) + " |", flush=True)
    print("\n| noise_var | " + " | ".join(map(str, SIZES)) + " |")
    print("|---|---|---|---|")
    for variance in VARIANCES:
        cells = [mixtures(K, variance, True, seeds) for K in SIZES]
        print(f"| {variance} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
