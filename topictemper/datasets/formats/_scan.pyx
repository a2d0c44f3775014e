"""Numbers in lines of text. Each line is parsed separately, so that an error can name it."""

import numpy as np

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0


cdef inline bint is_digit(char c) noexcept nogil:
    return c >= c"0" and c <= c"9"


cdef inline bint is_blank(char c) noexcept nogil:
    return c == c" " or c == c"\t"


cdef inline const char *skip_digits(const char *p) noexcept nogil:
    while is_digit(p[0]):
        p += 1
    return p


cdef inline const char *whole_number(const char *p, double *value) noexcept nogil:
    """Read up to 18 digits. Return their end, or NULL for anything else."""
    cdef const char *start = p
    cdef uint64_t number = 0
    while is_digit(p[0]) and p - start < 19:
        number = 10 * number + <uint64_t>(p[0] - c"0")
        p += 1
    value[0] = <double>number
    return p if 0 < p - start < 19 else NULL


cdef const char *real_number(const char *p, double *value) except? NULL:
    """Read a decimal number that may have a sign, a point and an exponent."""
    cdef const char *end = whole_number(p, value)
    cdef const char *digits
    cdef char *ignored
    cdef Py_ssize_t n_digits
    # A double represents 15 digits exactly.
    if end != NULL and end - p < 16 and end[0] != b"." and end[0] != b"e" and end[0] != b"E":
        return end
    digits = p + 1 if p[0] == c"-" or p[0] == c"+" else p
    end = skip_digits(digits)
    n_digits = end - digits
    if end[0] == c".":
        digits = end + 1
        end = skip_digits(digits)
        n_digits += end - digits
    if n_digits == 0:
        return NULL
    if end[0] == c"e" or end[0] == c"E":
        digits = end + 1
        if digits[0] == c"-" or digits[0] == c"+":
            digits += 1
        end = skip_digits(digits)
        if end == digits:
            return NULL
    # Numbers beyond the range of a double are infinite.
    value[0] = PyOS_string_to_double(p, &ignored, NULL)
    return end


def scan(bytes text, bint pairs, int n_whole):
    """Parse the numbers of all lines.

    Parameters
    ----------
    text : bytes
        Lines, each with a line feed at the end. Blanks are spaces and tabs.
    pairs : bool
        Whether lines hold a number and then pairs ``a:b``, or only numbers.
    n_whole : int
        How many numbers at the start of a line must be integers, without a sign. With pairs, ``a``
        is always an integer; 0 allows any other numbers, and 1 requires integers everywhere.

    Returns
    -------
    values : ndarray of float64
        The numbers.
    lengths : ndarray of int64, of shape (n_lines,)
        Count of numbers in each line; -1 for a line with anything else.
    """
    cdef const char *p = text
    cdef const char *end = p + len(text)
    cdef const char *behind
    cdef Py_ssize_t n_lines = text.count(b"\n"), line, filled = 0, start, n
    cdef bint whole, well_formed
    if text and not text.endswith(b"\n"):
        raise ValueError("the last line has no end")
    # Every number takes at least two bytes: a digit and a separator.
    all_values, all_lengths = np.empty(len(text) // 2 + 1), np.empty(n_lines, np.int64)
    cdef double[::1] values = all_values
    cdef int64_t[::1] lengths = all_lengths
    for line in range(n_lines):
        start, n, well_formed = filled, 0, True
        while well_formed:
            # The second number of a pair follows a colon.
            if pairs and n > 0 and n % 2 == 0:
                well_formed = p[0] == c":"
                p += well_formed
            else:
                well_formed = n == 0 or is_blank(p[0]) or p[0] == c"\r" or p[0] == c"\n"
                while is_blank(p[0]):
                    p += 1
                if p[0] == c"\r" and p[1] == c"\n":
                    p += 1
                if p[0] == c"\n":
                    break
            if not well_formed:
                break
            whole = n % 2 == 1 or n_whole > 0 if pairs else n < n_whole
            if whole:
                behind = whole_number(p, &values[filled])
            else:
                behind = real_number(p, &values[filled])
            well_formed = behind != NULL
            if well_formed:
                p = behind
                filled += 1
                n += 1
        if not well_formed:
            filled, n = start, -1
            p = <const char *>memchr(p, c"\n", end - p)
        lengths[line] = n
        p += 1
    return all_values[:filled].copy(), all_lengths
