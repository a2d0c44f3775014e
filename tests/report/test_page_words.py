"""Words on the page: how much of a word is in a topic, which are marked and which are found."""

import numpy as np
import pytest

from tests.report.small_report import WORDS, arguments, corpus
from topictemper import report


def of_the_word(shown, topic):
    """The second percentage of each word of a topic."""
    words = shown.go(f"topic/{topic}").locator(".word-list .word").all_text_contents()
    parts = [float(text.strip("<%")) / 100 for text in shown.texts(".word-list .value.of")]
    return dict(zip(words, parts, strict=True))


def test_the_part_of_a_word_that_is_in_a_topic_is_of_words_not_of_documents(opened, tmp_path):
    """Ten long documents have all of the first words, ninety short ones all of the others."""
    topics = np.repeat([[0.1, 0.0], [0.0, 0.1]], 10, axis=1)
    theta = np.repeat([[1.0, 0.0], [0.0, 1.0]], [10, 90], axis=0)
    counts = theta @ topics * np.where(theta[:, :1], 20_000, 100)
    words = [f"w{column}" for column in range(20)]
    file = report.write(topics, theta, words, counts=counts, path=tmp_path / "lengths.html")
    shown = opened(file)
    parts = of_the_word(shown, 0)
    assert {word: parts[word] for word in words[:10]} == dict.fromkeys(words[:10], 1.0)


@pytest.mark.parametrize("counted", [True, False])
def test_the_part_of_a_word_is_that_of_its_occurrences(opened, tmp_path, counted):
    topics, theta = corpus().topics, corpus().proportions[:-2]
    lengths = np.linspace(5, 300, len(theta)).round() if counted else np.ones(len(theta))
    counts = theta @ topics * lengths[:, None] if counted else None
    file = report.write(topics, theta, WORDS, counts=counts, path=tmp_path / "words.html")
    of_topics = lengths @ theta
    expected = of_topics[:, None] * topics / (of_topics @ topics)
    shown = opened(file)
    for k in range(len(topics)):
        for word, part in of_the_word(shown, k).items():
            assert part == pytest.approx(expected[k, WORDS.index(word)], abs=0.0051)


@pytest.mark.parametrize("large", [0.4, 0.6, 0.97])
def test_words_of_a_large_topic_are_marked_and_found(opened, tmp_path, large):
    """Two topics with six words of their own and two in common."""
    words = WORDS[:6] + WORDS[8:14] + WORDS[24:26]
    topics = np.zeros((2, 14))
    topics[0, :6] = topics[1, 6:12] = 0.15
    topics[:, 12:] = 0.05
    theta = np.column_stack([np.full(20, large), np.full(20, 1 - large)])
    texts = [" ".join(words)] * 20
    shown = opened(report.write(topics, theta, words, documents=texts, path=tmp_path / "two.html"))
    for k in range(2):
        page = shown.go(f"topic/{k}")
        marked = page.locator("article").first.locator("mark").all_text_contents()
        assert marked == words[6 * k : 6 * k + 6]
    page = shown.go("topics")
    for term, found in (("moon", ["0"]), ("goal", ["1"]), ("people", ["0", "1"])):
        page.fill("#find-topic", term)
        numbers = page.locator(".topics tbody tr:visible .number").all_text_contents()
        assert sorted(numbers) == found


def test_words_of_the_only_topic_are_marked_and_found(opened, tmp_path):
    n_words = 400
    topic = np.random.default_rng(0).dirichlet(np.full(n_words, 0.3))[None]
    words = [f"word{column}" for column in range(n_words)]
    counts = np.random.default_rng(1).poisson(200 * topic, size=(30, n_words))
    file = report.write(
        topic,
        np.ones((30, 1)),
        words,
        counts=counts,
        documents=[" ".join(words)] * 30,
        path=tmp_path / "one.html",
    )
    shown = opened(file)
    page = shown.go("topic/0")
    first = page.locator("article").first
    first.get_by_role("button", name="Show all").click()
    marked = first.locator("mark").all_text_contents()
    assert {words[column] for column in np.argsort(-topic[0])[:100]} <= set(marked)
    page = shown.go("topics")
    page.fill("#find-topic", words[topic[0].argmax()])
    assert page.locator(".topics tbody tr:visible").count() == 1


NAMES = [
    "Faramea.occidentalis",
    "Postman, The (1997)",
    "Lawrence of Arabia",
    "Dr. Strangelove or: How I Learned to Stop Worrying",
    "c++",
]
APART = "ba\u0301n"  # Unicode has two ways to write an accented letter
WORDS_IN_TEXTS = {
    "cut by the tokeniser": (
        ["moon", "ipv", "pthread", "create", "ext4", "हिन्दी", "ප්\u200dරධාන", "شود"],
        "l'moon IPv6 pthread_create(): ext4 moonlight हिन्दी हिन्द ප්\u200dරධාන می\u200cشود",
        ["moon", "IPv", "pthread", "create", "ext4", "हिन्दी", "ප්\u200dරධාන", "شود"],
    ),
    "of several words": (
        NAMES,
        "; ".join([*NAMES, "Faramea", "Postman (1997)", "The Postman, The (1997)s", "C"]),
        NAMES,
    ),
    "without spaces": (
        ["天气", "公园", "公园里", "サーバー", "ภาษา", "smb"],
        "今天天气好,我们去公园里。smbd命令 smb命令 サーバーは ภาษาไทย",
        ["天气", "公园里", "smb", "サーバー", "ภาษา"],
    ),
    "with accents": (
        ["bán", "istanbul", "зв'язок", 'ארה"ב', "số".replace("ố", "o\u0302\u0301"), "\u1e96amza"],
        "ban bán BÁN İstanbul İSTANBUL зв'язок зв'язку ארה\"ב Số H\u0331amza " + APART,
        ["bán", "BÁN", "İstanbul", "İSTANBUL", "зв'язок", 'ארה"ב', "Số", "H\u0331amza", APART],
    ),
    "whose accents were taken off": (
        ["ete", "κλιμακα", "كتاب", "cafe noir"],
        "été Κλίμακα كِتَاب café, noir",
        ["été", "Κλίμακα", "كِتَاب", "café, noir"],
    ),
}


