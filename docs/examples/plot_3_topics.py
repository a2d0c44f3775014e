"""
Topics people can use
=====================

From a fitted model to results that you can show: words, documents, proportions, and documents that
the model explains poorly.
"""

# %%
# Each document is the docstring of a function, class or module, and has its name.
import matplotlib.pyplot as plt
import numpy as np

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.plotting import DocumentTemperatureDisplay, TopicsDisplay

corpus = load_docstrings()
lda = TemperedLDA(100, max_iter=20, random_state=0).fit(corpus.counts)

# %%
# The eight topics that explain most of the text. Titles give the share of the text; bars are
# probabilities of words. Each panel has its own scale.
TopicsDisplay.from_estimator(lda, topics=8, feature_names=corpus.feature_names)
plt.show()

# %%
# Documents that are mostly about a topic help to name it.
words = lda.top_words(6, feature_names=corpus.feature_names)
documents = lda.top_documents(corpus.counts, n=3)
for topic in np.argsort(-lda.components_.sum(axis=1))[:6]:
    print(f"{topic:3d}  {' '.join(words[topic])}")
    for row in documents[topic]:
        print(f"        {corpus.names[row]}")

# %%
# And what is one function about?
row = np.flatnonzero(corpus.names == "scipy.stats.ttest_ind")
proportions = lda.transform(corpus.counts[row])[0]
for topic in np.argsort(-proportions)[:3]:
    print(f"{proportions[topic]:6.1%}  {' '.join(words[topic])}")

# %%
# Temperatures of documents
# -------------------------
#
# Each document has a temperature under the fitted topics. The topics explain cold documents well.
# The words of hot documents are improbable under their own topic mixture, or there are few of them.
# To find outliers, the perplexity of a document is the better score (:doc:`/guide/scores`).
DocumentTemperatureDisplay.from_estimator(lda, corpus.counts, names=corpus.names)
plt.show()
