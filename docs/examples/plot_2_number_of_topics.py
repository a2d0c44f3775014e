"""
How many topics?
================

Fit models of several sizes and compare them on documents that they have not seen. Look at more than
one measure: the number of topics that predicts best is rarely the one that reads best.
"""

# %%
# The score is the mean log-probability of a held-out word, in nats. Half of the words of each test
# document tell the model what the document is about, and the model predicts the other half. A gain
# of 0.1 makes each word 1.1 times as probable.
import matplotlib.pyplot as plt

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings
from topictemper.metrics import coherence, topic_diversity

corpus = load_docstrings()
test, train = corpus.counts[:800], corpus.counts[800:]
sizes = [10, 20, 50, 100, 200]
modes = {"svi": "plain (svi)", "lvt": "tempered (lvt)"}
models = {
    mode: [TemperedLDA(K, tempering=mode, random_state=0).fit(train) for K in sizes]
    for mode in modes
}

# %%
# Two other measures do not depend on prediction. Coherence: do the top words of a topic occur in
# the same documents? Diversity: do the topics have different top words?
measures = {
    "held-out score (nats per token)": lambda model: model.score(test),
    "coherence (NPMI)": lambda model: coherence(model, corpus.counts),
    "diversity": topic_diversity,
}
figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for panel, (name, measure) in zip(panels, measures.items(), strict=True):
    for mode, color in (("svi", "0.55"), ("lvt", "tab:red")):
        values = [measure(model) for model in models[mode]]
        panel.plot(sizes, values, marker="o", color=color, label=modes[mode])
    panel.set_xscale("log", base=2)
    panel.set_xticks(sizes, map(str, sizes), minor=False)
    panel.set_xlabel("topics $K$")
    panel.set_title(name, fontsize="medium", loc="left")
    panel.spines[["top", "right"]].set_visible(False)
panels[0].legend(frameon=False)
plt.show()

# %%
# Prediction still improves at two hundred topics: docstrings repeat each other, so that even narrow
# topics help to predict. From 50 topics on tempered topics predict better than plain ones, and are
# more coherent. Diversity falls for both: more and more topics share one subject. So read the three
# measures together. If people are to read the topics, stop where diversity has become low, and read
# the topics of this range before you decide.
#
# Neighboring sizes differ far more here than two seeds do. Where they do not, fit several seeds.
