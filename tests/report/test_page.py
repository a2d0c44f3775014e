"""The page in a browser: its facts are those of Python, by mouse and by keyboard."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.report.small_report import N_DOCUMENTS, N_TOPICS, WORDS, arguments, corpus, data_of
from topictemper import report
from topictemper.metrics import match_topics

AXE = Path(__file__).parents[2] / "page" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = [
    "topics",
    "topic/1",
    "documents",
    "documents/worst",
    "documents?topic=1",
    "time",
    "groups",
    "check",
    "about",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page with everything."""
    return report.write(
        **arguments(
            path=tmp_path_factory.mktemp("report") / "report.html",
            other_topics=[np.roll(corpus().topics, 4, axis=1)],
            history={
                "temperature": np.array(
                    [(0.0, 2.0), (1.0, 1.5), (2.0, 1.0)], [("pass", float), ("temperature", float)]
                )
            },
            parameters={"random_state": 0},
        )
    )


def set_slider(page, value):
    page.locator("#lambda").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        str(value),
    )


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
def test_words_are_in_the_order_of_python(opened, file, lambda_):
    shown = opened(file)
    totals = corpus().counts.sum(axis=0)
    marginal = np.maximum(totals, 0.5) / totals.sum()
    for k in range(N_TOPICS):
        set_slider(shown.go(f"topic/{k}"), lambda_)
        relevance = np.log(corpus().topics[k]) - (1 - lambda_) * np.log(marginal)
        order = np.argsort(-relevance, kind="stable")
        assert shown.texts(".word-list .word") == [WORDS[v] for v in order]


def test_search_finds_what_python_finds(opened, file):
    shown = opened(file)
    page = shown.go("documents")
    whole = [f"{corpus().names[i]}\n{corpus().documents[i]}".lower() for i in range(N_DOCUMENTS)]
    for query in ["rocket", "MOON comet", "title 7", "oven flou", "nowhere"]:
        page.fill("#search", query)
        page.keyboard.press("Enter")
        terms = query.lower().split()
        expected = [i for i, text in enumerate(whole) if all(term in text for term in terms)]
        assert shown.texts(".tally-line")[0].startswith(f"{len(expected)} document")
        found = page.locator("article").evaluate_all("all => all.map(one => +one.dataset.row)")
        assert found == expected[: len(expected) if len(expected) <= 25 else 20]


def test_filters_by_topic_group_and_date(opened, file):
    shown = opened(file)
    page = shown.go("documents")
    page.select_option("#filter-topic", "1")
    page.select_option("#filter-group", label="south")
    page.fill("#filter-from", "2021-01-01")
    page.dispatch_event("#filter-from", "change")
    theta, dates = corpus().proportions, np.array(corpus().dates)
    of_group = np.array(corpus().groups) == "south"
    with_words = np.arange(N_DOCUMENTS) < N_DOCUMENTS - 2
    expected = (np.rint(1000 * theta[:, 1]) >= 100) & of_group & (dates >= "2021") & with_words
    assert shown.texts(".tally-line")[0].startswith(f"{expected.sum()} document")


def test_a_link_of_a_topic_filters_its_documents(opened, file):
    shown = opened(file)
    page = shown.go("topic/2")
    page.get_by_role("link", name="Search documents").click()
    page.wait_for_selector(".tally-line")
    first = int(page.locator("article").first.get_attribute("data-row"))
    assert first == corpus().proportions[:-2, 2].argmax()


def test_shares_over_time_are_those_of_python(opened, file):
    shown = opened(file)
    page = shown.go("topic/0")
    page.locator(".as-table summary").first.click()
    rows = page.locator(".as-table").first.locator("tbody tr")
    theta, months = corpus().proportions[:-2, 0], [date[:7] for date in corpus().dates[:-2]]
    for month in set(months):
        of_month = theta[[m == month for m in months]]
        text = rows.filter(has_text=month).locator("td").first.text_content()
        assert float(text.strip("<%")) == pytest.approx(100 * of_month.mean(), abs=0.51)


