"""No option of a command and no setting of a model is accepted and then read by nobody."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import topictemper
from topictemper.cli._main import _parser
from topictemper.factorial.fmm import _config as fmm
from topictemper.factorial.truncated import _config as truncated
from topictemper.lda._config import Config as LDAConfig
from topictemper.lda._plan import Plan
from topictemper.mixture import _config as mixture
from topictemper.tempering._modes import TemperingSettings

PACKAGE = Path(topictemper.__file__).parent


def code(folder: str) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((PACKAGE / folder).rglob("*.py")))


@pytest.mark.parametrize(
    ("folder", "config"),
    [
        ("lda", LDAConfig),
        ("lda", Plan),
        ("factorial/fmm", fmm.Config),
        ("factorial/truncated", truncated.SparseCodingConfig),
        ("factorial/truncated", truncated.BeliefNetworkConfig),
        ("mixture", mixture.Config),
        (".", TemperingSettings),
    ],
)
def test_every_setting_is_read(folder, config):
    # Not what is set; and `np.log` is another log.
    read = set(re.findall(r"(?<=\w)(?<!\bnp)\.(\w+)\b(?!\s*=[^=])", code(folder)))
    unread = {field.name for field in fields(config)} - read
    assert unread == set(), f"settings that no code in topictemper/{folder} reads"


def commands():
    (action,) = _parser()._subparsers._group_actions
    return sorted(action.choices.items())


@pytest.mark.parametrize(("name", "parser"), commands(), ids=[name for name, _ in commands()])
def test_every_option_is_read(name, parser):
    read = set(re.findall(r"\barguments\.(\w+)", code("cli")))
    options = {action.dest for action in parser._actions}
    assert options - read == {"help"}, "options that no code in topictemper/cli reads"
