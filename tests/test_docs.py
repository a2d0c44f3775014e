"""Nothing public is without an example or missing from the API reference.

The examples of the user guide are run by pytest itself (``--doctest-glob``).
"""

import importlib
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import topictemper
from topictemper import TemperedLDA, factorial, metrics, mixture, tempering
from topictemper.cli._main import main
from topictemper.datasets import read_corpus, write_corpus
from topictemper.datasets.formats._formats import FORMATS
from topictemper.factorial.fmm import _config as fmm
from topictemper.lda import _config as lda
from topictemper.metrics._coherence import _MEASURES
from topictemper.tempering._modes import _NORMALIZERS, ANNEALING, MODES
from topictemper.tempering._schedules import _NAMED
from topictemper.topics._words import MEASURES

DOCS = Path(__file__).parent.parent / "docs"
PACKAGE = Path(topictemper.__file__).parent
#: Those whose `__init__.py` lists names.
MODULES = [
    ".".join(("topictemper", *path.parent.relative_to(PACKAGE).parts))
    for path in sorted(PACKAGE.glob("**/__init__.py"))
    if "__all__" in path.read_text("utf-8")
]


def public_names(module: str) -> list[str]:
    names = importlib.import_module(module).__all__
    return [name for name in names if not name.startswith("__")]


@pytest.mark.parametrize("module", MODULES)
def test_public_names_have_an_example(module: str) -> None:
    things = {name: getattr(importlib.import_module(module), name) for name in public_names(module)}
    assert [
        name
        for name, thing in things.items()
        if callable(thing) and ">>> " not in (inspect.getdoc(thing) or "")
    ] == []


@pytest.mark.parametrize("module", MODULES)
def test_public_classes_show_no_internal_tables(module: str) -> None:
    things = [getattr(importlib.import_module(module), name) for name in public_names(module)]
    assert [
        f"{thing.__name__}.{name}"
        for thing in things
        if inspect.isclass(thing)
        for name, value in inspect.getmembers(thing)
        if isinstance(value, dict) and not name.startswith("_")
    ] == []


def test_the_api_reference_lists_all_public_names_and_no_others() -> None:
    if not DOCS.exists():
        pytest.skip("the documentation lies in the checkout")
    pages = "".join(page.read_text("utf-8") for page in sorted((DOCS / "api").glob("*.rst")))
    sections = re.split(r"\.\. currentmodule:: (\S+)", pages)[1:]
    listed = {
        f"{module}.{name}"
        for module, text in zip(sections[::2], sections[1::2], strict=True)
        for name in re.findall(r"^   (\w+)$", text, re.MULTILINE)
    }
    public = {f"{module}.{name}" for module in MODULES for name in public_names(module)}
    assert public - listed == set(), "each needs a line in a page of docs/api/"
    assert listed - public == set(), "docs/api/ lists what no __all__ has"


def test_the_guide_lists_its_pages() -> None:
    if not DOCS.exists():
        pytest.skip("the documentation lies in the checkout")
    guide = DOCS / "guide"
    listed = re.findall(r"^   (\w+)$", (guide / "index.rst").read_text("utf-8"), re.MULTILINE)
    assert set(listed) == {page.stem for page in guide.glob("*.rst")} - {"index"}


def documented(thing: Any, parameter: str) -> set[str]:
    """Strings that the docstring allows for a parameter; none if it is described elsewhere."""
    text = (inspect.getdoc(thing) or "").replace("\\\n", "")
    line = re.search(rf"^{parameter} : (.+)$", text, re.MULTILINE)
    return set(re.findall(r'"([^"]+)"', line[1])) if line else set()


@pytest.mark.parametrize(
    ("thing", "parameter", "names"),
    [
        (TemperedLDA, "tempering", ("svi", *lda.MODES)),
        (TemperedLDA, "inference", lda.INFERENCES),
        (factorial.FactorialMixture, "tempering", ("vi", *fmm.MODES)),
        (factorial.BinarySparseCoding, "tempering", ("vi", *ANNEALING)),
        (factorial.SigmoidBeliefNetwork, "tempering", ("vi", *ANNEALING)),
        (mixture.DPGaussianMixture, "tempering", ("vi", *ANNEALING)),
        *((mode, "schedule", _NAMED) for mode in MODES.values()),
        (tempering.as_schedule, "spec", _NAMED),
        (tempering.GlobalTempering, "normalizer", _NORMALIZERS),
        (TemperedLDA.top_words, "by", MEASURES),
        (metrics.coherence, "measure", _MEASURES),
        (read_corpus, "format", FORMATS),
        (write_corpus, "format", FORMATS),
    ],
)
def test_docstrings_name_what_is_allowed(thing: Any, parameter: str, names: Iterable[str]) -> None:
    assert documented(thing, parameter) == set(names), (
        f"the docstring of {thing.__qualname__} must list what `{parameter}` may be"
    )


