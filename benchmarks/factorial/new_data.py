"""Do E-steps of new data find states as good as those of training?

    python -m benchmarks.factorial.new_data --data DATA

Of each model: how far its training data, scored as new, are below their bound at the end of
training; the ELBO of data that are held out, both in nats per datum; processor time of a score of
the training data. Each is without local maxima among the first states, and with them: means over
seeds. Digits are those of scikit-learn. Patches are of the natural images (logarithms, each patch
centered), large ones of one photograph, whitened. Pixels are centered for sparse coding. Without
--data there are no patches.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_digits

from topictemper._utils._typing import Floats
from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.factorial.truncated import _inference

from .._common.corpora import machine, parser
from .natural import whitened_patches
from .starts import patches

TURNS = 3
Model = BinarySparseCoding | SigmoidBeliefNetwork
#: All data of a seed, how many of them are for training, and a model.
Case = tuple[Callable[[int], Floats], int, Callable[[int], Model]]


def digits(_: int) -> Floats:
    """Digits of 8 x 8 pixels."""
    return load_digits().data / 16


def coding(n_components: int, **settings: Any) -> Callable[[int], Model]:
    """Sparse coding."""
    return lambda seed: BinarySparseCoding(n_components, random_state=seed, **settings)


def network(n_components: int, **settings: Any) -> Callable[[int], Model]:
    """A belief network."""
    return lambda seed: SigmoidBeliefNetwork(n_components, random_state=seed, **settings)


def cases(options: Namespace) -> dict[str, Case]:
    """All data sets at hand."""

    def bars(kind: Any) -> Callable[[int], Floats]:
        return lambda seed: make_bars(2000, kind=kind, random_state=seed).data

    found: dict[str, Case] = {"sparse coding, bars": (bars("linear"), 1000, coding(10))}
    for K in (16, 32, 64):
        found[f"sparse coding, digits, {K} components"] = digits, 1400, coding(K)
    if options.data is not None:

        def photographs(side: int, n: int) -> Callable[[int], Floats]:
            return lambda seed: patches(options, seed, side, n)

        def large(_: int) -> Floats:
            return whitened_patches(options.data, 3500).astype(np.float32)

        few, many = photographs(12, 1000), photographs(10, 6000)
        wide = coding(300, n_states=100, dtype="float32")
        found["sparse coding, patches of 10 x 10, 100 components"] = many, 5000, coding(100)
        found["sparse coding, 667 patches of 12 x 12, 100 components"] = few, 667, coding(100)
        found["sparse coding, patches of 16 x 16, 300 components"] = large, 2500, wide
    found["belief network, bars"] = bars("sigmoid"), 1000, network(10)
    for K in (16, 32, 48, 100):
        found[f"belief network, digits, {K} units"] = digits, 1400, network(K, binarize=0.5)
    both = network(32, binarize=0.5, marginal="both", batch_size=100)
    found["the same with 32 units, ``marginal='both'``, batches of 100"] = digits, 1400, both
    return found


def measured(case: Case, seed: int) -> Floats:
    """(3, 2): gap, ELBO of held-out data and seconds, without local maxima and with them."""
    data, n_train, model_of = case
    X, model = data(seed), model_of(seed)
    if isinstance(model, BinarySparseCoding):
        X = X - X[:n_train].mean(axis=0)
    model.fit(X[:n_train])
    bound = model.elbo_history_["elbo"][-1]
    found = np.full((3, 2), np.inf)
    starts = _inference.add_local_maxima
    for _ in range(TURNS):
        for column, used in enumerate((lambda *_: None, starts)):
            with patch.object(_inference, "add_local_maxima", used):
                began = time.process_time()
                found[0, column] = bound - model.score(X[:n_train])
                found[2, column] = min(found[2, column], time.process_time() - began)
                found[1, column] = model.score(X[n_train:])
    return found


def main() -> None:
    """Print the table."""
    options = parser(__doc__, jobs=None).parse_args()
    print(machine(1), f"{options.seeds} seeds", sep="\n")
    print("\n| model | gap, without | with | held out, without | with | seconds, without | with |")
    print("|---" * 7 + "|")
    for name, case in cases(options).items():
        runs = [measured(case, seed) for seed in range(options.seeds)]
        cells = [f"{value:.2f}" for value in np.mean(runs, axis=0).ravel()]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
