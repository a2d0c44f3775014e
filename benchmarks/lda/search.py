"""Similar documents: whether the ten nearest posts of 20 Newsgroups are of the same newsgroup.

50 posts are the queries. What is printed is the share of their ten nearest posts that are of the
same newsgroup: by topic proportions alone, by tf-idf alone, and by `DocumentSearch`, by both.
`--constants` prints the table that its constants were chosen from, of 200 other posts.

    python -m benchmarks.lda.search --data DATA --seeds 3
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from topictemper import TemperedLDA
from topictemper.topics import DocumentSearch

from .._common.corpora import counts, labels, machine, parser

K, N = 100, 10
QUERIES, OTHERS = 50, 200
WEIGHTS, SMOOTHINGS = (0.0, 0.3, 0.5, 0.7, 0.85), (100.0, 300.0, 1000.0)


def main() -> None:
    """Print a line for every way of finding similar documents."""
    arguments = parser(__doc__, data="needed")
    arguments.add_argument("--constants", action="store_true", help="choose constants")
    options = arguments.parse_args()
    print(machine(options.jobs))
    X = counts(options.data, "20news").astype(np.float64)
    group = labels(options.data, "20news")
    assert group is not None
    rows = np.random.default_rng(0).permutation(len(group))
    queries, others = rows[:QUERIES], rows[QUERIES : QUERIES + OTHERS]

    def share(nearest: Callable[[int], Any], of: NDArray[np.int64]) -> float:
        return float(np.mean([(group[nearest(row)] == group[row]).mean() for row in of]))

    for sublinear in (False, True):
        tfidf = sp.csr_matrix(TfidfTransformer(sublinear_tf=sublinear).fit_transform(X))
        near = _by_product(tfidf)
        print(f"tf-idf alone, sublinear_tf={sublinear}: {share(near, queries):.3f}")
    for seed in range(options.seeds):
        lda = TemperedLDA(K, random_state=seed, n_jobs=options.jobs).fit(X)
        theta = lda.transform(X).astype(np.float64)
        if options.constants:
            for weight, smoothing in product(WEIGHTS, SMOOTHINGS):
                search = DocumentSearch(
                    lda, X, proportions=theta, topic_weight=weight, smoothing=smoothing
                )
                print(
                    f"seed {seed}, other posts: topic_weight {weight:g}, smoothing {smoothing:g}: "
                    f"{share(_by_search(search), others):.3f}",
                    flush=True,
                )
            continue
        cosine, hellinger = _by_product(normalize(theta)), _by_product(np.sqrt(theta))
        ours = _by_search(DocumentSearch(lda, X, proportions=theta))
        print(
            f"seed {seed}: proportions alone {share(cosine, queries):.3f} (cosine), "
            f"{share(hellinger, queries):.3f} (Hellinger); DocumentSearch "
            f"{share(ours, queries):.3f}",
            flush=True,
        )


def _by_product(vectors: Any) -> Callable[[int], NDArray[np.intp]]:
    """The rows with the largest products with a row."""

    def nearest(row: int) -> NDArray[np.intp]:
        products = vectors @ vectors[row].T
        scores = products.toarray().ravel() if sp.issparse(products) else products.copy()
        scores[row] = -np.inf
        return np.argsort(-scores, kind="stable")[:N]

    return nearest


def _by_search(search: DocumentSearch) -> Callable[[int], Any]:
    return lambda row: np.asarray(search.similar(row, N)["document"])


if __name__ == "__main__":
    main()
