"""What shift does to models and to their ranking: tables, heat maps, and those of Guo et al. 2022 (LaF)."""

from collections.abc import Sequence

import numpy as np

from adjudge import evaluation
from adjudge.core.arrays import IntArray, competition_rank
from adjudge.errors import InputError
from adjudge.experiments.jobs import Job, RunSettings
from adjudge.experiments.outputs import Cell, Figure, Grid, Line, Output, Panel, cell
from adjudge.experiments.papers import laf_2022
from adjudge.experiments.papers.laf_2022_tables import (
    CORRUPTIONS,
    DIVERSITY,
    GOOD,
    QUALITY,
    Pools,
    Shifted,
    places_of,
    pools_of,
    quality_of,
)
from adjudge.experiments.rankings import outcomes_of, rankings_of
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task, classification

OURS = laf_2022.OURS.name
STAY = "clean ranking"  # the order on clean data, kept whatever comes
CLEAN = -1.0  # its place in a heat map
NATURAL = ("table-6", "figure-6")  # how outputs of natural shift begin


def jobs(tasks: Sequence[Task], settings: RunSettings) -> list[Job]:
    """Those of LaF's study; CES only where models have features."""
    study(tasks)
    made = laf_2022.jobs(tasks, settings)
    return [job for job in made if job.method != "ces" or job.model is not None]


def outputs(tasks: Sequence[Task], results: Results) -> list[Output]:
    """What is new first, then the tables and figures of the paper."""
    clean, shifts = study(tasks)
    paper = laf_2022.measured_outputs(tasks, results)
    return [
        rankings_grid(clean, shifts, results),
        ranks_grid(clean, shifts, results),
        accuracy_heat(clean, shifts),
        quality_heat(clean, shifts, results),
        stays_grid(clean, shifts, results),
        *(each for each in paper if not each.name.startswith(NATURAL)),
    ]


def study(tasks: Sequence[Task]) -> tuple[Task, tuple[Shifted, ...]]:
    """The clean task and its shifts."""
    pools: Pools = pools_of(classification(tasks))
    names = dict.fromkeys(each.clean for each in pools.synthetic)
    if len(names) != 1:
        told = f"these are shifts of {', '.join(names)}" if names else "none of these is another one under shift"
        raise InputError(
            f"a study of shift takes one clean pool and its shifts, named such as clean.npz and clean_fog3.npz; {told}"
        )
    clean = next(task for task in pools.clean if task.name in names)
    models = clean.predictions.models
    for each in pools.synthetic:
        if each.task.predictions.models != models:
            raise InputError(f"{each.task.name} has other models than {clean.name}; run the same ones on both")
    return clean, pools.synthetic


def ordered(tasks: Sequence[Task]) -> list[Task]:
    """The clean task first, then its shifts in the order of the paper, others behind, each by severity."""
    clean, shifts = study(tasks)
    kinds = dict.fromkeys((*CORRUPTIONS, *(each.kind for each in shifts)))
    place = {kind: at for at, kind in enumerate(kinds)}
    return [clean, *(each.task for each in sorted(shifts, key=lambda each: (place[each.kind], each.severity)))]


def summary(tasks: Sequence[Task], results: Results) -> list[str]:
    """Whether the best model on clean data is still the best, in a few sentences."""
    clean, shifts = study(tasks)
    models, best = clean.predictions.models, int(np.argmax(clean.values))
    wins = np.array([competition_rank(each.task.values) == 1 for each in shifts]).sum(axis=0)
    lost = np.array([each.task.values.max() - each.task.values[best] for each in shifts])
    worst, most = shifts[int(lost.argmax())], int(wins.argmax())
    agreement = np.array([evaluation.spearman(clean.values, each.task.values) for each in shifts])
    least = shifts[int(agreement.argmin())]
    other = "" if wins[most] == wins[best] else f" {models[most]} is best more often, in {wins[most]}."
    return [
        f"{models[best]} is best on clean data ({clean.values[best]:.3f}) and in {wins[best]} of {len(shifts)} shifted "
        f"sets.{other}",
        "Staying with it costs nothing."
        if wins[best] == len(shifts)
        else f"Staying with it costs {100 * lost.mean():.1f} points of accuracy on average, {100 * lost.max():.1f} at "
        f"most ({_named(worst)}).",
        f"The order of the models under shift has a Spearman of {agreement.mean():.2f} with that on clean data on "
        f"average, {agreement.min():.2f} at least ({_named(least)}).",
        *_without_labels([clean, *(each.task for each in shifts)], results),
    ]


