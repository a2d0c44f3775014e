"""The command `shares`."""

import csv
import json

import numpy as np
import pytest

from topictemper import load

COLUMNS = ["topic", "label", "share", "low", "high", "documents"]


@pytest.fixture
def expected(model, lines):
    """The table that a `TopicModel` gives of the documents of `table`, as rows."""

    def expected(name, values, **settings):
        shares = getattr(load(model), name)(lines, values, **settings)
        columns = [np.asarray(shares[name]).tolist() for name in shares.columns]
        return [dict(zip(shares.columns, row, strict=True)) for row in zip(*columns, strict=True)]

    return expected


def assert_same(found, expected, first):
    assert [list(row) for row in found] == [[*first, *COLUMNS]] * len(expected)
    for row, other in zip(found, expected, strict=True):
        assert (int(row["topic"]), row["label"]) == (other["topic"], other["label"])
        assert int(row["documents"]) == other["documents"]
        shares = [float(row[name]) for name in ("share", "low", "high")]
        assert shares == pytest.approx([other[name] for name in ("share", "low", "high")], abs=1e-6)


def test_shares_by_group(run, model, table, expected):
    arguments = ("shares", model, table, "--column=body", "--group=who")
    status, out, err = run(*arguments, "--json")
    assert (status, err) == (0, "")
    rows = json.loads(out)
    by_hand = expected("topics_by_group", ["ab"[d % 2] for d in range(120)])
    assert_same(rows, by_hand, ["group"])
    assert [row["group"] for row in rows] == ["a"] * 3 + ["b"] * 3
    assert_same(list(csv.DictReader(run(*arguments, "--csv")[1].splitlines())), by_hand, ["group"])


def test_shares_over_time(run, model, table, expected):
    arguments = ("shares", model, table, "--column=body", "--date=day", "--period=year")
    status, out, err = run(*arguments, "--json")
    assert status == 0
    assert "1 of 120 documents left out: without a known word or without a date" in err
    rows = json.loads(out)
    days = [None, *(f"{2020 + d % 2}-01-01" for d in range(1, 120))]
    assert_same(rows, expected("topics_over_time", days, period="year"), ["period", "unit"])
    assert [row["period"] for row in rows] == ["2020-01-01"] * 3 + ["2021-01-01"] * 3
    text = run(*arguments)[1].splitlines()
    assert text[0].split() == ["period", *(name for name in COLUMNS if name != "label")]
    assert len(text) == 7
    assert text[1].startswith(f"  2020-01-01  0  {rows[0]['label']}  ")
    assert text[1].split()[-4:] == [
        *(f"{rows[0][name]:.1%}" for name in ("share", "low", "high")),
        "59",
    ]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_shares_with_weights(run, model, lines, tmp_path, expected, suffix):
    table = tmp_path / f"docs{suffix}"
    who, weights = ["ab"[d % 2] for d in range(120)], [0.25 + d % 7 for d in range(120)]
    weights[3] = 0
    if suffix == ".csv":
        rows = [f"{w},{line},{g}" for w, line, g in zip(weights, lines, who, strict=True)]
        table.write_text("\n".join(["w,body,who", *rows]))
    else:
        rows = zip(weights, lines, who, strict=True)
        table.write_text("\n".join(json.dumps({"w": w, "body": b, "who": g}) for w, b, g in rows))
    arguments = ("shares", model, table, "--column=body", "--group=who", "--weight=w")
    status, out, err = run(*arguments, "--json")
    assert status == 0
    message = "1 of 120 documents left out: without a known word or without a group, or of weight 0"
    assert message in err
    found = json.loads(out)
    assert_same(found, expected("topics_by_group", who, sample_weight=weights), ["group"])
    alike = expected("topics_by_group", who)
    assert abs(found[0]["share"] - alike[0]["share"]) > 0.001


@pytest.mark.parametrize(
    ("weight", "has"),
    [
        ("", "no weight"),
        ("1;5", "'1;5'"),
        ("-1", "'-1'"),
        ("inf", "'inf'"),
        ("boat " * 20, f"'{('boat ' * 20)[:41]}"),  # the column of the texts
    ],
)
def test_a_weight_that_is_none_names_its_document(fails, model, tmp_path, weight, has):
    table = tmp_path / "docs.csv"
    table.write_text(f"body,who,w\nriver,a,1\nriver,b,{weight}\n")
    arguments = ("shares", model, table, "--column=body", "--group=who", "--weight=w")
    message = fails(*arguments)
    assert "docs.csv: document 1 has " in message
    assert f"{has}; --weight takes numbers of at least 0, with a decimal point" in message


