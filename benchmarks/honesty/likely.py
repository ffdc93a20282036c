"""How often what is likely, and what is guaranteed, about the first model holds on random parts of real tasks.

Usage: python benchmarks/honesty/likely.py [--runs 24] [--budget 100] [--figure FILE.svg] [--keep FILE]
       [--abstain ANSWER] [--first 0] [task ...]

Runs of `pooled`, another part of the pool in each, measured by `adjudge.simulate` after every label. A row for each
task and number of labels: the likely loss (its mean, and the share of runs in which the true loss was no larger), the
expected and the true loss, the guaranteed loss and the models that may be best, each with the share of runs in which
it held. Then the same over all tasks, and the rule `likely within 0.01` looked at after every label: how many runs it
stopped, after how many labels, and how many of these were truly within a point. With `--figure`, what was said against
what was so.
"""

from pathlib import Path

import numpy as np
from played import Table, asked, random_part, tasks

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.decisions.recommend import FEWEST
from adjudge.experiments.outputs import Figure, Line, Panel
from adjudge.io import atomic_write
from adjudge.simulation.measures import PROMISES
from adjudge.simulation.simulate import simulate

LOOKS = (10, 20, 40, 70, 100)
MARGIN = 0.01
CURVES = (*PROMISES, "regret")


def run(pool: Predictions, truth: FloatArray, budget: int, seed: int) -> list[list[str]]:
    """The curves of one part at each look, then the label at which the rule stopped (0: never) and the loss there."""
    part, labels = random_part(pool, truth, seed)
    curves = simulate(part, labels, "pooled", min(budget, len(labels)), 1, seed=seed, workers=1).curves
    cells = [curves[name][0, min(look, curves[name].shape[1] - 1)] for look in LOOKS for name in CURVES]
    within = np.flatnonzero(curves["likely_loss"][0, FEWEST:] <= MARGIN + 1e-9)
    at = FEWEST + int(within[0]) if within.size else 0
    return [[f"{cell:.5g}" for cell in (*cells, at, curves["regret"][0, at])]]


def shown(rows: FloatArray) -> list[str]:
    """(runs, curves): means over runs, nan left out."""
    known = [column[~np.isnan(column)] for column in rows.T]
    return [f"{column.mean():.4f}" if column.size else "-" for column in known]


def stops(name: str, rows: FloatArray, table: Table) -> None:
    """(runs, 2): the label at which the rule stopped, and the loss there."""
    stopped = rows[:, 0] > 0
    labels, held = np.where(stopped, rows[:, 0], np.inf), rows[stopped, 1] <= MARGIN + 1e-9
    cells = [f"{stopped.mean():.2f}", f"{np.median(labels):.0f}", f"{held.mean():.3f}" if held.size else "-"]
    table.rows([(name,)], lambda: [cells])


def draw(told: FloatArray, file: Path) -> None:
    """(runs, looks, curves): what was said about the loss, in ranges of equal numbers of runs, against what was so."""
    import vl_convert

    from adjudge.reports.figures import figure

    panels, ends = [], np.array([0.0, 100.0])
    for place, look in enumerate(LOOKS):
        said, lost = 100 * told[:, place, PROMISES.index("expected_loss")], 100 * told[:, place, -1]
        groups = np.array_split(np.argsort(said), 8)
        expected, true = (np.array([each[group].mean() for group in groups]) for each in (said, lost))
        reach = np.array([0.0, max(expected.max(), true.max())]) if len(ends) else ends
        panels.append(Panel(f"{look} labels", (Line("mean loss", expected, true), Line("honest", reach, reach))))
    drawn = Figure("likely", "Expected loss", "expected loss, points", "true loss, points", tuple(panels))
    with atomic_write(file) as out:
        out.write(vl_convert.vegalite_to_svg(figure(drawn).to_dict()).encode())


def main() -> None:
    parser = asked(__doc__, runs=24)
    parser.add_argument("--budget", type=int, default=max(LOOKS))
    parser.add_argument("--figure", type=Path, help="an SVG file to draw into")
    parser.add_argument("--abstain", action="append", default=[], help="an answer that is none, such as '(none)'")
    parser.add_argument("--first", type=int, default=0, help="seed of the first part, for parts of which none was seen")
    wanted = parser.parse_args()
    seeds = range(wanted.first, wanted.first + wanted.runs)
    kept = Table(("task", "seed", "cells"), wanted.keep)
    told: dict[str, FloatArray] = {}
    for name, pool, truth in tasks(wanted.tasks, wanted.abstain):
        for seed in seeds:
            kept.rows([(name, wanted.budget, seed)], run, pool, truth, wanted.budget, seed)
        cells = [kept.cells(name, wanted.budget, seed) for seed in seeds]
        told[name] = np.array(cells, dtype=np.float64)
    every = {**told, "all": np.concatenate(list(told.values()))}
    print()
    table = Table(("task", "labels", *(name.replace("_", " ") for name in PROMISES), "true loss"))
    for name, rows in every.items():
        looks = rows[:, :-2].reshape(len(rows), len(LOOKS), len(CURVES))
        for place, look in enumerate(LOOKS):
            table.rows([(name, look)], lambda each: [shown(each)], looks[:, place])
    print()
    table = Table(("task", "stopped", "median labels", "of these within a point"))
    for name, rows in every.items():
        stops(name, rows[:, -2:], table)
    if wanted.figure:
        draw(every["all"][:, :-2].reshape(-1, len(LOOKS), len(CURVES)), wanted.figure)


if __name__ == "__main__":
    main()
