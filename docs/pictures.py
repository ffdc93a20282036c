"""Draw the charts of the site from real runs on docs/pools, and print the figures that its pages quote.

    python docs/pictures.py [labels] [likely] [hard] [peeking] [ranking]

Seeded, some minutes in all. Each chart is an SVG whose texts follow the colors of the page, light or dark.
"""

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import vl_convert

import adjudge
from adjudge.charts import Chart, curves_chart, ranked_chart
from adjudge.charts.chart import chart, top_legend
from adjudge.charts.colors import DRAWN, LIKELY, QUIET
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.registry import selector
from adjudge.simulation.loop import answers_of, budget, steps

HERE = Path(__file__).resolve().parent
POINTS = 100
# An image follows the scheme of the page around it, so both schemes are inside.
STYLE = """<style>
text { fill: #1f2328 } .role-axis-grid line, .role-axis-tick line, .role-axis-domain line { stroke: #c9d1d9 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .role-axis-grid line, .role-axis-tick line, .role-axis-domain line { stroke: #3d444d }
}
</style>"""


def write(name: str, drawn: Chart) -> None:
    svg = vl_convert.vegalite_to_svg(drawn.to_dict())
    head, body = svg.split(">", 1)
    (HERE / "images" / f"{name}.svg").write_text(f"{head}>{STYLE}{body}", encoding="utf-8")


def digits() -> tuple[Predictions, FloatArray]:
    """The pool of the how-to pages, and its truth as codes of classes."""
    pool = adjudge.read(HERE / "pools" / "digits.csv")
    with (HERE / "pools" / "digits-truth.csv").open(encoding="utf-8", newline="") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    return pool, np.array([classes(pool).index(label) for label in labels], np.float64)


def classes(pool: Predictions) -> tuple[str, ...]:
    assert pool.classes is not None
    return pool.classes


def accuracies(pool: Predictions, truth: FloatArray) -> FloatArray:
    return np.asarray((np.asarray(pool.values) == truth).mean(1), np.float64)


def bought(pool: Predictions, truth: FloatArray, count: int, seed: int, **options: Any) -> Labels:
    """As many labels as `adjudge select` would ask for, one by one."""
    picker = selector("pooled", options).start(pool, Labels.empty(len(truth)), count, seed)
    *_, labels = steps(picker, answers_of(truth), budget(count), Labels.empty(len(truth)))
    return labels


def labels() -> None:
    """What the first model lacks to the best, by the number of labels."""
    pool, truth = digits()
    curves = {}
    for method, name in {"pooled": "adjudge", "random": "random samples"}.items():
        runs = adjudge.simulate(pool, truth, method, 40, 12).curves["regret"][:, 1:] * POINTS
        error = runs.std(0, ddof=1) / np.sqrt(len(runs))
        curves[name] = [
            {"labels": at + 1, "mean": mean, "low": max(mean - 2 * wide, 0), "high": mean + 2 * wide}
            for at, (mean, wide) in enumerate(zip(runs.mean(0).tolist(), error.tolist(), strict=True))
        ]
        print(f"{name}: points lost at 5, 10, 20, 40 labels:", runs.mean(0)[[4, 9, 19, 39]].round(2))
        print(f"  within a point of the best: {(runs <= 1).mean(0)[[4, 9, 19, 39]].round(2)}")
    write("home-labels", curves_chart(curves, "points worse than the best model", width=320))


def ranking() -> None:
    """The ranked plot after 40 labels, its first twelve models."""
    pool, truth = digits()
    plan = adjudge.select(pool, 40)  # all at once, as on the page
    answers = {pool.samples[place]: classes(pool)[int(truth[place])] for place in plan.sample.tolist()}
    found = adjudge.rank(pool, adjudge.fill(plan, pool, answers))
    write("start-ranking", ranked_chart(found.rows()[:12], 0.95, "points", width=420))


def likely() -> None:
    """How far the first model may be from the best: likely, guaranteed, and in truth."""
    pool, truth = digits()
    value = accuracies(pool, truth)
    looks, runs = (10, 20, 40, 80, 120, 160), 4
    rows: dict[str, FloatArray] = {name: np.zeros((runs, len(looks))) for name in ("guaranteed", "likely", "in truth")}
    for run in range(runs):
        log = bought(pool, truth, looks[-1], run)
        for at, count in enumerate(looks):
            told = adjudge.rank(pool, log.head(count)).recommendation
            assert told is not None
            rows["guaranteed"][run, at] = 1 if told.guaranteed_loss is None else told.guaranteed_loss
            rows["likely"][run, at] = told.likely_loss or 0
            rows["in truth"][run, at] = value.max() - value[pool.models.index(told.model)]
    for name, found in rows.items():
        print(name, dict(zip(looks, (found.mean(0) * POINTS).round(2).tolist(), strict=True)))
    held = (rows["likely"] >= rows["in truth"] - 1e-9).mean()
    print(f"likely bound held in {held:.2f} of {runs * len(looks)} looks,", end=" ")
    print(f"guaranteed in {(rows['guaranteed'] >= rows['in truth'] - 1e-9).mean():.2f}")
    shown = [
        {"labels": count, "points": float(np.median(found[:, at]) * POINTS), "name": name}
        for name, found in rows.items()
        for at, count in enumerate(looks)
    ]
    colors = {"guaranteed": DRAWN, "likely": LIKELY, "in truth": QUIET}
    write("statistics-likely", lines(shown, "labels", "points", "points worse than the best, at most", colors))