@pytest.mark.parametrize(("ending", "missing"), [("", ""), (".0", ""), ("", "NA")])
def test_years_are_years(run, model, lines, tmp_path, expected, ending, missing):
    table = tmp_path / "docs.csv"
    years = [2000 + d % 2 for d in range(120)]
    written = [f"{year}{ending}" for year in years]
    written[5] = missing
    rows = zip(lines, written, strict=True)
    table.write_text("body,year\n" + "".join(f"{line},{year}\n" for line, year in rows))
    arguments = ("shares", model, table, "--column=body", "--date=year")
    found = json.loads(run(*arguments, "--json")[1])
    by_hand = expected("topics_over_time", [None if d == 5 else y for d, y in enumerate(years)])
    assert_same(found, by_hand, ["period", "unit"])
    assert [row["period"] for row in found] == [row["period"] for row in by_hand]
    assert [row["period"] for row in found] == [2000] * 3 + [2001] * 3
    assert run(*arguments)[1].splitlines()[1].startswith("  2000  ")
    by_year = json.loads(run(*arguments, "--period=year", "--json")[1])
    assert by_year[0]["period"] == "2000-01-01"


def test_documents_without_a_group_are_left_out(run, model, tmp_path):
    table = tmp_path / "docs.csv"
    table.write_text("body,who\nriver boat,a\nunheard,a\nengine road,\n")
    status, out, err = run("shares", model, table, "--column=body", "--group=who", "--json")
    assert status == 0
    assert "2 of 3 documents left out" in err
    assert {(row["group"], row["documents"]) for row in json.loads(out)} == {("a", 1)}


@pytest.mark.parametrize(
    ("stars", "groups"),
    [
        (["9", "9.5", "10"], ["9", "9.5", "10"]),
        (["9", "b", "10"], ["10", "9", "b"]),
        ([5.0, None, 4.0], ["4", "5"]),  # whole numbers of a column with gaps
    ],
)
def test_numbers_are_in_order(run, model, tmp_path, stars, groups):
    table = tmp_path / "docs.jsonl"
    table.write_text("\n".join(json.dumps({"body": "river", "stars": each}) for each in stars))
    status, out, _ = run("shares", model, table, "--column=body", "--group=stars", "--json")
    assert status == 0
    rows = [(row["group"], row["topic"]) for row in json.loads(out)]
    assert rows == [(group, topic) for group in groups for topic in range(3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "one of the arguments --date --group is required"),
        ("--date=day --group=who", "--group: not allowed with argument --date"),
        ("--group=who --period=year", "--period is for --date"),
        ("--date=who", "docs.csv: dates must be dates"),
        ("--date=who", "document 0 has 'a'; convert other forms first"),
        ("--date=who", "or take names of periods, such as waves, as groups."),
        ("--group=who --weight=no", "docs.csv: --weight: no column 'no'"),
        ("--group=who --weight=who", "docs.csv: document 0 has the weight 'a'; --weight takes"),
        ("--date=day --period=decade", "--period: invalid choice: 'decade'"),
    ],
)
def test_shares_that_cannot_be(fails, model, table, options, message):
    assert message in fails("shares", model, table, "--column=body", *options.split())


def test_shares_of_no_documents(fails, model, matrix, tmp_path):
    table = tmp_path / "docs.csv"
    shares = ("shares", model, table, "--column=body", "--group=who")
    table.write_text("body,who\n")
    assert "docs.csv: no documents." in fails(*shares)
    table.write_text("body,who\nunheard words,a\n")
    assert "docs.csv: no document has a word of the vocabulary." in fails(*shares)
    table.write_text("body,who\nriver boat,\n")
    assert "docs.csv: no document has a group." in fails(*shares)
    table.write_text("body,who,w\nriver boat,a,0\n")
    message = "docs.csv: no document has a word of the vocabulary and a weight above 0."
    assert message in fails(*shares, "--weight=w")
    assert "--group is for text" in fails("shares", model, matrix, "--group=who")
    assert "--encoding is for text" in fails("score", model, matrix, "--encoding=utf-8")
