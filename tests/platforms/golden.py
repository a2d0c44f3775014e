"""What the kernels must give on every platform, by their twins in NumPy.

    python -m tests.platforms.golden > tests/platforms/golden.h

The inputs are made by an integer hash, here and in ``selftest.c``. Of a long array 24 elements are
kept, and the mean.
"""

import numpy as np
from numpy.typing import NDArray

from topictemper._core._reference import cvb0, factorial, gibbs, lda, special, truncated
from topictemper._utils._typing import Floats

KEPT = 24
N_WORDS, N_DOCS, BASE, SCALE = 100, 8, 0.05, 0.8
#: Topics, inverse temperature (0: one for each document), whether topics are a point. The one
#: without statistics is the last.
CASES = [(5, 0.4, False), (300, 1.0, False), (37, 1.0, True), (37, 0.0, False)]
NODES = np.array([0.02, 0.1, 0.3, 0.6, 0.9, 1.0])
SWEEPS = (1e-15, 3000)
CVB0 = (3, 0.0, 2)  # sweeps, the noise that ends them, sweeps without the token itself
BURN_IN, AVERAGED = 2, 3
N_UNITS, N_STATES, N_DATA, N_FEATURES = 70, 12, 6, 11
N_IMAGES, N_CAUSES = 70, 7


def uniform(seed: int, *shape: int) -> Floats:
    """Numbers in [0, 1), the same in C to the last bit."""
    numbers = range((seed << 32) + 1, (seed << 32) + 1 + int(np.prod(shape)))
    bits = [special.mix64(number * special.GOLDEN) >> 11 for number in numbers]
    return np.array(bits, dtype=np.float64).reshape(shape) * 2.0**-53


