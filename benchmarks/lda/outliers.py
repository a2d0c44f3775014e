"""Planted outliers in 20news: does the temperature of a document find them?

    python -m benchmarks.lda.outliers --data DATA

Two kinds of documents are planted, one in twenty:

- shuffled: each token of a post is replaced by a draw from the word frequencies of the whole
  corpus. As many words, as common ones, and no topic. Some are there when the model is fitted
  ("fitted with"), others it has never seen ("new").
- BBC: real articles from elsewhere, BBC news over the vocabulary of 20news, never seen.

20news has only a handful of posts in another language, too few for a figure. The figure is the
AUC (1: every planted document before all others, 0.5: chance) of three scores of how odd a
document is:

- temperature: `document_temperatures`;
- perplexity: of held-out words of that document, `metrics.perplexity(..., per_document=True)`;
- gain: what a held-out word gains in log-probability by topics, beyond the word frequencies of
  the corpus; the least is the oddest.

All three depend on the length of a document, so each is shown once more as a rank "in its class",
one of twenty classes of like length.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from topictemper import TemperedLDA
from topictemper._utils._typing import Flags
from topictemper.metrics import predictive_log_likelihood

from .._common.corpora import counts, load, machine, parser, vocabulary

SHARE = 0.05
CLASSES = 20
# At least half a dozen words to be found odd by, in each half of the document.
FEWEST_TOKENS = 12

Planted = tuple[sp.csr_matrix, Flags]


def lengths(X: sp.csr_matrix) -> NDArray[np.int64]:
    """Tokens of every document."""
    return np.asarray(X.sum(axis=1)).ravel()


def long_enough(X: sp.csr_matrix) -> sp.csr_matrix:
    """Rows that say enough."""
    return X[lengths(X) >= FEWEST_TOKENS]


def shuffled(
    X: sp.csr_matrix, frequencies: NDArray, rng: np.random.Generator, share: float = SHARE
) -> Planted:
    """Rows of which some have lost their topics, and which those are."""
    chosen = np.zeros(X.shape[0], dtype=bool)
    chosen[rng.choice(X.shape[0], round(share * X.shape[0]), replace=False)] = True
    keep = sp.diags_array((~chosen).astype(X.dtype), dtype=X.dtype)
    rows = np.repeat(np.flatnonzero(chosen), lengths(X)[chosen])
    words = rng.choice(X.shape[1], len(rows), p=frequencies / frequencies.sum())
    drawn = sp.csr_matrix((np.ones(len(rows), X.dtype), (rows, words)), shape=X.shape)
    return sp.csr_matrix(keep @ X + drawn), chosen


def from_elsewhere(data: Path, X: sp.csr_matrix, rng: np.random.Generator) -> Planted:
    """Rows followed by articles of the BBC, and which those are."""
    columns = {word: v for v, word in enumerate(vocabulary(data, "20news"))}
    articles = counts(data, "bbc")
    theirs = vocabulary(data, "bbc")
    known = [v for v, word in enumerate(theirs) if word in columns]
    articles = articles[:, known].tocoo()
    column = np.array([columns[theirs[v]] for v in known])[articles.col]
    articles = long_enough(
        sp.csr_matrix(
            (articles.data, (articles.row, column)), shape=(articles.shape[0], X.shape[1])
        )
    )
    articles = articles[
        rng.choice(articles.shape[0], round(SHARE / (1 - SHARE) * X.shape[0]), replace=False)
    ]
    both = sp.csr_matrix(sp.vstack([X, articles]))
    return both, np.arange(both.shape[0]) >= X.shape[0]


def scores(model: TemperedLDA, X: sp.csr_matrix, frequencies: NDArray) -> dict[str, NDArray]:
    """How odd every document is, by each score."""
    likelihood = predictive_log_likelihood(model, X, per_document=True)
    by_frequency = predictive_log_likelihood(frequencies[None, :], X, 1.0, per_document=True)
    by_length = np.array_split(np.argsort(lengths(X), kind="stable"), CLASSES)
    odd = {
        "temperature": model.document_temperatures(X),
        "perplexity": np.exp(-likelihood),
        "gain": by_frequency - likelihood,
    }
    for name in list(odd):
        ranks = np.empty(X.shape[0])
        for members in by_length:
            ranks[members] = rankdata(odd[name][members]) / len(members)
        odd[f"{name}, in its class"] = ranks
    return odd


def run(options: argparse.Namespace) -> None:
    """Print a row for each set of documents and score."""
    train, test = map(long_enough, load(options.data, "20news"))
    found: dict[tuple[str, str], list[float]] = {}
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        # A token more for words that do not occur.
        frequencies = np.asarray(train.sum(axis=0), dtype=float).ravel() + 1.0
        sets = {
            "shuffled, fitted with": shuffled(train, frequencies, rng),
            "shuffled, new": shuffled(test, frequencies, rng),
            "BBC, new": from_elsewhere(options.data, test, rng),
        }
        model = TemperedLDA(
            options.topics,
            tempering=options.tempering,
            max_iter=10,
            random_state=seed,
            n_jobs=options.jobs,
        ).fit(sets["shuffled, fitted with"][0])
        for name, (X, planted) in sets.items():
            documents = f"{name} | {planted.sum()} of {len(planted)}"
            for score, odd in scores(model, X, frequencies).items():
                found.setdefault((documents, score), []).append(roc_auc_score(planted, odd))
    seeds = " | ".join(f"seed {seed}" for seed in range(options.seeds))
    print(f"| planted | documents | score | mean AUC | {seeds} |")
    print("|---" * (4 + options.seeds) + "|")
    for (documents, score), values in found.items():
        each = " | ".join(f"{value:.3f}" for value in values)
        print(f"| {documents} | {score} | {np.mean(values):.3f} | {each} |")


def main() -> None:
    """Read the options and print the table."""
    arguments = parser(__doc__, data="needed")
    arguments.add_argument("--topics", type=int, default=50, help="number of topics")
    arguments.add_argument("--tempering", default="lvt", help="kind of tempering")
    options = arguments.parse_args()
    print(machine(options.jobs))
    print(f"{options.tempering}, K = {options.topics}, 10 passes, {options.seeds} seeds\n")
    run(options)


if __name__ == "__main__":
    main()
