"""The page for people who zoom, touch, print, listen, use the keyboard, or need high contrast."""

import numpy as np
import pytest

from tests.report.small_report import N_DOCUMENTS, N_TOPICS, WORDS, arguments, corpus
from tests.report.test_page import VIEWS
from topictemper import report

# Contrast of two colors as WCAG defines it; a canvas knows what any color is.
CONTRAST = """([one, other]) => {
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const [a, b] = [one, other].map(color => {
        pen.fillStyle = color;
        pen.fillRect(0, 0, 1, 1);
        const light = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05;
    });
    return Math.max(a, b) / Math.min(a, b);
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page with long names of groups and topics, and with temperatures."""
    course = np.array([(0.0, 2.0), (1.0, 1.0)], [("pass", float), ("temperature", float)])
    return report.write(
        **arguments(
            path=tmp_path_factory.mktemp("access") / "report.html",
            groups=[f"members of the society in the {group}" for group in corpus().groups],
            labels=["negotiations on climate policy, energy prices and emissions in the south"] * 3,
            words=["extraordinarily_long_words", *WORDS[1:]],
            history={"temperature": course},
        )
    )


def style(locator, name, pseudo=None):
    """A computed property of the first element."""
    return locator.first.evaluate(
        "(element, [name, pseudo]) => getComputedStyle(element, pseudo)[name]", [name, pseudo]
    )


def contrast(page, one, other):
    return page.evaluate(CONTRAST, [one, other])


# With high contrast.


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_are_seen_with_the_colors_of_the_system(opened, file, scheme):
    shown = opened(file, forced_colors="active", color_scheme=scheme)
    for view, bar in (("topics", "td .bar"), ("topic/0", ".word-list .bar")):
        page = shown.go(view)
        color = style(page.locator(bar), "backgroundColor")
        assert contrast(page, color, style(page.locator("body"), "backgroundColor")) >= 3
    bars = shown.go("groups").locator(".track .bar")
    inside = style(bars, "backgroundColor")
    assert contrast(page, style(bars, "borderTopColor"), inside) >= 3
    assert contrast(page, style(page.locator(".interval"), "backgroundColor"), inside) >= 3


def test_only_the_current_view_is_underlined_with_the_colors_of_the_system(opened, file):
    page = opened(file, forced_colors="active").page
    ground = style(page.locator("body"), "backgroundColor")
    lines = page.locator("header nav a").evaluate_all(
        "links => links.map(link => getComputedStyle(link).borderBottomColor)"
    )
    assert [contrast(page, line, ground) > 1.1 for line in lines] == [True] + [False] * 5


def test_a_pressed_button_is_seen_with_the_colors_of_the_system(opened, file):
    page = opened(file, forced_colors="active").go("documents")
    pressed, other = (page.locator(f".chip button[aria-pressed={on}]") for on in ("true", "false"))
    assert style(pressed, "backgroundColor") != style(other, "backgroundColor")
    assert contrast(page, style(pressed, "color"), style(pressed, "backgroundColor")) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_intervals_on_bars_and_edges_of_fields_stand_out(opened, file, scheme):
    shown = opened(file, color_scheme=scheme)
    page = shown.go("groups")
    ground = style(page.locator("body"), "backgroundColor")
    bar = style(page.locator(".track .bar"), "backgroundColor")
    assert contrast(page, style(page.locator(".interval"), "backgroundColor"), bar) >= 3
    assert contrast(page, bar, ground) >= 3
    page = shown.go("documents")
    for field in ("#search", "#filter-topic", ".chip button[aria-pressed=false]"):
        edge = style(page.locator(field), "borderTopColor")
        for beside in (ground, style(page.locator(field), "backgroundColor")):
            assert contrast(page, edge, beside) >= 3, field


# At 400%, where a window of 1,280 pixels has 320.


