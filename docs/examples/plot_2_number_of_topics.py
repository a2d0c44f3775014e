"""
How many topics?
================

Fit models of several sizes, compare them on documents that none of them has seen, and look at more
than one figure: the number of topics that predicts best is rarely the one that reads best.
"""

# %%
# The score is the mean log-probability of a held-out word, in nats: half of the words of each test
# document say what it is about, the other half are predicted. A gain of 0.1 means that each word is
# 1.1 times as probable.
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
# Beside it stand two figures that know nothing of prediction: coherence (do the top words of a
# topic occur in the same documents?) and diversity (are the top words of the topics different
# ones?).
measures = {
    "held-out score (nats a token)": lambda model: model.score(test),
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
# Prediction gets better up to about a hundred topics and worse beyond: 7,000 short documents do
# not hold two hundred subjects. Coherence hardly changes for tempered topics, and falls for plain
# ones, where more and more topics are left without documents and keep the noise that they started
# with. Diversity falls for both, and is lower for tempered topics: what one topic can explain is
# shared by several that are alike, while noise is as diverse as can be. No figure should be read
# alone. Somewhere between 50 and 100 all three are fair here, and that is the range to read
# through before one settles the matter.
#
# The difference between two neighbours here is far larger than that between two seeds. Where it is
# not, fit several seeds: within 0.03 nats one run says little.