def test_the_list_sorts_and_finds(opened, file):
    shown = opened(file)
    page = shown.page
    numbers = ".topics .name .number"
    by_share = np.argsort(-corpus().proportions[:-2].mean(axis=0)).astype(str).tolist()
    assert shown.texts(numbers) == by_share
    page.get_by_role("button", name="Share").click()
    assert shown.texts(numbers) == by_share[::-1]
    assert page.locator("th[aria-sort=ascending]").text_content() == "Share"
    page.fill("#find-topic", "leag")
    assert page.locator(".topics tbody tr:visible .number").all_text_contents() == ["1"]


def test_words_of_the_topic_are_marked(opened, file):
    shown = opened(file)
    page = shown.go("topic/0")
    marked = {text.lower() for text in shown.texts("article mark")}
    assert marked
    assert marked <= set(WORDS[:8])
    assert page.locator("article").first.locator("mark").count() > 10


def test_labels_survive_reload_and_come_back_from_a_file(opened, file, tmp_path):
    shown = opened(file)
    page = shown.go("topic/1")
    page.get_by_label("Label of topic 1").fill("football <b>")
    page.keyboard.press("Enter")
    shown.go("topics")
    page.reload()
    page.wait_for_selector("main > *")
    assert "football <b>" in shown.texts(".topics .name bdi")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save labels").click()
    saved = tmp_path / "labels.json"
    download.value.save_as(saved)
    assert report.read_labels(saved) == {1: "football <b>"}
    saved.write_text(json.dumps({"0": "space"}))
    page.set_input_files("input[type=file]", saved)
    page.wait_for_selector("#notice:not(:empty)")
    assert {"space", "football <b>"} <= set(shown.texts(".topics .name bdi"))
    saved.write_text(json.dumps({"99": "nothing"}))
    page.set_input_files("input[type=file]", saved)
    page.wait_for_selector("#notice >> text=not a file of labels")


def test_a_long_label_is_shown_whole(opened, tmp_path):
    label = "A label that somebody wrote and that is rather long for the title of a page"
    file = tmp_path / "long.html"
    report.write(**arguments(labels={0: label}), path=file)
    page = opened(file, viewport={"width": 390, "height": 800}).go("topic/0")
    field = page.get_by_label("Label of topic 0")
    assert field.input_value() == label
    for text in (label, 2 * label, ""):
        field.fill(text)
        assert field.evaluate("field => field.scrollHeight <= field.clientHeight + 1")
        assert field.evaluate("field => field.scrollWidth <= field.clientWidth + 1")


def test_all_places_count_the_same_documents(opened, file):
    shown = opened(file)
    assert shown.texts("h1") == [f"Topics in {N_DOCUMENTS} documents"]
    assert shown.texts(".lead") == [f"{N_DOCUMENTS} documents, {N_TOPICS} topics."]
    names = [
        "known words",
        "different words",
        "topic to check",
        "documents left out: no known word",
    ]
    assert shown.texts(".figures dt") == names
    assert shown.texts(".figures dd")[-1] == "2"
    shown.go("about")
    said = f"{N_DOCUMENTS} documents. 2 of them have no known word and are left out."
    assert said in shown.texts(".say")[0]


@pytest.mark.parametrize(
    ("score", "guess", "but"),
    [
        (-2.0, "given half of a document, guessing a word of the other half", "if the topics were"),
        (None, "given the topics of a document, guessing one of its words", "because the topics"),
    ],
)
def test_the_summary_says_how_well_the_topics_fit(opened, tmp_path, score, guess, but):
    written = report.write(**arguments(score=score), path=tmp_path / "report.html")
    fit = data_of(written)["fit"]
    said = opened(written).page.get_by_text("How well the topics fit").text_content()
    among, baseline = (int(fit[name] + 0.5) for name in ("perplexity", "baseline"))
    assert f"{guess} is like choosing among {among} equally likely words." in said
    assert f"With word frequencies alone, it would be {baseline}." in said
    assert f"too optimistic{',' * (score is None)} {but}" in said


