import copy
import sys

import numpy as np
import pytest

from topictemper._utils._tables import Table, aligned, format_table, printable, table

COLUMNS = {"topic": [0, 1], "share": [0.75, 0.25], "words": [["red", "sky"], ["sea", "fish"]]}


def test_pandas_if_it_is_there():
    pandas = pytest.importorskip("pandas")
    frame = table(COLUMNS)
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns.tolist() == list(COLUMNS)
    assert frame.words[1] == ["sea", "fish"]


def test_halves_of_characters():
    pytest.importorskip("pandas")
    frame = table({"word": ["sea", "\ud83d"], "topic": [0, 1], "share": [0.75, 0.25]})
    assert frame.word.tolist() == ["sea", "\ud83d"]
    assert [frame.topic.dtype.kind, frame.share.dtype.kind] == ["i", "f"]


def test_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    small = table(COLUMNS)
    assert isinstance(small, Table)
    assert (small.columns, len(small), list(small)) == (list(COLUMNS), 2, list(COLUMNS))
    assert small.share.dtype == np.float64
    assert small.row(1) == {"topic": 1, "share": 0.25, "words": ["sea", "fish"]}
    assert {**small}["topic"].tolist() == [0, 1]
    assert copy.deepcopy(small).words[0] == ["red", "sky"]
    with pytest.raises(ImportError):
        table(COLUMNS, "pandas")


def test_text_of_a_table():
    lines = repr(Table(COLUMNS)).splitlines()
    assert lines == [
        "topic  share  words",
        "    0   0.75  red sky",
        "    1   0.25  sea fish",
    ]
    assert repr(Table({"shares": [[0.8638097643852234, 0.5], []]})) == "shares\n0.8638 0.5\n"
    text = format_table(Table({"word": ["a\x1b[31m", "x" * 100]}), max_rows=1)
    assert text.splitlines()[1] == r"a\x1b[31m"
    assert text.endswith("... (2 rows)")


def test_notebooks_show_a_table():
    html = Table({"label": ["<b> & co"] * 30, "share": [0.12345] * 30})._repr_html_()
    assert "<th>label</th><th>share</th>" in html
    assert html.count("<tr><td>&lt;b&gt; &amp; co</td><td>0.1235</td></tr>") == 20
    assert html.endswith("<p>... (30 rows)</p>")
    assert "rows)" not in Table(COLUMNS)._repr_html_()


def test_tab_completion_lists_the_columns():
    small = Table(COLUMNS)
    assert {*COLUMNS, "row", "columns"} <= set(dir(small))
    assert small._ipython_key_completions_() == list(COLUMNS)


def test_cells_are_aligned_without_trailing_blanks():
    rows = [["name", "x", ""], ["a", "1.0", ""], ["bcdef", "-10.0", ""]]
    assert aligned(rows, {0}) == ["name       x", "a        1.0", "bcdef  -10.0"]


def test_what_is_no_table():
    with pytest.raises(ValueError, match="differ in length"):
        table({"a": [1], "b": [1, 2]})
    with pytest.raises(KeyError, match="'c' is not a column; there are"):
        Table({"a": [1]})["c"]
    with pytest.raises(AttributeError, match="no column 'c'"):
        _ = Table({"a": [1]}).c


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07\r\n", r"\x1b]0;title\x07\r\n"),
        ("\x7f\x9b31m", r"\x7f\x9b31m"),
        # Ends of lines, directions of writing, a byte order mark.
        ("\x85\u2028\u202e\u2066\u2069\ufeff", r"\x85\u2028\u202e\u2066\u2069\ufeff"),
        ("\udc80", r"\udc80"),
        ("10\u00a0km, 日本\u3000語", "10\u00a0km, 日本\u3000語"),
        ("ශ\u0dca\u200dරී, می\u200cشود", "ශ\u0dca\u200dරී, می\u200cشود"),
        ("\u200fתל! \u200e(C)\u061c", "\u200fתל! \u200e(C)\u061c"),
    ],
)
def test_what_a_terminal_would_follow_is_escaped(text, shown):
    assert printable(text) == shown


def test_wide_letters_and_marks_are_aligned():
    lines = aligned([["word", "x"], ["数据库", "1"], ["हिन्दी", "1"], ["cafe\u0301", "10"]], {0})
    assert lines == ["word     x", "数据库   1", "हिन्दी    1", "cafe\u0301    10"]


def test_long_cells_are_cut_by_their_width_and_not_before_a_mark():
    wide, marked = format_table(Table({"text": ["数" * 31, "ก\u0e34" * 61]})).splitlines()[1:]
    assert wide == "数" * 29 + "…"
    assert marked == "ก\u0e34" * 59 + "…"
    assert format_table(Table({"text": ["数" * 30]})).splitlines()[1] == "数" * 30