def summary(x: Floats) -> Floats:
    """Return some elements and the mean."""
    x = np.ravel(x)
    kept = min(len(x), KEPT)
    return np.append(x[np.arange(kept) * len(x) // kept], x.mean())


def corpus() -> lda.Batch:
    """Eight documents: one has no word, one has a word a thousand times."""
    there = uniform(1, N_DOCS, N_WORDS) < 0.25
    there[3] = False
    counts = 1 + np.floor(4 * uniform(2, N_DOCS, N_WORDS))
    counts[5] = np.where(np.arange(N_WORDS) == np.flatnonzero(there[5])[0], 1000.0, counts[5])
    document, word = np.nonzero(there)
    by_word = np.lexsort((document, word))
    ends = np.cumsum(np.bincount(word, minlength=N_WORDS))
    return lda.Batch(
        doc_ptr=np.concatenate(([0], np.cumsum(there.sum(axis=1)))),
        word_of=word.astype(np.int32),
        counts=counts[there],
        words=np.arange(N_WORDS, dtype=np.int32),
        word_ptr=np.concatenate(([0], ends)),
        word_doc=document[by_word].astype(np.int32),
        word_pos=by_word,
    )


def hash_integers(values: NDArray[np.int64]) -> int:
    """Hash of whole numbers, in their order."""
    result = 0
    for value in values.tolist():
        result = special.mix64(result + value + special.GOLDEN)
    return result


def hash_states(states: NDArray[np.uint64]) -> int:
    """Hash of a set of states for each datum, whatever the order of the states is."""
    result = 0
    for n, of_datum in enumerate(states):
        for state in of_datum:
            result += special.mix64(hash_integers(state) + n)
    return result % 2**64


def of_lda(arrays: dict[str, list[Floats]], hashes: dict[str, list[int]]) -> None:
    """Add what the kernels of LDA give."""
    batch = corpus()

    def add(name: str, values: Floats) -> None:
        arrays.setdefault(name, []).append(summary(values))

    for n_topics, s, point in CASES:
        M = uniform(3, N_WORDS, n_topics)
        for _ in range(3):
            M = M * M  # not a power, which libraries round differently
        M = 300 * M
        alpha = 0.1 + 0.1 * uniform(4, n_topics)
        own = 0.3 + 0.7 * uniform(5, N_DOCS)
        temperatures = np.full(N_DOCS, s) if s else own
        log_total = 5 + uniform(6, n_topics)
        B, shift = lda.topic_rows(M, SCALE, BASE, log_total, point, batch.words, s, not s)
        # The factor of a row is the kernel's choice: without it.
        add("rows", B * np.exp(s * shift[:, None]) if s else B + shift[:, None])
        documents = (batch.doc_ptr, batch.word_of, batch.counts, alpha)
        e = lda.estep(*documents, temperatures, not s, B, shift, *SWEEPS)
        add("gamma", e.gamma)
        add("energy", e.energy)
        ratios = lda.interpolated_moments(M, SCALE, BASE, NODES)
        add("moments", ratios)
        total = (BASE + SCALE * M).sum(axis=0)
        moments = ratios / np.array([special.gamma_ratio(total, node) for node in NODES])
        add("partition", lda.log_partition(e.gamma, moments, NODES))
        t = uniform(7, N_DOCS, n_topics)
        likelihood = (batch.doc_ptr, batch.word_of, batch.counts, t, M, SCALE, BASE)
        add("likelihood", lda.mixture_log_likelihood(*likelihood))
        if not s:
            continue
        changed = M.copy()
        by_word = (batch.words, batch.word_ptr, batch.word_doc, batch.word_pos, temperatures, B)
        sums = lda.add_statistics(*by_word, e.weights, e.ratio, None, 0.7, changed)
        add("sums", sums)
        add("changed", changed)
        if s != 1:
            continue
        add("cvb0", cvb0.cvb0(*documents, B, 0.0, *CVB0)[0])
        keys = np.array([special.mix64(d + 1) for d in range(N_DOCS)], dtype=np.uint64)
        sampled = gibbs.sample(*documents, B, keys, BURN_IN, AVERAGED, want_own=True)
        add("sampled", sampled.gamma)
        outputs = (sampled.weights, sampled.ratio, sampled.own)
        add("sampled_sums", lda.add_statistics(*by_word, *outputs, 0.7, changed))
        drawn = np.argwhere(sampled.weights > 0)
        hashes.setdefault("drawn", []).append(hash_integers(drawn.ravel()))


def of_special(arrays: dict[str, list[Floats]]) -> None:
    """Add special functions of numbers from 1/1000 to a billion."""
    n = 101
    x = np.ldexp(1 + uniform(8, n), np.arange(n) % 40 - 10)
    arrays["psi"] = [summary(special.psi(x))]
    arrays["gamma_ratio"] = [summary(special.gamma_ratio(x, 0.3))]


def of_factorial(arrays: dict[str, list[Floats]]) -> None:
    """Add sweeps over images that share their pixels, and that have patterns of their own."""
    for n_patterns in (1, 3):
        half = uniform(11, n_patterns, N_CAUSES, N_CAUSES)
        results = factorial.bernoulli_sweep(
            projections=4 * uniform(10, N_CAUSES, N_IMAGES) - 2,
            gram=0.5 * (half + half.transpose(0, 2, 1)),
            bias=-uniform(12, n_patterns, N_CAUSES),
            pattern=np.arange(N_IMAGES) % n_patterns,
            s=uniform(13, N_IMAGES),
            precision=2.0,
            n_sweeps=3,
            nu=uniform(14, N_CAUSES, N_IMAGES),
        )
        for name, values in zip(("nu", "sweep_energy", "entropy"), results, strict=True):
            arrays.setdefault(name, []).append(summary(values))


def of_truncated(arrays: dict[str, list[Floats]], hashes: dict[str, list[int]]) -> None:
    """Add truncated E-steps, with units that are alike and with units that are not."""
    keys = np.array([special.mix64(n + 100) for n in range(N_DATA)], dtype=np.uint64)
    gaps = [2**64 - 1]
    while len(gaps) < N_UNITS:
        gaps.append(gaps[-1] // 16 * 15)
    alike = truncated.Sampler(np.full(N_UNITS, 4096, np.uint32), np.array(gaps, np.uint64))
    thresholds = (4000 + np.floor(20000 * uniform(20, N_UNITS))).astype(np.uint32)
    half = uniform(21, N_UNITS, N_UNITS) - 0.5
    couplings = half + half.T
    fields = 2 * uniform(22, N_DATA, N_UNITS) - 1
    weights = 2 * uniform(23, N_UNITS + 1, N_FEATURES) - 1
    guides = uniform(24, N_DATA, N_UNITS) * 0.5
    different = truncated.Sampler(thresholds, None)
    for prior, marginals, s in ((alike, None, 1.0), (different, guides, 0.7)):
        states = truncated.initial_states(keys, N_STATES, 9, 0, prior)
        hashes.setdefault("first_states", []).append(hash_states(states))
        arguments = (states, keys, 9, 3, prior, 6, 7, marginals, fields, s)
        gaussian = truncated.gaussian_estep(*arguments, couplings=couplings)
        bernoulli = truncated.bernoulli_estep(*arguments, weights=weights)
        for name, e in (("gaussian", gaussian), ("bernoulli", bernoulli)):
            hashes.setdefault(f"{name}_states", []).append(hash_states(e.states))
            arrays.setdefault(f"{name}_free_energy", []).append(summary(e.free_energy))
            arrays.setdefault(f"{name}_means", []).append(summary(e.means))
        second = gaussian.second[np.tril_indices(len(gaussian.second))]
        arrays.setdefault("gaussian_second", []).append(summary(second))
        sums = truncated.bernoulli_expectations(
            bernoulli.states, weights, bernoulli.responsibilities
        )
        arrays.setdefault("bernoulli_sums", []).append(summary(sums))


def header() -> str:
    """Return the text of ``golden.h``."""
    arrays: dict[str, list[Floats]] = {}
    hashes: dict[str, list[int]] = {}
    of_special(arrays)
    of_lda(arrays, hashes)
    of_factorial(arrays)
    of_truncated(arrays, hashes)
    lines = ["/* Made by golden.py, whose twins of the kernels say what is right. */"]
    for name, rows in arrays.items():
        lines.append(f"static const double golden_{name}[][{KEPT + 1}] = {{")
        for row in rows:
            numbers = [f"{x:.13g}" for x in row]
            lines += ["    {"]
            lines += [
                "        " + ", ".join(numbers[i : i + 5]) + "," for i in range(0, len(row), 5)
            ]
            lines += ["    },"]
        lines.append("};")
    for name, values in hashes.items():
        numbers = ", ".join(f"0x{value:016x}u" for value in values)
        lines.append(f"static const uint64_t golden_{name}[] = {{{numbers}}};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(header(), end="")
