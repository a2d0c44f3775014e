"""Where temperatures of documents could pay: corpora of unlike documents, by every mode.

    python -m benchmarks.lda.mixed --data DATA --seeds 5
    python -m benchmarks.lda.mixed --data DATA --man MAN --corpora languages

Every mode has its default settings. Held-out documents of each kind are scored by themselves: the
better of two ways to complete documents (`benchmarks._common.referee`), in nats per token; "all"
has the weight of every kind by its tokens. Differences are paired by seed, with their standard
error over seeds; positive means that "lvt" is better. "noise" are rows whose words are drawn anew
from the frequencies of the corpus; they are not real documents, and none is held out. "cut" keeps
so many words of a document, drawn at random. MAN is a folder with manual pages in de/man*/ and
fr/man*/, as in the Debian packages manpages-de and manpages-fr (``dpkg -x``: usr/share/man).
"""

from __future__ import annotations

import gzip
import re
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA

from .._common.corpora import load, machine, moved, parser, shortened, vocabulary
from .._common.pairs import with_error
from .._common.referee import best_of_two
from .outliers import shuffled

MODES = ("svi", "avi", "vt", "lvt")
Words = list[str]
#: Rows to learn from, held-out rows, and the words.
Part = tuple[sp.csr_matrix, sp.csr_matrix, Words]
#: Rows to learn from, and sets of held-out rows by their names.
Corpus = tuple[sp.csr_matrix, dict[str, sp.csr_matrix]]


def part(options: Namespace, name: str, rows: int) -> Part:
    """Some rows of a corpus on disk, at most 500 of them held out."""
    X, X_test = load(options.data, name, rows)
    folder = "20news" if name == "long" else name
    return X, X_test[:500], vocabulary(options.data, folder)


def manual(options: Namespace, language: str) -> Part:
    """Manual pages in one language, 100 of them held out; words in 5 pages, and in at most 30%."""
    if options.man is None:
        raise SystemExit("--man is needed: a folder with manual pages in de/ and fr/")
    pages = (options.man / language).glob("man*/*.gz")
    files = sorted(page for page in pages if not page.is_symlink())
    counter = CountVectorizer(token_pattern=r"[^\W\d_]{3,}", min_df=5, max_df=0.3)
    X = sp.csr_matrix(counter.fit_transform(plain(file) for file in files))
    X = X[np.asarray(X.sum(axis=1)).ravel() >= 30]
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    return X[100:], X[:100], counter.get_feature_names_out().tolist()


def plain(file: Path) -> str:
    """The text of a manual page, without its requests and fonts."""
    source = gzip.decompress(file.read_bytes()).decode("utf-8", errors="replace")
    lines = []
    for line in source.splitlines():
        request = re.match(r"[.'](\S*)\s*(.*)", line)
        if request is None:
            lines.append(line)
        elif request[1] in ("B", "I", "BR", "RB", "IR", "RI", "BI", "IB", "SH", "SS", "TP", "IP"):
            lines.append(request[2])
    return re.sub(r"\\(f\[\w*\]|f.|\(..|\*\S|.)", "", " ".join(lines))


def united(*parts: Part) -> list[tuple[sp.csr_matrix, sp.csr_matrix]]:
    """The parts over the union of their words."""
    columns: dict[str, int] = {}
    for _, _, words in parts:
        for word in words:
            columns.setdefault(word, len(columns))

    return [
        tuple(moved(X, np.array([columns[word] for word in words]), len(columns)) for X in both)
        for *both, words in parts
    ]


def mixed(**parts: Part) -> Corpus:
    """Documents of several corpora in one, in random order."""
    both = united(*parts.values())
    X = sp.csr_matrix(sp.vstack([X for X, _ in both]))
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    tests = {name: X_test for name, (_, X_test) in zip(parts, both, strict=True)}
    return X, tests


