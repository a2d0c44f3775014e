"""The HTML file: the page's code and style, the data, and a policy that forbids all else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="topictemper {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>This report needs JavaScript. It makes no requests.</noscript>
<div id="app" aria-busy="true"></div>
<script type="text/plain" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(content: dict[str, Any]) -> bytes:
    """Return the HTML file of what `write` has gathered.

    Words and documents are in the compressed data only, in an alphabet without markup. The title
    is escaped.
    """
    script, style = _asset("report.js"), _asset("report.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # UTF-8 has no halves of surrogate pairs: they become "?". The time in the header of gzip is 0,
    # so that the same report has the same bits.
    compressed = gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)
    data = base64.b64encode(compressed).decode("ascii")
    return _PAGE.format(
        policy=policy,
        version=escape(content["version"]),
        title=escape(content["title"]),
        style=style,
        data=data,
        script=script,
    ).encode("utf-8", "replace")


def _asset(name: str) -> str:
    return (files(__package__) / "_assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")