def test_the_list_has_all_its_columns_at_400_percent(opened, file):
    page = opened(file, viewport={"width": 320, "height": 256}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    heads = page.locator(".topics thead button:visible").all_text_contents()
    n_cells = page.locator(".topics tbody tr").first.locator("td:visible").count()
    assert len(heads) == 1 + n_cells > 3
    for name in heads:
        page.locator("thead").get_by_role("button", name=name).click()
        assert page.locator("th[aria-sort]").text_content() == name
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if "role" in node and not node["ignored"]]
    counts = [roles.count(role) for role in ("row", "columnheader", "rowheader", "cell")]
    assert counts == [1 + N_TOPICS, len(heads), N_TOPICS, n_cells * N_TOPICS]


@pytest.mark.parametrize("width", [320, 1280])
def test_words_and_names_of_groups_are_not_cut_off(opened, file, width):
    shown = opened(file, viewport={"width": width, "height": 800})
    for view, names in (
        ("topic/0", ".word-list .word"),
        ("topic/0", ".group-bars .word"),
        ("groups", ".matrix .turned"),
        ("groups", ".matrix .topic-name"),
    ):
        cut = (
            shown.go(view)
            .locator(names)
            .evaluate_all(
                """all => all.filter(one => one.scrollWidth > one.clientWidth + 1
                || one.scrollHeight > one.clientHeight + 1).map(one => one.textContent)"""
            )
        )
        # An inline element has no size of its own and cuts nothing off.
        shows = style(shown.page.locator(names), "textOverflow")
        assert (cut, shows) == ([], "clip"), names
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("view", ["topic/0", "topics"])
def test_bars_have_room_at_400_percent(opened, file, view):
    page = opened(file, viewport={"width": 320, "height": 256}).go(view)
    widths = page.locator(".bar").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    assert max(widths) >= 40


def test_the_map_fits_into_the_window_beside_the_list(opened, file):
    page = opened(file, viewport={"width": 1600, "height": 640}).page
    page.evaluate("scrollTo(0, 300)")
    caption = page.locator(".map-caption").bounding_box()
    assert caption["y"] + caption["height"] <= 640


# From the keyboard.


@pytest.mark.parametrize("height", [390, 600])
def test_what_has_the_focus_is_not_under_the_header(opened, file, height):
    shown = opened(file, viewport={"width": 1000, "height": height})
    for view in ("topic/0", "documents"):
        page = shown.go(view)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.locator("main :is(a, button, summary)").last.focus()
        n = 0
        while page.evaluate("document.activeElement.closest('main') !== null"):
            top, header = page.evaluate(
                """() => [document.activeElement, document.querySelector(".top")].map(
                    (element, i) => element.getBoundingClientRect()[i ? "bottom" : "top"])"""
            )
            assert top >= header - 1, page.evaluate("document.activeElement.outerHTML")
            page.keyboard.press("Shift+Tab")
            n += 1
        assert n > 10


def test_values_of_a_course_are_in_a_table(opened, file):
    page = opened(file).go("about")
    page.get_by_text("As a table").focus()
    page.keyboard.press("Enter")
    assert page.locator(".as-table tbody tr").all_inner_texts() == ["0.0\t2.000", "1.0\t1.000"]


# By touch.


