"""``topictemper update``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._utils._log import Progress, counted
from .._utils._tables import printable
from ..datasets.formats._packed import InputError
from ..text._model import TopicModel
from . import _arguments as types
from ._inputs import TextInput, kind_of, naming
from ._models import Fitted
from ._outputs import file_to_write, save_learned

_UNKNOWN_SHOWN = 10


def add(commands: Any) -> None:
    """Add the command."""
    parser = types.new_command(
        commands,
        "update",
        "learn from more documents",
        "Learn from more documents. The vocabulary and the number of topics do not change; the "
        "command says how many words of the documents are not in the vocabulary.",
    )
    types.add_model(parser)
    types.add_file(parser)
    parser.add_argument(
        "--output", "-o", type=Path, help="where to save the model (default: in place of MODEL)"
    )
    parser.add_argument(
        "--jobs", type=types.jobs, metavar="N", help="threads; -1 for all (default: 1)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Update a model, and save it."""
    output = arguments.output or arguments.model
    target = file_to_write(output, "a model", arguments.file)
    fitted = Fitted(arguments.model)
    fitted.lda.set_params(n_jobs=arguments.jobs)
    if kind_of(arguments.file, arguments.format) == "counts":
        if isinstance(fitted.model, TopicModel):
            raise InputError(f"{arguments.model}: a model of texts learns from texts, not counts.")
        counts = fitted.matrix(arguments)
        save_learned(fitted.model.partial_fit(counts), target)
        print(f"{output}: {counted(counts.shape[0], 'more document')}")
        return 0
    source, model = TextInput(arguments), fitted.of_texts()
    progress = Progress("learning", verbose=True, n_left=source.n_left)

    def texts() -> Iterator[str]:
        for text in source.texts():
            yield text
            progress.add(1)

    with naming(arguments.file):
        model.update(texts())
    save_learned(fitted.model, target)
    print(
        f"{output}: {counted(source.n_documents, 'more document')}, "
        f"{model.unknown_share_:.1%} of whose words are not in the vocabulary"
    )
    words = list(model.unknown_words_["word"])[:_UNKNOWN_SHOWN]
    if words:
        print(f"the most frequent of these: {printable(' '.join(words))}")
    return 0