def _without_labels(tasks: Sequence[Task], results: Results) -> list[str]:
    """How often the pool can be ranked without labels, where its models are good and where they are not."""
    good: dict[bool, list[bool]] = {True: [], False: []}
    for task in tasks:
        if (found := results.get(task.name, OURS)) is not None:
            fine = evaluation.spearman(-found.ranks[0, 0], task.values) >= GOOD
            good[quality_of(task).quality > QUALITY].append(fine)
    counts = {high: f"{sum(each)} of {len(each)}" for high, each in good.items()}
    return [
        f"Without labels, {OURS} ranks with a Spearman of {GOOD} or more in {counts[True]} sets in which the mean "
        f"accuracy is above {QUALITY:.0%}, and in {counts[False]} others."
    ]


def rankings_grid(clean: Task, shifts: Sequence[Shifted], results: Results) -> Grid:
    """Each model's place on clean data and under shift."""
    ranks = np.array([competition_rank(each.task.values) for each in shifts])
    values = np.array([each.task.values for each in shifts])
    mean = values.mean(axis=0)
    on_clean, guessed = competition_rank(clean.values), _guessed(clean, results)
    rows = [
        (
            Cell(clean.predictions.models[model]),
            cell(clean.values[model]),
            Cell(str(on_clean[model]), bold=bool(on_clean[model] == 1)),
            Cell("-" if guessed is None else str(guessed[model])),
            cell(mean[model], bold=bool(mean[model] == mean.max())),
            cell(values[:, model].min()),
            cell(ranks[:, model].mean(), 1),
            Cell(f"{ranks[:, model].min()}-{ranks[:, model].max()}"),
            Cell(str((ranks[:, model] == 1).sum())),
        )
        for model in np.argsort(on_clean, kind="stable")
    ]
    header = ("model", "clean", "rank", f"by {OURS}", "shifted", "lowest", "mean rank", "ranks", "best in")
    note = (
        f"Accuracy and rank on clean data, and the rank that {OURS} gives without labels; mean and lowest accuracy of "
        f"the {len(shifts)} shifted sets, mean and range of the ranks, and in how many the model is best."
    )
    return Grid("rankings", "Clean and shifted rankings", header, tuple(rows), note)


def ranks_grid(clean: Task, shifts: Sequence[Shifted], results: Results) -> Grid:
    """The rank of each model under each corruption, with labels and without, side by side."""
    kinds = tuple(dict.fromkeys(each.kind for each in shifts))
    columns = [(clean.values, _guessed(clean, results))]
    for kind in kinds:
        there = [each.task for each in shifts if each.kind == kind]
        guesses = [guess for task in there if (guess := _guessed(task, results)) is not None]
        mean = np.mean([task.values for task in there], axis=0)
        columns.append((mean, competition_rank(-np.mean(guesses, axis=0)) if guesses else None))
    ranked = [(competition_rank(value), guess) for value, guess in columns]
    rows = []
    for model in np.argsort(ranked[0][0], kind="stable"):
        cells = [
            Cell(f"{true[model]} ({'-' if guess is None else guess[model]})", bold=bool(true[model] == 1))
            for true, guess in ranked
        ]
        rows.append((Cell(clean.predictions.models[model]), *cells))
    note = (
        f"The rank by accuracy, a mean over severities, and in brackets the rank that {OURS} gives without labels, by "
        "its mean rank over severities. Bold: the best."
    )
    return Grid("ranks", "Ranks under each corruption", ("model", "clean", *kinds), tuple(rows), note)


