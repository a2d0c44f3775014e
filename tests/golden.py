"""Hashes of what some fits learn, to see that a change of the code changes no bit.

    python -m tests.golden

writes them into ``tests/data/golden.json``. They hold for the instruction set "baseline", and for
machines whose NumPy and SciPy give the same bits as the one at hand, which a fingerprint tells.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import scipy.special as special

from topictemper import TemperedLDA, get_isa, set_isa
from topictemper.datasets import make_bars, make_lda_corpus, make_shapes
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture
from topictemper.tempering import Annealing, GlobalTempering, LocalTempering

FILE = Path(__file__).parent / "data" / "golden.json"
PRECISIONS = ("float32", "float64")


def corpus() -> Any:
    """Counts of 600 documents of 150 words."""
    return make_lda_corpus(600, 150, 6, document_length=40, random_state=0).counts


def lda(dtype: str, **parameters: Any) -> tuple[Any, ...]:
    """What a fit of LDA learns, and how it reads documents."""
    X = corpus()
    model = TemperedLDA(
        8, max_iter=4, batch_size=60, learning_offset=10.0, random_state=0, dtype=dtype
    )
    model.set_params(**parameters).fit(X)
    return of_lda(model, X)


def stream(dtype: str) -> tuple[Any, ...]:
    """What a stream of unknown length learns, with weights and learned priors."""
    X, weights = corpus(), np.random.RandomState(0).randint(1, 4, 600).astype(float)
    model = TemperedLDA(
        8,
        batch_size=50,
        doc_topic_prior="auto",
        topic_word_prior="auto",
        random_state=1,
        dtype=dtype,
    )
    for start in range(0, 600, 150):
        model.partial_fit(X[start : start + 150], None, weights[start : start + 150])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "topics are still hot")
        return of_lda(model, X)


def of_lda(model: Any, X: Any) -> tuple[Any, ...]:
    """Learned parameters, and what is predicted of some documents."""
    return (
        model.components_,
        model.doc_topic_prior_,
        model.topic_word_prior_,
        model.temperature_history_["temperature"],
        model.transform(X[:50]),
        model.score(X[:200]),
    )


def shapes(**parameters: Any) -> tuple[Any, ...]:
    """What a factorial mixture learns."""
    model = FactorialMixture(8, max_iter=60, random_state=0, **parameters)
    model.fit(make_shapes(300, random_state=0).data)
    return model.components_, model.component_variances_, model.elbo_


def sparse_coding() -> tuple[Any, ...]:
    """What binary sparse coding learns."""
    model = BinarySparseCoding(10, tempering=None, n_states=20, max_iter=15, random_state=0)
    model.fit(make_bars(300, random_state=0).data)
    return model.components_, model.sigma_, model.pi_


def belief_network(marginal: str) -> tuple[Any, ...]:
    """What a sigmoid belief network learns."""
    model = SigmoidBeliefNetwork(8, max_iter=10, marginal=marginal, random_state=0)
    model.fit(make_bars(300, kind="sigmoid", random_state=0).data)
    return model.components_, model.pi_


def clusters(tempering: str) -> tuple[Any, ...]:
    """What a Dirichlet process mixture learns."""
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(center, 0.5, (60, 3)) for center in (-3.0, 0.0, 3.0)])
    model = DPGaussianMixture(6, tempering=tempering, max_iter=60, random_state=0).fit(X)
    return model.means_, model.weights_, model.elbo_


OF_LDA: dict[str, dict[str, Any]] = {
    "lvt": {},
    "lvt, mean-field": {"inference": "point", "tempering": LocalTempering(max_temperature=3.0)},
    "vt": {"tempering": GlobalTempering(updates=40)},
    "vt, prior normalizer": {"tempering": GlobalTempering(normalizer="prior_upper")},
    "avi": {"tempering": Annealing(schedule="exponential", max_temperature=4.0)},
    "svi, dirichlet": {"tempering": "svi", "inference": "vb"},
    "dasvi": {"tempering": "dasvi"},
    "batch": {"learning_method": "batch", "max_iter": 12},
    "learned priors": {"doc_topic_prior": "auto", "topic_word_prior": "auto", "max_iter": 8},
    "early stopping, two threads": {"early_stopping": True, "n_jobs": 2, "max_iter": 6},
}
SETTINGS: dict[str, Callable[[], tuple[Any, ...]]] = {
    **{
        f"LDA, {name}, {dtype}": partial(lda, dtype, **parameters)
        for name, parameters in OF_LDA.items()
        for dtype in PRECISIONS
    },
    **{f"LDA, stream, {dtype}": partial(stream, dtype) for dtype in PRECISIONS},
    "factorial mixture, vi": partial(shapes, tempering="vi"),
    "factorial mixture, avi": partial(shapes, tempering="avi", final_sweeps=20),
    "factorial mixture, vt": partial(shapes, final_sweeps=20),
    "factorial mixture, lvt": partial(shapes, tempering="lvt", final_sweeps=20, n_jobs=2),
    "sparse coding": sparse_coding,
    "belief network": partial(belief_network, "truncated"),
    "belief network, mlp": partial(belief_network, "mlp"),
    "clusters": partial(clusters, "vi"),
    "clusters, avi": partial(clusters, "avi"),
}


def digest(values: tuple[Any, ...]) -> str:
    """SHA-256 of arrays and numbers."""
    result = hashlib.sha256()
    for value in values:
        result.update(np.ascontiguousarray(value).tobytes())
    return result.hexdigest()


def learned(name: str) -> str:
    """Digest of what a setting learns with the kernels for any processor."""
    with baseline():
        return digest(SETTINGS[name]())


@contextmanager
def baseline() -> Iterator[None]:
    """Kernels for any processor."""
    before = get_isa()
    set_isa("baseline")
    try:
        yield
    finally:
        set_isa(before)


def fingerprint() -> str:
    """Digest of what NumPy and SciPy compute here: their versions and processors differ in bits."""
    x = np.linspace(0.01, 50.0, 4001)
    random_state = np.random.RandomState(0)
    a, b = random_state.normal(size=(2, 60, 60))
    return digest(
        (
            np.exp(-x),
            np.log(x),
            np.exp(-x.astype(np.float32)),
            np.log(x.astype(np.float32)),
            special.psi(x),
            special.gammaln(x),
            random_state.gamma(100.0, 0.01, 1000),
            random_state.gamma(0.3, size=1000),
            a @ b,
            (a @ b).astype(np.float32) @ b.astype(np.float32),
            np.linalg.svd(a)[1],
            scipy.linalg.cholesky(a @ a.T + np.eye(60)),
            np.quantile(x**0.3, 0.05),
        )
    )


def main() -> None:
    """Write the hashes of this machine; if they were others, drop those of other machines."""
    table = json.loads(FILE.read_text())
    here, now = fingerprint(), {name: learned(name) for name in SETTINGS}
    if table.get(here, now) != now:
        # Older code gave them, and the tests would fail there.
        print(f"dropped the hashes of {len(table) - 1} other machines; run this there, too")
        table = {}
    FILE.write_text(json.dumps(table | {here: now}, indent=1) + "\n")


if __name__ == "__main__":
    main()