def hard() -> None:
    """Accuracy on the most contested samples, and the weighted estimate from drawn ones, against the truth."""
    pool, truth = digits()
    value = accuracies(pool, truth)
    contested = np.argsort(adjudge.samples(pool).agreement)[:60]
    naive = (np.asarray(pool.values)[:, contested] == truth[contested]).mean(1)
    drawn = np.array(
        [adjudge.rank(pool, bought(pool, truth, 60, seed, goal="estimate")).estimate.value for seed in range(2)]
    )
    print("mean accuracy in truth, on the 60 most contested, by 60 drawn labels:", end=" ")
    print(value.mean().round(3), naive.mean().round(3), drawn.mean().round(3))
    print("first on contested samples, and in truth:", pool.models[naive.argmax()], pool.models[value.argmax()])
    names = ("on the 60 most contested samples", "estimated from 60 drawn labels")
    rows = [
        {"true": float(value[model]) * POINTS, "shown": float(found[model]) * POINTS, "name": name}
        for name, found in zip(names, (naive, drawn[0]), strict=True)
        for model in range(len(value))
    ]
    color = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": list(names), "range": [DRAWN, LIKELY]},
        "legend": top_legend(1),
    }
    scale = {"domain": [0, 100]}
    x = {"field": "true", "type": "quantitative", "title": "true accuracy, %", "scale": {"domain": [50, 100]}}
    y = {"field": "shown", "type": "quantitative", "title": "accuracy as told, %", "scale": scale}
    line = {
        "data": {"values": [{"a": 50}, {"a": 100}]},
        "mark": {"type": "line", "color": QUIET, "strokeDash": [4, 4]},
        "encoding": {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "a", "type": "quantitative"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 0.8},
        "encoding": {"x": x, "y": y, "color": color},
    }
    write("statistics-hard", chart(440, 300, rows, layer=[line, dots]))


def peeking() -> None:
    """How often two equally good models are called different by somebody who looks after every 20 labels."""
    samples, differ, runs, looks = 1000, 300, 200, range(20, 301, 20)
    half = differ // 2
    truth = np.zeros(samples)
    values = np.zeros((2, samples), np.int8)
    values[0, :half], values[1, half:differ] = 1, 1  # each is wrong on its own 150 samples
    pool = Predictions(values, ("A", "B"), range(samples), ("right", "wrong"))
    wrong = {name: np.zeros((runs, len(looks)), bool) for name in ("fixed-size interval", "anytime interval")}
    for run in range(runs):
        picker = selector("random").start(pool, Labels.empty(samples), looks[-1], run)
        *_, log = steps(picker, answers_of(truth), budget(looks[-1]), Labels.empty(samples))
        for at, count in enumerate(looks):
            for name, anytime in zip(wrong, (False, True), strict=True):
                found = adjudge.compare(pool, "A", "B", log.head(count), anytime=anytime)
                wrong[name][run, at] = found.low > 0 or found.high < 0
    rows = []
    for name, claimed in wrong.items():
        ever = np.logical_or.accumulate(claimed, axis=1).mean(0)
        print(name, "one look at the end:", claimed[:, -1].mean().round(3), "ever:", ever[[4, 9, 14]].round(3))
        rows += [
            {"labels": count, "share": float(each) * POINTS, "name": name}
            for count, each in zip(looks, ever, strict=True)
        ]
    colors = {"fixed-size interval": DRAWN, "anytime interval": LIKELY}
    title = "runs with a wrong claim so far, %"
    write("statistics-peeking", lines(rows, "labels", "share", title, colors, level=5))


def lines(
    rows: list[dict[str, Any]], x: str, y: str, title: str, colors: dict[str, str], level: float | None = None
) -> Chart:
    """A line with points for each name."""
    color = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": list(colors), "range": list(colors.values())},
        "legend": top_legend(3) | {"symbolType": "stroke", "symbolSize": 400},
    }
    encoding = {
        "x": {"field": x, "type": "quantitative", "axis": {"grid": False, "tickCount": 6}},
        "y": {"field": y, "type": "quantitative", "title": title},
        "color": color,
    }
    mark = {"type": "line", "strokeWidth": 2.5, "point": {"filled": True, "size": 40}}
    layers: list[dict[str, Any]] = [{"mark": mark, "encoding": encoding}]
    if level is not None:
        rule = {"type": "rule", "color": QUIET, "strokeDash": [6, 4]}
        layers.append({"data": {"values": [{}]}, "mark": rule, "encoding": {"y": {"datum": level}}})
    return chart(480, 260, rows, layer=layers)


DRAWINGS = {each.__name__: each for each in (labels, ranking, likely, hard, peeking)}

if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWINGS:
        DRAWINGS[name]()
