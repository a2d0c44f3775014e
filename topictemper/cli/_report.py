"""``topictemper report``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from .._utils._log import counted
from ..datasets.formats._packed import InputError
from ..lda._estimator import TemperedLDA
from ..report._of_model import write_model
from ..report._write import page_to_write
from ..text._model import TopicModel
from ..text._settings import made_by
from . import _arguments
from ._inputs import Document, kind_of, naming
from ._models import Fitted
from ._outputs import file_to_write
from ._printing import print_line


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "report",
        "write a page that shows the topics",
        "Write a report on the topics of a model in the documents of FILE: one HTML file that "
        "works offline, with a map of the topics, words, documents, search, and shares over time "
        "(--date) and by group (--group).",
    )
    _arguments.add_model(parser)
    _arguments.add_file(parser)
    _arguments.add_id(parser)
    _arguments.add_date_and_group(parser)
    parser.add_argument(
        "--output", "-o", type=Path, required=True, help="the file to write, such as report.html"
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the page")
    parser.add_argument(
        "--no-texts",
        action="store_true",
        default=None,  # so that it can be refused where there are no texts
        help="leave the texts of the documents out of the page",
    )
    parser.add_argument(
        "--other-model",
        metavar="MODEL",
        type=Path,
        action="append",
        default=[],
        help="a model of the same words, fitted with another seed. The report marks topics that "
        "the other model did not find. May be given several times",
    )
    _arguments.add_jobs(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the report."""
    output = arguments.output
    file_to_write(output, "a report", arguments.file, arguments.model, *arguments.other_model)
    with naming("--output"):
        page_to_write(output)
    fitted = Fitted(arguments.model, arguments.jobs)
    progress = fitted.progress("counting")
    others = [_other(path, arguments.model, fitted) for path in arguments.other_model]
    are_texts = kind_of(arguments.file, arguments.format) == "text"
    # Names of files in a folder say something; those of lines and rows are their numbers.
    named = arguments.id is not None or (are_texts and arguments.file.is_dir())
    values: dict[str, Callable[[Document], Any]] = {}
    if are_texts and not arguments.no_texts:
        values["documents"] = attrgetter("text")
    if named:
        values["names"] = lambda document: document.id or document.name
    if arguments.date is not None:
        values["dates"] = attrgetter("date")
    if arguments.group is not None:
        values["groups"] = attrgetter("group")
    counts: list[Any] = []
    columns: dict[str, list[Any]] = {name: [] for name in values}
    for part in fitted.parts(arguments):
        counts.append(part.counts)
        for name, value in values.items():
            columns[name] += map(value, part.documents)
        progress.add(len(part.documents))
    X = sp.vstack(counts, format="csr")
    del counts
    fitted.lda.set_params(verbose=1)
    with naming(arguments.file):
        write_model(
            fitted.lda,
            X,
            fitted.names(),
            path=output,
            other_models=others,
            title=arguments.title,
            made_by=made_by(fitted.model) if isinstance(fitted.model, TopicModel) else None,
            **columns,
        )
    topics = counted(fitted.lda.components_.shape[0], "topic")
    print_line(f"{output}: {topics} in {counted(X.shape[0], 'document')}")
    return 0


def _other(path: Path, model: Path, fitted: Fitted) -> TemperedLDA:
    """Return another model of the same words."""
    other = Fitted(path)
    if other.words != fitted.words or other.lda.n_features_in_ != fitted.lda.n_features_in_:
        raise InputError(f"--other-model: {path} has other words than {model}.")
    return other.lda