def stays_grid(clean: Task, shifts: Sequence[Shifted], results: Results) -> Grid:
    """Whether the best model stays the best under each shift, and whether the pool can be ranked without labels."""
    models, best = clean.predictions.models, int(np.argmax(clean.values))
    rows = []
    for each in shifts:
        values, pool = each.task.values, quality_of(each.task)
        stays = bool(competition_rank(values)[best] == 1)
        ours = results.get(each.task.name, OURS)
        rows.append(
            (
                Cell(each.kind),
                Cell(str(each.severity)),
                cell(evaluation.spearman(clean.values, values), 2),
                cell(None if ours is None else evaluation.spearman(-ours.ranks[0, 0], values), 2),
                cell(pool.quality, 2),
                cell(pool.diversity, 2),
                cell(values[best], bold=stays),
                cell(values.max()),
                Cell(models[int(np.argmax(values))]),
                Cell(pool.group),
            )
        )
    header = ("corruption", "severity", STAY, OURS, "quality", "diversity", "clean best", "highest", "best", "rule")
    note = (
        f"Spearman of the clean ranking and of {OURS} with the true one; mean and standard deviation of accuracy; the "
        f"accuracy of {models[best]}, the best on clean data (bold where it still is); the highest accuracy and whose "
        f"it is; the paper's rule of thumb: quality above {QUALITY} and diversity above {DIVERSITY}."
    )
    return Grid("shifts", "Is the best model still the best?", header, tuple(rows), note)


def accuracy_heat(clean: Task, shifts: Sequence[Shifted]) -> Figure:
    """The accuracy of each model on clean data, in the first column, and under each shift."""
    place, ticks = places_of(shifts, gap=1)
    values = np.array([clean.values, *(each.task.values for each in shifts)])
    lines = [
        Line(clean.predictions.models[model], np.array([CLEAN, *place]), values[:, model])
        for model in np.argsort(-clean.values, kind="stable")
    ]
    panel = Panel("", tuple(lines), ticks=((clean.name, CLEAN), *ticks))
    note = "Models by their accuracy on clean data; each corruption from severity 1, on its left, to 5."
    return Figure("heat-accuracy", "Accuracy under shift", "", "accuracy", (panel,), kind="heat", note=note)


def quality_heat(clean: Task, shifts: Sequence[Shifted], results: Results) -> Figure:
    """How well each method ranks the models under each shift."""
    place, ticks = places_of(shifts, gap=1)
    rankings = rankings_of(outcomes_of(results, laf_2022.NAMES), laf_2022.NAMES, "spearman")
    stay = np.array([evaluation.spearman(clean.values, each.task.values) for each in shifts])
    lines = [Line(STAY, place, stay)]
    for name in laf_2022.NAMES:
        runs = [rankings.get((each.task.name, name)) for each in shifts]
        if any(each is not None for each in runs):
            lines.append(Line(name, place, np.array([np.nan if each is None else each.values.mean() for each in runs])))
    note = (
        f"Spearman with the true ranking, a mean over budgets and repetitions. {STAY.capitalize()}: the true order on "
        "clean data, kept."
    )
    panel = Panel("", tuple(lines), ticks=ticks)
    return Figure("heat-spearman", "Ranking quality under shift", "", "Spearman", (panel,), kind="heat", note=note)


def _guessed(task: Task, results: Results) -> IntArray | None:
    """The ranks that the models have without labels."""
    found = results.get(task.name, OURS)
    return None if found is None else found.ranks[0, 0].astype(np.int64)


def _named(shift: Shifted) -> str:
    return f"{shift.kind} {shift.severity}"
