"""The kernels once more, in plain NumPy and SciPy, to be read and to be tested against.

Every function has the name and the meaning of a kernel of ``topictemper._core._lda``. It
computes in float64, loops over documents, keeps all topics of every document (no compaction), and
returns its results where the kernel fills arrays that it was given. One thread does all of it.

VT is Mandt et al. (2016), "Variational Tempering". The global state is
``lambda_kv = base + a M[v, k]`` throughout, with ``M`` of shape (V, K): a word's topics side by
side. Logarithms are natural, so that energies and bounds are in nats.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from ..._utils._typing import Floats
from .special import floats, gamma_ratio, psi

Ints = NDArray[np.int64]

# Intervals between two powers of 2.
OCTAVE = 64


class Batch(NamedTuple):
    """The rows of a minibatch, once by document and once by word; see `gather_rows`."""

    doc_ptr: Ints
    word_of: NDArray[np.int32]
    counts: Floats
    words: NDArray[np.int32]
    word_ptr: Ints
    word_doc: NDArray[np.int32]
    word_pos: Ints


class EStep(NamedTuple):
    """The fixed point of every document of a minibatch; see `estep`."""

    gamma: Floats
    weights: Floats
    ratio: Floats
    energy: Floats
    sweeps: NDArray[np.int32]
    #: Of `sample`, if wanted.
    own: Floats | None = None


def gather_rows(indptr: ArrayLike, indices: ArrayLike, data: ArrayLike, rows: ArrayLike) -> Batch:
    """Rows of a CSR matrix as a minibatch, by document and by word.

    Parameters
    ----------
    indptr, indices, data : array-like
        The CSR matrix of counts.
    rows : array-like of int, shape (B,)
        The rows wanted, in the order wanted; a row may come twice.

    Returns
    -------
    Batch
        ``doc_ptr`` (B + 1,), ``word_of`` (nnz,) and ``counts`` (nnz,) are the rows as CSR, without
        explicit zeros; ``word_of`` points into ``words`` (U,), the distinct columns in order of
        first appearance.
        Entries ``word_ptr[u]`` to ``word_ptr[u + 1]`` of ``word_doc`` and ``word_pos`` are the
        documents of word u and the positions of its counts in the CSR arrays, in ascending order.
    """
    indptr, indices, data = np.asarray(indptr), np.asarray(indices), np.asarray(data)
    doc_ptr = [0]
    columns: list[int] = []
    counts: list[float] = []
    for row in np.asarray(rows, dtype=np.int64):
        span = slice(indptr[row], indptr[row + 1])
        for column, count in zip(indices[span], data[span], strict=True):
            if count != 0:
                columns.append(int(column))
                counts.append(float(count))
        doc_ptr.append(len(columns))

    words = list(dict.fromkeys(columns))
    slot = {word: u for u, word in enumerate(words)}
    word_of = [slot[column] for column in columns]

    positions: list[list[int]] = [[] for _ in words]
    for position, u in enumerate(word_of):
        positions[u].append(position)
    word_pos = [position for of_word in positions for position in of_word]
    document = np.repeat(np.arange(len(doc_ptr) - 1), np.diff(doc_ptr))
    return Batch(
        doc_ptr=np.array(doc_ptr, dtype=np.int64),
        word_of=np.array(word_of, dtype=np.int32),
        counts=np.array(counts, dtype=np.float64),
        words=np.array(words, dtype=np.int32),
        word_ptr=np.cumsum([0] + [len(of_word) for of_word in positions], dtype=np.int64),
        word_doc=document[word_pos].astype(np.int32) if word_pos else np.empty(0, np.int32),
        word_pos=np.array(word_pos, dtype=np.int64),
    )


def topic_rows(
    M: ArrayLike,
    a: float,
    base: float,
    log_total: ArrayLike,
    point: bool,
    words: ArrayLike,
    s: float,
    log_rows: bool,
) -> tuple[Floats, Floats]:
    """Make what the E-step needs of the topics: ``E[log beta]`` of a minibatch's words.

    Or ``log E[beta]``, where topics are a point.

    Parameters
    ----------
    M, a, base : (V, K) array-like, float, float
        The global state ``lambda = base + a M``.
    log_total : array-like, shape (K,)
        ``psi(sum_v lambda_kv)``, or its logarithm where topics are a point.
    point : bool
        Whether topics are their mean.
    words : array-like of int, shape (U,)
        The words wanted.
    s : float
        Inverse temperature; not used with `log_rows`.
    log_rows : bool
        Whether the rows stay logarithms.

    Returns
    -------
    rows : ndarray, shape (U, K)
        ``L - shift``, or ``exp(s (L - shift))``, with ``L = E[log beta]`` or ``log E[beta]``.
    shift : ndarray, shape (U,)
        ``max_k L``.
    """
    lam = base + a * floats(M)[np.asarray(words)]
    log_beta = (np.log(lam) if point else psi(lam)) - floats(log_total)
    shift = log_beta.max(axis=1, initial=-np.inf)
    rows = log_beta - shift[:, None]
    return (rows if log_rows else np.exp(s * rows)), shift


def estep(
    doc_ptr: ArrayLike,
    word_of: ArrayLike,
    counts: ArrayLike,
    alpha: ArrayLike,
    s: ArrayLike,
    log_rows: bool,
    B: ArrayLike,
    shift: ArrayLike,
    tol: float,
    max_iter: int,
    gamma: ArrayLike | None = None,
) -> EStep:
    """Iterate the local updates of VT eq. 19 to their fixed point, for every document.

    With ``s`` for E[1/T] and ``n_v`` for the counts of one document::

        phi_vk  = exp{ s (E[log theta_k] + E[log beta_kv]) } / (its sum over k)
        gamma_k = alpha_k + s sum_v n_v phi_vk

    (VT eq. 19 has ``n_dv`` inside the exponent of phi; that is a slip of the paper: a count weighs
    a token's assignment, it does not sharpen it.) ``psi(sum_j gamma_j)`` of ``E[log theta_k]``
    cancels in phi.

    Parameters
    ----------
    doc_ptr, word_of, counts : array-like, shapes (D + 1,), (nnz,), (nnz,)
        The minibatch; ``word_of`` points at rows of `B`.
    alpha : array-like, shape (K,)
        The prior of theta.
    s : array-like, shape (D,)
        The inverse temperature of every document.
    log_rows, B, shift : bool, (U, >= K) array-like, (U,) array-like
        Rows of the topics as `topic_rows` makes them; columns beyond K are padding.
    tol, max_iter : float, int
        Sweeps end when ``mean_k |change of gamma_k| < tol``, or after `max_iter` of them.
    gamma : array-like, shape (D, K), optional
        The start; ``alpha + s N_d / K`` without it.

    Returns
    -------
    EStep
        ``gamma`` (D, K); ``weights`` (D, K), ``exp(s psi(gamma))`` divided by its largest value in
        the document; ``ratio`` (nnz,), such that
        ``n_v phi_vk = ratio_v weights_k exp(s (E[log beta_kv] - shift_v))`` with phi of the final
        gamma; ``energy`` (D,), ``sum_vk n_v phi_vk (E[log theta_k] + E[log beta_kv])`` in nats, the
        energy of VT eq. 9; ``sweeps`` (D,).
    """
    doc_ptr, word_of, counts = np.asarray(doc_ptr), np.asarray(word_of), floats(counts)
    alpha, s, shift = floats(alpha), floats(s), floats(shift)
    n_documents, n_topics = len(s), len(alpha)
    rows = floats(B)[:, :n_topics]

    result = EStep(
        gamma=np.tile(alpha, (n_documents, 1)),
        weights=np.zeros((n_documents, n_topics)),
        ratio=np.zeros(len(counts)),
        energy=np.zeros(n_documents),
        sweeps=np.zeros(n_documents, dtype=np.int32),
    )
    for d in range(n_documents):
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        n, words = counts[span], word_of[span]
        if n.sum() == 0:
            continue
        with np.errstate(divide="ignore"):  # a row that has underflowed has log 0 = -inf: phi = 0
            log_rows_d = s[d] * rows[words] if log_rows else np.log(rows[words])

        gamma_d = alpha + s[d] * n.sum() / n_topics if gamma is None else floats(gamma)[d]
        while result.sweeps[d] < max_iter:
            phi = _assignments(s[d], gamma_d, log_rows_d)
            last, gamma_d = gamma_d, alpha + s[d] * (n @ phi)
            result.sweeps[d] += 1
            if np.abs(gamma_d - last).mean() < tol:
                break

        phi = _assignments(s[d], gamma_d, log_rows_d)
        log_weights = s[d] * (psi(gamma_d) - psi(gamma_d).max())
        log_p = special.logsumexp(log_weights + log_rows_d, axis=1)
        # Where phi is 0 the row may be -inf, and 0 x inf is no number.
        expected_log_beta = np.where(phi > 0, log_rows_d, 0.0) / s[d] + shift[words, None]
        expected_log_theta = psi(gamma_d) - psi(gamma_d.sum())
        result.gamma[d] = gamma_d
        result.weights[d] = np.exp(log_weights)
        result.ratio[span] = n * np.exp(-log_p)
        result.energy[d] = n @ (phi * (expected_log_theta + expected_log_beta)).sum(axis=1)
    return result


def add_statistics(
    words: ArrayLike,
    word_ptr: ArrayLike,
    word_doc: ArrayLike,
    word_pos: ArrayLike,
    doc_weight: ArrayLike,
    B: ArrayLike,
    weights: ArrayLike,
    ratio: ArrayLike,
    own: ArrayLike | None,
    scale: float,
    M: NDArray[Any],
) -> Floats:
    """Add to `M` the sum over documents of the global update, VT eqs. 8, 11 and 19.

    ``M[words[u], k] += scale sum_d doc_weight_d n_dv phi_dvk``, where phi comes from the outputs of
    `estep`.

    Parameters
    ----------
    words, word_ptr, word_doc, word_pos : array-like, shapes (U,), (U + 1,), (nnz,), (nnz,)
        The minibatch by word.
    doc_weight : array-like, shape (D,)
        The weight of every document, its inverse temperature as a rule.
    B : array-like, shape (U, >= K)
        Rows of the topics, with the inverse temperature of all documents; see `topic_rows`.
    weights, ratio : array-like, shapes (D, K), (nnz,)
        As `estep` or `sample` returns them.
    own : array-like, shape (nnz,), or None
        As `sample` returns it, if wanted.
    scale : float
        Factor of all increments.
    M : ndarray, shape (V, K)
        Changed in place.

    Returns
    -------
    ndarray, shape (K,)
        The increments summed over the words.
    """
    word_ptr, word_doc, word_pos = np.asarray(word_ptr), np.asarray(word_doc), np.asarray(word_pos)
    doc_weight, weights, ratio = (floats(x) for x in (doc_weight, weights, ratio))
    total = np.zeros(weights.shape[1])
    for u, word in enumerate(np.asarray(words)):
        row = floats(B)[u, : weights.shape[1]]
        increment = np.zeros_like(total)
        for j in range(word_ptr[u], word_ptr[u + 1]):
            d = word_doc[j]
            row_d = row if own is None else row / (1.0 + floats(own)[word_pos[j]] * row)
            increment += doc_weight[d] * ratio[word_pos[j]] * weights[d] * row_d
        M[word] += scale * increment
        total += scale * increment
    return total


def log_partition(gamma: ArrayLike, moments: ArrayLike, nodes: ArrayLike) -> Floats:
    """Log normalizer of one tempered token under q, for every document (VT eq. 10 for LDA).

    By Jensen's inequality
    ``E_q log sum_kv (theta_k beta_kv)^s <= log sum_k E[theta_k^s] sum_v E[beta_kv^s]``,
    and the fractional moments of a Dirichlet are ratios of gamma functions.

    Parameters
    ----------
    gamma : array-like, shape (D, K)
        The Dirichlet parameters of theta.
    moments : array-like, shape (J, K)
        ``sum_v E[beta_kv^s]`` at every node.
    nodes : array-like, shape (J,)
        Inverse temperatures.

    Returns
    -------
    ndarray, shape (D, J)
        In nats per token.
    """
    gamma, moments, nodes = floats(gamma), floats(moments), floats(nodes)
    out = np.empty((len(gamma), len(nodes)))
    for j, s in enumerate(nodes):
        theta_moments = gamma_ratio(gamma, s) / gamma_ratio(gamma.sum(axis=1, keepdims=True), s)
        out[:, j] = np.log(theta_moments @ moments[j])
    return out


def fractional_moments(M: ArrayLike, a: float, base: float, nodes: ArrayLike) -> Floats:
    """``sum_v Gamma(lambda_kv + s) / Gamma(lambda_kv)`` for every node s and topic k.

    Divided by the same ratio of ``Lambda_k = sum_v lambda_kv`` this is ``sum_v E[beta_kv^s]``.

    Parameters
    ----------
    M, a, base : (V, K) array-like, float, float
        The global state ``lambda = base + a M``.
    nodes : array-like, shape (J,)
        Inverse temperatures.

    Returns
    -------
    ndarray, shape (J, K)
    """
    lam = base + a * floats(M)
    return np.array([gamma_ratio(lam, s).sum(axis=0) for s in floats(nodes)])


def interpolated_moments(M: ArrayLike, a: float, base: float, nodes: ArrayLike) -> Floats:
    """`fractional_moments`, linear in lambda within each of `OCTAVE` intervals of an octave."""
    mantissa, exponent = np.frexp(base + a * floats(M))
    place = (2 * mantissa - 1) * OCTAVE
    low = np.ldexp(1 + np.floor(place) / OCTAVE, exponent - 1)
    high = np.ldexp(1 + (np.floor(place) + 1) / OCTAVE, exponent - 1)
    share = place % 1
    return np.array(
        [
            ((1 - share) * gamma_ratio(low, s) + share * gamma_ratio(high, s)).sum(axis=0)
            for s in floats(nodes)
        ]
    )


def mixture_log_likelihood(
    doc_ptr: ArrayLike,
    indices: ArrayLike,
    counts: ArrayLike,
    t: ArrayLike,
    M: ArrayLike,
    a: float,
    base: float,
) -> Floats:
    """Log-likelihood of documents with the assignments summed out (VT eq. 16), at point estimates.

    Parameters
    ----------
    doc_ptr, indices, counts : array-like, shapes (D + 1,), (nnz,), (nnz,)
        The documents; `indices` are words of the whole vocabulary.
    t : array-like, shape (D, K)
        ``theta_dk / Lambda_k``.
    M, a, base : (V, K) array-like, float, float
        The global state ``lambda = base + a M``.

    Returns
    -------
    ndarray, shape (D,)
        ``sum_v n_dv log sum_k t_dk lambda_kv``, in nats.
    """
    doc_ptr, indices, counts = np.asarray(doc_ptr), np.asarray(indices), floats(counts)
    t, M = floats(t), floats(M)
    out = np.zeros(len(t))
    for d in range(len(t)):
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        out[d] = counts[span] @ np.log((base + a * M[indices[span]]) @ t[d])
    return out


def _assignments(s: float, gamma: Floats, log_rows: Floats) -> Floats:
    """Compute the phi of VT eq. 19, in logarithms throughout, so that no weight underflows."""
    return np.asarray(special.softmax(s * psi(gamma) + log_rows, axis=1), dtype=np.float64)
