"""Labels that the reader edits on the page, by mouse and from files."""

import pytest

from tests.report.small_report import arguments
from topictemper import report


@pytest.fixture
def labeled(opened, tmp_path):
    """A page on which topic 0 has a label."""
    return opened(report.write(**arguments(labels={0: "old"}), path=tmp_path / "report.html"))


def type_label(page, topic, text):
    """Click into the field of a topic and type, without Enter at the end."""
    page.get_by_label(f"Label of topic {topic}").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(text)


def saved(page, path):
    """Save the labels by one click."""
    with page.expect_download(timeout=5000) as download:
        page.get_by_role("button", name="Save labels").click()
    download.value.save_as(path)
    return report.read_labels(path)


def test_labels_are_filled_in_one_after_the_other_by_mouse(labeled, tmp_path):
    page = labeled.page
    page.get_by_role("button", name="Edit labels").click()
    type_label(page, 0, "space")
    type_label(page, 1, "football")
    assert page.get_by_label("Label of topic 2").is_visible()
    assert saved(page, tmp_path / "labels.json") == {0: "space", 1: "football"}
    assert {"space", "football"} <= set(labeled.texts(".headline bdi"))
    page.get_by_role("button", name="Edit labels").click()
    assert {"space", "football"} <= set(labeled.texts(".topics .name bdi"))
    assert {"space", "football"} <= set(labeled.texts(".map text"))


def test_a_click_after_an_edit_of_the_title_follows_its_link(labeled):
    page = labeled.go("topic/1")
    type_label(page, 1, "football")
    page.get_by_role("link", name="All topics").click()
    page.wait_for_selector("main.view-topics", timeout=5000)
    assert "football" in labeled.texts(".topics .name bdi")


def test_tab_after_an_edit_of_the_title_goes_on_from_there(labeled):
    page = labeled.go("topic/1")
    type_label(page, 1, "football")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "lambda"
    assert page.get_by_role("link", name="Search documents").text_content().endswith("“football”")
