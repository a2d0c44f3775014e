"""The picture of the README: python docs/images/make.py (needs matplotlib)."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.plotting import TopicsDisplay

corpus = load_docstrings()
lda = TemperedLDA(n_components=50, random_state=0).fit(corpus.counts[800:])
display = TopicsDisplay.from_estimator(lda, topics=8, feature_names=corpus.vocabulary)
display.figure_.savefig(Path(__file__).parent / "topics.png", dpi=110)
