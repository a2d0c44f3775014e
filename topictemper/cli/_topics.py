"""``topictemper topics``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..text._summaries import topic_columns
from . import _arguments
from ._models import Fitted, warn_of_fewer
from ._printing import format_topics, print_rows

_N_WORDS = 10


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "topics",
        "show the topics of a model",
        "Show the topics of a model, the largest first: number, share of all words, label if one "
        "was set, and most probable words. --json and --csv tell more of each topic.",
    )
    _arguments.add_model(parser)
    parser.add_argument(
        "--words",
        type=_arguments.positive,
        metavar="N",
        help=f"words of each topic (default: {_N_WORDS})",
    )
    _arguments.add_formats(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the topics."""
    fitted = Fitted(arguments.model)
    lda = fitted.lda
    n_words = _N_WORDS
    if arguments.words is not None:
        n_words = arguments.words
        warn_of_fewer("--words", n_words, lda.n_features_in_, "word")
    columns = topic_columns(lda, fitted.names(), fitted.statistics, n_words)
    if not (arguments.json or arguments.csv):
        print(format_topics(columns["share"], columns["words"], labels=lda._labels))
        return 0
    print_rows(columns, np.argsort(-columns["share"], kind="stable").tolist(), arguments)
    return 0
