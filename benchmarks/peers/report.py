"""Tables and the figure of `compare.py`, from the rows of its CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

OURS = "TemperedLDA"
SHOWN = 0.5  # nats below the best that the figure shows
Row = dict[str, Any]


def write(rows: list[Row], out: Path) -> None:
    """peers.md and, once a system has a score, peers.png."""
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    parts = [_machines(rows)]
    parts += [
        f"## {setting}\n\n{_budgets(rows, setting)}\n\n{_table(rows, setting)}"
        for setting in settings
    ]
    (out / "peers.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    if scored := [setting for setting in settings if means(rows, setting)]:
        _draw(rows, scored, out / "peers.png")


def means(rows: list[Row], setting: str) -> dict[str, list[tuple[float, float, str]]]:
    """Seconds, score and length of every system, means over seeds, by seconds."""
    groups: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        if row["setting"] == setting and row["score"]:
            # A budget's number of passes may differ from seed to seed.
            key = (row["system"], row["budget"], "" if row["budget"] else row["length"])
            point = (float(row["seconds"]), float(row["score"]))
            groups.setdefault(key, []).append(point)
    result: dict[str, list[tuple[float, float, str]]] = {}
    for (system, budget, length), points in groups.items():
        seconds, score = np.mean(points, axis=0)
        result.setdefault(system, []).append((seconds, score, length or f"{budget}x"))
    return {system: sorted(points) for system, points in result.items()}


def _machines(rows: list[Row]) -> str:
    versions = sorted({f"{row['system']} {row['version']}" for row in rows})
    machines = sorted({row["machine"] for row in rows})
    return (
        f"{'; '.join(machines)}. Versions: {', '.join(versions)}. Scores are nats a held-out token "
        "(document completion); seconds are wall time of training alone. A load over the threads "
        "used means that others were at work on the machine."
    )


def _budgets(rows: list[Row], setting: str) -> str:
    """Best score of every system within each budget, and what ours made of it."""
    points = means(rows, setting)
    budgets = [p for p in points.get(OURS, []) if p[2].endswith("x")]
    mark = [p for p in points.get("tomotopy", []) if p[2] == "200"]
    if not budgets or not mark:
        return ""
    lines = [
        f"| budget | {OURS} run for it | {' | '.join(points)} |",
        "|---" * (len(points) + 2) + "|",
    ]
    for taken, reached, label in budgets:
        limit = float(label[:-1]) * mark[0][0]
        cells = [f"{reached:.3f} in {taken:.1f} s"]
        for group in points.values():
            within = [score for seconds, score, _ in group if seconds <= limit]
            cells.append(f"{max(within):.3f}" if within else "")
        lines.append(f"| {label} ({limit:.1f} s) | {' | '.join(cells)} |")
    lines.append(
        "\nThe best score of any run within the time; the passes of the run for a budget were "
        "foretold from shorter runs, and it may end late on a busy machine."
    )
    return "\n".join(lines)


def _table(rows: list[Row], setting: str) -> str:
    lines = [
        "| system | length | threads | seconds | score | load | |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['system']} | {row['length']} {row['unit']}"
        f"{', seed ' + row['seed'] if row['seed'] != '0' else ''} | {row['threads']} "
        f"| {row['seconds']} | {row['score']} | {row['load']} "
        f"| {row['note'] or (row['budget'] and row['budget'] + 'x tomotopy 200')} |"
        for row in rows
        if row["setting"] == setting
    ]
    return "\n".join(lines)


def _draw(rows: list[Row], settings: list[str], path: Path) -> None:
    """Score against seconds, a panel for each setting; the front of the peers in gray."""
    figure, panels = plt.subplots(
        1, len(settings), figsize=(5.2 * len(settings), 4.6), squeeze=False
    )
    systems = list(dict.fromkeys(row["system"] for row in rows))
    styles = dict(zip(systems, [f"C{i}" for i in range(len(systems))], strict=True))
    for panel, setting in zip(panels[0], settings, strict=True):
        points = means(rows, setting)
        best = max(score for group in points.values() for _, score, _ in group)
        peers = sorted(
            (s, score) for n, group in points.items() if OURS not in n for s, score, _ in group
        )
        last = max(s for group in points.values() for s, _, _ in group)
        if peers:
            x, y = np.array(peers).T
            front = np.maximum.accumulate(y)
            panel.step([*x, last], [*front, front[-1]], where="post", color="0.8", lw=5, zorder=0,
                       label="best peer so far")  # fmt: skip
        for name, group in points.items():
            x, y, _ = zip(*group, strict=True)
            bold = {"lw": 2.4, "zorder": 3} if name == OURS else {"lw": 1.2}
            panel.plot(x, y, "o-", ms=4, color=styles[name], label=name, **bold)
            for seconds, score, _ in group:
                if score < best - SHOWN:  # below the panel: say where
                    panel.annotate(
                        f"{score:.2f}", (seconds, best - SHOWN), (0, 6), xycoords="data",
                        textcoords="offset points", color=styles[name], fontsize=7, ha="center",
                        arrowprops={"arrowstyle": "<-", "color": styles[name], "lw": 0.6},
                    )  # fmt: skip
        panel.set_xscale("log")
        panel.set_ylim(best - SHOWN, best + 0.03)
        panel.set_title(setting)
        panel.set_xlabel("seconds of training")
        panel.grid(alpha=0.3)
    panels[0, 0].set_ylabel("held-out log-likelihood, nats per token")
    handles, labels = [], []
    for panel in panels[0]:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(
        handles,
        labels,
        loc="lower center",
        ncols=min(6, 2 * len(settings)),
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
