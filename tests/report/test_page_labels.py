"""Labels that the reader edits on the page, by mouse and from files."""

import json

import numpy as np
import pytest

from tests.report.small_report import WORDS, arguments, corpus, data_of
from topictemper import TemperedLDA, report


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
    with page.expect_download() as download:
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


def names_of_topics(shown):
    """What the list calls the topics, by number."""
    numbers = map(int, shown.texts(".topics .name .number"))
    return [name for _, name in sorted(zip(numbers, shown.texts(".topics .name bdi"), strict=True))]


def test_a_topic_without_a_label_has_the_name_that_tables_have(opened, tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    counts = corpus().counts
    lda = TemperedLDA(3, random_state=0, max_iter=5).fit(counts, feature_names=WORDS)
    shown = opened(lda.report(counts, path=tmp_path / "model.html"))
    assert names_of_topics(shown) == lda.labels_.tolist()
    page = shown.go("about")
    with page.expect_download() as download:
        page.get_by_role("button", name="Topics (CSV)").click()
    table = pd.read_csv(download.value.path())
    assert table.label.tolist() == lda.labels_.tolist()


@pytest.mark.parametrize(
    ("topics", "names"),
    [
        # The first of words that are as probable, or nearly so: their logarithms are equal.
        ([[4, 1, 3, 4, 3], [4, 1, 3, 4, np.nextafter(3, 4)]], ["a d c", "a d e"]),
        # Others have the same three words.
        ([[9, 8, 7, 6, 5], [9, 8, 7, 5, 6], [1, 8, 7, 6, 5]], ["a b c d", "a b c e", "b c d"]),
    ],
)
def test_topics_have_different_names(opened, tmp_path, topics, names):
    topics = np.hstack([topics, np.ones((len(topics), 15))])
    shares = [[0.5, 0.3, 0.2][: len(topics)]]
    file = report.write(topics, shares, list("abcdefghijklmnopqrst"), path=tmp_path / "names.html")
    assert names_of_topics(opened(file)) == names


def test_a_click_after_an_edit_of_the_title_follows_its_link(labeled):
    page = labeled.go("topic/1")
    type_label(page, 1, "football")
    page.get_by_role("link", name="All topics").click()
    page.wait_for_selector("main.view-topics")
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


def test_without_labels_nothing_is_saved_and_the_reader_is_told(opened, tmp_path):
    shown = opened(report.write(**arguments(path=tmp_path / "report.html")))
    downloads = []
    shown.page.on("download", lambda download: downloads.append(download))
    for view, button in (("topics", "Save labels"), ("about", "Labels (JSON)")):
        page = shown.go(view)
        page.evaluate("document.getElementById('notice').textContent = ''")
        page.get_by_role("button", name=button).click()
        page.wait_for_selector("#notice >> text=There are no labels to save")
    assert not downloads


@pytest.mark.parametrize("width", [390, 1280])
def test_the_number_of_a_topic_stays_while_its_label_is_edited(opened, tmp_path, width):
    file = report.write(**arguments(path=tmp_path / "report.html"))
    page = opened(file, viewport={"width": width, "height": 800}).page
    page.get_by_role("button", name="Edit labels").click()
    for topic in range(3):
        field = page.get_by_label(f"Label of topic {topic}")
        number = field.locator("xpath=preceding-sibling::*")
        assert number.text_content() == str(topic)
        places = [each.bounding_box() for each in (number, field)]
        assert places[0]["x"] + places[0]["width"] <= places[1]["x"]
        assert places[1]["y"] < places[0]["y"] < places[1]["y"] + places[1]["height"]


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


def test_labels_are_saved_with_the_words_of_their_topics(labeled, opened, tmp_path):
    file = tmp_path / "labels.json"
    labels = saved(labeled.page, file)
    words = json.loads(file.read_text())["0"]["words"]
    assert labels == {0: "old"}
    assert labels.words == {0: words}
    assert len(words) == 10
    given = arguments(labels=labels)
    report.write(**given, path=tmp_path / "again.html")
    given["topics"] = np.roll(given["topics"], 1, axis=0)
    with pytest.raises(
        ValueError, match="labels were saved from a report of other topics: topic 0"
    ):
        report.write(**given, path=tmp_path / "other.html")
    assert not (tmp_path / "other.html").exists()
    page = labeled.page
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector("#notice >> text=1 label loaded from labels.json")
    other = opened(report.write(**given | {"labels": None}, path=tmp_path / "other.html")).page
    other.set_input_files("input[type=file]", file)
    other.wait_for_selector("#notice >> text=labels.json is not a file of labels of these topics")


def test_names_with_blanks_are_divided_by_semicolons(opened, tmp_path):
    titles = [f"The {word}" for word in WORDS]
    X = corpus().counts
    lda = TemperedLDA(3, max_iter=5, random_state=0).fit(X, feature_names=titles)
    shown = opened(lda.report(X, path=tmp_path / "report.html"))
    assert names_of_topics(shown) == lda.labels_.tolist()
    assert all(name.count("; ") == 2 for name in names_of_topics(shown))
    assert all("; The " in words for words in shown.texts(".topics .words"))
