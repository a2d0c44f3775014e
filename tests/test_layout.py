"""Files are short enough for a sitting; CONTRIBUTING.md and benchmarks name what there is."""

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
        str(path.relative_to(PACKAGE)): len(path.read_text("utf-8").splitlines())
        for path in PACKAGE.rglob("*")
        if written_by_hand(path)
    }
    assert len(lengths) > 100
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


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
    assert [name for name, found in files.items() if not found] == []
    assert [
        f"{name} in {file}"
        for *names, file in named
        for name in filter(None, names)
        if not re.search(rf"\b{name}\b", files[file][0].read_text("utf-8"))
    ] == []


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
    """Options that the guide and the docstrings of benchmarks name, by module."""
    pages = [ROOT / "CONTRIBUTING.md", BENCHMARKS / "README.md", *BENCHMARKS.rglob("*.py")]
    pages += ROOT.glob("docs/guide/**/*.rst")
    found = {}
    for page in pages if BENCHMARKS.exists() else ():
        pattern = r"python -m (benchmarks(?:\.\w+)+)((?:\s+[\w./-]+)*)"
        for module, arguments in re.findall(pattern, page.read_text(encoding="utf-8")):
            options = set(re.findall(r"(?<!\S)--[a-z-]+", arguments))
            found.setdefault(module, set()).update(options)
    return found


@pytest.mark.parametrize(("module", "options"), sorted(commands().items()))
def test_a_benchmark_has_the_options_that_are_named(module, options, monkeypatch, capsys):
    monkeypatch.syspath_prepend(ROOT)
    try:
        main = importlib.import_module(module).main
    except ModuleNotFoundError as error:  # of a peer, say
        if str(error.name).startswith(("benchmarks", "topictemper")):
            raise
        pytest.skip(str(error))
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    said = set(
        re.findall(r"(?<!\S)--[a-z-]+", capsys.readouterr().out.partition("\noptions:\n")[2])
    )
    assert options <= said
