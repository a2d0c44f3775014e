"""Models in several threads of one process at once, as in a server or without the GIL.

On a free-threaded Python all of this runs at the same time. Every thread must get the bits that a
thread gets alone, whether it has a model of its own or shares one that is fitted.
"""

import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA
from topictemper.datasets import make_bars, make_lda_corpus
from topictemper.factorial import BinarySparseCoding, FactorialMixture

N_THREADS = 6
COUNTS = make_lda_corpus(200, 150, 5, document_length=40, random_state=0).counts
BARS = make_bars(n_samples=300, random_state=0).data


def at_once(function: Callable[[int], Any]) -> list[Any]:
    """Results of a call in every thread; all begin at the same time."""
    begin = Barrier(N_THREADS)

    def call(thread: int) -> Any:
        begin.wait(timeout=60)
        return function(thread)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(call, range(N_THREADS)))


def lda(seed: int, **parameters: Any) -> TemperedLDA:
    return TemperedLDA(6, max_iter=3, batch_size=50, random_state=seed, **parameters)


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL in any case"
)
def test_no_module_turns_the_gil_on() -> None:
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("inference", ["gibbs", "vb"])
def test_fits_at_once(inference: str, n_jobs: int) -> None:
    def fit(thread: int) -> Any:
        model = lda(thread % 3, inference=inference, n_jobs=n_jobs).fit(COUNTS)
        model.partial_fit(COUNTS[:70])
        return model.components_

    alone = [fit(thread) for thread in range(3)]
    for thread, components in enumerate(at_once(fit)):
        assert_array_equal(components, alone[thread % 3])


def test_one_model_predicts_for_all_threads() -> None:
    model = lda(0).fit(COUNTS)
    parts = [COUNTS[thread::N_THREADS] for thread in range(N_THREADS)]
    alone = [(model.transform(part), model.score(part)) for part in parts]

    def predict(thread: int) -> Any:
        results = [(model.transform(parts[thread]), model.score(parts[thread])) for _ in range(10)]
        for proportions, score in results:
            assert_array_equal(proportions, alone[thread][0])
            assert score == alone[thread][1]
        return len(results)

    assert at_once(predict) == [10] * N_THREADS


def test_factorial_models_at_once() -> None:
    def fit(thread: int) -> Any:
        kind = (FactorialMixture, BinarySparseCoding)[thread % 2]
        return kind(8, max_iter=5, random_state=0).fit(BARS).components_

    alone = [fit(0), fit(1)]
    for thread, components in enumerate(at_once(fit)):
        assert np.isfinite(components).all()
        assert_array_equal(components, alone[thread % 2])
