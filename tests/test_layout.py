"""Files are short enough for a sitting; what pages, comments and benchmarks name is there."""

import argparse
import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE, BENCHMARKS = ROOT / "topictemper", ROOT / "benchmarks"
LONGEST = 500
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h", ".c"}


def written_by_hand(path: Path) -> bool:
    """Whether a source file is not what Cython makes of a .pyx beside it."""
    return path.suffix in SUFFIXES and not (
        path.suffix == ".c" and path.with_suffix(".pyx").exists()
    )


@pytest.mark.skipif(not PACKAGE.exists(), reason="these tests run without the source")
def test_no_file_is_longer_than_500_lines():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for folder in (PACKAGE, BENCHMARKS, ROOT / "tests")
        for path in folder.rglob("*")
        if written_by_hand(path)
    }
    assert len(lengths) > 100
    too_long = {name: length for name, length in lengths.items() if length > LONGEST}
    assert too_long == {}, "split by what its parts do: CONTRIBUTING.md has the folders"


@pytest.mark.skipif(not PACKAGE.exists(), reason="these tests run without the source")
def test_little_is_private_of_what_is_used_of_scikit_learn():
    """Any release may move what is private. Nothing public says what `set_output` was given."""
    imports = [
        f"{node.module}.{alias.name}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        for alias in node.names
    ]
    assert len(imports) > 50
    private = [name for name in imports if any(part[0] == "_" for part in name.split("."))]
    assert private == ["sklearn.utils._set_output._get_output_config"]


@pytest.mark.skipif(not PACKAGE.exists(), reason="these tests run without the source")
def test_contributing_names_what_there_is():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    part = page.partition("## Where do I change")[2].partition("## Rules")[0]
    named = re.findall(r"`(\w+)`(?: or `(\w+)`)?\s+in\s+`([\w/]+\.py)`", part)
    assert len(named) > 30
    names = [name for name in re.findall(r"`([\w./*]+(?:/|\.\w+))`", part) if "/" in name]
    files = {
        name: [*PACKAGE.glob(name), *ROOT.glob(name)]
        for name in {*names, *(file for *_, file in named)}
    }
    assert len(files) > 50
    gone = [name for name, found in files.items() if not found]
    gone += [
        f"{name} in {file}"
        for *names, file in named
        for name in filter(None, names)
        if not re.search(rf"\b{name}\b", files[file][0].read_text("utf-8"))
    ]
    assert gone == [], "CONTRIBUTING.md names what is not there"


@pytest.mark.skipif(not PACKAGE.exists(), reason="these tests run without the source")
def test_comments_cite_sections_of_the_guide_that_there_are():
    cited = {
        place
        for file in PACKAGE.rglob("*.py")
        for place in re.findall(
            r'(docs/guide/[\w/]+\.rst)(?:, "([^"]+)")?',
            re.sub(r"\n[ #]*", " ", file.read_text("utf-8")),
        )
    }
    assert len(cited) > 10
    pages = {page: (ROOT / page).read_text("utf-8") for page, _ in cited}
    gone = [
        (page, title)
        for page, title in cited
        if title and not re.search(rf"^{re.escape(title)}\n(\W)\1+$", pages[page], re.M)
    ]
    assert gone == []


@pytest.mark.skipif(not BENCHMARKS.exists(), reason="these tests run without the source")
@pytest.mark.parametrize(
    "file", sorted(BENCHMARKS.rglob("*.py")), ids=lambda file: str(file.relative_to(BENCHMARKS))
)
def test_a_benchmark_imports_what_there_is(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        module = isinstance(node, ast.ImportFrom) and not node.level and node.module
        if module and module.split(".")[0] == "topictemper":
            found = importlib.import_module(module)
            assert [name.name for name in node.names if not hasattr(found, name.name)] == []


def commands():
    """Whole commands that the guide and the docstrings of benchmarks name: module and arguments."""
    pages = [ROOT / "CONTRIBUTING.md", BENCHMARKS / "README.md", *BENCHMARKS.rglob("*.py")]
    pages += ROOT.glob("docs/guide/**/*.rst")
    found = set()
    for page in pages if BENCHMARKS.exists() else ():
        text = page.read_text(encoding="utf-8")
        # In a span of code, which may go on in the next line of text, or on a line of its own.
        for command in re.findall(
            r"`python\s+-m\s+(benchmarks\.\w[^`]*)`|^ +python -m (.+)$", text, re.M
        ):
            module, *arguments = "".join(command).partition(" #")[0].split()
            found.add((module, *arguments))
    return sorted(found)


class ParsedError(Exception):
    """The arguments of a command have been taken."""


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_benchmark_takes_the_arguments_that_are_named(command, monkeypatch):
    module, *arguments = command
    monkeypatch.syspath_prepend(ROOT)
    try:
        main = importlib.import_module(module).main
    except ModuleNotFoundError as error:  # of a peer, say
        if str(error.name).startswith(("benchmarks", "topictemper")):
            raise
        pytest.skip(str(error))
    parse = argparse.ArgumentParser.parse_args

    def parse_only(parser):
        parse(parser)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_only)
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    with pytest.raises(ParsedError):
        main()


@pytest.mark.skipif(not BENCHMARKS.exists(), reason="these tests run without the source")
def test_the_readme_of_benchmarks_lists_all_modules():
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    listed = re.findall(r"`(\.\w+\.\w+)`", page)
    runnable = {
        "." + ".".join(file.relative_to(BENCHMARKS).with_suffix("").parts)
        for file in BENCHMARKS.rglob("*.py")
        if '__name__ == "__main__"' in file.read_text("utf-8")
    }
    assert runnable - set(listed) == set(), "each needs a line in benchmarks/README.md"
    assert sorted(listed) == sorted(runnable)
