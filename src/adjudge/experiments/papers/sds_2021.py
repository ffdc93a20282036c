"""Meng et al. 2021 (SDS): its three tables and Figures 4 to 10, on whatever classification tasks are given."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.votes import votes
from adjudge.experiments.comparison import Entry
from adjudge.experiments.curves import average_panels, curves
from adjudge.experiments.indicators import title_of
from adjudge.experiments.jobs import Job, Outcome, RunSettings
from adjudge.experiments.outputs import Figure, Grid, Line, Output, Panel
from adjudge.experiments.papers.sds_2021_published import beside
from adjudge.experiments.rankings import ORACLE, Outcomes, Rankings, best_guide, better_of, outcomes_of, rankings_of
from adjudge.experiments.results import Results
from adjudge.experiments.tables import comparison_grid, pool_grid, time_grid, vote_match
from adjudge.experiments.tasks import Task, classification

BUDGETS = tuple(range(35, 181, 5))  # Section IV-B
CUTOFFS = (35, 60, 90, 120, 150, 180)  # Table II
INDICATORS = ("spearman", "jaccard_10")
GINI = {"RDG": "rdg", "DDG": "ddg"}
OVER = {"highest": "max", "lowest": "min"}  # impurity over models: the authors' notes report the better of both
METHODS = (
    Entry("SRS", "random", "labeled"),  # ranks as the others do
    Entry(ORACLE, "ces"),
    *(Entry(f"{name}, {word}", GINI[name], options={"over": over}) for name in GINI for word, over in OVER.items()),
    Entry("SDS", "sds"),
)
NAMES = ("SRS", ORACLE, *GINI, "SDS")
SDS = METHODS[-1]
QUARTER = 0.25  # Algorithm 1, line 37
RATES = {f"first {rate * 100:.0f} %": rate for rate in (0.15, 0.2, QUARTER, 0.3, 0.35)}  # Section VI-A
INTERVALS = {  # the share that is skipped (Section VI-C)
    f"{skip * 100:.0f} to {(skip + QUARTER) * 100:.0f} %": skip for skip in (0.0, 0.25, 0.5, 0.75)
}
FEW, FOUR = 4, "SDS, four models"  # Section VI-D
VOTE = Entry("majority vote", "majority")  # Section VI-E


def jobs(tasks: Sequence[Task], settings: RunSettings) -> list[Job]:
    """What all tables and figures need together: what two of them share is run once."""
    made: list[Job] = []
    rates = [replace(SDS, name=name, options={"candidates": rate}) for name, rate in RATES.items() if rate != QUARTER]
    others = [replace(SDS, name=name, options={"skip": skip}) for name, skip in INTERVALS.items() if skip]
    for task in classification(tasks):
        for entry in [*METHODS, *rates, VOTE]:
            made += entry.jobs(task, BUDGETS, settings)
        inside = [each for each in BUDGETS if each <= int(QUARTER * len(task.truth))]  # else intervals would mix
        for entry in others:
            made += entry.jobs(task, inside, settings)
        if four := four_models(task, settings.seed):
            made += [replace(job, name=FOUR, models=four) for job in SDS.jobs(task, BUDGETS, settings)]
    return made


def outputs(tasks: Sequence[Task], results: Results) -> list[Output]:
    kept = classification(tasks)
    labels, outcomes = [task.name for task in kept], chosen(results)
    told = f"{gini_note(outcomes)} {beyond_note(kept)}".strip()
    made: list[Output] = [pool_grid(kept, "table-1", "Table I: the tasks")]
    found = {each: rankings_of(outcomes, NAMES, each) for each in INDICATORS}
    for each in INDICATORS:
        title = title_of(each)
        made.append(curves(f"figure-4-{each}", f"Figure 4: {title}", title, found[each], labels, NAMES, told))
    for each in INDICATORS:
        grid = comparison_grid(
            f"table-2-{each}", f"Table II: {title_of(each)}", found[each], labels, NAMES, CUTOFFS, "SDS"
        )
        made.append(replace(grid, note=f"{grid.note} {told}".strip()))
    made += [
        times(outcomes, labels),
        *(selection_rates(each, outcomes, labels) for each in INDICATORS),
        top_few(outcomes),
        match_rates(kept),
        intervals(outcomes),
        fewer_models(results),
        against_vote(outcomes),
    ]
    return [beside(each) for each in made]


def chosen(results: Results) -> Outcomes:
    """One outcome for each task and method: of CES that of the best guide, of DeepGini the better form."""
    names = tuple(dict.fromkeys(outcome.job.name for outcome in results.outcomes))
    found = outcomes_of(results, [name for name in names if name != FOUR])
    for task in results.tasks:
        for name in GINI:
            if forms := [found[task, form] for word in OVER if (task, form := f"{name}, {word}") in found]:
                found[task, name] = better_of(forms)
    return found


def gini_note(outcomes: Outcomes) -> str:
    """Which impurity over models stands in the columns of DeepGini."""
    shown = {place: outcome.job.name for place, outcome in outcomes.items() if place[1] in GINI}
    if not shown:
        return ""
    lowest = [
        f"{name} on {', '.join(where)}"
        for name in GINI
        if (where := [task for (task, each), form in shown.items() if each == name and form.endswith("lowest")])
    ]
    return (
        "RDG, DDG: of the highest and the lowest impurity over models the one that ranks better on the task, found by "
        f"the truth (an oracle). The lowest: {'; '.join(lowest) or 'nowhere'}. The highest: elsewhere."
    )


def beyond_note(tasks: Sequence[Task]) -> str:
    """Where budgets go past the candidates of SDS."""
    quarters = {task.name: int(QUARTER * len(task.truth)) for task in tasks}
    short = [f"{name} (after {size})" for name, size in quarters.items() if size < BUDGETS[-1]]
    if not short:
        return ""
    return f"Past its first quarter SDS takes the samples that follow by discrimination: {', '.join(short)}."


def times(outcomes: Outcomes, labels: Sequence[str]) -> Grid:
    """Table III."""
    grid = time_grid(outcomes, labels, NAMES, "table-3", "Table III: time")
    return replace(grid, note=f"{grid.note} CES: all guides. RDG, DDG: both forms.")


def selection_rates(indicator: str, outcomes: Outcomes, labels: Sequence[str]) -> Figure:
    """Figure 5: labels drawn from the first 15 to 35 %."""
    rankings = _renamed(outcomes, {name: "SDS" if rate == QUARTER else name for name, rate in RATES.items()}, indicator)
    title = title_of(indicator)
    return curves(
        f"figure-5-{indicator}", f"Figure 5: {title} by selection rate", title, rankings, labels, tuple(RATES)
    )


def top_few(outcomes: Outcomes) -> Figure:
    """Figure 6: the overlap of the top 1, 3 and 5."""
    panels = [
        average_panels(f"k = {k}", rankings_of(outcomes, NAMES, f"jaccard_{k}"), NAMES) for k in (1, 3, 5)
    ]  # for each k: tasks with all methods, all tasks
    ordered = [each[place] for place in range(2) for each in panels if place < len(each)]
    title, note = "Figure 6: Jaccard at 1, 3 and 5", f"{AVERAGED} {gini_note(outcomes)}".strip()
    return Figure("figure-6", title, "labels", "Jaccard", tuple(ordered), note=note, labels=NAMES)


def match_rates(tasks: Sequence[Task]) -> Figure:
    """Figure 7: how often the vote is right, by the number of votes it has."""
    panels = []
    for task in tasks:
        poll, match, known = votes(task.predictions), vote_match(task), ~np.isnan(task.truth)
        count = np.arange(poll.top[known].min(), poll.top[known].max() + 1)
        samples, matched = (np.bincount(poll.top[known], each)[count] for each in (None, match[known]))
        with np.errstate(invalid="ignore"):  # no vote came out so: no bar
            line = Line("match rate", count.astype(np.float64), matched / samples)
        panels.append(Panel(task.name, (line,), (("all samples", float(match[known].mean())),)))
    note = "Dashed: over all samples. A vote tied between k classes counts as a k-th of a match if one is right."
    return Figure(
        "figure-7", "Figure 7: match rate of the vote", "votes", "match rate", tuple(panels), kind="bars", note=note
    )


def intervals(outcomes: Outcomes) -> Figure:
    """Figure 8: labels drawn from each quarter by discrimination."""
    panels = []
    for each in INDICATORS:
        rankings = _renamed(outcomes, {name: name if skip else "SDS" for name, skip in INTERVALS.items()}, each)
        panels += average_panels(title_of(each), rankings, tuple(INTERVALS))
    return Figure(
        "figure-8", "Figure 8: intervals of discrimination", "labels", "indicator", tuple(panels), note=AVERAGED
    )


def fewer_models(results: Results) -> Figure:
    """Figure 9: four models of each task.

    SRS and CES do not look at the other models, so that their rankings of all models hold those of four. The guide of
    CES is one of the four.
    """
    four: dict[tuple[str, str], Outcome] = {}
    methods = {"SRS": "SRS", ORACLE: ORACLE, "SDS": FOUR}
    for task in results.tasks:
        reference = results.get(task, FOUR)
        if reference is None:
            continue
        for label, name in methods.items():
            among = [
                each.among(reference.models)
                for each in results.of(task, name)
                if each.job.model is None or each.job.model in reference.models
            ]
            if best := best_guide(among):
                four[task, label] = best
    panels = average_panels("Spearman", rankings_of(four, tuple(methods), "spearman"), tuple(methods))
    note = f"The {FEW} models are drawn by the seed, from those with features where there are as many. {AVERAGED}"
    return Figure("figure-9", "Figure 9: four models", "labels", "Spearman", tuple(panels), note=note, labels=NAMES)


def against_vote(outcomes: Outcomes) -> Figure:
    """Figure 10: SDS against the ranking by the majority vote, which needs no label."""
    rankings = rankings_of(outcomes, ("SDS", VOTE.name), "spearman")
    panels, notes = [], []
    for panel in average_panels("Spearman", rankings, ("SDS", VOTE.name)):
        ours, vote = panel.lines
        panels.append(replace(panel, lines=(ours,), levels=((VOTE.name, float(vote.y[0])),)))
        notes.append(_overtaken(ours, float(vote.y[0])))
    note, title = " ".join([*notes, AVERAGED]), "Figure 10: SDS and the majority vote"
    return Figure("figure-10", title, "labels", "Spearman", tuple(panels), note=note, labels=NAMES)


def four_models(task: Task, seed: int) -> tuple[str, ...] | None:
    """Four models drawn by the seed, from those with features if at least four have some; None if there are fewer."""
    names = task.predictions.models
    able = task.with_features()
    choice = able if len(able) >= FEW else names
    if len(choice) < FEW:
        return None
    drawn = np.random.default_rng([seed, FEW]).choice(len(choice), FEW, replace=False)
    return tuple(choice[place] for place in sorted(drawn))


AVERAGED = "Averages are over tasks with the same budgets that have all the methods of their panel."


def _overtaken(ours: Line, level: float) -> str:
    """From where on a curve stays above a level."""
    below = np.flatnonzero(ours.y <= level)
    start = int(below[-1]) + 1 if below.size else 0
    if start == len(ours.y):
        return "At the last budget SDS is not above the vote."
    return f"SDS is above the vote from {ours.x[start]:.0f} labels on."


def _renamed(outcomes: Outcomes, names: dict[str, str], indicator: str) -> Rankings:
    """Rankings under other names than those of their jobs: {shown: job's}."""
    found = rankings_of(outcomes, tuple(names.values()), indicator)
    return {
        (task, shown): found[task, name]
        for task in dict.fromkeys(task for task, _ in found)
        for shown, name in names.items()
        if (task, name) in found
    }
