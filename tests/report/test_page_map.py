"""The map of topics: what stands in its circles and beside them."""

import numpy as np
import pytest

from topictemper import report

# Circles, and lines of text with their widths, in units of the map.
DRAWN = """svg => ({
    circles: [...svg.querySelectorAll("circle")].map(circle => ({
        topic: +circle.parentNode.getAttribute("href").split("/").pop(),
        title: circle.parentNode.querySelector("title").textContent,
        place: ["cx", "cy", "r"].map(name => +circle.getAttribute(name)),
    })),
    texts: [...svg.querySelectorAll("text")].map(text => ({
        text: text.textContent,
        number: text.classList.contains("number"),
        place: [+text.getAttribute("x"), +text.getAttribute("y")],
        width: text.getComputedTextLength(),
    })),
    letters: +svg.querySelector("g").getAttribute("font-size"),
})"""


def drawn(shown):
    return shown.page.locator(".map svg").evaluate(DRAWN)


def write(path, n_topics, labels=None, spread=0.5):
    """A report on topics of many sizes, some with long words."""
    rng = np.random.default_rng(3)
    words = [f"{'extraordinarily' * (v % 7 == 0)}w{v}" for v in range(300)]
    topics = rng.dirichlet(np.full(300, 0.03), n_topics)
    theta = rng.dirichlet(spread * np.arange(1, n_topics + 1) / n_topics, 400)
    return report.write(topics, theta, words, labels=labels, path=path)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("n_topics", [1, 30, 200])
def test_a_text_on_the_map_lies_in_its_circle_or_over_none(opened, tmp_path, width, n_topics):
    file = write(tmp_path / "report.html", n_topics)
    found = drawn(opened(file, viewport={"width": width, "height": 800}))
    assert found["texts"]
    centers = np.array([circle["place"][:2] for circle in found["circles"]])
    radii = np.array([circle["place"][2] for circle in found["circles"]])
    boxes = []
    for text in found["texts"]:
        half = np.array([text["width"], 0.7 * found["letters"]]) / 2
        away = np.abs(centers - text["place"])
        within = np.linalg.norm(away + half, axis=1) <= radii
        touching = np.linalg.norm(np.maximum(away - half, 0), axis=1) < radii
        # In one circle and over no other, or a number over none.
        assert touching.sum() == within.sum() <= 1
        assert within.any() or text["number"]
        if text["number"] and within.any():
            assert found["circles"][int(within.argmax())]["topic"] == int(text["text"])
        boxes.append((np.array(text["place"]), half))
    for i, (place, half) in enumerate(boxes):
        for other, other_half in boxes[:i]:
            assert (np.abs(place - other) >= half + other_half - 0.5).any()


def test_circles_have_titles_and_hold_words_of_the_name(opened, tmp_path):
    shown = opened(write(tmp_path / "report.html", 12, {3: "a label of five words"}, spread=5))
    names = dict(
        zip(
            map(int, shown.texts(".topics .number")),
            shown.texts(".topics .name bdi"),
            strict=True,
        )
    )
    found = drawn(shown)
    shares = dict(
        zip(map(int, shown.texts(".topics .number")), shown.texts(".topics .share"), strict=True)
    )
    said = {}
    for circle in found["circles"]:
        k, (x, y, r) = circle["topic"], circle["place"]
        assert circle["title"] == f"Topic {k}: {names[k]}, {shares[k]}"
        assert shown.page.get_by_role("link", name=circle["title"], exact=True).count() == 1
        lines = [t for t in found["texts"] if np.hypot(t["place"][0] - x, t["place"][1] - y) < r]
        said[k] = " ".join(line["text"] for line in lines)
        assert said[k] == str(k) or set(said[k].split()) <= set(names[k].split())
    assert said[3] in ("a label of five words", "3")
    assert sum(text != str(k) for k, text in said.items()) > 6


def test_names_without_blanks_take_several_lines(opened, tmp_path):
    names = ["日本語の長い話題の名前がここにあります。", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย"]
    file = write(tmp_path / "report.html", 2, labels=names)
    found = drawn(opened(file, viewport={"width": 1280, "height": 800}))
    lines = [text["text"] for text in found["texts"] if not text["number"]]
    assert len(lines) > 2
    assert "".join(lines) in {"".join(names), "".join(reversed(names))}
    assert "。" not in lines
