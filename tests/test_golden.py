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


def test_new_bits_drop_those_that_older_code_gave_elsewhere(tmp_path, monkeypatch):
    def table(machine, bits):
        monkeypatch.setattr(golden, "fingerprint", lambda: machine)
        monkeypatch.setattr(golden, "learned", lambda name: bits)
        golden.main()
        return json.loads(golden.FILE.read_text())

    monkeypatch.setattr(golden, "FILE", tmp_path / "golden.json")
    monkeypatch.setattr(golden, "SETTINGS", ["a fit"])
    golden.FILE.write_text("{}")
    assert table("here", "1") == {"here": {"a fit": "1"}}
    both = {"here": {"a fit": "1"}, "there": {"a fit": "2"}}
    assert table("there", "2") == table("here", "1") == both
    assert table("here", "3") == {"here": {"a fit": "3"}}
