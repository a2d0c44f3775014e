"""Labels that the reader edits on the page, by mouse and from files."""

import pytest

from tests.report.small_report import arguments, data_of
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


def test_a_label_that_was_cleared_is_saved_as_none(labeled, tmp_path):
    page = labeled.page
    page.get_by_role("button", name="Edit labels").click()
    type_label(page, 0, "")
    type_label(page, 1, "football")
    type_label(page, 2, "cooking")
    type_label(page, 2, "")
    labels = saved(page, tmp_path / "labels.json")
    assert labels == {0: "", 1: "football"}
    again = report.write(**arguments(labels=labels, path=tmp_path / "again.html"))
    assert data_of(again)["labels"] == ["", "football", ""]


def test_the_reader_is_told_of_topics_with_the_same_label(labeled, tmp_path):
    page, notice = labeled.page, labeled.page.locator("#notice")
    page.get_by_role("button", name="Edit labels").click()
    type_label(page, 1, "same")
    type_label(page, 2, "same ")
    page.keyboard.press("Tab")
    assert notice.text_content().startswith("Topics 1 and 2 have the same label")
    type_label(page, 2, "other")
    page.keyboard.press("Tab")
    assert notice.text_content() == ""
    file = tmp_path / "labels.json"
    file.write_text('{"0": "other"}')
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector("#notice >> text=Topics 0 and 2 have the same label")
    saved(page, file)
    assert notice.text_content().startswith("Topics 0 and 2 have the same label")
