"""``topictemper update``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._utils._log import Progress, counted, logger
from ..datasets.formats._packed import InputError
from ..text._model import TopicModel
from . import _arguments
from ._inputs import TextInput, kind_of, naming
from ._models import Fitted
from ._outputs import file_to_write, of_interrupted, save_learned
from ._printing import print_line

_UNKNOWN_SHOWN = 10


def add(commands: Any) -> None:
    """Add the command."""
    parser = _arguments.new_command(
        commands,
        "update",
        "learn from more documents",
        "Learn from more documents. The vocabulary and the number of topics do not change; the "
        "command says how many words of the documents are not in the vocabulary.",
    )
    _arguments.add_model(parser)
    _arguments.add_file(parser)
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        help="where to save the model (default: in place of MODEL); an interrupted update saves "
        "what it has learned beside it, as posts.topics.interrupted",
    )
    _arguments.add_jobs(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Update a model, and save it."""
    output = arguments.output or arguments.model
    target = file_to_write(output, "a model", arguments.file)
    interrupted = of_interrupted(output)
    if interrupted.resolve() == arguments.model.resolve():  # of a fit, which stays
        interrupted = of_interrupted(interrupted)
    file_to_write(interrupted, "a model", arguments.file)
    fitted = Fitted(arguments.model, arguments.jobs)
    if kind_of(arguments.file, arguments.format) == "counts":
        if isinstance(fitted.model, TopicModel):
            raise InputError(f"{arguments.model}: a model of texts learns from texts, not counts.")
        counts = fitted.matrix(arguments)
        with _kept(fitted, interrupted):
            fitted.model.partial_fit(counts)
        save_learned(fitted.model, target)
        print_line(f"{output}: {counted(counts.shape[0], 'more document')}")
        return 0
    source, model = TextInput(arguments), fitted.of_texts()
    progress = Progress("learning", verbose=True, n_left=source.n_left)

    def texts() -> Iterator[str]:
        for text in source.texts():
            yield text
            progress.add(1)

    with naming(arguments.file), _kept(fitted, interrupted):
        model.update(texts())
    save_learned(fitted.model, target)
    in_fit = "" if model is not fitted.model else f" ({model._unknown_in_fit:.1%} in fit)"
    print_line(
        f"{output}: {counted(source.n_documents, 'more document')}, "
        f"{model.unknown_share_:.1%} of whose words are not in the vocabulary{in_fit}"
    )
    words = list(model.unknown_words_["word"])[:_UNKNOWN_SHOWN]
    if words:
        print_line(f"the most frequent of these: {' '.join(words)}")
    return 0


@contextmanager
def _kept(fitted: Fitted, file: Path) -> Iterator[None]:
    """Save what the block has learned before it is interrupted, and say how much that is."""
    before = fitted.lda._trainer.clock.documents_seen
    try:
        yield
    except KeyboardInterrupt:
        n_learned = round(fitted.lda._trainer.clock.documents_seen - before)
        if not n_learned:
            logger.warning("interrupted: nothing is learned, and no model is saved")
            raise
        save_learned(fitted.model, file)
        are = "is" if n_learned == 1 else "are"
        learned = f"the first {counted(n_learned, 'more document')} {are} learned"
        logger.warning("interrupted: %s; the model is %s", learned, file)
        raise