def test_perplexities_of_documents_are_named_by_what_they_are_of(opened, file):
    shown = opened(file)
    page = shown.go("documents/worst")
    page.get_by_text("The perplexity of its own words says").wait_for()
    documents = data_of(file)["documents"]
    for text, place in zip(shown.texts(".facts"), documents["worst"], strict=False):
        assert text.endswith(f"perplexity of its own words {documents['perplexity'][place]:.0f}")
    page = shown.go("about")
    assert "Perplexity of its own words" in shown.texts(".meanings dt")


def test_small_shares_and_negative_coherences_are_numbers(opened, tmp_path):
    shares = np.array([0.9979, 0.002, 0.00006, 0.00004])
    topics = np.full((4, len(WORDS)), 1.0)
    counts = np.zeros((N_DOCUMENTS, len(WORDS)), dtype=int)
    counts[np.arange(N_DOCUMENTS), np.arange(N_DOCUMENTS) % len(WORDS)] = 1  # no two words together
    file = report.write(
        topics,
        np.tile(shares, (N_DOCUMENTS, 1)),
        WORDS,
        counts=counts,
        path=tmp_path / "report.html",
    )
    shown = opened(file)
    assert shown.texts(".topics td.share span:last-child") == ["100%", "0.2%", "0.01%", "<0.01%"]
    negative = shown.texts(".topics td:last-child")
    assert all(text.startswith("\N{MINUS SIGN}0.") for text in negative)


def test_coherence_is_beside_that_of_random_words(opened, tmp_path):
    topics = corpus().topics.copy()
    topics[2, :24] = np.tile([0.1, *[0.01] * 7], 3)  # words of all three
    topics[2, [1, 9, 17]] = 0.09
    topics[2, [2, 10, 18]] = 0.08
    topics[2, 24:] = 0
    topics = np.vstack([topics, topics[2]])  # hardly used, so the median is of the others
    proportions = np.column_stack([corpus().proportions, np.zeros(N_DOCUMENTS)])
    changed = {"topics": topics, "proportions": proportions}
    file = report.write(**arguments(**changed, path=tmp_path / "report.html"))
    content = data_of(file)
    assert [doubt[:2] for doubt in content["doubts"] if doubt[1] in ("empty", "incoherent")] == [
        [2, "incoherent"],
        [N_TOPICS, "empty"],
    ]
    own, chance, median = (
        f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
        for value in (
            content["coherence"][2],
            content["coherence_by_chance"][2],
            np.median(content["coherence"][:N_TOPICS]),
        )
    )
    shown = opened(file)
    shown.go("topic/2")
    said = shown.texts(".say")[0]
    assert f"{own}: at 1 they always occur together" in said
    assert (
        f"as common have {chance} on average, and half of the topics have at least {median}" in said
    )
    shown.go("check")
    why = f"(coherence {own}, random words {chance}, median of the topics {median})"
    assert any(why in text for text in shown.texts(".why"))


def test_a_vocabulary_of_ten_words_has_no_random_words(opened, tmp_path):
    file = report.write(
        corpus().topics[:, :10],
        corpus().proportions,
        WORDS[:10],
        counts=corpus().counts[:, :10],
        path=tmp_path / "report.html",
    )
    assert data_of(file)["coherence_by_chance"] == [None] * N_TOPICS
    shown = opened(file)
    shown.go("topic/0")
    assert "The coherence of its words is" in shown.texts(".say")[0]
    assert "Random words" not in shown.texts(".say")[0]


def test_dates_are_as_exact_as_they_were_given(opened, tmp_path):
    for dates, said in (
        ([2020 + row % 3 for row in range(N_DOCUMENTS)], "2020"),
        ([f"2020-{1 + row % 12:02d}" for row in range(N_DOCUMENTS)], "2020-01"),
        (corpus().dates, "2020-01-15"),
    ):
        file = report.write(**arguments(dates=dates, groups=None, path=tmp_path / f"{said}.html"))
        shown = opened(file)
        shown.go("documents")
        assert shown.texts(".facts")[0].startswith(f"{said} · ")


