"""A comparison of plain and tempered topics on a corpus that needs no download."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from .._utils._log import logger
from ..datasets import load_docstrings
from ..lda._estimator import TemperedLDA
from ._arguments import new_command
from ._printing import (
    format_comparison,
    format_course,
    format_documents,
    format_topics,
    format_verdict,
)

_MODES = {"svi": "plain (svi)", "lvt": "tempered (lvt)"}

# All other parameters have their defaults. Twice the default number of topics predicts these
# documents much better, with tempering and without.
_SETTINGS: dict[str, Any] = {"n_components": 200, "random_state": 0}

_MAX_TEST = 800
_TOPICS_SHOWN = 30


def add(commands: Any) -> None:
    """Add the command."""
    parser = new_command(
        commands,
        "demo",
        "compare topics with and without tempering, without a file",
        "Fit topics to the docstrings of the installed scientific Python packages, without "
        "tempering (plain, svi) and with it (tempered, lvt), and compare them on held-out text. "
        "Takes less than a minute. The status is 1 if tempering did not help.",
    )
    parser.set_defaults(run=lambda _: run_demo())


def run_demo() -> int:
    """Fit plain and tempered topics to the docstrings, and print the results.

    Returns
    -------
    status : int
        0 if the tempered topics predict held-out text better than the plain topics, else 1.
    """
    logger.info("reading the docstrings of the installed packages")
    corpus = load_docstrings()
    # The rows are in random order.
    n_test = min(_MAX_TEST, corpus.counts.shape[0] // 10)
    test, train = corpus.counts[:n_test], corpus.counts[n_test:]

    models, fits = {}, []
    for mode, name in _MODES.items():
        logger.info("fitting %s topics", name)
        model = TemperedLDA(verbose=1, **_SETTINGS).set_params(tempering=mode)
        start = perf_counter()
        model.fit(train, validation_X=test)
        fits.append((name, model.score(test), perf_counter() - start))
        models[mode] = model
    gain = fits[1][1] - fits[0][1]
    tempered = models["lvt"]

    print(
        f"Docstrings of the scientific Python stack: {train.shape[0]:,} to learn from, "
        f"{n_test:,} held out,\n{train.shape[1]:,} words, {corpus.counts.sum():,} tokens. "
        f"{tempered.n_components} topics, {tempered.n_iter_} passes."
    )
    print("\nHeld-out text (half of each document given, the other half predicted)\n")
    print(format_comparison(fits))
    print(f"\n{format_verdict(gain)}")
    print("\nTemperature during the tempered fit\n")
    print(format_course(tempered.temperature_history_))
    n_shown = min(_TOPICS_SHOWN, tempered.n_components)
    print(f"\nThe {n_shown} largest topics of the tempered fit\n")
    words = tempered.top_words(8, feature_names=corpus.feature_names)
    print(format_topics(tempered.components_.sum(axis=1), words, n_shown))
    print("\nHottest documents, whose words are improbable under their own topic mixture\n")
    temperatures = tempered.document_temperatures(corpus.counts)
    print(format_documents(temperatures, list(corpus.names), corpus.text))
    return 0 if gain > 0 else 1