def literals(hint: Any) -> set[str]:
    """Strings of all `Literal` in an annotation."""
    if get_origin(hint) is Literal:
        return {name for name in get_args(hint) if isinstance(name, str)}
    return set().union(*map(literals, get_args(hint)))


@pytest.mark.parametrize("module", MODULES)
def test_annotations_are_those_of_docstrings(module: str) -> None:
    different = {}
    for name in public_names(module):
        thing = getattr(importlib.import_module(module), name)
        described = {name: (thing, thing)}
        if inspect.isclass(thing):
            methods = inspect.getmembers(thing, inspect.isfunction)
            described = {f"{name}.{key}": (each, each) for key, each in methods if key[0] != "_"}
            described[name] = thing.__init__, thing
        for place, (function, documents) in described.items():
            if not (getattr(function, "__module__", None) or "").startswith("topictemper"):
                continue
            for parameter, hint in get_type_hints(inspect.unwrap(function)).items():
                allowed = documented(documents, parameter)
                if allowed and literals(hint) and allowed != literals(hint):
                    different[f"{place}, {parameter}"] = {
                        "only in the docstring": allowed - literals(hint),
                        "only in the annotation": literals(hint) - allowed,
                    }
    assert different == {}


def documented_attributes(thing: type) -> set[str]:
    text = re.search(r"\nAttributes\n-+\n(.*?)(\n\n|\Z)", inspect.getdoc(thing) or "", re.S)
    heads = re.findall(r"^\w.*", text[1], re.M) if text else []
    return {name.strip() for head in heads for name in head.split(" : ")[0].split(",")}


@pytest.mark.parametrize("module", MODULES)
def test_fitted_attributes_have_types_and_a_line_in_the_docstring(module: str) -> None:
    different = {}
    for thing in (getattr(importlib.import_module(module), name) for name in public_names(module)):
        if not inspect.isclass(thing) or not (documented := documented_attributes(thing)):
            continue
        kinds = [kind for kind in thing.__mro__ if kind.__module__.startswith("topictemper")]
        typed = {name for kind in kinds for name in inspect.get_annotations(kind)}
        typed |= {
            name for name, _ in inspect.getmembers(thing, lambda value: type(value) is property)
        }
        fitted = {name for name in typed if re.fullmatch("[a-z].*_", name)}
        if inspect.isfunction(thing.__init__):  # what it sets has the type of what is assigned
            typed |= set(re.findall(r"self\.(\w+)", inspect.getsource(thing.__init__)))
        if found := (documented - typed) | (fitted - documented):
            different[thing.__qualname__] = found
    assert different == {}


def test_the_help_of_the_shell_says_what_every_mode_is(capsys: pytest.CaptureFixture[str]) -> None:
    main(["fit", "--help"])
    help_of_modes = capsys.readouterr().out.partition("how the temperature")[2].partition("--")[0]
    missing = {"svi", *lda.MODES} - set(re.findall(r"\w+", help_of_modes))
    assert missing == set(), "each needs a word in the help of --tempering in cli/_fit.py"


def test_modes_and_schedules_are_public() -> None:
    assert {kind.__name__ for kind in (*MODES.values(), *_NAMED.values())} < set(tempering.__all__)


ESTIMATORS = [
    ("topictemper", "TemperedLDA"),
    ("topictemper.factorial", "FactorialMixture"),
    ("topictemper.factorial", "BinarySparseCoding"),
    ("topictemper.factorial", "SigmoidBeliefNetwork"),
    ("topictemper.mixture", "DPGaussianMixture"),
]


MODE_CLASSES = [("topictemper.tempering", kind.__name__) for kind in MODES.values()]


@pytest.mark.parametrize(("module", "name"), [*ESTIMATORS, *MODE_CLASSES])
def test_every_parameter_has_one_to_four_lines(module: str, name: str) -> None:
    estimator = getattr(importlib.import_module(module), name)
    section = inspect.getdoc(estimator).split("\nParameters\n----------\n")[1]
    lines, names = dict[str, int](), ""
    for line in re.split(r"\n\n\w+\n-+\n", section)[0].splitlines():
        if line.startswith(" "):
            lines[names] += 1
        elif line:
            names = line.split(" : ")[0]
            lines[names] = 0
    described = {each.strip() for names in lines for each in names.split(",")}
    assert described == set(inspect.signature(estimator).parameters)
    assert {names: n for names, n in lines.items() if not 1 <= n <= 4} == {}


def test_lda_has_at_most_24_parameters() -> None:
    assert len(inspect.signature(TemperedLDA).parameters) <= 24
