"""Coherence and diversity of the topics that `compare.py --models` kept; classification by them.

    python -m benchmarks.peers.topics --data DATA --models MODELS

NPMI of the ten top words of a topic is counted in the test documents, and where the corpus has rows
that nobody learned from, in up to 100,000 of those: in 1,500 abstracts many top words occur a few
times only, and pairs of such words never. Diversity is of 25 words.
With labels (20news) a logistic regression learns the group of a post from its topic proportions,
found for every system by collapsed inference from its topics and alpha, at T = 1; it learns from
the training rows, with C chosen by cross-validation in them, and is scored on the test rows.
Writes OUT/topics.csv, whose other rows stay, and prints the table. The last row, of word counts
themselves (tf-idf), shows what the classifier loses to the topics.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from topictemper._core._workers import Workers
from topictemper.lda._prediction import cold, proportions
from topictemper.metrics import _predictive, coherence, predictive_log_likelihood, topic_diversity

from .._common.corpora import RESULTS, labels, load, machine, parser
from .._common.table import Table
from .compare import SETTINGS, Setting

FIELDS = "setting system length seed score npmi npmi_of_others diversity accuracy".split()
OTHERS = 100_000


def others(data: Path, setting: Setting) -> Any | None:
    """Rows that are neither learned from nor scored, if the corpus has such."""
    if setting.rows is None:
        return None
    return load(data, setting.corpus)[0][setting.rows : setting.rows + OTHERS]


def theta(topics: NDArray[Any], alpha: Any, X: Any, jobs: int) -> NDArray[Any]:
    """Topic proportions of documents, in the same way whatever made the topics."""
    model = _predictive._model(topics, alpha, "collapsed", {})
    with Workers(jobs) as workers:
        return proportions(model, X, cold, workers)


def accuracy(features: list[Any], y: NDArray[Any], first: Any, grid: list[float]) -> float:
    """Of a logistic regression, learned from the second of the features, on the first."""
    classifier = make_pipeline(first, LogisticRegression(max_iter=300))
    search = GridSearchCV(classifier, {"logisticregression__C": grid}, cv=3)
    test, train = features
    n_test = test.shape[0]
    return float(search.fit(train, y[n_test : n_test + train.shape[0]]).score(test, y[:n_test]))


def main() -> None:
    """Measure every file of topics."""
    arguments = parser(__doc__, data="needed", seeds=None)
    arguments.add_argument("--models", type=Path, required=True, help="of compare.py --models")
    arguments.add_argument(
        "--settings", nargs="*", choices=SETTINGS, default=list(SETTINGS), help="corpora"
    )
    arguments.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = arguments.parse_args()
    models = {name: sorted(options.models.glob(f"{name}_*.npz")) for name in options.settings}
    if not any(models.values()):
        arguments.error(f"--models: no topics of {options.settings} in {options.models}")
    print(machine(options.jobs))
    table = Table(options.out / "topics.csv", FIELDS, 4)
    for name, paths in models.items():
        if not paths:
            continue
        setting = SETTINGS[name]
        X, X_test = (
            part.astype(np.float32) for part in load(options.data, setting.corpus, setting.rows)
        )
        reference = others(options.data, setting)
        y = labels(options.data, setting.corpus)
        for path in paths:
            _, system, length, seed = path.stem.split("_")
            with np.load(path) as archive:
                topics, alpha = archive["topics"], archive["alpha"]
            row = {
                "setting": name,
                "system": system,
                "length": length,
                "seed": seed,
                "score": f"{predictive_log_likelihood(topics, X_test, alpha):.4f}",
                "npmi": f"{coherence(topics, X_test):.4f}",
                "diversity": f"{topic_diversity(topics):.4f}",
            }
            if reference is not None:
                row["npmi_of_others"] = f"{coherence(topics, reference):.4f}"
            if y is not None:
                features = [theta(topics, alpha, part, options.jobs) for part in (X_test, X)]
                logarithm = FunctionTransformer(np.log)
                found = accuracy(features, y, logarithm, [0.01, 0.1, 1.0])
                row["accuracy"] = f"{found:.4f}"
            table.add(row)
        if y is not None:
            found = accuracy([X_test, X], y, TfidfTransformer(sublinear_tf=True), [1.0, 10.0])
            table.add({"setting": name, "system": "words", "accuracy": f"{found:.4f}"})


if __name__ == "__main__":
    main()
