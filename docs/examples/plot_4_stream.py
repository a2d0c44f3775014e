"""
A stream of documents
=====================

Learn from documents that arrive in portions and are seen once. Save the model in the middle, load
it, and continue with the same bits.
"""

# %%
# Eight thousand docstrings arrive in portions of 500. ``total_samples`` is their approximate
# number; the course of the temperature follows from it. For so few documents ``batch_size`` is
# small, so that there are enough steps.
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import topictemper
from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings

corpus = load_docstrings()
test, stream = corpus.counts[:800], corpus.counts[800:]
portions = [stream[start : start + 500] for start in range(0, stream.shape[0], 500)]
plain, tempered = (
    TemperedLDA(50, tempering=mode, batch_size=20, total_samples=stream.shape[0], random_state=0)
    for mode in ("svi", "lvt")
)

# %%
# After every portion, record the temperature and the score of documents outside of the stream.
seen, temperatures, scores = [], [], {"plain (svi)": [], "tempered (lvt)": []}
for number, portion in enumerate(portions, start=1):
    seen.append(min(500 * number, stream.shape[0]))
    scores["plain (svi)"].append(plain.partial_fit(portion).score(test))
    scores["tempered (lvt)"].append(tempered.partial_fit(portion).score(test))
    temperatures.append(tempered.temperature_)

figure, (above, below) = plt.subplots(
    2, 1, figsize=(7, 5.5), sharex=True, height_ratios=(1, 2), layout="constrained"
)
above.plot(seen, temperatures, color="tab:red", marker="o", markersize=4)
above.set_ylabel("temperature $T$")
for (name, values), color in zip(scores.items(), ("0.55", "tab:red"), strict=True):
    below.plot(seen, values, color=color, marker="o", markersize=4, label=name)
below.set_xlabel("documents seen")
below.set_ylabel("held-out score (nats per token)")
below.legend(frameon=False)
for panel in (above, below):
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# While T > 1 the tempered model predicts worse, and it catches up at the end. A stream as short as
# this one gains nothing from tempering: half of it passes while T > 1.
#
# A stream that stops
# -------------------
#
# Save the model after half of the portions, load it, and continue. The final model is the same, to
# the last bit.
with TemporaryDirectory() as folder:
    file = Path(folder) / "model.npz"
    first = TemperedLDA(**tempered.get_params())
    for portion in portions[:8]:
        first.partial_fit(portion)
    first.save(file)
    second = topictemper.load(file)
    print(f"{file.stat().st_size:,} bytes, T = {second.temperature_:.2f}")
for portion in portions[8:]:
    second.partial_fit(portion)
print("the same:", np.array_equal(second.components_, tempered.components_))
