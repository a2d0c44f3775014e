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
    parts += [f"## {setting}\n\n{_table(rows, setting)}" for setting in settings]
    (out / "peers.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    if scored := [setting for setting in settings if means(rows, setting)]:
        _draw(rows, scored, out / "peers.png")


def means(rows: list[Row], setting: str) -> dict[str, list[tuple[float, float]]]:
    """Seconds and score of every system, means over seeds, by seconds."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        if row["setting"] == setting and row["score"]:
            point = (float(row["seconds"]), float(row["score"]))
            groups.setdefault((row["system"], row["length"]), []).append(point)
    result: dict[str, list[tuple[float, float]]] = {}
    for (system, _), points in groups.items():
        seconds, score = np.mean(points, axis=0)
        result.setdefault(system, []).append((seconds, score))
    return {system: sorted(points) for system, points in result.items()}


def _machines(rows: list[Row]) -> str:
    versions = sorted({f"{row['system']} {row['version']}" for row in rows})
    machines = sorted({row["machine"] for row in rows})
    return (
        f"{'; '.join(machines)}. Versions: {', '.join(versions)}. Scores are nats a held-out token "
        "(document completion); seconds are wall time of training alone. A load over the threads "
        "used means that others were at work on the machine."
    )


def _table(rows: list[Row], setting: str) -> str:
    lines = [
        "| system | length | threads | seconds | score | load | |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['system']} | {row['length']} {row['unit']}"
        f"{', seed ' + row['seed'] if row['seed'] != '0' else ''} | {row['threads']} "
        f"| {row['seconds']} | {row['score']} | {row['load']} | {row['note']} |"
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
        best = max(score for group in points.values() for _, score in group)
        peers = sorted(
            (s, score) for n, group in points.items() if OURS not in n for s, score in group
        )
        last = max(s for group in points.values() for s, _ in group)
        if peers:
            x, y = np.array(peers).T
            front = np.maximum.accumulate(y)
            panel.step([*x, last], [*front, front[-1]], where="post", color="0.8", lw=5, zorder=0,
                       label="best peer so far")  # fmt: skip
        for name, group in points.items():
            x, y = zip(*group, strict=True)
            bold = {"lw": 2.4, "zorder": 3} if name == OURS else {"lw": 1.2}
            panel.plot(x, y, "o-", ms=4, color=styles[name], label=name, **bold)
            for seconds, score in group:
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
