"""Files of models whose contents have been changed: `load` refuses them, and says what is wrong."""

import io
import json
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA, load
from topictemper._utils import _npz
from topictemper.lda._state_checks import _RANGES, _leaves
from topictemper.persistence._models import tree_of

from ..small_lda import MODES, corpus, small_lda
from ..traced_memory import TracedMemory

INFINITY = float("inf")
DAMAGED = r"model\.npz is a damaged topictemper model: "


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The members of a file for each mode: its arrays, and the header as it is read from JSON."""
    found = {}
    for name, more in (("svi", {}), ("vt", {}), ("lvt", {}), ("lvt, hot", {"max_temperature": 3})):
        path = tmp_path_factory.mktemp("models") / "model.npz"
        mode = name.partition(",")[0]
        lda = small_lda(tempering=mode, total_samples=400, doc_topic_prior="auto", **more)
        lda.partial_fit(corpus()).save(path)
        found[name] = dict(np.load(path))
    return found


def _changed(arrays, path, place, value):
    """Write a file with one value changed, which may be a function of the old one."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    if place in arrays:
        new = value(arrays[place]) if callable(value) else value
        # In Fortran order, too, which a copy would undo.
        arrays[place] = np.asanyarray(new)
    else:
        header = json.loads(arrays["header"].tobytes())
        *above, name = place.split("/")
        tree = header
        for step in above:
            tree = tree[step]
        assert name in tree
        tree[name] = value(tree[name]) if callable(value) else value
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)


def _entry(value):
    def change(array):
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize("mode", MODES)
def test_every_number_of_a_state_has_a_range(mode):
    # `_state_checks._relations` compares these with others, and `isa` is a name.
    others = {"control/history", "control/posterior/energy", "control/posterior/log_c"}
    others |= {"normalizer/refreshed", "isa"}
    lda = small_lda(tempering=mode, doc_topic_prior="auto").fit(corpus()).partial_fit(corpus())
    places = {place for place, value in _leaves(tree_of(lda)["state"]["trainer"])}
    numbers = {place for place in places if not place.startswith("random_state/")}
    assert {"topics/M", "clock/n_updates"} < numbers
    # Parts that a mode does not have are None.
    assert numbers - set(_RANGES) - others <= {
        "control/posterior",
        "control/course/probe",
        "normalizer",
    }


