"""The demo: real models, real data, and the whole story from no label to a ranking with intervals."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from adjudge import evaluation
from adjudge.api import header_for, rank
from adjudge.charts import curves_chart, scatter_chart, values_chart
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.decisions.screening import screen
from adjudge.experiments.zoo import digits as zoo
from adjudge.io import write_labels, write_predictions, write_truth
from adjudge.io.files import PathLike, make_folder
from adjudge.registry import DEFAULT_SELECTOR, selector
from adjudge.reports.page import Section
from adjudge.reports.pool import sentences
from adjudge.reports.report.gather import ReportOptions, gather
from adjudge.reports.report.write import write as write_report
from adjudge.reports.tables import bullets, print_advice, ranking_table
from adjudge.simulation.loop import budget, steps
from adjudge.simulation.simulate import Simulation, simulate

BUDGET = 40
COMPARED = (DEFAULT_SELECTOR, "random", "sds")
SEEDS = 10  # runs of each
SHOWN = 10  # models in a table of the story
NAMED = {"pooled": "pooled (adjudge)", "random": "random, by hits alone"}
METHODS_SAY = (
    f"Means over {SEEDS} runs of {BUDGET} labels ± standard error. "
    "Lower is better for points lost, higher for the others."
)


@dataclass(frozen=True, eq=False)
class Story:
    """All that the demo found out."""

    pool: Predictions
    free: Ranking
    bought: Labels
    paid: Ranking
    truth: FloatArray  # (models,): true accuracy
    played: dict[str, Simulation]  # by method

    @property
    def free_quality(self) -> float:
        return evaluation.spearman(self.free.estimate.value, self.truth)

    def at_the_end(self, curve: str) -> dict[str, float]:
        """The mean over runs after the last label, by method."""
        return {method: float(played.curves[curve][:, -1].mean()) for method, played in self.played.items()}

    def to_dict(self) -> dict[str, object]:
        """Its numbers as plain types, for JSON."""
        return {
            "models": len(self.pool.models),
            "samples": len(self.pool.samples),
            "free_spearman": self.free_quality,
            "labels": BUDGET,
            "chosen": self.paid.models[self.paid.order[0]],
            "regret": evaluation.regret(-self.paid.rank.astype(np.float64), self.truth),
            "mean_regret": self.at_the_end("regret"),
            "mean_spearman": self.at_the_end("spearman"),
        }


def demo(out: PathLike = "demo", seed: int = 0, *, quiet: bool = False) -> dict[str, object]:
    """Rank real models on real data: write predictions, labels and a report, print the story, return its numbers.

    Parameters
    ----------
    out
        The folder to write to.
    quiet
        Whether to print nothing.
    """
    folder = Path(out)
    zoo.candidates(seed)  # a package that is not installed is told before anything is written
    make_folder(folder)
    console = Console(quiet=quiet, highlight=False)
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), console=Console(stderr=True, quiet=quiet), transient=True
    )
    with bar:
        task = bar.add_task("training models on 898 scanned digits")
        trained = []
        for name, values, answers in zoo.train(seed):
            trained.append((name, values, answers))
            bar.update(task, description=f"training models: {name}")
        pool, digits = zoo.as_pool(trained)
        bar.update(task, description=f"buying {BUDGET} labels")
        bought = buy(pool, digits, seed)
        played = {}
        for method in COMPARED:
            bar.update(task, description=f"spending {BUDGET} labels {SEEDS} times with {method}")
            played[method] = simulate(pool, digits.astype(np.float64), method, BUDGET, SEEDS, seed=seed)
        story = Story(
            pool=pool,
            free=rank(pool),
            bought=bought,
            paid=rank(pool, bought),
            truth=(pool.values == digits).mean(axis=1),
            played=played,
        )
        bar.update(task, description="drawing the report")
        write(story, digits, seed, folder)
    print_story(story, folder, console)
    return story.to_dict() | {"folder": str(folder)}


def buy(pool: Predictions, digits: IntArray, seed: int) -> Labels:
    """Buy labels one by one from the known truth."""
    start = Labels.empty(len(digits)).with_header(header_for(pool, DEFAULT_SELECTOR, seed))
    picker = selector(DEFAULT_SELECTOR).start(pool, start, BUDGET, seed)
    *_, bought = steps(picker, lambda sample: int(digits[sample]), budget(BUDGET), start)
    return bought


def print_story(story: Story, folder: Path, console: Console) -> None:
    """Five short chapters, and what to try next."""
    models, samples = story.pool.values.shape
    console.rule("[bold]1. The pool", align="left")
    console.print(f"{models} models have read {samples} scanned digits. Nobody has labeled them.")
    console.print(bullets(sentences(screen(story.pool))))
    console.rule("[bold]2. The ranking without a single label", align="left")
    _show(story.free, console)
    console.rule(f"[bold]3. The ranking after {BUDGET} labels", align="left")
    _show(story.paid, console)
    console.rule("[bold]4. What the truth says", align="left")
    console.print(truth_sentence(story))
    console.rule("[bold]5. The same labels, spent otherwise", align="left")
    console.print(methods_table(story))
    console.print(METHODS_SAY)
    console.rule("[bold]Try next", align="left")
    predictions, labels = folder / "predictions.csv", folder / "labels.csv"
    console.print(
        f"Open {folder / 'report.html'} for the charts. Then:\n"
        f"  {command()} rank {predictions} --labels {labels}\n"
        f"  {command()} select {predictions} --labels {labels} --budget 20 --out {folder / 'more.csv'}\n"
        f"  {command()} simulate {predictions} --truth {folder / 'truth.csv'} --method random",
        soft_wrap=True,
    )


def _show(ranking: Ranking, console: Console) -> None:
    assert ranking.recommendation is not None
    print_advice(ranking.recommendation, console)
    console.print()
    console.print(ranking_table(ranking, console.width, SHOWN))


def command() -> str:
    """How to call adjudge from here: it need not be on the PATH."""
    if shutil.which("adjudge"):
        return "adjudge"
    beside = Path(sys.executable).with_name("adjudge")
    return os.path.relpath(beside) if beside.exists() else "python -m adjudge"


def truth_sentence(story: Story) -> str:
    best = int(np.argmax(story.truth))
    estimate = story.paid.estimate
    held = evaluation.coverage(estimate.low, estimate.high, story.truth)
    place = -story.paid.rank.astype(np.float64)
    lost = 100 * evaluation.regret(place, story.truth)
    tied = int(np.count_nonzero(story.paid.rank == 1))
    pick = "the first model" if tied == 1 else f"one of the {tied} models that tie for first"
    return (
        "The demo kept the right answers aside. "
        f"The best model is {story.pool.models[best]}, right on {story.truth[best]:.1%}. With {BUDGET} labels, "
        f"deploying {pick} loses {lost:.1f} points on average, and the rank correlation with the true order "
        f"(Spearman) is {evaluation.spearman(place, story.truth):.2f}; without labels it is {story.free_quality:.2f}. "
        f"The intervals hold the truth for {held:.0%} of the models."
    )


def methods_table(story: Story) -> Table:
    """What each method's ranking is worth after the last label."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("method")
    for name in ("points lost by the first model", "Spearman with the truth", "runs within a point"):
        table.add_column(name, justify="right")
    for method, played in story.played.items():
        lost, ranked = (played.curves[curve][:, -1] for curve in ("regret", "spearman"))
        table.add_row(NAMED.get(method, method), _mean(100 * lost), _mean(ranked), f"{(lost <= 0.01).mean():.0%}")
    return table


