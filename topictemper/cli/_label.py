"""``topictemper label``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .._utils._log import counted
from ..report import read_labels
from . import _arguments
from ._inputs import naming
from ._models import Fitted, is_model
from ._outputs import file_to_write
from ._printing import print_line


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "label",
        "label the topics of a model",
        "Label the topics of a model with a file that was saved from the page of a report, which "
        'shows this model: a topic that is not in the file keeps its label, and "" in the file '
        "removes one. Or take the labels of an older model over to the topics that are the same.",
    )
    _arguments.add_model(parser)
    parser.add_argument(
        "labels",
        metavar="LABELS",
        type=Path,
        help='JSON of numbers and labels of topics, such as {"0": "space", "7": "religion"}; or a '
        "model, such as that of the last quarter, whose words may differ",
    )
    parser.add_argument(
        "--output", "-o", type=Path, help="where to save the model (default: in place of MODEL)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Label topics, and save the model."""
    output = arguments.output or arguments.model
    file_to_write(output, "a model", arguments.labels)
    fitted = Fitted(arguments.model)
    before = fitted.lda._labels
    of_model = is_model(arguments.labels)
    labels = Fitted(arguments.labels).lda if of_model else read_labels(arguments.labels)
    with naming(arguments.labels):
        fitted.lda.set_labels(labels)
    fitted.model.save(output)
    after = fitted.lda._labels
    n_labeled = len(after.keys() - before) if of_model else sum(map(bool, labels.values()))
    said = f"{output}: {counted(n_labeled, 'topic')} labeled"
    # Somebody else may have given them since the report was made.
    n_replaced = sum(after[k] != label for k, label in before.items() if k in after)
    for n, what in ((n_replaced, "replaced"), (len(before.keys() - after), "removed")):
        said += f", {counted(n, 'label')} {what}" if n else ""
    print_line(said)
    return 0
