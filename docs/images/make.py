"""The pictures of the README and of the guide: python docs/images/make.py.

Needs matplotlib, playwright and Chromium.
"""

import os
import shutil
import tempfile
from pathlib import Path

import matplotlib
from playwright.sync_api import sync_playwright

matplotlib.use("Agg")

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.plotting import TopicsDisplay

corpus = load_docstrings()
lda = TemperedLDA(n_components=50, random_state=0).fit(corpus.counts[800:])
display = TopicsDisplay.from_estimator(lda, topics=8, feature_names=corpus.feature_names)
HERE = Path(__file__).parent
display.figure_.savefig(HERE / "topics.png", dpi=110)

lda = TemperedLDA(n_components=30, random_state=0).fit(corpus.counts)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
    report = lda.report(
        corpus.counts,
        corpus.text,
        names=corpus.names,
        groups=[name.split(".")[0] for name in corpus.names],
        feature_names=corpus.feature_names,
        title="Docstrings of the scientific Python stack",
        path=Path(folder) / "report.html",
    )
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    browser = driver.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox"] if root else []
    )
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(report.as_uri())
    page.wait_for_selector(".lead")
    page.screenshot(path=HERE / "report.png")
