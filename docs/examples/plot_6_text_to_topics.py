"""
From text to a report
=====================

Topics of docstrings are labeled, merged, dated, searched and shown, with ten lines for each step.
"""

# %%
# Two topics are given by words; the others are found. Labels come from a function of the words.
import re
from tempfile import TemporaryDirectory

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
model.topics_[["label", "share", "documents", "words"]].head(8)

# %%
# The hierarchy of the topics, cut into 25 groups, and a model whose topics are these groups.
TopicHierarchyDisplay.from_estimator(model.lda_, n_groups=25)
merged = model.reduce_to(25)

# %%
# What is each library about? Lines are 95% intervals.
library = np.array([name.split(".")[0] for name in corpus.names])
library[~np.isin(library, ["numpy", "scipy", "sklearn"])] = "Python"
TopicSharesDisplay(merged.topics_by_group(corpus.text, library)).plot()
plt.show()

# %%
# Dates: the last version of scikit-learn that a docstring names, by the year of its release.
releases = "0.17 0.18 0.19 0.20 0.21 0.22 0.23 0.24 1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7".split()
years = 2015 + np.array([0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 7, 8, 9, 9, 9, 10])
year_of = dict(zip(releases, years, strict=True))
versions = [re.findall(r"version(?:added|changed):: *(\d\.\d+)", text) for text in corpus.text]
dates = [max([year_of.get(each, np.nan) for each in found], default=np.nan) for found in versions]
dates = np.where(library == "sklearn", dates, np.nan)
TopicSharesDisplay(merged.topics_over_time(corpus.text, dates)).plot()
plt.show()

# %%
# Search by text, and documents that are similar to the first one found.
search = merged.search_in(corpus.text)
found = search.find("is the difference of two means significant?", n=5)["document"]
print(corpus.names[found], corpus.names[search.similar(found[0], n=5)["document"]], sep="\n")

# %%
# All of it as one page, to read and to send.
with TemporaryDirectory() as folder:
    path = folder + "/report.html"
    page = merged.report(corpus.text, names=corpus.names, dates=dates, groups=library, path=path)
    print(f"{page.stat().st_size / 2**20:.1f} MB")
