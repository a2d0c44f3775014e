"""The example of the README runs as it stands there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_python_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    if not README.exists():
        pytest.skip("the README lies in the checkout, not beside tests of an installed package")
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    perplexity = capsys.readouterr().out.split()[-1]
    assert float(perplexity) < 1000  # a vocabulary has 4,000
