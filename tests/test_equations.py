"""Functions in the table of equations exist and cite them; no equation of a paper is missing."""

import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLE = Path(__file__).parent.parent / "docs" / "guide" / "equations.rst"
# What docstrings call the papers of the table.
NAMES = {
    "VT": r"VT\b|Variational Tempering",
    "DASVI": r"DASVI\b|Abrol et al\. 2014",
    "TVS": r"TVS\b|[Pp]aper\b",
    "Mimno et al. 2012": r"Mimno.*2012",
    "Minka 2000": r"Minka.*2000",
    "Blei et al. 2003": r"Blei et al\. 2003",
}
# As in "eq. 4", "equation 9", "eqs. 8 to 11", "eqs. 7, 8 and 9", "supplement B.2".
CITED = re.compile(r"\b(?:eqs?\.|equations?|supplement)\s+([A-Z\d][\d.]*(?:(?:, | and | to )\d+)*)")


def rows() -> list[tuple[str, str]]:
    """Equations of the table, and their functions."""
    if not TABLE.exists():
        return []
    cells = re.findall(
        r"^   \* - (.+)\n     - .+\n     - ``(.+)``$", TABLE.read_text("utf-8"), re.M
    )
    return [(equation, name) for equation, name in cells]


def found(name: str) -> tuple[Any, list[str]]:
    """An object of the package by its dotted name; its docstring, and that of its class."""
    *path, last = ["topictemper", *name.split(".")]
    place: Any = importlib.import_module(path[0])
    docs = []
    for i, part in enumerate([*path[1:], last], 1):
        if isinstance(place, ModuleType) and not hasattr(place, part):
            place = importlib.import_module(".".join([*path, last][: i + 1]))
        else:
            place = getattr(place, part)
        if not isinstance(place, ModuleType):
            docs.append(place.__doc__ or "")
    return place, docs


def numbers(text: str) -> set[str]:
    """The equations and sections that a docstring cites."""
    result = set()
    for cited in CITED.findall(text):
        parts = cited.rstrip(".").replace(" and ", ", ").split(", ")
        for part in parts:
            first, _, last = part.partition(" to ")
            result |= {str(n) for n in range(int(first), int(last) + 1)} if last else {first}
    return result


@pytest.mark.skipif(not TABLE.exists(), reason="these tests run without the documentation")
def test_the_table_is_read():
    assert len(rows()) == TABLE.read_text("utf-8").count("   * - ") - 1 > 20


@pytest.mark.skipif(not TABLE.exists(), reason="these tests run without the documentation")
@pytest.mark.parametrize(("paper", "n_equations"), [("VT", 24), ("DASVI", 25), ("TVS", 9)])
def test_every_equation_of_a_paper_is_on_the_page(paper, n_equations):
    text = " ".join(TABLE.read_text("utf-8").split())
    _, *parts = re.split(r"\b(VT|DASVI|TVS|Blei|Hoffman|Mimno|Minka)\b", text)
    after = [
        part.lower() for name, part in zip(parts[::2], parts[1::2], strict=True) if name == paper
    ]
    assert set().union(*map(numbers, after)) >= {str(n) for n in range(1, n_equations + 1)}


@pytest.mark.parametrize(("equation", "name"), rows())
def test_functions_cite_their_equations(equation, name):
    _, docs = found(name)
    text = " ".join("\n".join(docs).split())
    paper, _, number = re.fullmatch(r"(.+?),?( (?:eq\.|supplement) (.+))?", equation).groups()
    assert re.search(NAMES.get(paper, re.escape(paper)), text), f"{name} does not name {paper}"
    if number:
        assert number in numbers(text), f"{name} does not cite {equation}"
