"""Going back or forward shows a view as the reader left it."""

import pytest

from tests.report.small_report import arguments, corpus
from topictemper import report

N_GROUPS = 25


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    groups = [f"group {row % N_GROUPS}" for row in range(len(corpus().groups))]
    path = tmp_path_factory.mktemp("history") / "report.html"
    return report.write(**arguments(groups=groups, path=path))


def back(page):
    page.go_back()
    page.wait_for_function("document.querySelector('main:not(.view-topic)') !== null")


def test_back_returns_to_the_same_line_and_link(opened, file):
    page = opened(file, viewport={"width": 800, "height": 500}).go("groups")
    link = page.locator(".card a").nth(20)
    link.scroll_into_view_if_needed()
    place, name = page.evaluate("scrollY"), link.get_attribute("href")
    assert place > 0
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("main.view-topic")
    assert page.evaluate("scrollY") == 0
    assert page.title().startswith(f"Topic {name.split('/')[-1]} \N{EN DASH} Topics in")
    back(page)
    assert page.title().startswith("Groups \N{EN DASH} ")
    assert page.evaluate("scrollY") == pytest.approx(place, abs=1)
    assert page.evaluate("document.activeElement.getAttribute('href')") == name
    page.go_forward()
    page.wait_for_selector("main.view-topic")
    assert page.evaluate("scrollY") == 0


def test_back_and_reload_return_to_the_search(opened, file):
    page = opened(file).go("documents")
    page.select_option("#filter-topic", "1")
    page.fill("#filter-from", "2021-01-01")
    page.fill("#search", "goal")
    page.locator("form.search").evaluate("form => form.requestSubmit()")
    tally = page.locator(".tally-line").text_content()
    assert page.url.endswith("#/documents?text=goal&topic=1&from=2021-01-01")
    page.locator("article .topic-name").first.click()
    page.wait_for_selector("main.view-topic")
    back(page)
    assert page.locator(".tally-line").text_content() == tally
    page.reload()
    page.wait_for_selector(".tally-line")
    assert page.input_value("#search") == "goal"
    assert page.locator(".tally-line").text_content() == tally
    page.get_by_role("button", name="Clear").click()
    assert page.url.endswith("#/documents")


def test_a_search_that_comes_too_late_leaves_the_address_alone(opened, file):
    shown = opened(file)
    shown.go("documents").fill("#search", "goal")
    page = shown.go("check")
    page.wait_for_timeout(300)
    assert page.url.endswith("#/check")


def test_the_list_of_topics_keeps_its_order_words_and_search(opened, file):
    page = opened(file).page
    page.get_by_role("button", name="Coherence").click()
    page.select_option("#list-words", "1")
    page.fill("#find-topic", "goal")
    shown = page.locator(".topics tbody").inner_text()
    page.locator(".topics tbody .topic-name:visible").first.click()
    page.wait_for_selector("main.view-topic")
    page.get_by_role("link", name="All topics").click()
    page.wait_for_selector("main.view-topics")
    assert page.input_value("#find-topic") == "goal"
    assert page.locator(".topics tbody").inner_text() == shown
    sorted_by = page.locator(".topics th[aria-sort]")
    assert sorted_by.text_content() == "Coherence"
