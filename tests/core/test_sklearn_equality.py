"""At T = 1 and from the same start, online steps of the kernels are those of scikit-learn."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.decomposition import LatentDirichletAllocation

from topictemper._core._gather import gather_rows
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper._utils._typing import Floats

from .minibatches import Minibatch, add_statistics, estep

N_STEPS, BATCH, N_FEATURES, N_TOPICS = 5, 20, 60, 6
ALPHA, ETA, DECAY, OFFSET = 0.3, 0.1, 0.7, 10.0
TOTAL = 1000


class EvenStart(np.random.RandomState):
    """Scikit-learn draws lambda from it, then gamma, for which it gives the start of the kernel."""

    start_of_lambda: Floats | None = None
    counts: Floats

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        if self.start_of_lambda is None:
            draw = super().gamma(shape, scale, size)
            self.start_of_lambda = draw.copy()
            return draw
        return np.repeat(ALPHA + self.counts.sum(axis=1)[:, None] / N_TOPICS, N_TOPICS, axis=1)


def make_steps() -> list[Floats]:
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(N_FEATURES, 0.1), size=N_TOPICS)
    mixtures = rng.dirichlet(np.full(N_TOPICS, 0.2), size=(N_STEPS, BATCH))
    return list(rng.poisson(50 * mixtures @ topics).astype(np.float64))


@pytest.mark.usefixtures("isa")
def test_five_online_steps() -> None:
    steps, random_state = make_steps(), EvenStart(0)
    model = LatentDirichletAllocation(
        N_TOPICS,
        doc_topic_prior=ALPHA,
        topic_word_prior=ETA,
        learning_decay=DECAY,
        learning_offset=OFFSET,
        batch_size=BATCH,
        total_samples=TOTAL,
        max_doc_update_iter=1000,
        mean_change_tol=1e-10,
        random_state=random_state,
    )
    for counts in steps:
        random_state.counts = counts
        model.partial_fit(csr_array(counts))
    lambda_start = random_state.start_of_lambda
    assert lambda_start is not None
    assert lambda_start.shape == (N_TOPICS, N_FEATURES)

    # lambda = eta + a M: a step shrinks a, and adds to the rows of its own words only.
    M, a = np.ascontiguousarray(lambda_start.T - ETA), 1.0
    total = M.sum(axis=0)
    slot = np.full(N_FEATURES, -1, np.int32)
    for t, counts in enumerate(steps):
        matrix = csr_array(counts)
        gathered = gather_rows(
            matrix.indptr, matrix.indices, matrix.data, np.arange(BATCH), slot, False, True
        )
        minibatch = Minibatch(
            alpha=np.full(N_TOPICS, ALPHA),
            s=np.ones(BATCH),
            log_rows=False,
            M=M,
            a=a,
            base=ETA,
            log_total=_special.psi(N_FEATURES * ETA + a * total),
            batch=_reference.Batch(*gathered),
        )
        local = estep(minibatch, 1e-10, 1000)

        rho = (OFFSET + 1 + t) ** -DECAY
        a *= 1 - rho
        scale = rho * TOTAL / BATCH / a
        total += add_statistics(minibatch, local, np.ones(BATCH), scale, M).sum(axis=0)

    assert_allclose((ETA + a * M).T, model.components_, rtol=1e-6)
