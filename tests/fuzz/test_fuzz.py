"""A small share of the fuzzing, the same inputs every time; ``make fuzz`` does the large one."""

import pytest

from .target import judge, make_samples, write_input
from .targets import TARGETS

N_INPUTS = 250


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_damaged_files(tmp_path, name):
    target = TARGETS[name]
    samples = make_samples(target, tmp_path)
    home = tmp_path / "input"
    home.mkdir()
    wrong = {}
    for seed in range(N_INPUTS):
        outcome = judge(target, write_input(target, samples, seed, home))
        if outcome not in ("accepted", "refused"):
            wrong[seed] = outcome
    assert not wrong
