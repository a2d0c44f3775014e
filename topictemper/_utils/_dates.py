"""Text of dates, as it is meant."""

from __future__ import annotations

import re
from datetime import date


def iso_date(text: str) -> str:
    """Return a date as ISO text for NumPy, or raise ValueError.

    NumPy takes any run of digits for a year, such as 20240531 or the seconds of a Unix time, and
    words such as "today" for dates.
    """
    if re.fullmatch(r"\d{8}", text):
        return date.fromisoformat(text).isoformat()
    if not re.match(r"[+-]?\d", text) or re.fullmatch(r"[+-]?\d{5,}", text):
        raise ValueError(f"{text!r} is no ISO date")
    return text