def _mean(runs: FloatArray) -> str:
    return f"{runs.mean():.2f} ± {runs.std(ddof=1) / len(runs) ** 0.5:.2f}"


def write(story: Story, digits: IntArray, seed: int, folder: Path) -> None:
    write_predictions(story.pool, folder / "predictions.csv")
    write_labels(story.bought, story.pool, folder / "labels.csv")
    write_truth(digits, story.pool, folder / "truth.csv")
    title = "Which of these models reads digits best?"
    options = ReportOptions(title, data=zoo.write_images(story.pool, seed, folder / "digits.npz"))
    write_report(gather(story.pool, story.bought, options), folder / "report.html", demo_sections(story))


def demo_sections(story: Story) -> list[Section]:
    """What only a demo knows: the truth, and what other methods would have found."""
    rows, estimate = story.paid.rows(), story.paid.estimate
    true = story.truth.tolist()
    truth = dict(zip(story.pool.models, true, strict=True))
    measured = [
        values_chart(rows, estimate.quantity, estimate.level, truth=truth, narrow=narrow, width="container")
        for narrow in (False, True)
    ]
    return [
        Section(
            "What the truth says",
            truth_sentence(story),
            measured[0],
            "Green is the truth, which only a demo knows.",
            narrow=measured[1],
        ),
        Section(
            "The ranking without a label",
            "How much each model agrees with the majority vote, against how often it is right.",
            scatter_chart(
                story.pool.models,
                {"agreement": story.free.estimate.value.tolist(), "true accuracy": true},
                width="container",
            ),
        ),
        Section(
            "What labels buy",
            f"How each method's ranking grows, over {SEEDS} runs.",
            curves_chart(_curves(story, "spearman"), "Spearman", level=story.free_quality, width="container"),
            "The band holds 80% of the runs; the dashed line is the ranking without labels.",
        ),
        Section(
            "What a wrong choice costs",
            "Accuracy lost by deploying the model that is ranked first.",
            curves_chart(_curves(story, "regret"), "regret", width="container"),
        ),
    ]


def _curves(story: Story, metric: str) -> dict[str, list[dict[str, float]]]:
    """A metric over the number of labels by method: the mean over runs, and the band that holds 80% of them."""
    return {name: _curve(played.curves[metric]) for name, played in story.played.items()}


def _curve(runs: FloatArray) -> list[dict[str, float]]:
    known = np.flatnonzero(~np.isnan(runs).all(axis=0))
    low, high = np.nanquantile(runs[:, known], (0.1, 0.9), axis=0).tolist()
    mean = np.nanmean(runs[:, known], axis=0).tolist()
    return [
        {"labels": labels, "mean": middle, "low": below, "high": above}
        for labels, middle, below, above in zip(known.tolist(), mean, low, high, strict=True)
    ]
