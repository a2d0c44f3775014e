"""Topics of tokens by Gibbs sampling, in plain NumPy; see `_reference.lda`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from ..._utils._typing import Floats
from .lda import EStep
from .special import GOLDEN, floats, mix64

# Lanes that a draw goes through topics in; the most parts that a count is split into, and the
# part of a document that these may be together.
_LANES, _MOST_TOKENS, _FINEST = 16, 64, 256
# Slots for topics that a document keeps, and the most that it may have; the most tokens with slots.
_FIRST_SLOTS, _MOST_SLOTS, _MOST_ABREAST = 32, 64, 4096


def sample(
    doc_ptr: ArrayLike,
    word_of: ArrayLike,
    counts: ArrayLike,
    alpha: ArrayLike,
    B: ArrayLike,
    keys: NDArray[np.uint64],
    n_burn_in: int,
    n_kept: int,
    *,
    want_own: bool = False,
) -> EStep:
    """Sample the topics of tokens of every document at fixed topics, by collapsed Gibbs sampling.

    A token i of the word v has the topic k with a probability in proportion to
    ``(alpha_k + N_k) B_vk``, where N counts the other tokens of the document. (Mimno, Hoffman and
    Blei 2012, "Sparse stochastic inference for latent Dirichlet allocation", eq. 7.)

    All tokens draw from the prior first, N = 0. Those of the 32 topics that then have most tokens
    keep them, the others are without a topic until the first sweep comes to them. A draw u of
    [0, 1) goes through topics in a fixed order: first those that have a slot, in the order of their
    slots, then all others. A topic that is drawn and has no slot gets one: the last whose topic has
    no tokens, once there are 32; else a new one. A document of more than 64 slots, or 4096 tokens,
    is crowded. There, u goes through the topics in the order of their remainders modulo 16, but
    through the topic that the token had first.

    A count is split into tokens of equal size, as few as keep it at 1 or less, or at a 256th of the
    document, but at most 64.
    Sizes are rounded to multiples of a power of two, such that sums of them are exact.

    Parameters
    ----------
    doc_ptr, word_of, counts, alpha, B : array-like
        As in `estep`; rows of B are at s = 1 and need not sum to anything.
    keys : ndarray of uint64, shape (D,)
        Where SplitMix64 begins in every document.
    n_burn_in, n_kept : int
        Sweeps that are forgotten, and sweeps whose counts are averaged.
    want_own : bool
        Whether to find ``own``, too.

    Returns
    -------
    EStep
        ``gamma`` is ``alpha + mean N``; ``weights`` are gamma of the topics that were drawn, else
        0; ``ratio`` as from `estep`; no energy (0).

        With `want_own`, a token of size a is not itself in the N that its phi follows:
        ``phi_k ~ (weights_k - a phi_k) B_vk``, so that
        ``n_v phi_vk = ratio_v weights_k B_vk / (1 + own_v B_vk)`` with ``own`` (nnz,).
    """
    doc_ptr, word_of, counts = np.asarray(doc_ptr), np.asarray(word_of), floats(counts)
    alpha = floats(alpha)
    n_documents, n_topics = len(doc_ptr) - 1, len(alpha)
    B = floats(B)[:, :n_topics]
    order = np.concatenate([np.arange(lane, n_topics, _LANES) for lane in range(_LANES)])
    own = np.zeros(len(counts))
    result = EStep(
        gamma=np.tile(alpha, (n_documents, 1)),
        weights=np.zeros((n_documents, n_topics)),
        ratio=np.zeros(len(counts)),
        energy=np.zeros(n_documents),
        sweeps=np.full(n_documents, n_burn_in + n_kept, dtype=np.int32),
    )
    for d in range(n_documents):
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        largest = max(counts[span].sum() / _FINEST, 1.0)
        parts = np.minimum(np.ceil(counts[span] / largest), _MOST_TOKENS).astype(np.int64)
        rows = B[np.repeat(word_of[span], parts)]
        unit = 2.0 ** (np.floor(np.log2(1.0 + counts[span].sum())) - 51.0)
        sizes = np.repeat(np.maximum(np.rint(counts[span] / parts / unit), 1.0) * unit, parts)
        state = int(keys[d])

        def draw(weights: Floats, visited: ArrayLike) -> int:
            nonlocal state
            state += GOLDEN
            u = (mix64(state) >> 11) / 2.0**53 * weights.sum()
            k = 0
            for k in np.asarray(visited):
                u -= weights[k]
                if u < 0.0:
                    break
            return int(k)

        topics = [draw(alpha * row, range(n_topics)) for row in rows]
        N = np.bincount(topics, sizes, minlength=n_topics)
        crowded = len(rows) > _MOST_ABREAST
        slots = sorted(dict.fromkeys(topics), key=lambda k: -N[k])[:_FIRST_SLOTS]
        if not crowded:
            topics = [k if k in slots else -1 for k in topics]
            N[np.setdiff1d(np.arange(n_topics), slots)] = 0.0
        total = np.zeros(n_topics)
        for sweep in range(n_burn_in + n_kept):
            for i, row in enumerate(rows):
                old = topics[i]
                if old >= 0:
                    N[old] -= sizes[i]
                first = [max(old, 0)] if crowded else slots
                others = order if crowded else np.arange(n_topics)
                visited = np.concatenate((first, np.setdiff1d(others, first, assume_unique=True)))
                k = topics[i] = draw((alpha + N) * row, visited.astype(np.int64))
                N[k] += sizes[i]
                if crowded or k in slots:
                    continue
                used = {*topics[:i], *topics[i + 1 :]}
                free = [j for j, topic in enumerate(slots) if topic not in used]
                if len(slots) >= _FIRST_SLOTS and free:
                    slots[free[-1]] = k
                elif len(slots) < _MOST_SLOTS:
                    slots.append(k)
                else:
                    crowded = True
            if sweep >= n_burn_in:
                total += N
        result.gamma[d] += total / n_kept
        result.weights[d] = np.where(total > 0, result.gamma[d], 0.0)
        if not want_own:
            result.ratio[span] = counts[span] / (B[word_of[span]] @ result.weights[d])
            continue
        for v in range(doc_ptr[d], doc_ptr[d + 1]):
            size = counts[v] / max(parts[v - doc_ptr[d]], 1)
            c = _without_own(result.weights[d], B[word_of[v]], size)
            result.ratio[v], own[v] = counts[v] / c, size / c
    return result._replace(own=own) if want_own else result


def _without_own(weights: Floats, row: Floats, size: Any) -> Any:
    """The c for which ``phi_k = weights_k row_k / (c + size row_k)`` sums to 1."""
    total = weights @ row
    if size == 0.0 or total == 0.0:
        return 1.0

    def excess(c: Any) -> Any:
        return (weights * row / (c + size * row)).sum() - 1.0

    upper = max(1.0 - size / weights.sum(), 0.0) * total
    least = 1e-6 * total
    if upper <= least or excess(least) <= 0.0:
        return least
    return optimize.brentq(excess, least, upper * (1 + 1e-9), xtol=1e-14 * total)
