"""Docstrings of installed packages, read from their sources without importing them."""

import ast
import gc
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_TEST_FOLDERS = {"test", "tests", "idle_test"}


class Docstring(NamedTuple):
    """A docstring and its object: `name` in `module`, or the module itself if `name` is empty."""

    module: str
    name: str
    text: str


def find_docstrings(folders: Iterable[tuple[str, Path]]) -> list[tuple[str, str]]:
    """Return (name, text) for each docstring in the Python files below some folders.

    Parameters
    ----------
    folders : iterable of (str, Path)
        Name of a package and its folder, or "" and a folder of modules and packages.

    Returns
    -------
    docstrings : list of (str, str)
        The full public name (`scipy.stats.ttest_ind`, not `scipy.stats._stats_py.ttest_ind`) and
        the docstring without indentation, in the order of files and lines.

    Raises
    ------
    FileNotFoundError
        If there is no Python file at all.
    """
    found: list[Docstring] = []
    exports = _Exports()
    n_files = 0
    for package, folder in folders:
        for file in _python_files(folder):
            n_files += 1
            tree = _parse(file)
            if tree is None:
                continue
            parts = file.relative_to(folder).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            module = ".".join([*([package] if package else []), *parts[: len(parts) - is_package]])
            exports.add(module, tree, is_package)
            text = ast.get_docstring(tree)
            if text:
                found.append(Docstring(module, "", text))
            found.extend(Docstring(module, *pair) for pair in _within(tree))
    if not n_files:
        raise FileNotFoundError(
            "Docstrings are read from Python source files, but none are installed with this "
            "interpreter and its packages."
        )
    return [(exports.public_name(docstring), docstring.text) for docstring in found]


def _python_files(folder: Path) -> Iterator[Path]:
    # Sorted, because the order of entries differs between file systems.
    for parent, subfolders, files in os.walk(folder):
        # A folder whose name is not an identifier is not a package, such as site-packages.
        subfolders[:] = sorted(
            name for name in subfolders if name.isidentifier() and name not in _TEST_FOLDERS
        )
        for name in sorted(files):
            stem, extension = os.path.splitext(name)
            is_test = stem.startswith("test_") or stem == "conftest"
            if extension == ".py" and stem.isidentifier() and not is_test:
                yield Path(parent, name)


def _parse(file: Path) -> ast.Module | None:
    try:
        source = file.read_bytes()
        with warnings.catch_warnings():
            # Warnings about invalid escapes in other sources do not concern the user.
            warnings.simplefilter("ignore")
            with _no_collections():
                return ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        # Templates and old syntax are not Python for this interpreter.
        return None


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep Python from looking for garbage, which would take half of the time of a parse."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _within(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, docstring) of the classes and functions defined at any depth."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(child)
            if text:
                yield prefix + child.name, text
            yield from _within(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            # Definitions may be inside `if` or `try`, but not inside expressions.
            yield from _within(child, prefix)


class _Exports:
    """What packages import from the modules below them."""

    def __init__(self) -> None:
        # (module, name) -> (package, name there); a name of "*" means all public names.
        self._named: dict[tuple[str, str], tuple[str, str]] = {}
        # `__all__` of the modules that have it as a literal.
        self._public: dict[str, set[str]] = {}

    def add(self, module: str, tree: ast.Module, is_package: bool) -> None:
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=elements)):
                    self._public[module] = {
                        str(element.value)
                        for element in elements
                        if isinstance(element, ast.Constant)
                    }
                case ast.ImportFrom() if is_package:
                    origin = _origin(module, statement)
                    # Only from submodules, so that exports cannot form a cycle.
                    if origin.startswith(f"{module}."):
                        for alias in statement.names:
                            target = (module, alias.asname or alias.name)
                            self._named.setdefault((origin, alias.name), target)

    def public_name(self, docstring: Docstring) -> str:
        module = docstring.module
        name, _, rest = docstring.name.partition(".")
        while name and any(part.startswith("_") for part in module.split(".")):
            target = self._named.get((module, name))
            if target is None and self._exported_by_star(module, name):
                star = self._named.get((module, "*"))
                target = star and (star[0], name)
            if target is None:
                break
            module, name = target
        return ".".join(part for part in (module, name, rest) if part)

    def _exported_by_star(self, module: str, name: str) -> bool:
        if module in self._public:
            return name in self._public[module]
        return not name.startswith("_")


def _origin(package: str, statement: ast.ImportFrom) -> str:
    """Return the full name of the module that a package's `from ... import` names."""
    if not statement.level:
        return statement.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - statement.level + 1]
    return ".".join([*base, *([statement.module] if statement.module else [])])
