"""A model file that is kept, and what its model gave when it was written.

``python -m tests.persistence.golden_model`` writes both anew, which is needed when what a file
holds changes. From the first release on this file stays, because users have such files.
"""

import json
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper.datasets import make_lda_corpus
from topictemper.tempering import LocalTempering

FILE = Path(__file__).parent.parent / "data" / "model.npz"
FIGURES = FILE.with_suffix(".json")
WORDS = [f"wört{v}" for v in range(40)]
COUNTS: sp.csr_matrix = make_lda_corpus(120, 40, 3, random_state=0).counts


def in_training() -> TemperedLDA:
    """A model half way: hot, with averages of temperatures and a learned alpha and eta."""
    lda = TemperedLDA(
        3,
        tempering=LocalTempering(max_temperature=3, length=0.9),
        doc_topic_prior="auto",
        topic_word_prior="auto",
        total_samples=120,
        batch_size=20,
        dtype="float64",
        random_state=0,
    )
    lda.partial_fit(COUNTS[:80], feature_names=WORDS)
    return lda.set_labels({0: "first"})


def figures(lda: TemperedLDA) -> dict[str, Any]:
    """What a model gives."""
    return {
        "topics": lda.components_.tolist(),
        "alpha": lda.doc_topic_prior_.tolist(),
        "eta": lda.topic_word_prior_,
        "temperature": lda.temperature_,
        "shares": lda.transform(COUNTS[:3]).tolist(),
    }


def main() -> None:
    """Write the model and its figures."""
    lda = in_training()
    lda.save(FILE)
    FIGURES.write_text(json.dumps(figures(lda), indent=1) + "\n")


if __name__ == "__main__":
    main()
