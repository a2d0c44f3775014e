"""Every default of LDA that was chosen by measurement, with the script or page that shows it."""

from __future__ import annotations

# benchmarks/lda/defaults.py: the sum of alpha over topics, and the largest alpha; eta of topics
# that are a point, and of Dirichlet topics.
ALPHA_SUM, ALPHA_MOST = 3.0, 0.1
ETA_POINT, ETA_DIRICHLET = 0.05, 0.1
# benchmarks/lda/many_topics.py: eta until there are samples to learn it from (`first_eta`), and the
# bounds of what is learned (`largest_eta`).
ETA_LEAST, ETA_FIRST_TOKENS, ETA_TOKENS = 0.003, 1e6, 2e5
ETA_WORDS, ETA_SHARE, ETA_TOGETHER = 3.0, 0.04, 4.0
# docs/guide/measured/priors.rst, "How eta is learned": of documents without tokens.
ETA_SHORT = 0.1
# docs/guide/measured/priors.rst, "Few documents, and copies": the range of eta where no document is
# forgotten, so that none can tell which eta predicts best.
ETA_UNLEARNED = 0.003, 0.15
# benchmarks/lda/priors.py: the floor of a learned alpha, over the default one.
ALPHA_FLOOR = 0.5
# docs/guide/measured/priors.rst, "How alpha is learned from samples": the largest sum of an alpha
# that is learned from samples. No script chose it: default fits of all corpora there come to 4.3 at
# most, and very long fits do not stop there.
ALPHA_LARGEST_SUM = 4.0

# docs/guide/measured/defaults.rst, "The length of annealing": shares of the planned passes; then
# the same where these are few: hundreds of topics do not all part in less.
ANNEALING_SHARE, PROBE_SHARE = 0.3, 0.2
FEW_PASSES, ANNEALING_SHARE_OF_FEW, PROBE_SHARE_OF_FEW = 3, 0.4, 0.25
# docs/guide/measured/modes.rst, "Counts of other kinds": the temperature at which the probe gives
# up. Samples part topics at T = 1 that mean field would leave alike.
LOWEST, LOWEST_OF_SAMPLED = 1.02, 1.07
# docs/guide/measured/modes.rst, "Batch learning": the most passes of `PROBE_SHARE` for topics that
# are a point. Above the critical temperature each step of the corpus makes them more alike, and
# in the end nothing is left that could part them.
PROBE_IN_FULL = 8.0
# The probe takes eight steps at least, or six where documents are sampled, and annealing some more.
# A fit of fewer steps than these would end hot: it does not anneal.
LEAST_STEPS, LEAST_STEPS_OF_SAMPLED = 12, 10
# benchmarks/lda/defaults.py, in shares of the planned passes.
INERTIA_SHARE = {"vt": 0.05, "lvt": 0.15}
DASVI_START = 1.5
N_TEMPERATURES, UPDATES = 100, 20

# benchmarks/lda/defaults.py: kappa; the passes that topics remember where documents are sampled,
# and the largest rate of a step that follows from them.
KAPPA, MEMORY, LARGEST_RATE = 0.7, 0.2, 0.25
# benchmarks/lda/defaults.py: tau, as a share of the planned steps, and its range.
OFFSET_SHARE, OFFSET_RANGE = 0.25, (10.0, 1024.0)
# Documents to see in a fit, by passes in a range, and minibatches in one pass for each of them. A
# small corpus is passed over more often (docs/guide/measured/defaults.rst, "Passes over few
# documents"): documents to see if they are long, or half as many of those without tokens; the
# passes from which on half the documents have only 1.4 times the passes, not twice as many; most
# passes. Documents of `SHORT` tokens are half the way between short and long.
SEEN, PASSES_RANGE, STEPS = 1_000_000.0, (4.0, 15.0), 20.0
SEEN_OF_FEW, MANY_PASSES, MOST_PASSES, SHORT = 160_000.0, 40.0, 120.0, 20.0
# docs/guide/measured/defaults.rst, "Passes over short documents": how many times the usual passes
# documents without tokens get by default.
TIMES_OF_SHORT = 3.0
# docs/guide/measured/priors.rst, "Longer fits of short documents": over the usual passes; and the
# share of any fit, at its end, in which alpha is learned.
LONG, LAST_SHARE = 1.2, 0.2
BATCH_RANGE = (64.0, 2048.0)
# Minibatches are joined where documents are sampled: their rate follows from documents, so larger
# ones learn as much, and fewer of them cost less. A share of the documents, at most so many.
SAMPLED_SHARE, SAMPLED_MOST = 0.02, 512
BATCH_TOL = 1e-4

# benchmarks/lda/streams.py: documents that a stream of unknown length is taken to have, until it
# has more.
STREAM_SAMPLES = 20_000.0

# Passes before documents are sampled, and the share of the planned passes if they are few. Samples
# find topics more slowly than they improve them.
PLAIN_PASSES, PLAIN_SHARE = 2.0, 2 / 3

# docs/guide/measured/inference.rst, "The own counts of tokens": the share of the usual passes
# that they are in, and the passes that they are in at least (all, if there are fewer). They make
# topics part, and are better left out then. In documents of fewer tokens on average they are a
# large share of what a document has, and are always left out.
OWN_SHARE, OWN_PASSES = 2 / 3, 10.0
OWN_TOKENS = 60.0

VALIDATION_FRACTION = 0.1
# docs/guide/measured/defaults.rst, "Early stopping": passes without a better score, as a share of
# the planned ones, and the fewest.
PATIENCE_SHARE, LEAST_PATIENCE = 0.1, 3
