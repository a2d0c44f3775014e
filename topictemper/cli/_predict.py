"""``topictemper score | transform``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .._utils._chunks import row_sums
from .._utils._log import counted
from ..datasets.formats._packed import InputError
from ..text._summaries import proportions_of
from . import _arguments
from ._inputs import STANDARD_INPUT, naming
from ._models import Fitted, warn_of_fewer
from ._outputs import Labels, file_to_write, format_of_output, opened_output
from ._printing import as_json, format_score, print_line


def add(commands: Any) -> None:
    """Add the commands."""
    parser = _arguments.new_command(
        commands,
        "score",
        "say how well a model predicts documents",
        "Score how well a model predicts one half of each document from the other half. Prints the "
        "mean log-probability of a word, in nats (higher is better), and the perplexity (lower is "
        "better). Give documents that the model has not learned from, and compare only models of "
        "the same words.",
    )
    _arguments.add_model(parser)
    _arguments.add_file(parser)
    _arguments.add_jobs(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.set_defaults(run=run_score)

    parser = _arguments.new_command(
        commands,
        "transform",
        "give the topics of each document",
        "Give the proportions of the topics in each document. The output has a row for each "
        "document with the proportions of all topics, or with --top a row for each of its largest "
        "topics. --id, --date and --group add columns of FILE to it. A document without a known "
        "word has no proportions; with --top it has one row, with topic -1.",
    )
    _arguments.add_model(parser)
    _arguments.add_file(parser)
    _arguments.add_id(parser)
    _arguments.add_date_and_group(parser)
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        default=STANDARD_INPUT,
        help="a .csv, .parquet or .npz file; or - for CSV on standard output (the default)",
    )
    parser.add_argument(
        "--top",
        type=_arguments.positive,
        metavar="N",
        help="only the N largest topics of each document, a row for each",
    )
    _arguments.add_jobs(parser)
    parser.set_defaults(run=run_transform)


def run_score(arguments: argparse.Namespace) -> int:
    """Print the score."""
    fitted = Fitted(arguments.model, arguments.jobs)
    n_documents = n_tokens = n_unknown = 0
    progress = fitted.progress("scoring")

    def matrices() -> Iterator[Any]:
        nonlocal n_documents, n_tokens, n_unknown
        for part in fitted.parts(arguments):
            n_documents += part.counts.shape[0]
            n_tokens += int(part.counts.sum())
            n_unknown += int(part.unknown.sum())
            yield part.counts
            progress.add(part.counts.shape[0])
        if not n_tokens:
            raise InputError(f"{arguments.file}: no document has a word of the vocabulary.")

    with naming(arguments.file):
        score = fitted.lda.score(matrices())
    if arguments.json:
        found = {
            "documents": n_documents,
            "tokens": n_tokens,
            "unknown": n_unknown,
            "score": score,
            "perplexity": math.exp(-score),
        }
        print(as_json(found), end="")
    else:
        print(format_score(n_documents, n_tokens, score, n_unknown))
    return 0


def run_transform(arguments: argparse.Namespace) -> int:
    """Write the proportions."""
    fitted, output = Fitted(arguments.model, arguments.jobs), arguments.output
    format = format_of_output(output, arguments.top)
    if output != STANDARD_INPUT:
        file_to_write(output, "a table", arguments.file, arguments.model)
    if arguments.top is not None:
        warn_of_fewer("--top", arguments.top, len(fitted.lda.components_), "topic")
    labels = Labels(
        fitted.lda.labels_.tolist(),
        [name for name in ("id", "date", "group") if getattr(arguments, name) is not None],
        n_top=arguments.top,
    )
    progress, n_documents, n_empty = fitted.progress("transforming"), 0, 0
    with opened_output(output, format, labels) as write:
        for part in fitted.parts(arguments):
            theta = proportions_of(fitted.lda, part.counts)
            empty = row_sums(part.counts) == 0
            theta[empty] = np.nan
            write(part.documents, theta)
            n_documents, n_empty = n_documents + len(theta), n_empty + int(empty.sum())
            progress.add(len(theta))
    if output != STANDARD_INPUT:
        said = counted(n_documents, "document")
        print_line(f"{output}: {said}, {n_empty:,} of them without a known word")
    return 0
