"""No file of the package is too long to be read at a sitting."""

from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "topictemper"
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
        str(path.relative_to(PACKAGE)): len(path.read_text().splitlines())
        for path in PACKAGE.rglob("*")
        if written_by_hand(path)
    }
    assert len(lengths) > 100
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}
