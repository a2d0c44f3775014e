"""Memory that a fit of the truncated models takes besides its data.

What depends on the data, such as how many states are equal, and the buffers of threads are left
out: a fit that is refused would not have fitted.
"""

from __future__ import annotations

from ..._core import _truncated as kernels
from ._e_step import CHUNK, n_words, possible_states

_NUMBER = 8  # bytes of a number in double precision, of a key and of a word


def sparse_coding_bytes(
    n_features: int, itemsize: int, *, n_components: int, n_states: int, n_samples: int
) -> int:
    """Bytes of a fit of `BinarySparseCoding` at the least.

    Parameters
    ----------
    n_features : int
        Number of features.
    itemsize : int
        Bytes of a number of the data.
    n_components, n_states, n_samples : int
        Units, states of a datum, and data.
    """
    n_data, n_units = n_samples, n_components
    n_chunk = min(n_data, CHUNK)
    n_blocks = -(-n_chunk // kernels.row_block)
    pairs, table = n_units * (n_units + 1) // 2, n_units * n_features
    # Also |y|^2 of every datum.
    lasting = _sets(n_data, n_units, n_states) + _NUMBER * n_data
    # Fields and means; E[s s^T] of blocks and of all, couplings; W, its slopes, sums of E[s] y.
    e_step = n_chunk * n_units * (itemsize + _NUMBER)
    e_step += _NUMBER * ((n_blocks + 1) * pairs + n_units**2 + 3 * table)
    # E[s s^T] of all, as a triangle, whole and in a solver; the sums, W, what the solver takes
    # and gives.
    m_step = _NUMBER * (pairs + 2 * n_units**2 + 5 * table)
    return lasting + max(e_step, m_step)


def belief_network_bytes(
    n_features: int,
    batch_size: int | None,
    n_init: int,
    *,
    n_components: int,
    n_states: int,
    n_samples: int,
) -> int:
    """Bytes of a fit of `SigmoidBeliefNetwork` at the least.

    Parameters
    ----------
    n_features : int
        Number of features.
    batch_size : int or None
        Data of a batch; without batches there is no shuffled copy of the data.
    n_init : int
        Starts. The best one stays while another is made.
    n_components, n_states, n_samples : int
        Units, states of a datum, and data.
    """
    n_data, n_units = n_samples, n_components
    n_kept = possible_states(n_units, n_states)
    start = _sets(n_data, n_units, n_states)
    if batch_size is not None:
        start += _NUMBER * n_data * n_features
    # Weights and two moments of their gradients.
    start += 3 * _NUMBER * (n_units + 1) * n_features
    # Bounds, means and responsibilities of a batch, first of its chunks, then of all.
    expected = _NUMBER * min(n_data, batch_size or n_data) * (1 + n_units + n_kept)
    # Padded weights, and their expectations of a chunk and of all.
    padded = 3 * _NUMBER * (n_units + 1) * kernels.padded_width(n_features)
    return min(n_init, 2) * start + expected + max(expected, padded)


def _sets(n_data: int, n_units: int, n_states: int) -> int:
    """Bytes of the states and keys of all data."""
    return _NUMBER * n_data * (1 + possible_states(n_units, n_states) * n_words(n_units))
