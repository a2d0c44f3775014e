"""Programs with data sets, files and the other models: mypy checks them, and they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from topictemper import load
from topictemper.datasets import (
    from_gensim,
    iter_parquet_text,
    load_docstrings,
    make_bars,
    make_lda_corpus,
    make_shapes,
    make_two_gaussians,
    open_corpus,
    read_corpus,
    save_corpus,
    to_gensim,
    write_corpus,
)
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture, TwoGaussians
from topictemper.plotting import AnnealedSurfaceDisplay, ComponentsDisplay
from topictemper.tempering import (
    QUANTILES,
    CallableSchedule,
    ConstantSchedule,
    CriticalProbe,
    ExponentialSchedule,
    GlobalTemperature,
    InverseLinearSchedule,
    InverseTemperatureNodes,
    LinearSchedule,
    LocalTemperature,
    Schedule,
    as_schedule,
    inverse_temperature_grid,
    log_mean_exp,
    prior_log_partition,
    temperature_grid,
)


def test_data(tmp_path: Path) -> None:
    corpus = make_lda_corpus(20, 10, 2, random_state=0)
    assert_type(corpus.counts, sp.csr_array)
    assert_type(corpus.doc_topic, NDArray[np.float64])
    assert isinstance(corpus.counts, sp.csr_array)
    assert corpus.components.dtype == corpus.doc_topic.dtype == np.float64
    words = [f"word{column}" for column in range(10)]
    for folder in (tmp_path / "corpus", str(tmp_path / "other")):
        save_corpus(folder, corpus.counts, words)
    opened = open_corpus(tmp_path / "corpus")
    assert_type(opened.feature_names, NDArray[Any] | None)
    assert opened.feature_names is not None
    assert opened.feature_names.tolist() == words
    write_corpus(tmp_path / "corpus.mtx", corpus.counts, feature_names=np.array(words))
    assert_type(read_corpus(tmp_path / "corpus.mtx", format="mtx").counts, sp.csr_array)
    with pytest.raises(ValueError, match="format"):
        read_corpus(tmp_path / "corpus.mtx", format="matrix")  # type: ignore[arg-type]
    assert from_gensim(to_gensim(corpus.counts), 10).shape == (20, 10)


def texts() -> list[str]:  # for mypy alone: the first call takes many seconds
    assert_type(load_docstrings().feature_names, NDArray[Any])
    assert_type(next(iter_parquet_text(Path("texts.parquet"), "text")), str)
    return load_docstrings().text


def test_factorial_mixture(tmp_path: Path) -> None:
    shapes = make_shapes(30, "hand", random_state=0)
    assert_type(shapes.shape, tuple[int, int])
    assert_type(shapes.assignments, NDArray[np.bool_])
    assert shapes.data.dtype == np.float64
    assert shapes.assignments.dtype == np.bool_
    model = FactorialMixture(8, tempering="lvt", pi=[0.3] * 8, max_iter=20, random_state=0)
    assert_type(model.fit(shapes.data), FactorialMixture)
    model.predictive_log_likelihood(model.inverse_transform(np.eye(8)), np.eye(8, 16) > 0)
    assert_type(model.components_, NDArray[np.float64])
    assert_type(model.elbo_, float)
    assert_type(model.n_iter_, int)
    assert_type(model.temperatures_, NDArray[np.float64])
    frame = pd.DataFrame(shapes.data).rename(columns=str)
    assert model.fit_transform(frame).shape[1] == 8
    assert_type(model.feature_names_in_, NDArray[Any])
    model.save(tmp_path / "model.npz")
    again: FactorialMixture = load(tmp_path / "model.npz")
    display = ComponentsDisplay.from_estimator(again, truth=shapes.components)
    assert_type(display.relative_errors_, NDArray[np.float64])
    plt.close("all")
    FactorialMixture(tempering="vtt")  # type: ignore[arg-type]


def test_truncated_models() -> None:
    bars = make_bars(40, 3, random_state=0)
    assert bars.states.dtype == np.uint8
    coding = BinarySparseCoding(6, max_iter=30, random_state=0, dtype="float32").fit(bars.data)
    assert_type(coding.sigma_, float)
    assert_type(coding.pi_history_, NDArray[np.float64])
    binary = make_bars(40, 3, kind="sigmoid", random_state=0).data
    assert binary.dtype == np.float64
    network = SigmoidBeliefNetwork(6, max_iter=3, random_state=0).fit(binary.tolist())
    assert_type(network.bias_, NDArray[np.float64])
    data, states = coding.sample(3, random_state=np.random.RandomState(0))
    assert_type(data, NDArray[np.float64])
    assert_type(states, NDArray[np.uint8])
    BinarySparseCoding(tempering="vt")  # type: ignore[arg-type]
    SigmoidBeliefNetwork(marginal="sampled")  # type: ignore[arg-type]


def test_mixtures() -> None:
    X, truth = make_two_gaussians(60, random_state=0)
    assert len(X) == len(truth)
    mixture = DPGaussianMixture(4, tempering="avi", covariance_type="full", random_state=0).fit(X)
    assert_type(mixture.weights_, NDArray[np.float64])
    assert_type(mixture.converged_, bool)
    a, _ = mixture.weight_concentration_
    assert_type(a, NDArray[np.float64])
    assert_type(mixture.fit_predict(X.tolist()), NDArray[np.intp])
    two = TwoGaussians([-4.0, 0.0, 4.0], weights=[0.3, 0.7])
    assert_type(two.ascend([0.0, 1.0], "avi"), NDArray[np.float64])
    assert_type(two.prior_variance, float)
    AnnealedSurfaceDisplay.from_model(two, np.array([4.0, 1.0]), resolution=11)
    plt.close("all")
    DPGaussianMixture(covariance_type="tied")  # type: ignore[arg-type]


def test_temperatures() -> None:
    class Own:
        def temperature(self, time: float) -> float:
            return max(1.0, 3.0 - time)

    schedules: list[Schedule] = [
        Own(),
        ConstantSchedule(2.0),
        LinearSchedule(3, 10),
        ExponentialSchedule(3.0, 10.0),
        InverseLinearSchedule(3.0, 10.0),
        CallableSchedule(lambda time: np.exp(-time) + 1.0),
        as_schedule("linear", 3.0, 10.0),
    ]
    assert all(schedule.temperature(1.0) > 1 for schedule in schedules)
    with pytest.raises(ValueError, match="schedule"):
        as_schedule("linaer", 3.0, 10.0)  # type: ignore[arg-type]
    one = GlobalTemperature(temperature_grid(3, 4.0, "linear"), [0.0, 1.0, 2.0])
    assert_type(one.update(-10.0), float)
    assert_type(one.responsibilities, NDArray[np.float64])
    assert_type(one.temperatures, NDArray[np.float64])
    each = LocalTemperature(inverse_temperature_grid(3))
    assert_type(each.update([-10.0, -5.0], [2.0, 1.0, 0.0]), NDArray[np.float64])
    nodes = InverseTemperatureNodes(inverse_temperature_grid(20), 5, offset=0.1)
    assert_type(nodes.at([0.5]), NDArray[np.float64])
    assert_type(nodes.matrix, NDArray[np.float64])
    probe = CriticalProbe()
    probe.update(0.1)
    assert_type(probe.max_temperature, float | None)
    assert_type(probe.temperature, float)
    assert len(QUANTILES) == 5
    assert prior_log_partition(np.ones((2, 2, 3)), 10, 2, bound="lower").shape == (3,)
    assert log_mean_exp([0.0, 0.0]) == 0.0