@pytest.mark.parametrize(("temperatures", "drawn"), [([3.0, 1.0], True), ([1.0, 1.0], False)])
def test_a_fit_without_tempering_has_no_course_of_temperatures(
    opened, tmp_path, temperatures, drawn
):
    fields = [("pass", float), ("temperature", float)]
    course = np.array(list(enumerate(temperatures)), fields)
    file = report.write(**arguments(history={"temperature": course}, path=tmp_path / "report.html"))
    shown = opened(file)
    shown.go("about")
    assert ("Temperature" in shown.texts("main h3")) == drawn


@pytest.mark.parametrize(("scores", "drawn"), [([np.nan, -3.0, -2.0], 1), ([np.nan] * 3, 0)])
def test_a_course_is_of_the_values_that_are_known(opened, tmp_path, scores, drawn):
    course = np.array(list(enumerate(scores)), [("pass", float), ("score", float)])
    file = report.write(**arguments(history={"score": course}, path=tmp_path / "report.html"))
    pictures = opened(file).go("about").locator(".chart svg")
    assert pictures.count() == drawn
    for picture in pictures.all():
        assert picture.get_attribute("aria-label") == (
            "Score: from \N{MINUS SIGN}3.00 to \N{MINUS SIGN}2.00 over 2.0 passes."
        )


@pytest.mark.parametrize("n_fits", [1, 2])
def test_of_topics_that_other_fits_lack_the_similarity_to_the_partner_is_said(
    opened, tmp_path, n_fits
):
    other = np.roll(corpus().topics, 4, axis=1)
    file = report.write(**arguments(other_topics=[other] * n_fits, path=tmp_path / "report.html"))
    distance = match_topics(corpus().topics, other).distance
    shown = opened(file)
    shown.go("check")
    said = [text for text in shown.texts(".why") if "partner" in text]
    assert len(said) == (distance > 0.65).sum() > 0
    for text, value in zip(said, distance[distance > 0.65], strict=True):
        assert f"{1 - value:.2f}" in text
        assert ("mean similarity" in text) == (n_fits > 1)


def test_downloads_hold_the_topics(opened, file):
    page = opened(file).go("about")
    with page.expect_download() as download:
        page.get_by_role("button", name="Topics (CSV)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["topic"]) for row in rows] == list(range(N_TOPICS))
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1, abs=1e-5)
    with page.expect_download() as download:
        page.get_by_role("button", name="Topics (JSON)").click()
    assert len(json.loads(Path(download.value.path()).read_text("utf-8"))) == N_TOPICS


