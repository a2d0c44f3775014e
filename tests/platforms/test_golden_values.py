"""The golden values of the kernels' self-test are what the twins give."""

import re
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from . import golden

HEADER = Path(golden.__file__).with_name("golden.h")


def parts(text: str) -> tuple[list[str], list[float]]:
    """Names and hashes, which are exact, and numbers, which libraries round differently."""
    number = r"-?\d+\.?\d*(?:e[+-]?\d+)?(?=,)"
    return re.findall(r"golden_\w+|0x\w+", text), [float(x) for x in re.findall(number, text)]


def test_header_is_up_to_date() -> None:
    exact, numbers = parts(HEADER.read_text("utf-8"))
    now, computed = parts(golden.header())
    stale = "write it anew: python -m tests.platforms.golden > tests/platforms/golden.h"
    assert exact == now, stale
    assert len(numbers) > 1000
    assert_allclose(numbers, computed, rtol=1e-9, atol=1e-13, err_msg=stale)
    assert numbers[0] == pytest.approx(-747.79502757)
