"""Time and size of the report, and what a browser takes for it; the same corpus through pyLDAvis.

Prints for each number of topics the seconds that `TemperedLDA.report` takes, by the clock and of
the processor, the peak memory of the process meanwhile (Linux), the size of the file, the
milliseconds until the page is there, and the longest of the 21 steps of its slider until the new
words are laid out.
Needs playwright and Chromium; pyLDAvis if it is there.

    python -m benchmarks.lda.report --data DATA
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from playwright.sync_api import sync_playwright
from threadpoolctl import threadpool_limits

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings

from .._common.corpora import counts, machine, parser, texts_of, vocabulary

_LARGE = 1_000_000
_SLIDE = """() => {
    const slider = document.getElementById("lambda");
    const times = [];
    for (let step = 0; step <= 20; step++) {
        const start = performance.now();
        slider.value = step / 20;
        slider.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return Math.max(...times);
}"""


def corpus(data: Path | None) -> tuple[str, Any, list[str], list[str]]:
    """Name, counts, words and texts: 20 Newsgroups, or the docstrings without a folder."""
    if data is None:
        found = load_docstrings()
        return "docstrings", sp.csr_matrix(found.counts), list(found.feature_names), found.text
    X = counts(data, "20news")
    return "20news", X, vocabulary(data, "20news"), texts_of(data, "20news")


def in_browser(browser: Any, path: Path) -> tuple[float, float]:
    """Milliseconds to open, and of the slowest step of the slider; the better of three runs."""
    opened, slid = [], []
    for _ in range(3):
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("main > *")
        opened.append(1e3 * (time.perf_counter() - start))
        page.evaluate("location.hash = '#/topic/0'")
        page.wait_for_selector("#lambda")
        slid.append(page.evaluate(_SLIDE))
        page.close()
    return min(opened), min(slid)


def pyldavis(lda: TemperedLDA, X: Any, words: list[str], path: Path) -> tuple[float, float] | None:
    """Seconds and MB of pyLDAvis."""
    try:
        import pyLDAvis
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        prepared = pyLDAvis.prepare(**lda.prepare_pyldavis(X, words), n_jobs=1)
        pyLDAvis.save_html(prepared, str(path))
    return time.perf_counter() - start, path.stat().st_size / 1e6


def large(data: Path) -> tuple[str, Any, list[str], list[str]]:
    """A million rows of arXiv, some of them twice; texts are the first words of a row."""
    X = counts(data, "arxiv").astype("int32")
    X = sp.vstack([X, X[: max(0, _LARGE - X.shape[0])]]).tocsr()[:_LARGE]
    words = vocabulary(data, "arxiv")
    texts = [
        " ".join(words[v] for v in X.indices[start:stop][:15])
        for start, stop in pairwise(X.indptr.tolist())
    ]
    return "arXiv", X, words, texts


def _peak() -> float:
    """MB that the process has had at most since the peak was forgotten."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def main() -> None:
    """Print a table."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument(
        "--components", type=int, nargs="+", default=[20, 100, 500], help="numbers of topics"
    )
    arguments.add_argument("--large", action="store_true", help="a million documents, no pyLDAvis")
    options = arguments.parse_args()
    name, X, words, texts = (large if options.large else corpus)(options.data)
    print(machine(options.jobs))
    print(f"\n{name}: {X.shape[0]:,} documents, {X.shape[1]:,} words\n")
    print(
        "| topics | report, s | cpu, s | peak, MB | MB | open, ms | slide, ms | pyLDAvis, s | MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=flags)
        for n_components in options.components:
            lda = TemperedLDA(n_components, random_state=0, n_jobs=options.jobs)
            lda.set_params(max_iter=1 if options.large else None).fit(X)
            Path("/proc/self/clear_refs").write_text("5")  # forgets the peak of the fit
            start, cpu = time.perf_counter(), time.process_time()
            with threadpool_limits(options.jobs):
                path = lda.report(X, texts, feature_names=words, path=Path(folder) / "report.html")
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            peak = _peak()
            opened, slid = in_browser(browser, path)
            other = None
            if not options.large:
                other = pyldavis(lda, X, words, Path(folder) / "pyldavis.html")
            theirs = "- | -" if other is None else f"{other[0]:.1f} | {other[1]:.2f}"
            print(
                f"| {n_components} | {seconds:.1f} | {cpu:.1f} | {peak:.0f} | "
                f"{path.stat().st_size / 1e6:.2f} | {opened:.0f} | {slid:.1f} | {theirs} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