ARRAYS = [
    ("lvt", "state/trainer/alpha", _entry(np.inf)),
    ("lvt", "state/trainer/alpha", _entry(1e30)),
    ("lvt", "state/trainer/topics/M", _entry(np.inf)),
    ("lvt", "state/trainer/topics/M", _entry(1e36)),
    ("lvt", "state/trainer/topics/column_sums", lambda sums: 100 * sums),
    ("lvt", "state/trainer/topics/column_sums", _entry(np.nan)),
    ("lvt", "state/trainer/priors/means", _entry(np.nan)),
    ("lvt", "state/trainer/priors/means", _entry(-1.0)),
    ("lvt", "state/trainer/priors/means", np.ones(3)),
    ("lvt", "state/trainer/prior_scale/gains", _entry(-np.inf)),
    ("lvt", "state/trainer/prior_scale/gains", _entry(1e308)),
    ("lvt", "state/trainer/normalizer/moments", _entry(np.nan)),
    ("lvt, hot", "state/trainer/normalizer/moments", _entry(0.0)),
    ("lvt", "state/trainer/control/quantiles", _entry(np.inf)),
    ("lvt", "state/trainer/control/history", _entry(np.nan)),
    ("lvt", "state/trainer/control/history", _entry(1e9)),
    ("lvt", "state/trainer/control/history", lambda rows: rows[:, :3]),
    ("lvt", "state/trainer/control/history", np.zeros(7)),
    ("vt", "state/trainer/control/posterior/responsibilities", lambda r: r / 2),
    ("vt", "state/trainer/control/posterior/log_c", lambda c: c[:3]),
    ("vt", "state/trainer/control/posterior/log_c", lambda c: c.astype(complex)),
    ("lvt", "state/trainer/random_state/state/key", lambda key: key[:10]),
    ("lvt", "state/trainer/random_state/state/key", lambda key: 0 * key),
    ("lvt", "state/trainer/random_state/state/key", lambda key: key.astype(float)),
    ("lvt", "state/first_alpha", _entry(np.nan)),
    ("lvt", "state/first_alpha", np.ones(4)),
    ("lvt", "state/trainer/alpha", np.zeros(4, np.float32)),
    ("lvt", "state/trainer/alpha", np.ones(5, np.float32)),
    ("lvt", "state/trainer/control/history", 3),
    ("lvt", "state/trainer/topics/M", np.ones((60, 4))),
    ("lvt", "state/trainer/topics/M", np.ones((4, 60), np.float32)),
    ("lvt", "state/trainer/topics/M", np.full((60, 4), np.nan, np.float32)),
    ("lvt", "state/trainer/topics/M", np.full((60, 4), -1, np.float32)),
]
NUMBERS = [
    ("lvt", "parameters", {"n_components": 5}),
    ("lvt", "parameters", {"n_components": 4, "unheard_of": 1}),
    ("lvt", "parameters", {"n_components": 4, "tempering": "cold"}),
    ("lvt", "feature_names", ["one", "two", "three"]),
    ("lvt", "n_features", 61),
    ("lvt", "n_features", None),
    ("lvt", "n_features", INFINITY),
    ("lvt", "n_features", 60.0),
    ("lvt", "n_features", 10**12),
    ("lvt", "feature_names", [3] * 60),
    ("lvt", "parameters/tempering", {"mode": "lvt", "settings": {"n_temperatures": 10**10}}),
    ("lvt", "parameters/tempering", {"mode": "hot", "settings": {}}),
    ("lvt", "parameters/tempering", {"mode": "lvt", "settings": 3}),
    ("lvt", "parameters/tempering", {"mode": "lvt", "settings": {"heat": 3}}),
    ("lvt", "parameters/n_components", 10**10),
    ("lvt", "parameters/tempering", {"mode": "lvt", "settings": {"updates": 10**400}}),
    ("lvt", "parameters/max_doc_update_iter", 10**30),
    ("lvt", "state/planned_passes", 0),
    ("lvt", "state/planned_passes", 2.5),
    ("lvt", "state/planned_passes", 2**64 + 1),
    ("lvt", "state/expected_samples", -1.0),
    ("lvt", "state/n_rows", 0),
    ("lvt", "state/length", -1.0),
    ("lvt", "state/length", "ten"),
    ("lvt", "state/given_topics", "no"),
    ("lvt", "state/first_eta", 1e300),
    ("lvt", "state/score_history", 3),
    ("lvt", "state/labels", {str(k): "a" for k in range(4)}),
    ("lvt", "state/labels", ["a", "b"]),
    ("lvt", "state/trainer/clock", lambda clock: clock | {"unheard_of": 1}),
    ("lvt", "state/trainer/clock", {}),
    ("lvt", "state/trainer/sampling_seed", -1),
    ("lvt", "state/trainer/eta", -1.0),
    ("lvt", "state/trainer/eta", "much"),
    ("lvt", "state/trainer/eta", 1e300),
    ("lvt", "state/trainer/eta", 1e-300),
    ("lvt", "state/trainer/topics/a", 0.0),
    ("lvt", "state/trainer/topics/a", INFINITY),
    ("lvt", "state/trainer/topics/b", float("nan")),
    ("lvt", "state/trainer/topics/base", 0.0),
    ("lvt", "state/trainer/topics/base", 1e300),
    ("lvt", "state/trainer/clock/passes_before", -INFINITY),
    ("lvt", "state/trainer/clock/seen_before", 1e9),
    ("lvt", "state/trainer/clock/documents_seen", -40.0),
    ("lvt", "state/trainer/clock/documents_seen", 0.0),
    ("lvt", "state/trainer/clock/pass_length", 0.0),
    ("lvt", "state/trainer/clock/total_samples", None),
    ("lvt", "state/trainer/clock/total_samples", "400"),
    ("lvt", "state/trainer/clock/n_updates", None),
    ("lvt", "state/trainer/clock/n_updates", 10.5),
    ("lvt", "state/trainer/clock/n_updates", True),
    ("svi", "state/trainer/control/posterior", 0),
    ("svi", "state/trainer/control/course", 1.5),
    ("svi", "state/trainer/normalizer", 0.0),
    ("lvt", "state/trainer/clock/n_updates", 10**400),
    ("lvt", "state/trainer/clock/seen_before", None),
    ("lvt", "state/trainer/prior_scale/steps", None),
    ("lvt", "state/trainer/prior_scale/next", 10**6),
    ("lvt", "state/trainer/predictive_eta/next", 10**6),
    ("lvt", "state/trainer/predictive_scale/next", 10**6),
    ("lvt", "state/trainer/priors/alpha_share", INFINITY),
    ("lvt", "state/trainer/priors/even_size", -1.0),
    ("lvt", "state/trainer/normalizer/refreshed", 1e9),
    ("lvt", "state/trainer/control/learned", 1e-9),
    ("lvt", "state/trainer/control/learned", 2.0),
    ("lvt", "state/trainer/control/learned", float("nan")),
    ("lvt", "state/trainer/control/course/probe", 3),
    ("lvt", "state/trainer/control/course/begin", 1e9),
    ("lvt", "state/trainer/control/course/probe/temperature", 0.5),
    ("vt", "state/trainer/control/posterior/energy", None),
    ("vt", "state/trainer/control/posterior/energy", INFINITY),
    ("lvt", "state/trainer/random_state/bit_generator", "Generator"),
    ("lvt", "state/trainer/random_state/state/pos", INFINITY),
    ("lvt", "state/trainer/random_state/state/pos", 10**6),
    ("lvt", "state/trainer/random_state/has_gauss", 7),
    ("lvt", "state/trainer/random_state/gauss", float("nan")),
]