def test_fields_are_large_enough_for_fingers(opened, file):
    shown = opened(file, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    for view, names in (("topics", ["#find-topic", "#list-words"]), ("documents", ["#search"])):
        page = shown.go(view)
        for name in [*names, "main .tools button, main .search button"]:
            assert page.locator(name).first.bounding_box()["height"] >= 44
        # Phones zoom in on fields with smaller letters.
        assert float(style(page.locator(names[0]), "fontSize").removesuffix("px")) >= 16


def test_large_fields_leave_room_for_dates_and_buttons_in_one_line(opened, file):
    shown = opened(file, viewport={"width": 320, "height": 800}, has_touch=True, is_mobile=True)
    dates = shown.go("documents").locator("input[type=date]")
    assert dates.count() == 2
    for date in dates.all():
        given = date.bounding_box()["width"]
        date.evaluate("element => element.style.width = 'max-content'")
        assert date.bounding_box()["width"] <= given
    shown.page.set_viewport_size({"width": 390, "height": 800})
    buttons = shown.go("topics").locator("main .tools button").all()
    assert len({button.bounding_box()["y"] for button in buttons}) == 1


def test_what_a_finger_points_at_on_a_chart_stays(opened, file):
    page = opened(file, viewport={"width": 390, "height": 800}, has_touch=True).go("topic/0")
    page.locator(".chart svg").first.tap()
    assert "document" in page.locator(".chart .readout").first.text_content()


def test_single_points_of_a_chart_are_round(opened, file):
    page = opened(file).go("topic/0")  # most months beside those with documents have none
    points = page.locator(".chart .point")
    assert points.count() > 3
    assert style(points, "vectorEffect") == "non-scaling-stroke"
    assert style(points, "strokeLinecap") == "round"
    assert page.locator(".chart circle").count() == 0  # the picture stretches


# For those who listen.


def test_text_of_the_corpus_is_not_said_to_be_english(opened, file):
    shown = opened(file)
    for view, names in (
        ("topics", [".topics .words", ".topics .name bdi"]),
        ("topic/0", [".word-list .word", ".title textarea", ".text"]),
        ("documents", ["article h3", ".text", ".facts bdi"]),
        ("groups", [".turned", ".card h3"]),
    ):
        page = shown.go(view)
        for name in names:
            language = page.locator(name).first.evaluate("e => e.closest('[lang]').lang")
            assert language == "", (view, name)
        assert page.locator(".say, .quiet").first.evaluate("e => e.closest('[lang]').lang") == "en"


def test_a_chart_is_read_as_one_sentence(opened, file):
    page = opened(file).go("time")
    assert page.locator(".chart svg").first.get_attribute("aria-label").startswith("Share of")
    loose = page.locator(".chart > :not(svg, [aria-hidden])").all_text_contents()
    assert loose == []


def test_intervals_of_groups_are_read_aloud(opened, file):
    shown = opened(file)
    shown.go("topic/0")
    table = shown.texts("[aria-labelledby=by-group] .as-table td:nth-of-type(2)")
    said = shown.texts(".group-bars .track")
    assert sorted(said) == sorted(f"95% interval {interval}, share " for interval in table)
    shown.go("groups")
    assert set(shown.texts(".typical .track")) & set(said)


def test_notices_are_announced_and_wait_for_the_reader(opened, tmp_path):
    page = opened(report.write(**arguments(path=tmp_path / "unlabeled.html"))).page
    notice = page.locator("#notice")
    # Screen readers do not watch a region that is not displayed.
    assert style(notice, "display") != "none"
    assert notice.bounding_box()["height"] == 0
    page.clock.install()
    page.get_by_role("button", name="Save labels").click()
    said = "There are no labels to save: no topic has a label."
    for key, left in (("Tab", said), ("Shift+Tab", "")):
        page.keyboard.press(key)
        assert notice.text_content() == left
        page.clock.run_for(60_000)
        assert notice.text_content() == left


# On paper.


def test_what_is_left_out_on_paper_is_said(opened, file):
    shown = opened(file)
    page = shown.go("documents")
    page.emulate_media(media="print")
    said = style(page.locator("[data-left]"), "content", "::after")
    assert f"{N_DOCUMENTS - 20} more documents" in said
    page = shown.go("topic/0")
    assert page.locator(".as-table:visible").count() == 0
    page.emulate_media(media="screen")
    assert page.locator(".as-table:visible").count() == 2
    assert style(page.locator("[data-left]"), "content", "::after") == "none"


# In other scripts.


def test_letters_without_a_side_to_lie_on_are_turned_with_the_others(opened, tmp_path):
    groups = ["北海道新聞" if row % 2 else "沖縄タイムス" for row in range(N_DOCUMENTS)]
    page = opened(report.write(**arguments(groups=groups, path=tmp_path / "r.html"))).go("groups")
    # Else each stands upright, and the turn of the whole puts it on its head.
    assert style(page.locator(".turned"), "textOrientation") == "sideways"


def test_no_view_is_wider_than_320_pixels(opened, file):
    shown = opened(file, viewport={"width": 320, "height": 256})
    for view in VIEWS:
        page = shown.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, view
