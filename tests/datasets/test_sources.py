from textwrap import dedent

import pytest

from topictemper.datasets._sources import find_docstrings

SOURCES = {
    "__init__.py": '"""The package as a whole."""',
    "_private.py": '''
        """A private module."""
        class Thing:
            """A thing."""
            def method(self):
                """What it does.

                Indented,
                    and further.
                """
                def inner():
                    """Within a function."""
            async def wait(self):
                """Asynchronous."""
        if True:
            try:
                def guarded():
                    """Defined within if and try."""
            except ImportError:
                def guarded():
                    """Defined within except."""
        match 1:
            case 1:
                def matched():
                    """Defined within a case."""
        x = "no docstring"
        def silent():
            return "no docstring either"
        ''',
    "sub/__init__.py": "",
    "sub/public.py": '''
        def same():
            """Public."""
        def escape():
            """An invalid \\d escape, a literal compared: {}."""
            return 1 is 1
        ''',
    "sub/broken.py": '"""Not Python.""" def',
    "sub/latin.py": b'# coding: latin-1\n"""Gr\xfc\xdfe."""',
    "sub/undecodable.py": b'"""\xff\xfe."""',
    "sub/null.py": b'"""Null.\x00"""',
    "sub/test_public.py": '"""A test."""',
    "sub/conftest.py": '"""Fixtures."""',
    "sub/notes.txt": '"""No module."""',
    "sub/not-a-module.py": '"""A module with a name that no import can spell."""',
    "tests/helpers.py": '"""Help for tests."""',
    "site-packages/other.py": '"""Another package."""',
}


@pytest.fixture
def tree(tmp_path):
    for name, source in SOURCES.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source if isinstance(source, bytes) else dedent(source).encode())
    return tmp_path / "tree"


def test_what_is_found(tree):
    assert find_docstrings([("pkg", tree)]) == [
        ("pkg", "The package as a whole."),
        ("pkg._private", "A private module."),
        ("pkg._private.Thing", "A thing."),
        ("pkg._private.Thing.method", "What it does.\n\nIndented,\n    and further."),
        ("pkg._private.Thing.method.inner", "Within a function."),
        ("pkg._private.Thing.wait", "Asynchronous."),
        ("pkg._private.guarded", "Defined within if and try."),
        ("pkg._private.guarded", "Defined within except."),
        ("pkg._private.matched", "Defined within a case."),
        ("pkg.sub.latin", "Grüße."),
        ("pkg.sub.public.same", "Public."),
        ("pkg.sub.public.escape", "An invalid \\d escape, a literal compared: {}."),
    ]


def test_folder_of_modules(tree):
    names = [name for name, _ in find_docstrings([("", tree)])]
    assert "_private.Thing" in names
    assert "sub.public.escape" in names


def _function(name):
    return f'def {name}():\n    """{name}"""\n'


EXPORTS = {
    "__init__.py": "from ._core import mean\nfrom .public import stays\nfrom sys import path",
    "_core/__init__.py": "from ._numeric import *\nfrom . import _numeric",
    "_core/_numeric.py": "__all__ = ['mean', 'other']\n"
    + "".join(map(_function, ["mean", "other", "hidden"])),
    "public.py": _function("stays"),
    "sub/__init__.py": "from ._a import *\nfrom pkg.sub._b import old as new\n"
    "from .._a import _unseen",  # of another module
    "sub/_a.py": _function("seen") + _function("_unseen") + "class Thing:\n    " + '"""Thing"""',
    "sub/_b.py": 'class old:\n    def method(self):\n        """method"""\n' + _function("seen"),
}


def test_names_by_way_of_the_package(tmp_path):
    for name, source in EXPORTS.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    assert dict(find_docstrings([("pkg", tmp_path)])) == {
        "pkg.mean": "mean",
        "pkg._core.other": "other",
        "pkg._core._numeric.hidden": "hidden",
        "pkg.public.stays": "stays",
        "pkg.sub.seen": "seen",
        "pkg.sub._a._unseen": "_unseen",
        "pkg.sub.Thing": "Thing",
        "pkg.sub.new.method": "method",
        "pkg.sub._b.seen": "seen",
    }


def test_files_that_no_parser_bears_are_passed_over(tmp_path):
    (tmp_path / "deep.py").write_text("-" * 50_000 + "1")
    (tmp_path / "plain.py").write_text('"""Fine."""')
    assert find_docstrings([("", tmp_path)]) == [("plain", "Fine.")]


def test_no_sources(tmp_path):
    with pytest.raises(FileNotFoundError, match="none are installed"):
        find_docstrings([("", tmp_path), ("absent", tmp_path / "absent")])
