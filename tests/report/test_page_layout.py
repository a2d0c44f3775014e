"""The page with text of any direction and length."""

import itertools

import numpy as np
import pytest

from tests.report.small_report import N_DOCUMENTS, WORDS, arguments, corpus
from tests.report.test_page import VIEWS
from topictemper import report

# Where pieces of the text of an element begin on the screen.
LEFT = """(element, pieces) => pieces.map(piece => {
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const start = walk.currentNode.data.indexOf(piece);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(walk.currentNode, start);
        range.setEnd(walk.currentNode, start + piece.length);
        return range.getBoundingClientRect().left;
    }
})"""

# Where all text of an element is.
RANGE = """element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
}"""


def test_names_from_right_to_left_leave_the_rest_of_the_line_in_order(opened, tmp_path):
    name = "مرحبا"
    file = report.write(
        **arguments(groups=[name] * N_DOCUMENTS, labels=[name] * 3, path=tmp_path / "arabic.html")
    )
    shown = opened(file)
    page = shown.go("documents/worst")
    facts = page.locator(".facts").first
    row = int(page.locator("article").first.get_attribute("data-row"))
    pieces = [corpus().dates[row], name, "30 known words", "perplexity"]
    lefts = facts.evaluate(LEFT, pieces)
    assert lefts == sorted(lefts)
    page = shown.go("topics")
    page.locator(".map a").first.hover()
    caption = page.locator(".map-caption")
    lefts = caption.evaluate(LEFT, [name, "%"])
    assert lefts == sorted(lefts)


def test_names_of_both_directions_start_at_the_same_edge(opened, tmp_path):
    words = ["مرحبا", "سلام", *WORDS[2:]]
    file = report.write(
        **arguments(
            words=words,
            groups=["خبر" if row % 2 else "news" for row in range(N_DOCUMENTS)],
            labels=["مرحبا", "space", "goal"],
            path=tmp_path / "both.html",
        )
    )
    shown = opened(file)
    for view, name, piece in (
        ("topics", ".topics .words", words[1]),
        ("topic/0", ".word-list .word", words[1]),
        ("topic/0", ".group-bars .word", "خبر"),
        ("groups", ".card h3", "خبر"),
    ):
        box = shown.go(view).locator(name).filter(has_text=piece).first
        text = box.evaluate(RANGE)
        assert text["left"] == pytest.approx(box.bounding_box()["x"], abs=1), view


@pytest.mark.parametrize("width", [390, 1280])
def test_buttons_for_labels_are_in_one_line(opened, tmp_path, width):
    file = report.write(**arguments(path=tmp_path / "tools.html"))
    page = opened(file, viewport={"width": width, "height": 900}).page
    names = ("Edit labels", "Save labels", "Load labels")
    tops = {page.get_by_role("button", name=name).bounding_box()["y"] for name in names}
    assert len(tops) == 1


def test_heads_of_the_list_of_topics_are_of_one_weight(opened, tmp_path):
    page = opened(report.write(**arguments(path=tmp_path / "heads.html"))).page
    weights = page.locator(".topics thead button").evaluate_all(
        "heads => heads.map(head => getComputedStyle(head).fontWeight)"
    )
    assert weights == ["400"] * 4


def test_heads_of_a_narrow_list_of_topics_do_not_touch(opened, tmp_path):
    file = report.write(**arguments(path=tmp_path / "heads.html"))
    page = opened(file, viewport={"width": 320, "height": 900}).page
    heads = page.locator(".topics thead button").all()[1:]
    assert len(heads) > 2
    for sorted_by, following in itertools.pairwise(heads):
        sorted_by.click()  # which adds an arrow
        box = sorted_by.bounding_box()
        assert following.evaluate(RANGE)["left"] > box["x"] + box["width"] + 6


@pytest.mark.parametrize("width", [390, 1280])
def test_no_view_is_wider_than_the_window_with_long_words_and_labels(opened, tmp_path, width):
    def long(text):
        return f"{text}_" * 25

    file = report.write(
        **arguments(
            words=[long(word) for word in WORDS],
            documents=[long(f"text{row}") for row in range(N_DOCUMENTS)],
            names=[long(f"title{row}") for row in range(N_DOCUMENTS)],
            groups=[long(group) for group in corpus().groups],
            labels=[long("label"), "", long("another")],
            other_topics=[np.roll(corpus().topics, 4, axis=1)],
            parameters={long("name"): long("value")},
            title=long("corpus"),
            path=tmp_path / "long.html",
        )
    )
    shown = opened(file, viewport={"width": width, "height": 800})
    for view in [*VIEWS, "topic/0"]:
        page = shown.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    page = shown.go("topics")
    page.get_by_role("button", name="Edit labels").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_number_of_a_topic_is_in_the_line_of_its_name(opened, tmp_path):
    labels = ["a label of many words", "another label of words", "one more label"]
    page = opened(report.write(**arguments(labels=labels, path=tmp_path / "names.html"))).page
    for width in range(330, 480, 15):
        page.set_viewport_size({"width": width, "height": 900})
        tops = page.locator(".headline .topic-name").evaluate_all(
            """links => links.map(link => [...link.querySelectorAll(".number, bdi")].map(
                part => part.getClientRects()[0].bottom))"""
        )
        assert len(tops) == 3
        assert all(abs(number - name) < 5 for number, name in tops), width
