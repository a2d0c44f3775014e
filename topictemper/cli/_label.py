"""``topictemper label``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .._utils._log import counted
from ..report import read_labels
from . import _arguments as types
from ._inputs import naming
from ._models import Fitted
from ._outputs import file_to_write
from ._printing import print_line


def add(commands: Any) -> None:
    """Add the command."""
    parser = types.new_command(
        commands,
        "label",
        "label the topics of a model",
        "Label the topics of a model with a file that was saved from the page of a report. A topic "
        'that is not in the file keeps its label; "" in the file removes one.',
    )
    types.add_model(parser)
    parser.add_argument(
        "labels",
        metavar="LABELS",
        type=Path,
        help='JSON of numbers and labels of topics, such as {"0": "space", "7": "religion"}',
    )
    parser.add_argument(
        "--output", "-o", type=Path, help="where to save the model (default: in place of MODEL)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Label topics, and save the model."""
    output = arguments.output or arguments.model
    file_to_write(output, "a model", arguments.labels)
    fitted, labels = Fitted(arguments.model), read_labels(arguments.labels)
    before = fitted.lda._labels
    with naming(arguments.labels):
        fitted.lda.set_labels(labels)
    fitted.model.save(output)
    n_removed = len(before.keys() - fitted.lda._labels.keys())
    n_labeled = sum(label != "" for label in labels.values())
    removed = f", {counted(n_removed, 'label')} removed" if n_removed else ""
    print_line(f"{output}: {counted(n_labeled, 'topic')} labeled{removed}")
    return 0
