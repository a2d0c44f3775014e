"""Fits give the bits that they gave when `tests/data/golden.json` was written."""

import json

import pytest

from . import golden

TABLE = json.loads(golden.FILE.read_text())


@pytest.fixture(scope="module")
def expected():
    found = TABLE.get(golden.fingerprint())
    if found is None:
        pytest.skip("no bits for this NumPy and processor: see test_golden in CONTRIBUTING.md")
    return found


@pytest.mark.parametrize("name", golden.SETTINGS)
def test_same_bits(name, expected):
    assert golden.learned(name) == expected[name], (
        "this fit has other bits now; if that is meant, write them by python -m tests.golden"
    )
