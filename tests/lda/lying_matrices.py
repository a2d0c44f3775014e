"""Random sparse matrices, sound and lying, through the public interface; run as a process.

``python tests/lda/lying_matrices.py [EXAMPLES]`` ends with status 0 if each is refused by a
ValueError, or is used as the dense matrix that it stands for.
"""

import sys
import warnings

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from topictemper import TemperedLDA
from topictemper.metrics import coherence

SHAPE = (6, 4)
TYPES = ("int8", "int16", "uint16", "int32", "int64", "uint64", ">i4", "float64")
LARGE = 2**31 - 1


def arrays(most, sizes, lies):
    """Whole numbers from 0 to `most`, or some that are far out."""
    numbers = st.integers(0, most)
    if lies:
        numbers = numbers | st.sampled_from([-1, most + 1, -LARGE, LARGE, 10**6])
    return st.lists(numbers, min_size=sizes[0], max_size=sizes[1])


@st.composite
def matrices(draw):
    """Of a format, with arrays that fit together or do not."""
    lies = draw(st.booleans())
    format = draw(st.sampled_from(["csr", "csc", "bsr", "coo", "dia", "lil"]))
    if format == "bsr":
        X = sp.bsr_array(SHAPE, blocksize=(2, 2), dtype=np.int32)
    else:
        X = sp.coo_array(SHAPE, dtype=np.int32).asformat(format)
    n = draw(st.integers(0, 8))
    lengths = (0, 12) if lies else (n, n)
    values = np.array(draw(arrays(9, lengths, False)))
    types = [np.dtype(draw(st.sampled_from(TYPES if lies else TYPES[:-1]))) for _ in range(3)]

    def whole(numbers, dtype):
        with np.errstate(invalid="ignore"):
            return np.array(numbers, dtype=np.int64).astype(dtype)

    X.data = values.astype(types[2])
    if format in ("csr", "csc", "bsr"):
        major, minor = SHAPE if format == "csr" else SHAPE[::-1] if format == "csc" else (3, 2)
        if format == "bsr":
            X.data = np.repeat(values, 4).astype(types[2]).reshape(-1, 2, 2)
        room = draw(st.integers(0, n)) if not lies else 12
        ends = (major - 1, major + 2) if lies else (major - 1, major - 1)
        indptr = [0, *sorted(draw(arrays(room, ends, False))), room]
        if lies and draw(st.booleans()):
            indptr[draw(st.integers(0, len(indptr) - 1))] = draw(st.sampled_from([-1, 7, LARGE]))
        X.indptr = whole(indptr, types[0])
        X.indices = whole(draw(arrays(minor - 1, lengths, lies)), types[1])
    elif format == "coo":
        row = whole(draw(arrays(SHAPE[0] - 1, lengths, lies)), types[0])
        X.coords = (row, whole(draw(arrays(SHAPE[1] - 1, lengths, lies)), types[1]))
    elif format == "dia":
        offsets = draw(st.lists(st.integers(-5, 3), max_size=4, unique=True))
        if lies:
            offsets = draw(arrays(3, (0, 4), True))
        X.data = np.ones((draw(st.integers(0, 4)) if lies else len(offsets), 4), dtype=types[2])
        X.offsets = whole(offsets, types[0] if lies else np.int64)
    else:
        X.data = np.empty(SHAPE[0], dtype=object)
        X.rows = np.empty(SHAPE[0], dtype=object)
        for i in range(SHAPE[0]):
            X.rows[i] = sorted(set(draw(arrays(SHAPE[1] - 1, (0, 4), lies))))
            X.data[i] = [1] * (len(X.rows[i]) + (lies and draw(st.integers(0, 1))))
    return X, lies


def dense(X):
    """What a sound matrix stands for, without SciPy, which takes fewer types of indices."""
    result = np.zeros(SHAPE)
    if X.format == "coo":
        np.add.at(result, tuple(part.astype(int) for part in X.coords), X.data)
    elif X.format == "lil":
        for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
            np.add.at(result[i], columns, values)
    elif X.format == "dia":
        for values, offset in zip(X.data, X.offsets.astype(int), strict=True):
            for j in range(max(0, offset), min(SHAPE[1], SHAPE[0] + offset, X.data.shape[1])):
                result[j - offset, j] += values[j]
    else:
        height, width = X.data.shape[1:] or (1, 1)
        major = result.T if X.format == "csc" else result
        for i in range(len(X.indptr) - 1):
            for place in range(int(X.indptr[i]), int(X.indptr[i + 1])):
                j = int(X.indices[place])
                block = major[height * i : height * (i + 1), width * j : width * (j + 1)]
                block += X.data[place]
    return result


def check(case, lda):
    """Refused, or the same as the dense matrix."""
    X, lies = case
    for use in (
        lda.transform,
        lda.elbo,
        lambda X: coherence(np.ones((2, 4)), X, n_top_words=2),
        lambda X: TemperedLDA(2, max_iter=1, random_state=0).fit(X).components_,
    ):
        try:
            result = use(X)
        except ValueError as error:
            if lies or "has no words" in str(error):
                continue
            raise
        np.testing.assert_allclose(result, use(dense(X)), rtol=1e-3, atol=1e-4)


def main(examples):
    """Try so many matrices."""
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", ".* no word of the vocabulary")
    lda = TemperedLDA(2, max_iter=1, random_state=0).fit(np.eye(4) + 1)
    fixed = settings(max_examples=examples, derandomize=True, database=None, deadline=None)
    fixed(given(matrices(), st.just(lda))(check))()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