@pytest.mark.parametrize("of", WORDS_IN_TEXTS)
def test_words_are_marked(opened, tmp_path, of):
    words, text, marked = WORDS_IN_TEXTS[of]
    file = report.write(
        [[1] * len(words) + [0], [0] * len(words) + [1]],
        np.ones((5, 2)) / 2,
        [*words, "c"],
        documents=[text] * 5,
        path=tmp_path / "r.html",
    )
    page = opened(file).go("topic/0")
    assert page.locator("article").first.locator("mark").all_text_contents() == marked


def test_a_very_long_word_does_not_stop_the_page(opened, tmp_path):
    letters = "".join(chr(0x4E00 + i * 7919 % 5000) for i in range(20_000))
    words = [letters[40:43], letters[-4000:]]
    file = report.write(
        np.full((1, 2), 1 / 2),
        np.ones((5, 1)),
        words,
        documents=[letters] * 5,
        path=tmp_path / "r.html",
    )
    first = opened(file).go("topic/0").locator("article").first
    first.get_by_role("button", name="Show all").click()
    assert {*words} <= {*first.locator("mark").all_text_contents()}


def test_an_accent_alone_finds_all_topics(opened, tmp_path):
    shown = opened(
        report.write(
            np.eye(3),
            np.ones((2, 3)) / 3,
            WORDS[:3],
            labels=["two words", "b", "c"],
            path=tmp_path / "accent.html",
        )
    )
    page = shown.go("topics")
    page.fill("#find-topic", "\u00b4")  # before the letter is typed
    assert page.locator(".topics tbody tr:visible").count() == 3


# What readers type, and how texts have it.
SEARCHED = {
    "one character or two": ("caf\u00e9", "CAFE\u0301"),
    "no accents": ("tieng viet", "Tiếng Việt"),
    "accents": ("résumé", "resume"),
    "capitals": ("κλίμακα", "ΚΛΙΜΑΚΑ"),
    "a dot": ("istanbul", "İstanbul"),
    "vowels and a line": ("كتاب", "كِتـَاب"),
    "points": ("שלום", "שָׁלוֹם"),
    "width": ("python", "\uff30\uff39\uff34\uff28\uff2f\uff2e"),
    "soft hyphens": ("Geschwindigkeit", "Geschwin\u00addig\u00adkeit"),
}


@pytest.mark.parametrize("kind", SEARCHED)
def test_words_are_found_in_each_way_to_write_them(opened, tmp_path, kind):
    ways = SEARCHED[kind]
    words = [ways[0], *WORDS[:3]]
    topics, theta = [[0.4, 0.4, 0.1, 0.1]], np.ones((3, 1))
    path = tmp_path / "ways.html"
    texts = [f"a {way} b" for way in ways]
    shown = opened(report.write(topics, theta, words, documents=[*texts, "other"], path=path))
    for query in ways:
        page = shown.go("documents")
        page.fill("#search", query)
        page.keyboard.press("Enter")
        assert shown.texts(".tally-line")[0].startswith("2 documents")
        page = shown.go("topics")
        page.fill("#find-topic", query)
        assert page.locator(".topics tbody tr:visible").count() == 1


def test_vowels_of_hindi_and_sounds_of_japanese_are_no_accents(opened, tmp_path):
    texts = ["कल", "कला", "かき", "がき"]
    path = tmp_path / "ways.html"
    shown = opened(
        report.write(np.eye(3), np.ones((4, 3)) / 3, WORDS[:3], documents=texts, path=path)
    )
    for query, n in {"कला": 1, "かき": 1, "がき": 1}.items():
        page = shown.go("documents")
        page.fill("#search", query)
        page.keyboard.press("Enter")
        assert shown.texts(".tally-line")[0].startswith(f"{n} document")


@pytest.mark.parametrize("letter", ["𠮷", "ก\u0e34\u0e49"])
def test_excerpts_end_after_a_whole_letter(opened, tmp_path, letter):
    path = tmp_path / "excerpt.html"
    # 420 characters, of which this letter takes two or three.
    text = "x" + letter * 400
    shown = opened(
        report.write(np.eye(2), np.ones((1, 2)) / 2, WORDS[:2], documents=[text], path=path)
    )
    page = shown.go("documents")
    excerpt = page.locator("article p").filter(has_text="…").text_content().removesuffix(" …")
    assert len(excerpt) > 200
    assert excerpt == "x" + letter * ((len(excerpt) - 1) // len(letter))


def test_what_is_said_of_words_is_said_where_there_are_some(opened, tmp_path):
    file = report.write(**arguments(path=tmp_path / "report.html"))
    page = opened(file).go("documents?to=1999-12-31")
    nothing = page.get_by_text("Nothing found.")
    assert nothing.text_content() == "Nothing found."
    page.fill("#search", "nowhere")
    page.keyboard.press("Enter")
    assert "must have all of the words" in nothing.text_content()
