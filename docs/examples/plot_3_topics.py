"""
Topics people can use
=====================

From a fitted model to something to show: words, documents, how sure the model is of them, and which
documents it cannot explain.
"""

# %%
# The corpus comes with names: each document is the docstring of a function, class or module.
import matplotlib.pyplot as plt
import numpy as np

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.plotting import DocumentTemperatureDisplay, TopicsDisplay

corpus = load_docstrings()
lda = TemperedLDA(100, max_iter=20, random_state=0).fit(corpus.counts)

# %%
# The eight topics that explain most of the text. The titles say how much; bars are probabilities of
# words.
TopicsDisplay.from_estimator(lda, topics=8, feature_names=corpus.vocabulary)
plt.show()

# %%
# A topic is easier to name with the documents that are mostly about it.
words = lda.top_words(6, feature_names=corpus.vocabulary)
documents = lda.top_documents(corpus.counts, n=3)
for topic in np.argsort(-lda.components_.sum(axis=1))[:6]:
    print(f"{topic:3d}  {' '.join(words[topic])}")
    for row in documents[topic]:
        print(f"        {corpus.names[row]}")

# %%
# The other way round: what is one function about?
row = np.flatnonzero(corpus.names == "scipy.stats.ttest_ind")
proportions = lda.transform(corpus.counts[row])[0]
for topic in np.argsort(-proportions)[:3]:
    print(f"{proportions[topic]:6.1%}  {' '.join(words[topic])}")

# %%
# Temperatures of documents
# -------------------------
#
# Each document has a temperature under the fitted topics. Cold ones are explained well. Hot ones
# use words that are rare in the mixture of topics which suits them best, or are short. It is a
# diagnosis of the model rather than a detector of outliers: for that, the perplexity of a document
# is the better score (see :doc:`/guide/scores`).
DocumentTemperatureDisplay.from_estimator(lda, corpus.counts, names=corpus.names)
plt.show()
