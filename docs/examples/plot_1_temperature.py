"""
The course of the temperature
=============================

What tempering does, in three pictures: why a hot start helps, which course the temperature takes in
a fit, and what it is worth on text that was held out.
"""

# %%
# A landscape that melts
# ----------------------
#
# The smallest model with a wrong answer: data from two Gaussians, and the question where their
# means are. There are two hills, the right one and one with the means the wrong way round. A
# climber takes the hill it starts on. At a high temperature the data count for less: the wrong
# hill becomes flat, and far enough up a single hill is left, wherever one starts. Cooling leads
# from there to the right one.
import matplotlib.pyplot as plt

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings, make_two_gaussians
from topictemper.mixture import TwoGaussians
from topictemper.plotting import AnnealedSurfaceDisplay, LearningCurveDisplay, TemperatureDisplay

X, _ = make_two_gaussians(random_state=0)
AnnealedSurfaceDisplay.from_model(TwoGaussians(X))
plt.show()

# %%
# Topics
# ------
#
# With topics there are not two hills but very many. Here are 8,000 docstrings of the scientific
# Python stack, of which every tenth is held out, and two fits that differ in the temperature only.
corpus = load_docstrings()
test, train = corpus.counts[:800], corpus.counts[800:]
models = {
    name: TemperedLDA(100, tempering=mode, max_iter=15, random_state=0)
    for name, mode in {"plain (svi)": "svi", "tempered (lvt)": "lvt"}.items()
}
for model in models.values():
    model.fit(train, validation_X=test)

# %%
# The line is the bound that holds for all documents. It starts where documents begin to differ in
# their topics, a point that the fit finds by itself, and falls to 1. The bands are the temperatures
# that documents ask for once topics have begun to form: the better they are explained, the lower.
display = TemperatureDisplay.from_estimator(models["tempered (lvt)"])
display.ax_.set_ylim(0, 12)  # the hottest documents ask for far more
plt.show()

# %%
# While it is hot, the tempered model predicts worse than the plain one, because it is not yet meant
# to fit the data; once it is cold, it predicts better, and the plain one does not catch up: it
# settled early in an optimum that it does not leave.
LearningCurveDisplay.from_estimator(models)
plt.show()
