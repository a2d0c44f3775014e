"""Groups on the page: shares beside those of all documents, with intervals."""

import numpy as np
import pytest

from tests.report.small_report import WORDS
from topictemper import report
from topictemper.report import _content
from topictemper.topics import shares_by_group

N_TOPICS = 8
SIZES = {"north": 60, "south": 40, "east": 20, "west": 1}


def test_shares_of_groups_stand_beside_those_of_all_documents(opened, tmp_path):
    rng = np.random.default_rng(0)
    groups = np.repeat(list(SIZES), list(SIZES.values()))
    alpha = rng.gamma(0.5, size=(len(SIZES), N_TOPICS)) + 0.1
    theta = np.concatenate(
        [rng.dirichlet(a, n) for a, n in zip(alpha, SIZES.values(), strict=True)]
    )
    topics = rng.dirichlet(np.ones(len(WORDS)), N_TOPICS)
    file = report.write(topics, theta, WORDS, groups=groups, path=tmp_path / "report.html")
    page = opened(file, viewport={"width": 1280, "height": 800}).go("groups")
    everywhere = theta.mean(axis=0)
    shares = shares_by_group(theta, groups)
    shares = {column: np.asarray(shares[column]) for column in shares.columns}
    places, lines, bars = [], [], []
    for card in page.locator(".card").all():
        name = card.locator("h3").text_content()
        here = theta[groups == name]
        mean = here.mean(axis=0)
        lead = np.where(mean > everywhere, mean * np.log(mean / everywhere), 0)
        typical = np.argsort(-lead)[: min(4, np.count_nonzero(lead))]
        shown = [int(number) for number in card.locator(".number").all_text_contents()]
        assert shown == typical[np.argsort(-mean[typical])].tolist()
        for k, item in zip(shown, card.locator("li").all(), strict=True):
            value, of_all = item.locator(".value").text_content().split(" (all: ")
            assert float(value.strip("%")) == pytest.approx(100 * mean[k], abs=0.51)
            assert float(of_all.strip("%)")) == pytest.approx(100 * everywhere[k], abs=0.51)
            place = item.locator(".track").bounding_box()
            bars.append((item.locator(".bar").bounding_box()["width"] / place["width"], mean[k]))
            line = item.locator(".interval").bounding_box()
            at = (shares["group"] == name) & (shares["topic"] == k)
            places.append((shares["low"][at].item(), shares["high"][at].item()))
            start = (line["x"] - place["x"]) / place["width"]
            lines.append((start, start + line["width"] / place["width"]))
    # All bars and lines have one scale, and the longest fills its place.
    most = max(*(share for _, share in bars), *(end for _, end in places))
    assert np.array(lines) * most == pytest.approx(np.array(places), abs=0.005)
    assert [width * most for width, _ in bars] == pytest.approx([m for _, m in bars], abs=0.005)


def test_intervals_in_the_table_of_a_topic_stay_between_none_and_all(opened, tmp_path):
    theta = np.array([[1.0, 0.0], [0.8, 0.2]] * 2)
    topics = np.random.default_rng(0).dirichlet(np.ones(len(WORDS)), 2)
    path = tmp_path / "report.html"
    shown = opened(report.write(topics, theta, WORDS, groups=["a", "a", "b", "b"], path=path))
    # Beta distributions with means of 0.75 and 0.22, and standard deviations of 0.17 and 0.16.
    for topic, interval in enumerate(("35% to 98%", "1.2% to 60%")):
        shown.go(f"topic/{topic}").locator("summary").click()
        assert set(shown.texts(".plain tbody td:nth-child(3)")) == {interval}


def test_a_table_of_very_many_shares_opens(opened, tmp_path, monkeypatch):
    """Of 31 groups and some thousand topics, or here of many groups and fewer topics."""
    n_groups, n_topics = 300, 450
    monkeypatch.setattr(_content, "_MOST_GROUPS", n_groups)
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.ones(len(WORDS)), n_topics)
    theta = rng.dirichlet(np.ones(n_topics), n_groups)
    groups = np.arange(n_groups)
    file = report.write(topics, theta, WORDS, groups=groups, path=tmp_path / "report.html")
    page = opened(file).go("groups")
    assert page.locator(".matrix tbody td").count() >= 50 * n_groups
