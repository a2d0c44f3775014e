"""
From text to topics that are labelled, merged, dated, searched and shown
========================================================================

The docstrings of scikit-learn, SciPy, NumPy and Python, with ten lines for each step.
"""

# %%
# Two topics are given by words; the others are found. Labels come from a function of the words.
import re
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from topictemper import TopicModel
from topictemper.datasets import load_docstrings
from topictemper.plotting import TopicHierarchyDisplay, TopicSharesDisplay

corpus = load_docstrings()
seeds = {"clustering": ["cluster", "clustering", "centroids"], "files": ["file", "path", "open"]}
model = TopicModel(60, seed_topics=seeds, random_state=0).fit(corpus.text)
distinctive = model.lda_.top_words(3, by="relevance")
model.set_labels({k: " ".join(words) for k, words in enumerate(distinctive) if k >= len(seeds)})
print(model.topics_[["label", "share", "documents", "words"]].head(8).to_string())

# %%
# The hierarchy of the topics, cut into 25 groups, and a model whose topics are these groups.
TopicHierarchyDisplay.from_estimator(model.lda_, n_groups=25)
plt.show()
merged = model.reduce_to(25)

# %%
# What is each library about? Bars are bootstrap intervals.
library = np.array([name.split(".")[0] for name in corpus.names])
library[~np.isin(library, ["numpy", "scipy", "sklearn"])] = "Python"
TopicSharesDisplay(merged.topics_by_group(corpus.text, library)).plot()
plt.show()

# %%
# Dates: the last version of scikit-learn that a docstring names, by the year of its release.
years = {2015: "17", 2016: "18", 2017: "19", 2018: "20", 2019: "21 22", 2020: "23 24"}
year_of = {f"0.{minor}": year for year, minors in years.items() for minor in minors.split()}
year_of |= {"1.0": 2021, "1.1": 2022, "1.2": 2022, "1.3": 2023, "1.4": 2024, "1.5": 2024}
year_of |= {"1.6": 2024, "1.7": 2025}
versions = [re.findall(r"version(?:added|changed):: *(\d\.\d+)", text) for text in corpus.text]
dates = [
    max((year_of.get(version, np.nan) for version in found), default=np.nan) if of else np.nan
    for found, of in zip(versions, library == "sklearn", strict=True)
]
TopicSharesDisplay(merged.topics_over_time(corpus.text, dates)).plot()
plt.show()

# %%
# Search by text, and documents that are similar to one.
search = merged.search_in(corpus.text)
print(corpus.names[search.find("is the difference of two means significant?", n=5)["document"]])
row = int(np.flatnonzero(corpus.names == "scipy.stats.ttest_ind")[0])
print(corpus.names[search.similar(row, n=5)["document"]])

# %%
# All of it as one page, to read and to send.
page = Path(tempfile.mkdtemp()) / "report.html"
merged.report(corpus.text, names=corpus.names, dates=dates, groups=library, path=page)
print(f"{page.stat().st_size / 2**20:.1f} MB")
