from datetime import UTC, date, datetime

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.topics import shares_by_group, shares_over_time
from topictemper.topics._periods import periods_of

from ..small_lda import corpus, fitted, small_lda
from ..traced_memory import TracedMemory

THETA = np.random.default_rng(0).dirichlet(np.full(3, 0.5), size=60)
DAYS = np.datetime64("2023-12-01") + np.arange(60)


def starts(dates, period):
    return [str(day)[:10] for day in np.unique(periods_of(dates, len(dates), period)[0])]


@pytest.mark.parametrize(
    ("dates", "period", "unit"),
    [
        (DAYS, "auto", "week"),
        (DAYS, "quarter", "quarter"),
        (["2023-01", "2023-04"] * 30, "quarter", "quarter"),
        (["2023-01", "2023-04"] * 30, "auto", "month"),
        (["2022", "2023"] * 30, "auto", "year"),
        ([2022, 2023] * 30, "auto", "number"),
    ],
)
def test_a_table_says_what_its_periods_are(dates, period, unit):
    shares = shares_over_time(THETA, dates, period=period)
    assert list(shares.columns)[:3] == ["period", "unit", "topic"]
    assert set(shares["unit"]) == {unit}


def test_shares_are_means_of_groups():
    groups = np.array(["b", "a", "c"])[np.arange(60) % 3]
    shares = shares_by_group(THETA, groups, labels=["x", "y", "z"])
    assert list(shares.columns) == [
        "group", "topic", "label", "share", "low", "high", "documents",
    ]  # fmt: skip
    assert shares["group"].tolist() == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert shares["label"].tolist() == ["x", "y", "z"] * 3
    assert_allclose(shares["share"][:3], THETA[1::3].mean(axis=0))
    assert shares["documents"].tolist() == [20] * 9


def test_weights_of_topics_are_made_proportions():
    """Other models, such as NMF, give weights that do not sum to one."""
    groups = ["a", "b"] * 30
    scaled = THETA * np.arange(1, 61)[:, None]
    for column in ("share", "low", "high"):
        found = shares_by_group(scaled, groups)[column]
        assert_allclose(found, shares_by_group(THETA, groups)[column])


def test_intervals_are_those_of_the_normal_approximation():
    """Of many documents."""
    theta = np.random.default_rng(1).dirichlet(np.full(3, 0.5), size=2000)
    shares = shares_by_group(theta, np.zeros(2000))
    error = theta.std(axis=0) / 2000**0.5
    for end, sign in (("low", -1), ("high", 1)):
        assert_allclose(shares[end], theta.mean(axis=0) + sign * 1.96 * error, atol=0.05 * error[0])
    narrow = shares_by_group(theta, np.zeros(2000), confidence=0.5)
    assert (narrow["high"] - narrow["low"] < shares["high"] - shares["low"]).all()


def test_intervals_follow_the_main_topics_of_all_documents():
    """A single document says little, but more where all documents are mixtures."""
    rng = np.random.default_rng(0)
    widths = []
    for alpha in (0.01, 100.0):
        theta = rng.dirichlet(np.full(3, alpha), 50)
        shares = shares_by_group(theta, ["alone"] + ["others"] * 49)
        assert (shares["low"] <= shares["share"]).all()
        assert (shares["share"] <= shares["high"]).all()
        widths.append(np.mean(shares["high"][:3] - shares["low"][:3]))
    assert widths[0] > 0.8
    assert widths[1] < 0.5 * widths[0]


def test_intervals_with_weights_contain_the_share():
    """Lengths of documents differ by a factor of 50: as many documents tell less."""
    rng = np.random.default_rng(2)
    expected = np.array([0.5, 0.3, 0.15, 0.05])
    covered = []
    for _ in range(300):
        theta, weights = rng.dirichlet(expected, 40), rng.lognormal(4.0, 1.0, 40)
        shares = shares_by_group(theta, np.zeros(40), weights=weights)
        covered.append((shares["low"] <= expected) & (expected <= shares["high"]))
    # Nine seeds had 0.952 to 0.968; if all 40 documents told as much, 0.79 to 0.83.
    assert 0.94 < np.mean(covered) < 0.975


