"""Tables of texts."""

import csv
import io
import json


def as_table(lines, name):
    """The lines as the column `body` of a table, some of them broken in two, and its content."""
    broken = [line.replace(" ", "\n", 1) if d % 5 else line for d, line in enumerate(lines)]
    rows = [{"id": d, "body": text, "day": f"2020-01-{d}"} for d, text in enumerate(broken)]
    if name.split(".")[1] in ("json", "jsonl", "ndjson"):
        texts = [json.dumps(row) for row in rows]
        whole = "[" + ",\n".join(texts) + "]" if name.endswith(".json") else "\n".join(texts)
        return whole.encode()
    out = io.StringIO(newline="")
    delimiter = {"tsv": "\t", "tab": "\t", "csv": ","}[name.lower().split(".")[1]]
    delimiter = ";" if name.startswith("semicolons") else delimiter
    writer = csv.DictWriter(out, ["id", "body", "day"], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-16" if name.startswith("wide") else "utf-8")
