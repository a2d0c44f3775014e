"""The instruction set: chosen for all kernels at once, remembered by models."""

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import topictemper
from topictemper import TemperedLDA, available_isas, get_isa, load, set_isa
from topictemper.persistence._archive import read_archive, write_archive

from ..small_lda import corpus, small_lda

BEST, WORST = available_isas()[0], available_isas()[-1]

several = pytest.mark.skipif(BEST == WORST, reason="this processor has one instruction set")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = get_isa()
    yield
    set_isa(before)


@pytest.fixture
def model() -> TemperedLDA:
    set_isa(WORST)
    return small_lda(warm_start=True).fit(corpus())


def test_every_processor_has_the_baseline() -> None:
    assert WORST == "baseline"


@pytest.mark.parametrize("name", available_isas())
def test_instruction_set_is_switched(name: str) -> None:
    set_isa(name)
    assert get_isa() == name


def test_another_name_is_refused() -> None:
    before = get_isa()
    with pytest.raises(ValueError, match="'baseline', not 'sse9'"):
        set_isa("sse9")
    assert get_isa() == before


def started(name: str) -> subprocess.CompletedProcess[str]:
    """A new process that prints the instruction set it starts with."""
    # Without the paths of this process it might not find the package that is tested here.
    folder = str(Path(topictemper.__file__).parent.parent)
    return subprocess.run(
        [sys.executable, "-c", "import topictemper; print(topictemper.get_isa())"],
        env=os.environ | {"TOPICTEMPER_ISA": name, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("name", "expected"), [("baseline", "baseline"), ("", BEST)])
def test_environment_variable(name: str, expected: str) -> None:
    assert started(name).stdout.strip() == expected


def test_environment_variable_with_another_name() -> None:
    process = started("sse9")
    assert process.returncode == 1
    last = process.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: TOPICTEMPER_ISA=sse9: ")
    assert all(repr(name) in last for name in available_isas())


def through_file(model: TemperedLDA, folder: Path) -> TemperedLDA:
    model.save(folder / "model.npz")
    return load(folder / "model.npz")


def through_pickle(model: TemperedLDA, folder: Path) -> TemperedLDA:
    return pickle.loads(pickle.dumps(model))


@several
@pytest.mark.parametrize("copied", [through_file, through_pickle, lambda model, folder: model])
def test_learning_on_with_another_instruction_set_warns_once(
    model: TemperedLDA, tmp_path: Path, copied: Callable[[TemperedLDA, Path], TemperedLDA]
) -> None:
    set_isa(BEST)
    other = copied(model, tmp_path)
    with pytest.warns(UserWarning, match=rf"{WORST} \(.*\) and goes on with {BEST} ") as record:
        other.partial_fit(corpus())
    assert [warning.filename for warning in record] == [__file__]
    other.partial_fit(corpus())  # which does not warn: it is the same as last time
    set_isa(WORST)
    with pytest.warns(UserWarning, match=rf"{BEST} \(.*\) and goes on with {WORST} "):
        other.partial_fit(corpus())


@several
def test_a_warning_that_is_an_error_leaves_the_model_as_it_was(model: TemperedLDA) -> None:
    before = model.components_.copy()
    set_isa(BEST)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="instruction set"):
                model.partial_fit(corpus())
        assert (model.components_ == before).all()


@several
def test_predicting_and_fitting_from_scratch_do_not_warn(
    model: TemperedLDA, tmp_path: Path
) -> None:
    set_isa(BEST)
    other = through_file(model, tmp_path)
    other.transform(corpus())
    other.score(corpus())
    other.fit(corpus())  # warm_start: another model, which starts from these topics
    other.partial_fit(corpus())


def test_a_file_with_something_else_in_its_place_is_damaged(
    model: TemperedLDA, tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    for wrong in (3, None):
        tree = read_archive(path)
        tree["state"]["trainer"]["isa"] = wrong
        write_archive(tmp_path / "wrong.npz", tree)
        with pytest.raises(ValueError, match="state/trainer/isa: must be"):
            load(tmp_path / "wrong.npz")