def test_intervals_contain_shares_of_topics_that_heavy_documents_have():
    """As in a survey that asked few people of a large group, who say other things than others."""
    rng = np.random.default_rng(0)
    expected = 0.1 + 0.8 * (0.05 * 15 * 0.5 + 0.95 * 0.02) / (0.05 * 15 + 0.95)
    covered = []
    for _ in range(200):
        is_heavy = rng.random(1000) < 0.05
        has = rng.random(1000) < np.where(is_heavy, 0.5, 0.02)
        theta = 0.1 + 0.8 * np.c_[has, ~has]
        shares = shares_by_group(theta, np.zeros(1000), weights=np.where(is_heavy, 15.0, 1.0))
        covered.append(shares["low"][0] <= expected <= shares["high"][0])
    # Nine seeds had 0.93 to 0.96; by the weights alone, 0.845 to 0.895.
    assert np.mean(covered) > 0.91


def test_documents_that_do_not_differ_tell_as_much_as_their_weights_say():
    """Kish's number of documents, where there is no spread to tell more."""
    weights = np.r_[np.full(4, 5.0), np.full(16, 1.0)]
    shares = shares_by_group([[0.5, 0.5]] * 20, np.zeros(20), weights=weights)
    n_equal = round(weights.sum() ** 2 / (weights**2).sum(), 10)
    assert n_equal == pytest.approx(11.1724, abs=1e-4)
    eleven, twelve = (shares_by_group([[0.5, 0.5]] * n, np.zeros(n)) for n in (11, 12))
    assert twelve["low"][0] > shares["low"][0] > eleven["low"][0]


