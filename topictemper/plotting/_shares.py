"""Shares of topics over time and by group."""

from __future__ import annotations

from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._utils._dates import PERIODS, name_of_period, period_numbers
from .._utils._typing import Column, Integers, Strings
from ..topics._checks import kind_of_shares
from ..topics._periods import Period
from ._axes import (
    COOL,
    GRID,
    MUTED,
    axes,
    chosen_topics,
    fit,
    inches,
    note_below,
    panels,
    percent,
    shortened_apart,
)

_COLUMNS = 4
_GAP = 0.46  # inches, for the numbers of the next panel
_FILLED = 0.4  # of a gap, by a title that is wider than its panel
_NAMES, _LETTER = 1.0, 0.058  # inches, for the names of groups, and for a letter of long ones
_LONGEST_NAME = 24
_NARROWEST = 5.0  # inches, for the line below
_NEEDED = {"topic", "label", "share", "low", "high", "documents"}
# Days that Matplotlib can draw.
_FIRST, _LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


class TopicSharesDisplay:
    """Shares of topics over time or by group, with their intervals: one panel for each topic.

    Over time each panel has its own scale, which begins at 0, and lines break where periods have no
    documents. A period is drawn at its beginning. Groups share one scale, and are in the order of
    the table. Bands and bars are the intervals of the table. Labels that are wider than their panel
    are shortened.

    Parameters
    ----------
    shares : DataFrame or Table
        From ``TemperedLDA.topics_over_time``, ``topics_by_group`` or the functions of
        `topictemper.topics`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that contain all panels.
    axes_ : ndarray of matplotlib Axes, of shape (n_topics,)
        The panels.
    figure_ : matplotlib Figure
        The figure.

    Raises
    ------
    ValueError
        If the table is not one of shares.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.plotting import TopicSharesDisplay
    >>> X = make_lda_corpus(200, 100, 5, random_state=0).counts
    >>> lda = TemperedLDA(5, max_iter=5, batch_size=20, random_state=0).fit(X)
    >>> shares = lda.topics_over_time(X, [2015 + i // 20 for i in range(200)])
    >>> display = TopicSharesDisplay(shares).plot(topics=4)
    >>> len(display.axes_)
    4
    >>> matplotlib.pyplot.close(display.figure_)
    """

    figure_: Any
    ax_: Any
    axes_: NDArray[Any]

    def __init__(self, shares: Any) -> None:
        self.by = kind_of_shares(shares, _NEEDED, of_periods={"unit"})
        if len(shares["topic"]) == 0:
            raise ValueError("shares must have a row for each topic, but has none")
        self.shares = shares

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        dates: Column | None = None,
        groups: Column | None = None,
        period: Period = "auto",
        topics: int | Integers | Strings = 8,
        ax: Any = None,
    ) -> Self:
        """Draw the shares of the topics of documents.

        Parameters
        ----------
        estimator : TemperedLDA or TopicModel
            The model.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts; of a `TopicModel` texts.
        dates : array-like of shape (n_samples,), optional
            The date of each document.
        groups : array-like of shape (n_samples,), optional
            The group of each document. Either `dates` or `groups` must be given.
        period : {"auto", "day", "week", "month", "quarter", "year"}, default="auto"
            As for ``topics_over_time``; for `dates` only.
        topics : int or sequence of int or str, default=8
            Topics to draw, by number or label, or how many of the largest topics to draw.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        TopicSharesDisplay
            The display, drawn.

        Raises
        ------
        TypeError
            If the estimator is of another library.
        ValueError
            If neither or both of `dates` and `groups` are given, or if one is invalid.
        ImportError
            If matplotlib is not installed.
        """
        if (dates is None) == (groups is None):
            raise ValueError("either dates or groups must be given")
        if not hasattr(estimator, "topics_by_group"):
            raise TypeError(
                "estimator must be a TemperedLDA or TopicModel; for one of another library draw "
                "TopicSharesDisplay(topictemper.topics.shares_by_group(model.transform(X), groups))"
            )
        if dates is not None:
            shares = estimator.topics_over_time(X, dates, period=period)
        elif period != "auto":
            raise ValueError(f"period={period!r} is for dates, not for groups")
        else:
            shares = estimator.topics_by_group(X, groups)
        return cls(shares).plot(ax, topics=topics)

    def plot(self, ax: Any = None, *, topics: int | Integers | Strings = 8) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        topics : int or sequence of int or str, default=8
            Topics to draw, by number or label, or how many of the largest topics to draw.

        Returns
        -------
        TopicSharesDisplay
            The display itself.

        Raises
        ------
        ValueError
            If there is no such topic, or if periods are of several units.
        """
        column = {name: np.asarray(self.shares[name]) for name in self.shares.columns}
        over_time = self.by == "period"
        unit = ""
        if over_time:
            column, unit = _in_order(column), _unit(column)
        numbers, first = np.unique(column["topic"], return_index=True)
        documents = column["share"] * column["documents"]
        sizes = np.array([documents[column["topic"] == k].sum() for k in numbers])
        chosen = chosen_topics(topics, numbers, sizes, column["label"][first])
        # In the order of the table.
        names = [] if over_time else list(dict.fromkeys(column[self.by]))
        columns = min(len(chosen), _COLUMNS)
        rows = ceil(len(chosen) / columns)
        panel_height = 1.35 if over_time else 0.75 + 0.2 * len(names)
        longest = max((len(str(name)) for name in names), default=0)
        beside = max(_NAMES, _LETTER * min(longest, _LONGEST_NAME)) if names else 0.0
        figure_width = max(2.3 * columns + beside, _NARROWEST)
        given = ax is not None
        ax = self.ax_ = axes(ax, (figure_width, panel_height * rows + 0.3))
        self.figure_ = ax.figure
        whole = inches(ax)[0] if given else figure_width - beside
        gap = min(_GAP / whole, 0.5 / columns)
        title, foot = 0.24 / panel_height, 0.3 / panel_height
        self.axes_, width = panels(ax, len(chosen), columns, gap=gap, title=title, foot=foot)
        room = whole * (width + _FILLED * gap)
        most = 1.05 * column["high"][np.isin(column["topic"], chosen)].max()
        for i, (topic, panel) in enumerate(zip(chosen, self.axes_, strict=True)):
            of_topic = column["topic"] == topic
            values = {name: each[of_topic] for name, each in column.items()}
            name = panel.set_title(
                values["label"][0], fontsize="medium", loc="left", parse_math=False
            )
            fit(name, room)
            if over_time:
                _draw_over_time(panel, values, unit)
            else:
                _draw_groups(panel, values, names, most, named=i % columns == 0)
            panel.tick_params(labelsize="x-small", colors=MUTED, length=2)
            panel.spines[["top", "right"]].set_visible(False)
        what = "each panel has its own scale" if over_time else "all panels have one scale"
        by = "of a topic"
        if unit in PERIODS:
            by = f"by {unit}"
            what += _common(column["period"], unit)
        note = f"share {by}, with its interval (by default 95%); {what}"
        note_below(ax, note, given=given)
        return self


def _in_order(column: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Rows by period, also of a table that was sorted, or read from a file with dates as text."""
    period = column["period"]
    if period.dtype.kind not in "iuf":
        column["period"] = period.astype("datetime64[s]")
    order = np.argsort(column["period"], kind="stable")
    return {name: each[order] for name, each in column.items()}


