"""A page that is shown inside of another one, as in the output of a notebook."""

from html import escape

import pytest

from tests.report.small_report import arguments
from topictemper import report


@pytest.fixture(params=["", "sandbox=allow-scripts"])  # JupyterLab shows files in the latter
def frame(chromium, path, request):
    """The page as the `srcdoc` of a frame, at whose end it has complained of nothing."""
    document = report.write(**arguments(path=path)).read_text("utf-8")
    around = path.with_name("notebook.html")
    around.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><iframe {request.param} width="900" '
        f'height="700" srcdoc="{escape(document)}"></iframe>',
        "utf-8",
    )
    context, errors = chromium.new_context(offline=True), []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(around.as_uri())
    inner = page.frames[1]
    inner.wait_for_selector("main > *")
    yield inner
    assert page.url == around.as_uri()
    context.close()
    assert not errors


def test_links_in_a_frame_lead_to_views_of_the_page(frame):
    frame.click('nav a[href="#/documents"]')
    frame.wait_for_selector("main.view-documents")
    assert frame.url == "about:srcdoc#/documents"
    frame.fill("#search", "goal")
    frame.wait_for_url(lambda url: url == "about:srcdoc#/documents?text=goal")
    frame.locator("article .topic-name").first.click()
    frame.wait_for_selector("main.view-topic")
    frame.click('nav a[href="#/topics"]')
    frame.locator("svg a").first.click()  # a circle of the map
    frame.wait_for_selector("main.view-topic")
    frame.evaluate("history.back()")
    frame.wait_for_selector("main.view-topics")


@pytest.mark.parametrize(
    ("frame", "said"),
    [("", "kept in this browser only"), ("sandbox=allow-scripts", "lost when this page is closed")],
    indirect=["frame"],
)
def test_what_is_said_of_edited_labels_is_true(frame, said):
    frame.evaluate("location.hash = '#/topic/1'")
    frame.wait_for_selector("main.view-topic")
    assert said in frame.locator(".topic-head .quiet").text_content()