@pytest.mark.parametrize(("mode", "place", "value"), [*ARRAYS, *NUMBERS])
def test_values_that_no_training_leads_to(tmp_path, files, mode, place, value):
    path = tmp_path / "model.npz"
    if place == "n_features" or place.startswith("parameters"):
        where = "(parameters|n_features|state)"
    else:
        where = place.split("/state/")[0].rsplit("/", 1)[0]
    _changed(files[mode], path, place, value)
    with pytest.raises(ValueError, match=DAMAGED + where):
        load(path)


@pytest.mark.parametrize("name", ["load", "SeedTopics", 3, None, ["TemperedLDA"]])
def test_only_estimators_of_topictemper_are_made(tmp_path, files, name):
    _changed(files["lvt"], tmp_path / "model.npz", "estimator", name)
    match = DAMAGED + "estimator: .* is not an estimator of topictemper"
    with pytest.raises(ValueError, match=match):
        load(tmp_path / "model.npz")


@pytest.mark.parametrize("settings", [3, None, [1], {"heat": 3}])
def test_damaged_settings_name_their_mode(tmp_path, files, settings):
    tempering = {"mode": "lvt", "settings": settings}
    _changed(files["lvt"], tmp_path / "model.npz", "parameters/tempering", tempering)
    with pytest.raises(ValueError, match=DAMAGED + "parameters: settings of 'lvt' are damaged"):
        load(tmp_path / "model.npz")