def _unit(column: dict[str, NDArray[Any]]) -> str:
    """What the periods of a table are."""
    units = np.unique(column["unit"].astype(str)).tolist()
    if len(units) > 1:
        raise ValueError(f"shares must have periods of one unit, got {' and '.join(units)}")
    return str(units[0])


def _common(period: NDArray[Any], unit: str) -> str:
    """The month or year that all periods begin in, which ticks do not repeat."""
    for code in "MY" if unit in ("day", "week") else "Y":
        found = np.unique(period.astype(f"datetime64[{code}]"))
        if len(found) == 1:
            return f"; all in {found[0]}"
    return ""


def _draw_over_time(panel: Any, values: dict[str, NDArray[Any]], unit: str) -> None:
    period, share = values["period"], values["share"]
    if period.dtype.kind == "M":
        if period.min() < _FIRST or period.max() > _LAST:
            raise ValueError("periods must be of the years 1 to 9999 to be drawn")
        period = period.astype(object)
    gaps = _gaps(values["period"])
    # A line that has no value in a gap: one of each run would take long if there are many.
    x = np.insert(period, gaps, period[gaps])
    y, low, high = (
        np.insert(values[name].astype(np.float64), gaps, np.nan)
        for name in ("share", "low", "high")
    )
    starts = np.array([0, *gaps])
    alone = starts[np.diff([*starts, len(period)]) == 1]  # without a band or a line
    ends = values["low"][alone], values["high"][alone]
    panel.vlines(period[alone], *ends, color=COOL, alpha=0.45, linewidth=3)
    panel.fill_between(x, low, high, color=COOL, alpha=0.25, linewidth=0)
    panel.plot(x, y, color=COOL, linewidth=1.3)
    dots = slice(None) if len(period) < 30 else alone
    panel.plot(period[dots], share[dots], ".", color=COOL)
    panel.set_ylim(0, 1.05 * values["high"].max())
    panel.yaxis.set_major_formatter(percent)
    panel.locator_params(axis="y", nbins=3)
    if len(period) < 3:  # where ticks of a scale would be between the periods
        panel.set_xticks(period, _names_of(values["period"], unit))
        panel.margins(x=0.2)
    elif values["period"].dtype.kind == "M":
        import matplotlib.dates

        dates: Any = matplotlib.dates
        locator = dates.AutoDateLocator(minticks=2, maxticks=5)  # fewer can be too few to choose
        panel.xaxis.set_major_locator(locator)
        formatter = dates.ConciseDateFormatter(locator, show_offset=False)
        if unit == "quarter":
            locator.intervald[dates.MONTHLY] = [3, 6]  # months between ticks
            formatter = _quarter_or_year
        panel.xaxis.set_major_formatter(formatter)
    else:
        panel.locator_params(axis="x", nbins=4, integer=True)
        panel.ticklabel_format(axis="x", style="plain", useOffset=False)