def test_intervals_contain_shares_of_rare_topics_that_have_whole_documents():
    """The other documents are mixtures, so that their main topics are small."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(10):
        theta = np.c_[np.zeros(2000), rng.dirichlet(np.full(49, 0.3), 2000)]
        theta[rng.random(2000) < 0.01] = np.eye(50)[0]
        shares = shares_by_group(theta, np.arange(2000) % 20)
        rare = shares["topic"] == 0
        covered.append((shares["low"][rare] <= 0.01) & (shares["high"][rare] >= 0.01))
    # Nine seeds had 0.975 to 0.995; with the main topics alone, 0.54 to 0.67.
    assert np.mean(covered) > 0.95


def test_heavy_documents_without_a_group_do_not_count():
    weights = np.full(60, 1e-300)
    weights[0] = 1e300
    groups = [None] + ["a", "b"] * 29 + ["a"]
    shares = shares_by_group(THETA, groups, weights=weights)
    expected = shares_by_group(THETA[1:], groups[1:])
    for column in ("share", "low", "high"):
        assert_allclose(shares[column], expected[column])


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e300])
def test_only_ratios_of_weights_count(scale):
    weights = np.arange(60.0) + 1
    groups = ["a", "b"] * 30
    for column in ("share", "low", "high"):
        found = shares_by_group(THETA, groups, weights=scale * weights)[column]
        assert_allclose(found, shares_by_group(THETA, groups, weights=weights)[column])


def test_shares_take_little_memory():
    theta = np.random.default_rng(0).random((60_000, 40))
    with TracedMemory() as memory:
        shares_by_group(theta, np.zeros(len(theta)))
    assert memory.peak < 1.3 * theta.nbytes  # one copy of the proportions


def test_one_document_may_have_nearly_all_of_the_weight():
    weights = np.r_[1.0, np.full(59, 1e-200)]
    shares = shares_by_group(THETA, np.zeros(60), weights=weights)
    alone = shares_by_group(THETA[:1], [0])
    for column in ("share", "low", "high"):
        assert_allclose(shares[column], alone[column], rtol=1e-6)


def test_weights_of_a_model():
    weights = 0.25 + np.arange(200) % 5
    groups, X = np.arange(200) % 3, corpus().toarray()
    X[:10], weights[20:30] = 0, 0  # neither has a part in the shares
    left = (np.arange(200) >= 10) & (weights > 0)
    theta = np.zeros((200, 4))
    theta[10:] = fitted().transform(X[10:])
    by_group = fitted().topics_by_group(X, groups, sample_weight=weights)
    for group in range(3):
        rows = left & (groups == group)
        share = weights[rows] @ theta[rows] / weights[rows].sum()
        assert_allclose(by_group["share"][4 * group : 4 * group + 4], share, rtol=1e-5)
        assert by_group["documents"][4 * group] == rows.sum()
    by_hand = shares_by_group(theta, groups, weights=weights * left, labels=fitted().labels_)
    over_time = fitted().topics_over_time(X, groups + 2020, sample_weight=weights)
    for column in ("share", "low", "high", "documents"):
        assert_allclose(by_group[column], by_hand[column], rtol=1e-5)
        assert_array_equal(by_group[column], over_time[column])
    for wrong, message in (
        (np.where(np.arange(200) == 7, np.nan, 1.0), "must be finite, got nan for row 7; 0 leaves"),
        (np.where(np.arange(200) == 7, -1.0, 1.0), r"must be >= 0, got -1.0 for row 7; 0 leaves"),
        (np.ones(199), "one weight for each of the 200 rows"),
    ):
        with pytest.raises(ValueError, match=f"sample_weight.* {message}"):
            fitted().topics_by_group(X, groups, sample_weight=wrong)


def test_weights_count():
    weights = np.arange(60) % 3
    shares = shares_by_group(THETA, np.zeros(60, int), weights=weights)
    copies = np.repeat(THETA, weights, axis=0)
    assert_allclose(shares["share"], copies.mean(axis=0))
    assert shares["documents"].tolist() == [40] * 3


def test_missing_and_mixed_groups():
    groups = [1, "1", None, float("nan")] * 15
    shares = shares_by_group(THETA, groups)
    assert shares["group"].tolist() == ["1"] * 3
    assert shares["documents"][0] == 30
    numbers = shares_by_group(THETA, [1.0, np.nan] * 30)
    assert numbers["group"].tolist() == [1.0] * 3
    for empty in (["", "b"] * 30, np.array(["", "b"] * 30)):
        assert shares_by_group(THETA, empty)["group"].tolist() == ["b"] * 3
    days = shares_by_group(THETA, np.array(["2024-01-05", "NaT"] * 30, "datetime64[D]"))
    assert days["documents"].tolist() == [30] * 3


def test_groups_of_an_ordered_categorical_keep_their_order():
    pandas = pytest.importorskip("pandas")
    answers = ["no", "maybe", None, "yes", "", "no"] * 10
    order = pandas.CategoricalDtype(["yes", "maybe", "no", "unused", ""], ordered=True)
    for groups in (pandas.Series(answers, dtype=order), pandas.Categorical(answers, dtype=order)):
        shares = shares_by_group(THETA, groups)
        assert shares["group"].tolist() == np.repeat(["yes", "maybe", "no"], 3).tolist()
        assert shares["documents"].tolist() == np.repeat([10, 10, 20], 3).tolist()
        assert_allclose(shares["share"][:3], THETA[3::6].mean(axis=0))
    plain = pandas.Series(answers, dtype="category")
    assert np.unique(shares_by_group(THETA, plain)["group"]).tolist() == ["maybe", "no", "yes"]
    ratings = pandas.Series([1.0, 5.0, np.nan] * 20)
    down = ratings.astype(pandas.CategoricalDtype([5.0, 1.0], ordered=True))
    assert shares_by_group(THETA, down)["group"].tolist() == [5, 5, 5, 1, 1, 1]


def test_missing_entries_of_lists_of_strings_and_of_pandas():
    groups = ["a", float("nan"), None, "b"] * 15
    assert np.unique(shares_by_group(THETA, groups)["group"]).tolist() == ["a", "b"]
    large = [2**60 + 1, None, 2**60 + 2, None] * 15  # which one float would stand for
    assert np.unique(shares_by_group(THETA, large)["group"]).tolist() == large[:3:2]
    dates = [float("nan"), "2024-01-05"] * 30
    assert shares_over_time(THETA, dates)["documents"].tolist() == [30] * 3
    years = shares_over_time(THETA, [None, 2024] * 30)
    assert list(map(str, years["period"])) == ["2024"] * 3
    for ratings in (
        np.array([np.nan, 5, 4] * 20),
        np.array([np.nan, 5, 4] * 20, dtype=np.float16),
        [None, 5.0, 4.0] * 20,
        [None, np.float64(5), 4] * 20,
    ):
        shares = shares_by_group(THETA, ratings)
        assert list(map(str, shares["group"])) == ["4"] * 3 + ["5"] * 3
    halves = shares_by_group(THETA, np.array([np.nan, 4.5, 4] * 20))
    assert list(map(str, halves["group"])) == ["4.0"] * 3 + ["4.5"] * 3
    numbers = shares_by_group(THETA, [None, 10, 9.5] * 20)
    assert numbers["group"].tolist() == [9.5] * 3 + [10] * 3
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    for dtype in ("string", "category"):
        shares = shares_by_group(THETA, pandas.Series(["a", None] * 30, dtype=dtype))
        assert shares["documents"].tolist() == [30] * 3
    dates = pandas.Series(["2024-01-05", None] * 30, dtype="string")
    assert shares_over_time(THETA, dates)["documents"].tolist() == [30] * 3


def test_periods():
    assert starts(DAYS, "month") == ["2023-12-01", "2024-01-01"]
    assert starts(DAYS, "quarter") == ["2023-10-01", "2024-01-01"]
    assert starts(DAYS, "year") == ["2023-01-01", "2024-01-01"]
    assert len(starts(DAYS, "day")) == 60
    weeks = np.unique(periods_of(DAYS, 60, "week")[0])
    assert {day.astype("datetime64[D]").item().weekday() for day in weeks} == {0}
    assert starts(np.array(["1969-12-31"], "datetime64[D]"), "week") == ["1969-12-29"]
    assert starts(np.array(["1969-12-31"], "datetime64[D]"), "quarter") == ["1969-10-01"]


@pytest.mark.parametrize(
    ("n_days", "period"), [(40, "day"), (200, "week"), (1000, "month"), (3000, "quarter")]
)
def test_automatic_periods(n_days, period):
    dates = np.datetime64("2020-01-01") + np.arange(n_days)
    assert starts(dates, "auto") == starts(dates, period)


@pytest.mark.parametrize(("code", "period"), [("D", "day"), ("M", "month"), ("Y", "year")])
def test_the_finest_period_makes_at_most_forty(code, period):
    dates = np.datetime64("2020-01", code) + np.arange(41) * np.timedelta64(1, code)
    assert len(starts(dates[:40], "auto")) == 40
    assert len(starts(dates, "auto")) < 40 or period == "year"


@pytest.mark.parametrize("months", [["2020-01", "2020-02", "2020-09"], ["2020-01", "2020-01"]])
def test_months_are_not_cut_into_weeks(months):
    """The first of a month is in a week that begins in the month before."""
    assert starts(months, "auto") == sorted({f"{month}-01" for month in months})
    days = np.array([*months, "2020-01-02"], "datetime64[D]")
    assert starts(days, "auto") == starts(days, "day" if len(set(months)) == 1 else "week")


def test_any_form_of_dates():
    expected = ["2024-01-01", "2024-02-01"]
    stamp = datetime(2024, 1, 5, 10, tzinfo=UTC)
    for dates in (
        ["2024-01-05", "2024-02-07T10:00"],
        [date(2024, 1, 5), date(2024, 2, 7)],
        [stamp, stamp.replace(month=2)],
        np.array(["2024-01-05", "2024-02-07"], "datetime64[ns]"),
    ):
        assert starts(dates, "month") == expected
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert starts(pandas.to_datetime(["2024-01-05", "2024-02-07"]), "month") == expected
    for freq, days in {
        "M": expected,
        "Q": ["2024-01-01"] * 2,
        "W": ["2024-01-01", "2024-02-05"],
    }.items():
        periods = pandas.PeriodIndex(["2024-01-05", "2024-02-07"], freq=freq)
        assert starts(periods, "day") == sorted(set(days))


def test_a_date_with_a_time_zone_is_that_of_its_clock():
    text = ["2024-01-01T00:30:00+02:00", "2024-01-01T00:30:00Z"]
    moments = [datetime.fromisoformat(moment) for moment in text]
    assert starts(text, "day") == starts(moments, "day") == ["2024-01-01"]
    polars = pytest.importorskip("polars", reason="polars is not installed")
    zone = polars.Series(moments[:1]).dt.convert_time_zone("Asia/Tokyo")  # 07:30 of 1 January
    assert starts(zone, "day") == ["2024-01-01"]


def test_documents_without_a_date_are_left_out():
    dates = [None if i % 2 else "2024-01-05" for i in range(60)]
    assert shares_over_time(THETA, dates)["documents"].tolist() == [30] * 3
    years = shares_over_time(THETA, np.where(np.arange(60) % 2, np.nan, 2024.0))
    assert years["period"].tolist() == [2024.0] * 3


def test_documents_without_words_are_left_out():
    X = corpus().toarray()
    X[::2] = 0
    shares = fitted().topics_by_group(X, ["a"] * 200)
    theta = fitted().transform(X[1::2])
    assert_allclose(shares["share"], theta.mean(axis=0), rtol=1e-5)
    assert shares["documents"].tolist() == [100] * 4
    over_time = fitted().topics_over_time(X, np.full(200, 2020))
    assert_allclose(over_time["share"], shares["share"])


def test_documents_without_a_topic_are_left_out():
    # As `transform` of NMF has them for documents without words, and as on the page of a report.
    theta = THETA.copy()
    theta[::2] = 0.0
    shares = shares_by_group(theta, ["a"] * 60)
    assert_allclose(shares["share"], THETA[1::2].mean(axis=0), rtol=1e-12)
    assert shares["documents"].tolist() == [30] * 3
    assert shares_over_time(theta, np.arange(60) // 30)["documents"].tolist() == [15] * 6
    with pytest.raises(ValueError, match="no document with a group, a weight and a topic is left"):
        shares_by_group(0 * THETA, ["a"] * 60)


def test_documents_of_one_word_count():
    X = np.zeros((200, 60))
    X[np.arange(200), np.arange(200) % 60] = 1
    assert fitted().topics_by_group(X, ["a"] * 200)["documents"].tolist() == [200] * 4


def test_shares_of_a_model_are_those_of_its_proportions_and_labels():
    lda = small_lda().fit(corpus()).set_labels({1: "sports"})
    settings = {"confidence": 0.5}
    given = {"proportions": lda.transform(corpus()), "labels": lda.labels_, **settings}
    days, groups = np.resize(DAYS, 200), np.resize(["a", "b", "c"], 200)
    pairs = (
        (
            lda.topics_over_time(corpus(), days, period="week", **settings),
            shares_over_time(dates=days, period="week", **given),
        ),
        (
            lda.topics_by_group(corpus(), groups, **settings),
            shares_by_group(groups=groups, **given),
        ),
    )
    for shares, expected in pairs:
        for name in expected.columns:
            assert_array_equal(shares[name], expected[name])


@pytest.mark.parametrize(
    ("dates", "period", "match"),
    [
        (["2024-01-05"], "month", "one date for each of the 60"),
        (["x"] * 60, "month", "document 0 has 'x'"),
        (["202401"] * 60, "month", "document 0 has '202401'"),
        ([None] * 60, "month", "no date"),
        (np.full(60, np.nan), "auto", "no date"),
        (np.arange(60), "month", "dates has numbers"),
        (np.r_[np.inf, np.arange(59)], "auto", "dates must not have infinite numbers"),
        (DAYS, "decade", "period"),
        ([[2020], [2020, 2021]] * 30, "auto", "dates must have one value .* different lengths"),
    ],
)
def test_refuses_dates(dates, period, match):
    with pytest.raises(ValueError, match=match):
        shares_over_time(THETA, dates, period=period)


def test_refuses_thousands_of_numbers():
    with pytest.raises(ValueError, match="dates has 1001 different numbers, and each is a period"):
        shares_over_time(np.ones((1001, 2)), np.arange(1001) / 7)


def test_refuses_tables_of_periods():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    periods = pd.period_range("2020-01", periods=60, freq="M").array.reshape(60, 1)
    with pytest.raises(ValueError, match=r"dates must have one date .* got shape \(60, 1\)"):
        shares_over_time(THETA, periods)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"groups": ["a"]}, r"one group for each of the 60 documents, got shape \(1,\)$"),
        ({"groups": "party"}, "got 'party'; give one column, such as frame"),
        ({"groups": [["a", "b"]] * 60}, r"got shape \(60, 2\); give one column, .* for two"),
        ({"weights": np.zeros(60)}, "no document"),
        ({"weights": [-1.0] * 60}, "weights"),
        ({"weights": [1.0] * 59 + [np.inf]}, "weights must be 60 finite numbers"),
        ({"labels": ["a"]}, "labels must have one label for each of the 3 topics"),
        ({"confidence": 1.0}, "confidence"),
        ({"proportions": -THETA}, "proportions"),
        ({"proportions": [[0.5, "x"]] * 60}, "proportions must hold numbers: row 0 has 'x'"),
        ({"proportions": [[0.5], [0.5, 0.5]]}, "proportions must have rows of one length: row 1"),
        ({"groups": [["a"], []] * 30}, "groups must have one value .* different lengths"),
    ],
)
def test_refuses(settings, match):
    with pytest.raises(ValueError, match=match):
        shares_by_group(**({"proportions": THETA, "groups": ["a"] * 60} | settings))


@pytest.mark.parametrize("name", ["groups", "dates", "weights"])
def test_an_index_in_another_order_than_that_of_the_proportions_is_refused(name):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(THETA, index=[f"d{i}" for i in range(len(THETA))])
    given = {"groups": ["a"] * len(frame)} if name == "weights" else {}
    given[name] = pd.Series([2020 + i % 2 for i in range(len(frame))], index=frame.index)
    shares_of = shares_over_time if name == "dates" else shares_by_group
    shares = shares_of(frame, **given)
    turned = given | {name: given[name].iloc[::-1]}
    message = rf"^{name} has the index of proportions in another order.* else {name}\.loc\["
    with pytest.raises(ValueError, match=message):
        shares_of(frame, **turned)
    again = shares_of(frame, **turned | {name: turned[name].loc[frame.index]})
    assert again["share"].tolist() == shares["share"].tolist()
    # By position: without an index, or with one that has other labels.
    shares_of(THETA, **turned)
    shares_of(frame.reset_index(drop=True), **turned)
