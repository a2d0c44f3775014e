"""
The course of the temperature
=============================

Three pictures show what tempering does: why a hot start helps, how the temperature falls during a
fit, and how much better held-out text is predicted.
"""

# %%
# A landscape that melts
# ----------------------
#
# The smallest model with a wrong answer has two Gaussians with unknown means. Its objective has two
# optima: the right one, and one with the means in the wrong order. Plain inference climbs to the
# optimum next to its start. At a high temperature the data count less, and only one optimum is
# left. As the temperature falls, this optimum becomes the right one.
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
# Topic models have very many optima. Two fits of 8,000 docstrings of the scientific Python stack
# differ only in the temperature. 800 docstrings are held out.
corpus = load_docstrings()
test, train = corpus.counts[:800], corpus.counts[800:]
models = {
    name: TemperedLDA(100, tempering=mode, max_iter=15, random_state=0)
    for name, mode in {"plain (svi)": "svi", "tempered (lvt)": "lvt"}.items()
}
for model in models.values():
    model.fit(train, validation_X=test)

# %%
# The line is the temperature of the fit, which no document exceeds in training. The fit finds where
# to start: where the topics of documents begin to differ. The bands are the temperatures that are
# learned for the documents, before this limit. The better the topics explain a document, the lower
# is its temperature.
display = TemperatureDisplay.from_estimator(models["tempered (lvt)"])
display.ax_.set_ylim(0, 12)  # a few documents are far hotter
plt.show()

# %%
# While T > 1 the tempered model predicts worse than the plain one, because it does not yet fit the
# data. Once T = 1 it predicts better. The plain model is behind to the end. With four times the
# passes it would come closer, but not level.
LearningCurveDisplay.from_estimator(models)
plt.show()
