"""Calibration of the chance of being best: the chance that runs give their first model, and how often it is right.

Usage: python benchmarks/honesty/best.py [--runs 20] [--parts] [--keep FILE] [--figure FILE.svg] [task ...]

Runs of `pooled` with the goal `best` on six tasks, looked at after every ten labels; with `--parts` on random parts of
all tasks, another part in each run. A row for each run, with the highest chance that it gave to a model after 20, 50
and 100 labels and whether that model is the best of the pool, or exactly as good; then after how many labels the
chance was .9 for the first time (0: never), and whether that model is the best. Then a row for each task and a table
over all runs by what was said after 20, 50 and 100 labels; with `--figure` also as a picture.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
from played import SELECTORS, Table, asked, random_part, tasks

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.experiments.outputs import Figure, Line, Panel
from adjudge.inference.intervals import mid_p_interval, normal_quantile
from adjudge.io import atomic_write
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought

TASKS = ("pacs", "emotion_detection", "domain_drift", "glue_cola", "glue_rte", "glue_sst2")
LOOKS = range(10, 101, 10)
LABELS = (20, 50, 100)  # looks that are shown
SURE = 0.9  # a chance that people would act on
EDGES = (0.0, 0.3, 0.5, 0.7, SURE, 1.0)


def run(pool: Predictions, truth: FloatArray, draws: str, seed: int) -> list[list[str]]:
    """The highest chance, and 1 if that model is the best, at looks that are shown; the same of the first .9."""
    actual = (pool.values == truth).mean(axis=1)
    log, cells, sure = bought(SELECTORS[draws], pool, truth, max(LOOKS), seed), [], ["0", "0"]
    for rows in LOOKS:
        ranking = Pooled().rank(pool, log.head(rows))
        chance, first = ranking.chance_of_best, int(ranking.order[0])
        said = 0.0 if chance is None else float(chance[first])  # labels that refute the consensus leave no chance
        best = str(int(actual[first] >= actual.max() - 1e-12))
        if said >= SURE and sure[0] == "0":
            sure = [str(rows), best]
        cells += [f"{said:.4f}", best] if rows in LABELS else []
    return [cells + sure]


def by_task(told: dict[str, FloatArray]) -> None:
    """How often runs were sure, and how often they were right then.

    (runs, labels + 1, 2) is told about each task, last the label after which a run was sure for the first time.
    """
    at = [f"{what} at {rows}" for rows in LABELS for what in (f"{SURE:.1f} or more", "of these best")]
    table = Table(("task", *at, "ever", "best when first said"))
    for name, rows in (*told.items(), ("all", np.concatenate(list(told.values())))):
        views = [(rows[:, place], SURE) for place in range(len(LABELS))] + [(rows[:, -1], 1)]
        table.rows([(name,)], lambda cells: [cells], [cell for view in views for cell in _shares(*view)])


def _shares(view: FloatArray, least: float) -> list[str]:
    sure = view[:, 0] >= least
    return [f"{sure.sum()} of {len(sure)}", f"{view[sure, 1].mean():.2f}" if sure.any() else "-"]


def reliability(rows: FloatArray) -> list[tuple[float, float, float, float, int]]:
    """For each range of chances: mean chance, share of best models, its 95% interval, and looks; nan if unused."""
    said, right = rows[..., 0].ravel(), rows[..., 1].ravel()
    found = []
    for start, end in pairwise(EDGES):
        here = (said >= start) & ((said < end) | (end == EDGES[-1]))
        count, share = int(np.count_nonzero(here)), right[here].mean() if here.any() else np.nan
        low, high = mid_p_interval(np.array([share]), np.array([float(count)]), normal_quantile(0.95))
        found.append((said[here].mean() if here.any() else np.nan, share, low[0], high[0], count))
    return found


def by_chance(rows: FloatArray) -> None:
    table = Table(("said", "looks", "mean chance", "best", "95% interval"))
    for (start, end), (said, share, low, high, count) in zip(pairwise(EDGES), reliability(rows), strict=True):
        if count:
            cells = [str(count), f"{said:.2f}", f"{share:.2f}", f"{low:.2f} to {high:.2f}"]
            table.rows([(f"{start:.1f} to {end:.1f}",)], lambda cells: [cells], cells)


def draw(rows: FloatArray, file: Path) -> None:
    """What was said against what was so, a panel for each number of labels and one for all."""
    import vl_convert

    from adjudge.reports.figures import figure

    panels, ends = [], np.array([0.0, 1.0])
    named = [(f"{each} labels", rows[:, [place]]) for place, each in enumerate(LABELS)]
    for title, part in (*named, ("all", rows)):
        said, share, low, high = np.array([each[:-1] for each in reliability(part) if each[-1]]).T
        panels.append(Panel(title, (Line("share that is best", said, share, low, high), Line("honest", ends, ends))))
    drawn = Figure("best", "Chance of being best", "chance that was said", "share of runs", tuple(panels))
    with atomic_write(file) as out:
        out.write(vl_convert.vegalite_to_svg(figure(drawn).to_dict()).encode())


def main() -> None:
    parser = asked(__doc__, runs=20, draws=("best",))
    parser.add_argument("--parts", action="store_true", help="look at random parts of the pools")
    parser.add_argument("--figure", type=Path, help="an SVG file to draw into")
    wanted = parser.parse_args()
    at = [f"{what} at {rows}" for rows in LABELS for what in ("chance", "best")]
    table = Table(("task", "draws", "seed", *at, "sure after", "best"), wanted.keep)
    for draws in wanted.draws:
        told: dict[str, FloatArray] = {}
        for name, pool, truth in tasks(wanted.tasks or (() if wanted.parts else TASKS)):
            of = f"part of {name}" if wanted.parts else name  # both may be kept in one file
            for seed in range(wanted.runs):
                given = random_part(pool, truth, seed) if wanted.parts else (pool, truth)
                table.rows([(of, draws, seed)], run, *given, draws, seed)
            rows = [table.cells(of, draws, seed) for seed in range(wanted.runs)]
            told[name] = np.array(rows, dtype=np.float64).reshape(len(rows), len(LABELS) + 1, 2)
        every = np.concatenate(list(told.values()))[:, : len(LABELS)]
        print(f"\nruns of `{draws}`\n")
        by_task(told)
        print()
        by_chance(every)
        if wanted.figure:
            draw(every, wanted.figure)


if __name__ == "__main__":
    main()
