"""Seeded topics on a real corpus: whether a topic is about the words that it was given.

Five topics of 20 Newsgroups get three words each, by a `topic_word_prior` of several values. What
is printed is how many of these words are among the ten top words of their topic.

    python -m benchmarks.lda.seeds --data DATA --seeds 2
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import machine, parser

K, ETA, VALUES = 40, 0.05, (20.0, 100.0, 500.0)
SEEDED = ["space nasa orbit", "gun weapons firearms", "hockey nhl team", "car engine dealer"]
SEEDED += ["encryption key chip"]


def main() -> None:
    """Print a table for every value."""
    arguments = parser(__doc__ or "").parse_args()
    print(machine(arguments.jobs))
    if arguments.data is None:
        raise SystemExit("--data is needed: the words are those of 20 Newsgroups")
    folder = arguments.data / "20news"
    X = sp.csr_matrix(sp.load_npz(folder / "X.npz"))
    words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[: X.shape[1]]
    column = {word: v for v, word in enumerate(words)}
    for value in VALUES:
        eta = np.full((K, X.shape[1]), ETA)
        for k, seeds in enumerate(SEEDED):
            eta[k, [column[word] for word in seeds.split()]] = value
        for seed in range(arguments.seeds):
            lda = TemperedLDA(K, topic_word_prior=eta, random_state=seed, n_jobs=arguments.jobs)
            tops = lda.fit(X).top_words(10, words)
            found = [len(set(top) & set(s.split())) for top, s in zip(tops, SEEDED, strict=False)]
            print(f"\nvalue {value:g}, seed {seed}: {sum(n >= 2 for n in found)} of {len(SEEDED)}")
            for n, seeds, top in zip(found, SEEDED, tops, strict=False):
                print(f"  {n} of 3  {seeds:22}  {' '.join(top)}")


if __name__ == "__main__":
    main()
