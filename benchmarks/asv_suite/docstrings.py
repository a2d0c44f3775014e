"""Learning and transform on the corpus that comes with the package, one thread."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings

BATCH = 500


def counts() -> sp.csr_matrix:
    """The whole corpus."""
    return sp.csr_matrix(load_docstrings().counts, dtype=np.float32)


def model(tempering: str, n_components: int, n_documents: int) -> TemperedLDA:
    """A model before learning."""
    return TemperedLDA(
        n_components,
        tempering=tempering,
        batch_size=BATCH,
        max_iter=3,
        total_samples=n_documents,
        random_state=0,
    )


class Fit:
    """Three passes from the start."""

    params = (["svi", "lvt"], [30, 100])
    param_names = ("tempering", "n_components")

    def setup(self, tempering: str, n_components: int) -> None:
        self.X = counts()
        self.model = model(tempering, n_components, self.X.shape[0])

    def time_fit(self, tempering: str, n_components: int) -> None:
        self.model.fit(self.X)

    def peakmem_fit(self, tempering: str, n_components: int) -> None:
        self.model.fit(self.X)


class Fitted:
    """A step and transform, by a model that has made three passes."""

    params = (["svi", "lvt"], [30, 100])
    param_names = ("tempering", "n_components")

    def setup(self, tempering: str, n_components: int) -> None:
        self.X = counts()
        self.model = model(tempering, n_components, self.X.shape[0]).fit(self.X)
        self.rows = self.X[:BATCH]

    def time_step(self, tempering: str, n_components: int) -> None:
        self.model.partial_fit(self.rows)

    def time_transform(self, tempering: str, n_components: int) -> None:
        self.model.transform(self.X)

    def peakmem_transform(self, tempering: str, n_components: int) -> None:
        self.model.transform(self.X)
