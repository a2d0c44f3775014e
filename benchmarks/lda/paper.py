"""LDA experiments of the papers: figure 2 of Variational Tempering, figures 4 and 5 of DASVI.

    python -m benchmarks.lda.paper --data DATA --work WORK            # all of arXiv, K = 500: hours
    python -m benchmarks.lda.paper --data DATA --work WORK --quick    # 40,000 rows, K = 100

Held-out predictive log-likelihood against effective passes and against seconds of training, and
the course of the temperature. Minibatches of 100, tau = 1024, kappa = 0.7; alpha = eta = 1/K as in
Variational Tempering, or alpha = 0.01 and eta = 1 as in DASVI. AVI starts at T = 3.9, the mean of
that paper's grid, and cools linearly without its steps of 1,000 minibatches; VT and LVT find where
to start, and their bound ends after 0.4 of all passes. Every run keeps its model in WORK and goes
on from there after an interruption, with the same course only. Writes paper_CORPUS.csv and PNGs
into WORK, or into OUT, anew at every point; `--out benchmarks/results` replaces those of the guide.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

import topictemper
from topictemper import TemperedLDA
from topictemper.persistence._models import plain_parameters
from topictemper.tempering import Annealing, GlobalTempering, LocalTempering, PosteriorAnnealing

from .._common.corpora import load, machine, parser
from .._common.table import read_rows, write_rows

mpl.use("Agg")
import matplotlib.pyplot as plt

BATCH = 100
START = 3.9  # mean of 100 temperatures from 1 to 10 on an exponential scale
EARLY = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
FIELDS = ("figure", "run", "passes", "seconds", "temperature", "score")
Row = dict[str, Any]


def runs(n_components: int, n_passes: float) -> dict[tuple[str, str], dict[str, Any]]:
    """Figure and name of every run, and what is its own."""
    paper = {"doc_topic_prior": 1 / n_components, "topic_word_prior": 1 / n_components}
    length = 0.4 * n_passes
    result: dict[tuple[str, str], dict[str, Any]] = {("vt", "SVI"): {"tempering": "svi", **paper}}
    for t_a in (0.01, 0.1, 1.0):
        annealing = Annealing(max_temperature=START, length=t_a)
        result["vt", f"AVI, t_A = {t_a:g}"] = {"tempering": annealing, **paper}
    for normalizer in ("prior", "posterior"):
        tempering = GlobalTempering(normalizer=normalizer, inertia=0.05 * n_passes, length=length)
        result["vt", f"VT, {normalizer} normalizer"] = {"tempering": tempering, **paper}
    tempering = LocalTempering(inertia=0.15 * n_passes, length=length)
    result["vt", "LVT"] = {"tempering": tempering, **paper}
    theirs = {"doc_topic_prior": 0.01, "topic_word_prior": 1.0}
    for figure in ("dasvi lengths", "dasvi temperatures"):
        result[figure, "SVI"] = {**theirs, "tempering": "svi"}
    for figure, name, start, t_a in (
        *(("dasvi lengths", f"t_A = {t_a:g}", 2.0, t_a) for t_a in (0.05, 0.1, 0.25, 1.0)),
        *(("dasvi temperatures", f"T = {start:g}", start, 0.1) for start in (1.5, 2.0, 3.0, 5.0)),
    ):
        tempering = PosteriorAnnealing(schedule="exponential", max_temperature=start, length=t_a)
        result[figure, name] = {"tempering": tempering, **theirs}
    return result


def points(n_samples: int, n_passes: float) -> NDArray[np.int64]:
    """Documents seen at every score: whole minibatches, often in the first pass."""
    later = np.arange(1.25, n_passes + 1e-9, 0.25)
    wanted = np.array([*(p for p in EARLY if p <= n_passes), *later])
    counts = np.round(wanted * n_samples / BATCH).astype(np.int64) * BATCH
    return np.unique(np.maximum(counts, BATCH))


class Experiment:
    """The rows of one corpus, and how to make them."""

    def __init__(self, data: tuple[Any, Any], options: Any) -> None:
        self.X, self.X_test = (part.astype(np.float32) for part in data)
        self.options = options
        self.name = f"{options.corpus}-quick" if options.quick else options.corpus
        self.work = options.work / self.name
        self.work.mkdir(parents=True, exist_ok=True)
        self.path = options.out / f"paper_{self.name}.csv"
        self.rows: list[Row] = [
            {k: v if k in ("figure", "run") else float(v) for k, v in row.items()}
            for row in read_rows(self.path)
        ]

    def of(self, figure: str, name: str) -> list[Row]:
        """Points of a run."""
        return [row for row in self.rows if (row["figure"], row["run"]) == (figure, name)]

    def run(self, figure: str, name: str, settings: dict[str, Any]) -> None:
        """Start a run or go on with it."""
        options, n = self.options, self.X.shape[0]
        file = self.work / f"{figure} {name}.npz".replace(" ", "_").replace(",", "")
        goals = points(n, options.passes)
        done = self.of(figure, name)
        model, seen = (
            TemperedLDA(
                options.components,
                inference="vb",
                batch_size=BATCH,
                learning_offset=1024.0,
                learning_decay=0.7,
                total_samples=n,
                random_state=0,
                n_jobs=options.jobs,
                **settings,
            ),
            0,
        )
        if file.exists():
            begun: TemperedLDA = topictemper.load(file).set_params(n_jobs=options.jobs)
            if plain_parameters(begun.get_params(False)) != plain_parameters(
                model.get_params(False)
            ):
                raise SystemExit(
                    f"{file} was begun with another course (--passes) or --components: go on with "
                    "those, or give another --work"
                )
            model, seen = begun, begun.n_batch_iter_ * BATCH
        elif done and abs(done[-1]["passes"] * n - goals[-1]) < BATCH / 2:
            return
        if seen >= goals[-1]:
            return
        # What came after the model was last written down is done again.
        kept = [row for row in done if row["passes"] * n < seen + BATCH / 2]
        self.rows = [row for row in self.rows if row not in done] + kept
        seconds = kept[-1]["seconds"] if kept else 0.0
        for goal in goals[goals > seen]:
            while seen < goal:
                first = seen % self.whole
                last = min(self.whole, first + goal - seen)
                start = time.perf_counter()
                model.partial_fit(self.X[first:last])
                seconds += time.perf_counter() - start
                seen += last - first
            row = {
                "figure": figure,
                "run": name,
                "passes": round(seen / n, 6),
                "seconds": round(seconds, 2),
                "temperature": round(model.temperature_, 4),
                "score": round(model.score(self.X_test), 4),
            }
            self.rows.append(row)
            write_rows(self.path, FIELDS, self.rows)
            model.save(file)
            print(
                f"{figure:18} {name:25} pass {row['passes']:7.3f} of {options.passes:g} "
                f"{row['seconds']:9.1f} s  T = {row['temperature']:.3f}  {row['score']:.4f}",
                flush=True,
            )

    @property
    def whole(self) -> int:
        """Documents of a pass: whole minibatches."""
        return self.X.shape[0] // BATCH * BATCH

    def draw(self) -> None:
        """A figure for each paper."""
        title = f"{self.name}, {self.X.shape[0]:,} documents, K = {self.options.components}"
        self._draw(["vt"], ["passes", "seconds", "temperature"], "vt", title)
        figures = ["dasvi lengths", "dasvi temperatures"]
        self._draw(figures, ["passes", "temperature"], "dasvi", f"{title}, DASVI")

    def _draw(self, figures: list[str], kinds: list[str], name: str, title: str) -> None:
        figures = [f for f in figures if any(row["figure"] == f for row in self.rows)]
        if not figures:
            return
        shape = (len(figures), len(kinds))
        figure, panels = plt.subplots(
            *shape, figsize=(5 * shape[1], 4 * shape[0]), squeeze=False, layout="constrained"
        )
        for i, part in enumerate(figures):
            curves = dict.fromkeys(row["run"] for row in self.rows if row["figure"] == part)
            for panel, kind in zip(panels[i], kinds, strict=True):
                x, y = ("passes", kind) if kind == "temperature" else (kind, "score")
                for width, run in zip(np.linspace(3, 1, len(curves)), curves, strict=True):
                    rows = self.of(part, run)
                    bold = {"color": "black", "ls": "--"} if run == "SVI" else {}
                    panel.plot(
                        [row[x] for row in rows], [row[y] for row in rows], marker=".", ms=4,
                        lw=width, label=run, **bold,
                    )  # fmt: skip
                panel.set_xlabel({"passes": "effective passes", "seconds": "seconds"}[x])
                panel.set_ylabel("nats a held-out token" if y == "score" else "T")
                panel.grid(alpha=0.3)
                if y == "score":
                    scores = [row["score"] for row in self.rows if row["figure"] == part]
                    low = np.median(scores)  # the start would hide the differences at the end
                    panel.set_ylim(min(low, max(scores) - 0.3), max(scores) + 0.02)
            panels[i, -1].legend(fontsize=8)
        figure.suptitle(title, fontsize=10)
        figure.savefig(self.options.out / f"paper_{self.name}_{name}.png", dpi=110)
        plt.close(figure)


def main() -> None:
    """Run what is missing."""
    arguments = parser(__doc__, data="needed", seeds=None, jobs=2)
    arguments.add_argument(
        "--corpus", choices=["arxiv", "imdb", "20news"], default="arxiv", help="corpus in DATA"
    )
    arguments.add_argument(
        "--figures",
        nargs="+",
        choices=["vt", "dasvi"],
        default=["vt", "dasvi"],
        help="of which paper",
    )
    arguments.add_argument("--quick", action="store_true", help="40,000 rows, K = 100")
    arguments.add_argument("--components", type=int, help="K; none: 500, or 100 if quick")
    arguments.add_argument("--passes", type=float, default=4.0, help="effective passes")
    arguments.add_argument("--work", type=Path, required=True, help="folder of unfinished models")
    arguments.add_argument("--out", type=Path, help="folder of the results; none: WORK")
    options = arguments.parse_args()
    options.out = options.out or options.work
    options.components = options.components or (100 if options.quick else 500)
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine(options.jobs), flush=True)
    rows = 40_000 if options.quick else None
    experiment = Experiment(load(options.data, options.corpus, rows), options)
    for (figure, name), settings in runs(options.components, options.passes).items():
        if figure.split()[0] in options.figures:
            experiment.run(figure, name, settings)
            experiment.draw()


if __name__ == "__main__":
    main()