def test_arrays_in_fortran_order(tmp_path, files):
    path = tmp_path / "model.npz"
    np.savez(path, **files["lvt"])
    expected = load(path).transform(corpus())
    place = "state/trainer/topics/M"
    np.savez(path, **(files["lvt"] | {place: np.asfortranarray(files["lvt"][place])}))
    assert_array_equal(load(path).transform(corpus()), expected)


@pytest.mark.parametrize("n_jobs", [3000, 10**6, "all"])
def test_threads_and_talk_are_not_taken_from_a_file(tmp_path, files, n_jobs):
    path = tmp_path / "model.npz"
    header = json.loads(files["lvt"]["header"].tobytes())
    header["parameters"] |= {"n_jobs": n_jobs, "verbose": 5}
    header["state"]["parameters"] |= {"n_jobs": n_jobs, "verbose": 5}
    encoded = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **(files["lvt"] | {"header": encoded}))
    lda = load(path)
    assert (lda.n_jobs, lda.verbose) == (None, 0)
    lda = TemperedLDA(2, max_iter=1, n_jobs=2, verbose=3).fit(corpus())
    lda.save(path)
    assert b"n_jobs" not in dict(np.load(path))["header"].tobytes()


@pytest.mark.parametrize("place", ["state/trainer/topics/M", "header"])
def test_sizes_are_weighed_before_memory_is_taken(tmp_path, files, place):
    path = tmp_path / "model.npz"
    np.savez(path, **files["lvt"])
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    member = io.BytesIO()
    head = {"descr": "<f4", "fortran_order": False, "shape": (10**12, 4)}
    np.lib.format.write_array_header_1_0(member, head)
    members[f"{place}.npy"] = member.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with (
        TracedMemory() as memory,
        pytest.raises(ValueError, match=rf"model\.npz .*damaged: member '{place}\.npy': "),
    ):
        load(path)
    assert memory.peak < 2**24


@pytest.mark.parametrize("changed", [{"n_components": 2**27}, {"n_components": 2**31}, {}])
def test_priors_are_not_made_of_topics_that_are_not_there(tmp_path, files, changed):
    path = tmp_path / "model.npz"
    header = json.loads(files["lvt"]["header"].tobytes())
    header["parameters"] |= changed
    header["n_features"] = 1 if changed else 2**31  # so that these topics would fit into memory
    encoded = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **(files["lvt"] | {"header": encoded}))
    with (
        TracedMemory() as memory,
        pytest.raises(ValueError, match=DAMAGED + "state/trainer/topics/M: must be an array of"),
    ):
        load(path)
    assert memory.peak < 2**24


def test_nothing_is_saved_that_would_not_load(tmp_path):
    lda = small_lda(tempering="svi").fit(corpus())
    lda._trainer.topics.M[0, 0] = np.nan  # as no training should do
    with pytest.raises(ValueError, match="topics/M"):
        lda.save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_number_of_temperatures():
    with pytest.raises(ValueError, match="n_temperatures must be at most 10000, got 10000000000"):
        small_lda(n_temperatures=10**10).fit(corpus())


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[["pass", "elbo"]].copy(),
        lambda rows: rows[:, None],
        lambda rows: np.array([(1.0, 1.0, np.nan)], dtype=rows.dtype),
    ],
    ids=["other columns", "a table of rows", "no number"],
)
def test_histories_that_no_fit_has(tmp_path, change):
    path = tmp_path / "model.npz"
    small_lda(learning_method="batch").fit(corpus()).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    _changed(arrays, path, "state/elbo_history", change)
    with pytest.raises(ValueError, match=DAMAGED + "state/elbo_history"):
        load(path)


def test_a_file_beyond_the_memory_is_not_damaged(files, tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    np.savez(path, **files["svi"])
    before = path.read_bytes()
    monkeypatch.setattr(_npz, "usable_memory", lambda: (1000, "its container or control group"))
    with pytest.raises(MemoryError, match=r"model\.npz holds arrays of .* its container .* has"):
        load(path)
    assert path.read_bytes() == before
