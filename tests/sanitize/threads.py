"""Run every kernel in 1, 2 and 3 threads and compare the results bit for bit.

Built with ThreadSanitizer (``make sanitize-threads``), so that a data race ends in a report.
"""

import hashlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import topictemper
from topictemper import TemperedLDA
from topictemper._core import _factorial, _truncated
from topictemper._core import _lda as _kernels
from topictemper._core._workers import Workers
from topictemper.datasets import make_bars, make_lda_corpus
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork

THREADS = (1, 2, 3)

COUNTS = make_lda_corpus(300, 400, 5, document_length=40, random_state=0).counts
BARS = make_bars(n_samples=1100, random_state=0).data
HIDDEN = np.where(np.random.default_rng(0).random(BARS.shape) < 0.1, np.nan, BARS)

SETTINGS: dict[str, dict[str, Any]] = {
    "svi": {"tempering": "svi"},
    "avi, 300 topics": {"tempering": "avi", "n_components": 300},
    "vt, float64": {"tempering": "vt", "dtype": "float64"},
    "lvt": {"tempering": "lvt", "inference": "gibbs"},
    "lvt, 300 topics, float64": {"tempering": "lvt", "n_components": 300, "dtype": "float64"},
    "dasvi, Dirichlet topics": {"tempering": "dasvi", "inference": "vb"},
    "batch": {"tempering": "vt", "learning_method": "batch"},
    "learned priors": {"doc_topic_prior": "auto", "topic_word_prior": "auto"},
}


def lda(n_jobs: int, parameters: dict[str, Any]) -> list[Any]:
    defaults = {"n_components": 20, "max_iter": 4, "batch_size": 100, "random_state": 0}
    model = TemperedLDA(**(defaults | parameters), n_jobs=n_jobs).fit(COUNTS)
    model.partial_fit(COUNTS)
    return [
        model.components_,
        model.transform(COUNTS),
        model.score(COUNTS),
        model.elbo(COUNTS),
        model.document_temperatures(COUNTS) if model.tempering == "lvt" else None,
    ]


def mixture(n_jobs: int, X: np.ndarray, tempering: str) -> list[Any]:
    model = FactorialMixture(6, tempering=tempering, max_iter=20, random_state=0, n_jobs=n_jobs)
    return [model.fit(X).components_, model.transform(X)]


def sparse_coding(n_jobs: int) -> list[Any]:
    model = BinarySparseCoding(10, max_iter=4, random_state=0, n_jobs=n_jobs).fit(BARS)
    return [model.components_, model.transform(BARS)]


def belief_network(n_jobs: int) -> list[Any]:
    X = (BARS > 3).astype(float)
    model = SigmoidBeliefNetwork(10, max_iter=4, random_state=0, n_jobs=n_jobs).fit(X)
    return [model.components_, model.transform(X)]


def cases() -> Iterator[tuple[str, Callable[[int], list[Any]]]]:
    for name, parameters in SETTINGS.items():
        yield f"TemperedLDA, {name}", lambda n_jobs, p=parameters: lda(n_jobs, p)
    yield "FactorialMixture", lambda n_jobs: mixture(n_jobs, BARS, "vt")
    yield "FactorialMixture, missing pixels", lambda n_jobs: mixture(n_jobs, HIDDEN[:200], "lvt")
    yield "BinarySparseCoding", sparse_coding
    yield "SigmoidBeliefNetwork", belief_network


def shared_kernels() -> set[str]:
    """Names of all kernels that a team runs."""
    return {
        name
        for library in (_kernels, _truncated, _factorial)
        for name, entry in vars(library).items()
        if inspect.isroutine(entry)
        and not name.startswith("_")
        and "team" in inspect.signature(entry).parameters
    }


def main() -> None:
    seen: set[str] = set()
    run = Workers.run

    def noted(self: Workers, kernel: Callable[..., None], *arguments: Any) -> None:
        if self.n_jobs > 1:
            seen.add(kernel.__name__)
        run(self, kernel, *arguments)

    Workers.run = noted  # type: ignore[method-assign]
    n_cases = 0
    for name, case in cases():
        digests = {hashlib.sha256(pickle.dumps(case(n))).hexdigest() for n in THREADS}
        assert len(digests) == 1, f"{name}: results depend on the number of threads"
        n_cases += 1
    missing = shared_kernels() - seen
    assert not missing, f"never run in several threads: {sorted(missing)}"
    print(
        f"{topictemper.get_isa()}: {n_cases} models with {THREADS} threads, "
        f"{len(seen)} kernels, same bits"
    )


if __name__ == "__main__":
    main()