@pytest.mark.parametrize("sign", [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_downloads_have_no_formulas(opened, tmp_path, sign):
    label = f'{sign}HYPERLINK("https://example.com")'
    given = arguments(path=tmp_path / "formulas.html", labels={0: label, 1: "-1.5"})
    page = opened(report.write(**given)).go("about")
    with page.expect_download() as download:
        page.get_by_role("button", name="Topics (CSV)").click()
    text = Path(download.value.path()).read_bytes().decode("utf-8-sig")
    labels = [row["label"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert labels[:2] == [f"'{label}", "-1.5"]


def test_the_keyboard_alone_reaches_words_documents_and_labels(opened, file):
    page = opened(file).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    # The circle on the map that Tab stops at, and another by an arrow.
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('svg') !== null"):
            break
    first = page.evaluate("document.activeElement.getAttribute('href')")
    moved = set()
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        moved.add(page.evaluate("document.activeElement.getAttribute('href')"))
    assert moved > {first}
    page.keyboard.press("Enter")
    page.wait_for_selector("main.view-topic")
    assert page.evaluate("document.activeElement.tagName") == "H2"
    before = page.locator(".word-list .word").all_text_contents()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "lambda":
            break
    page.keyboard.press("Home")
    assert page.locator(".slider output").text_content() == "λ 0.00"
    assert page.locator(".word-list .word").all_text_contents() != before


HOSTILE = [
    "</script><script>window.hit=1</script>",
    '<img src=x onerror="window.hit=1">',
    "a\u2028b\u2029c",
    "\u202egnorw\u202c",
    "=HYPERLINK(1)",
    "__proto__",
    "\ud800 half of a pair",
    "&amp; {{7*7}} ${7*7}",
]


def test_hostile_text_stays_text(opened, tmp_path):
    words = [*HOSTILE, *WORDS[len(HOSTILE) :]]
    texts = [f"{HOSTILE[row % len(HOSTILE)]} moon" for row in range(N_DOCUMENTS)]
    file = report.write(
        **arguments(
            path=tmp_path / "hostile.html",
            words=words,
            documents=texts,
            names=texts,
            groups=texts,
            labels=[HOSTILE[0], HOSTILE[1], ""],
            title=HOSTILE[0],
            parameters={HOSTILE[0]: HOSTILE[1]},
        )
    )
    shown = opened(file)
    assert shown.texts("h1") == [HOSTILE[0]]
    for view in VIEWS:
        shown.go(view)
        assert shown.page.evaluate("window.hit") is None
        assert shown.page.locator("main img, main script").count() == 0
    shown.go("topic/0")
    assert HOSTILE[0] in shown.texts(".word-list .word")
    shown.go("documents")
    assert texts[0] in shown.texts("article h3")


@pytest.mark.parametrize("view", ["nonsense", "topic/99", "time", "documents"])
def test_an_address_that_the_report_lacks_leads_to_the_topics(opened, tmp_path, view):
    some = arguments(dates=None, documents=None, names=None, path=tmp_path / "some.html")
    page = opened(report.write(**some)).go(view)
    assert page.locator("table.topics").is_visible()
    assert page.locator("header nav a[aria-current]").all_text_contents() == ["Topics"]


@pytest.mark.parametrize("width", [390, 1920])
def test_no_view_is_wider_than_the_window(opened, file, width):
    shown = opened(file, viewport={"width": width, "height": 800})
    for view in VIEWS:
        page = shown.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_the_names_of_all_views_are_in_sight_on_a_narrow_screen(opened, file):
    shown = opened(file, viewport={"width": 390, "height": 800})
    for view in VIEWS:
        page = shown.go(view)
        assert page.locator("header nav a[aria-current]").count() == 1
        for link in page.locator("header nav a").all():
            place = link.bounding_box()
            assert place["x"] >= 0
            assert place["x"] + place["width"] <= 390


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", {}), ("dark", {"runOnly": "color-contrast"})]
)
def test_axe_finds_no_violation(opened, file, scheme, rules):
    if not AXE.exists():
        pytest.skip("needs axe-core: npm ci in page/")
    shown = opened(file, color_scheme=scheme)
    shown.page.evaluate(AXE.read_text(encoding="utf-8"))
    for view in VIEWS:
        found = shown.go(view).evaluate(
            "rules => axe.run(rules).then(({violations}) => violations)", rules
        )
        assert [
            (v["id"], v["nodes"][0]["html"], v["nodes"][0]["failureSummary"]) for v in found
        ] == []


def test_five_hundred_topics_open(opened, tmp_path):
    rng = np.random.default_rng(0)
    n, n_words = 500, 2000
    topics = rng.dirichlet(np.full(n_words, 0.05), n).astype(np.float32)
    file = report.write(
        topics,
        rng.dirichlet(np.full(n, 0.05), 1000),
        [f"word{v}" for v in range(n_words)],
        path=tmp_path / "large.html",
    )
    shown = opened(file)
    assert len(shown.texts(".topics tbody tr")) == n
    set_slider(shown.go("topic/499"), 0.3)
    assert len(shown.texts(".word-list .word")) == 30


def test_without_documents_dates_and_groups_their_views_are_absent(opened, tmp_path):
    bare = arguments(documents=None, names=None, dates=None, groups=None, counts=None)
    shown = opened(report.write(**bare, path=tmp_path / "bare.html"))
    assert shown.texts("header nav a") == ["Topics", "To check", "How it was made"]
    for view in VIEWS:
        shown.go(view)