def noisy(name: str, found: Part, share: float) -> Corpus:
    """Rows of which a share are noise; the held-out rows are clean."""
    X, X_test, _ = found
    frequencies = np.asarray(X.sum(axis=0), dtype=float).ravel()
    return shuffled(X, frequencies, np.random.default_rng(0), share)[0], {name: X_test}


def cut(name: str, found: Part, length: int) -> Corpus:
    """Rows of so many tokens at most."""
    X, X_test, _ = found
    rng = np.random.default_rng(0)
    return shortened(X, length, rng), {name: shortened(X_test, length, rng)}


def corpora(options: Namespace) -> dict[str, Callable[[], Corpus]]:
    """All corpora, which are made when they are asked for."""

    def of(name: str, rows: int = 6000) -> Part:
        return part(options, name, rows)

    return {
        "abstracts": lambda: mixed(abstracts=of("arxiv")),
        "posts": lambda: mixed(posts=of("20news")),
        "abstracts, 2,100 long posts": lambda: mixed(abstracts=of("arxiv"), long=of("long")),
        "abstracts, 6,000 reviews, 2,000 news": lambda: mixed(
            abstracts=of("arxiv"), reviews=of("imdb"), news=of("ap")
        ),
        "languages": lambda: mixed(German=manual(options, "de"), French=manual(options, "fr")),
        "posts, half noise": lambda: noisy("posts", of("20news"), 0.5),
        "abstracts, cut to 8 tokens": lambda: cut("abstracts", of("arxiv", 20_000), 8),
    }


def scores(corpus: Corpus, mode: str, seed: int, options: Namespace) -> list[float]:
    """One for each set of held-out rows."""
    X, tests = corpus
    lda = TemperedLDA(
        options.topics,
        tempering=mode,
        inference=options.inference,
        random_state=seed,
        n_jobs=options.jobs,
    ).fit(X)
    alpha = lda.doc_topic_prior_
    return [
        best_of_two(lda.components_, alpha, X, X_test, options.jobs).score
        for X_test in tests.values()
    ]


def run(name: str, corpus: Corpus, options: Namespace) -> None:
    """Print a row for each set of held-out rows."""
    X, tests = corpus
    began = time.process_time()
    found = np.array(
        [
            [scores(corpus, mode, seed, options) for mode in MODES]
            for seed in range(options.first_seed, options.first_seed + options.seeds)
        ]
    )
    seconds = time.process_time() - began
    if len(tests) > 1:
        weights = [X_test.sum() for X_test in tests.values()]
        found = np.dstack([found, np.average(found, axis=2, weights=weights)])
    for at, test in enumerate([*tests, "all"][: found.shape[2]]):
        svi, avi, vt, lvt = found[:, :, at].T
        print(
            f"| {name} | {X.shape[0]:,} | {X.sum() / X.shape[0]:.0f} | {test} "
            f"| {lvt.mean():.4f} | {with_error(lvt - svi, 4)} | {with_error(lvt - avi, 4)} "
            f"| {with_error(lvt - vt, 4)} | {seconds:.0f} |",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, data="needed")
    arguments.add_argument("--corpora", nargs="+", help="some of the corpora; none: all")
    arguments.add_argument("--man", type=Path, help="folder of manual pages")
    arguments.add_argument("--first-seed", type=int, default=0, help="first seed of the fits")
    arguments.add_argument("--topics", type=int, default=50, help="number of topics")
    arguments.add_argument("--inference", default="auto", help="inference of every mode")
    options = arguments.parse_args()
    known = corpora(options)
    names: Iterable[str] = options.corpora or known
    if unknown := set(names) - set(known):
        arguments.error(f"no such corpora: {sorted(unknown)}; there are {list(known)}")
    print(machine(options.jobs))
    print(f"K = {options.topics}, inference={options.inference!r}, {options.seeds} seeds\n")
    print("| corpus | rows | tokens a row | held out | lvt | - svi | - avi | - vt | CPU s |")
    print("|---" * 9 + "|", flush=True)
    for name in names:
        run(name, known[name](), options)


if __name__ == "__main__":
    main()