def _gaps(period: NDArray[Any]) -> NDArray[np.intp]:
    """Numbers of the periods before which there are some without documents."""
    steps = np.diff(period).astype(np.float64)
    # Months and years differ in length, but by less than half.
    usual = 1.5 * steps[steps > 0].min(initial=np.inf)
    return np.flatnonzero(steps > usual) + 1


def _draw_groups(
    panel: Any, values: dict[str, NDArray[Any]], names: list[Any], most: float, *, named: bool
) -> None:
    places = [names.index(group) for group in values["group"]]
    panel.hlines(places, values["low"], values["high"], color=COOL, alpha=0.45, linewidth=3)
    panel.plot(values["share"], places, "o", color=COOL, markersize=3.5)
    labels = shortened_apart(names, _LONGEST_NAME) if named else []
    panel.set_yticks(range(len(names)), labels or [""] * len(names), parse_math=False)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.set_xlim(0, most)
    panel.grid(axis="y", **GRID)
    panel.set_axisbelow(True)
    panel.xaxis.set_major_formatter(percent)
    panel.locator_params(axis="x", nbins=3)


def _names_of(periods: NDArray[Any], unit: str) -> list[str]:
    """Names of periods, such as 2024-05 or 2024 Q2."""
    if unit == "number":
        return [f"{period:g}" for period in periods]
    return [name_of_period(number, unit) for number in period_numbers(periods, unit).tolist()]


def _quarter_or_year(day: float, _: Any) -> str:
    """The label of a tick on the first day of a quarter: the year, or Q2 to Q4."""
    import matplotlib.dates

    dates: Any = matplotlib.dates
    date = dates.num2date(day)
    return str(date.year) if date.month < 4 else f"Q{(date.month + 2) // 3}"
