"""Guo et al. 2022 (LaF): its six tables and Figures 3 to 7, on whatever classification tasks are given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.arrays import TIE_DIGITS, FloatArray
from adjudge.experiments.comparison import Entry
from adjudge.experiments.indicators import measured, title_of
from adjudge.experiments.jobs import Job, Outcome, RunSettings
from adjudge.experiments.outputs import MISSING, Cell, Figure, Grid, Line, Output, Panel
from adjudge.experiments.papers.laf_2022_published import beside
from adjudge.experiments.papers.laf_2022_tables import (
    ABSENT,
    DIVERSITY,
    QUALITY,
    Pools,
    correlation_grid,
    jaccard_grid,
    places_of,
    pools_grid,
    pools_of,
    quality_grid,
    quality_of,
    ranges_grid,
)
from adjudge.experiments.rankings import ORACLE, Outcomes, Rankings, Runs, outcomes_of, rankings_of
from adjudge.experiments.results import Results
from adjudge.experiments.tables import with_random_start
from adjudge.experiments.tasks import Task, classification
from adjudge.models.corruptions import SEVERITIES

LAST, STEP = 180, 5  # budgets reach from the number of models to 180 (Section 4.4)
BASELINES = (Entry("Random", "random", "labeled"), Entry("SDS", "sds"), Entry(ORACLE, "ces"))
OURS = Entry("LaF", "laf")
NAMES = (*(entry.name for entry in BASELINES), OURS.name)
CORRELATIONS = ("spearman", "kendall")
TOPS = (1, 3, 5, 10)  # Table 3
TOP = 5  # Figure 5
SIGNIFICANT = 0.05  # Section 5.1
BAND = "Band: one standard deviation over repetitions. LaF buys no label."


def jobs(tasks: Sequence[Task], settings: RunSettings) -> list[Job]:
    """The baselines at each budget, and LaF once: nothing in it is random."""
    made: list[Job] = []
    for task in classification(tasks):
        for entry in BASELINES:
            made += entry.jobs(task, budgets_of(task), settings)
        made += OURS.jobs(task, (0,), replace(settings, repetitions=1))
    return made


def outputs(tasks: Sequence[Task], results: Results) -> list[Output]:
    return [beside(each) for each in measured_outputs(tasks, results)]


def measured_outputs(tasks: Sequence[Task], results: Results) -> list[Output]:
    """All tables and figures, without the paper's own numbers."""
    pools = pools_of(classification(tasks))
    outcomes = outcomes_of(results, NAMES)
    correlations = {each: rankings_of(outcomes, NAMES, each) for each in CORRELATIONS}
    tops = {k: rankings_of(outcomes, NAMES, f"jaccard_{k}") for k in TOPS}
    clean, natural = ([task.name for task in each] for each in (pools.clean, pools.natural))
    shifted = [each.task.name for each in pools.synthetic]
    made: list[Output] = [pools_grid(pools), ranges_grid(pools)]
    for number, each in zip((3, 4), CORRELATIONS, strict=True):
        made.append(bands(f"figure-{number}", f"Figure {number}", each, correlations[each], clean))
    made += [significance(each, outcomes, pools.all) for each in CORRELATIONS]
    made.append(jaccard_grid("table-3", "Table 3: Jaccard on clean data", tops, clean, NAMES))
    for number, each in zip((4, 5), CORRELATIONS, strict=True):
        made.append(correlation_grid(f"table-{number}", f"Table {number}", each, correlations[each], pools, NAMES))
    made += [
        jaccard_grid("table-6", "Table 6: Jaccard under natural shift", tops, natural, NAMES),
        top_under_shift(tops[TOP], pools),
        jaccard_grid("figure-5-numbers", "Figure 5: Jaccard under synthetic shift", tops, shifted, NAMES),
        *(bands(f"figure-6-{each}", "Figure 6", each, correlations[each], natural) for each in CORRELATIONS),
        impact(correlations["spearman"], pools),
        quality_grid(correlations["spearman"], pools.all, OURS.name),
    ]
    return with_random_start(made, results)


def budgets_of(task: Task) -> tuple[int, ...]:
    """From the number of models to 180 in steps of 5."""
    return tuple(range(len(task.predictions.models), LAST + 1, STEP))


def bands(name: str, figure: str, indicator: str, found: Rankings, tasks: Sequence[str]) -> Figure:
    """Figures 3, 4 and 6: means with their standard deviation, a panel for each task."""
    panels = []
    for task in tasks:
        lines = [_band(entry.name, runs) for entry in BASELINES if (runs := found.get((task, entry.name)))]
        if lines and (ours := found.get((task, OURS.name))):  # its one value, as wide as the others
            ends = np.array([min(line.x[0] for line in lines), max(line.x[-1] for line in lines)])
            lines.append(Line(OURS.name, ends, np.full(2, ours.values[0, 0])))
        if lines:
            panels.append(Panel(task, tuple(lines)))
    title = title_of(indicator)
    return Figure(name, f"{figure}: {title}", "labels", title, tuple(panels), note=BAND, labels=NAMES)


def significance(indicator: str, outcomes: Outcomes, tasks: Sequence[Task]) -> Grid:
    """The p-values of Section 5.1: how many rankings correlate with the truth."""
    rows = []
    for task in tasks:
        found = [_significance(outcomes.get((task.name, name)), indicator) for name in NAMES]
        rows.append((Cell(task.name), Cell(str(len(task.predictions.models))), *found))
    note = (
        f"Share of rankings with p < {SIGNIFICANT} (two-sided, as scipy has it), and the median p-value in brackets; "
        f"for LaF its one correlation, which may be significant and negative, and its p-value. {ABSENT}"
    )
    title = f"p-values of {title_of(indicator)}"
    return Grid(f"p-values-{indicator}", title, ("task", "models", *NAMES), tuple(rows), note)


def spearman_p(outcome: Outcome) -> FloatArray:
    """(repetitions, budgets): `scipy.stats.spearmanr(...).pvalue` of all rankings at once."""
    from scipy.stats import t as student

    freedom, correlation = len(outcome.models) - 2, measured(outcome, "spearman")
    if freedom < 1:
        return np.full(correlation.shape, np.nan)
    with np.errstate(divide="ignore"):  # a perfect correlation has the p-value 0
        statistic = correlation * np.sqrt(freedom / np.maximum((1 + correlation) * (1 - correlation), 0.0))
    return np.asarray(2 * student.sf(np.abs(statistic), freedom))


def kendall_p(outcome: Outcome) -> FloatArray:
    """(repetitions, budgets): `scipy.stats.kendalltau(...).pvalue` of each ranking; nan where all models tie."""
    from scipy.stats import kendalltau

    rows, truth = -outcome.ranks.reshape(-1, len(outcome.models)), np.round(outcome.truth, TIE_DIGITS)
    known = np.where(np.isnan(rows), -np.inf, rows)  # a model without a value is the last, as in the correlation
    found = np.array([kendalltau(row, truth).pvalue for row in known])
    found[np.isnan(rows).all(axis=1)] = np.nan
    return found.reshape(outcome.ranks.shape[:2])


P_VALUES: Mapping[str, Callable[[Outcome], FloatArray]] = {"spearman": spearman_p, "kendall": kendall_p}


def top_under_shift(found: Rankings, pools: Pools) -> Figure:
    """Figure 5: the overlap of the top 5, a panel for each clean task, with a place for each severity."""
    panels = []
    for clean in dict.fromkeys(each.clean for each in pools.synthetic):
        shifts = [each for each in pools.synthetic if each.clean == clean]
        place, ticks = places_of(shifts)
        lines = [Line(name, place, _means(found, [each.task.name for each in shifts], name)) for name in NAMES]
        if known := tuple(line for line in lines if not np.isnan(line.y).all()):
            panels.append(Panel(clean, known, ticks=ticks))
    note = (
        "Means over all budgets and repetitions. Each corruption has room for its severities from 1, on the left, to "
        f"{SEVERITIES[-1]}; its name stands below the middle one."
    )
    title, x = f"Figure 5: {title_of(f'jaccard_{TOP}')} under synthetic shift", "corruption, by severity"
    return Figure("figure-5", title, x, "Jaccard", tuple(panels), kind="points", note=note, labels=NAMES)


def impact(found: Rankings, pools: Pools) -> Figure:
    """Figure 7: how good and how different the models are, against the ranking by LaF."""
    points = [
        (quality_of(task), float(runs.values[0, 0]))
        for task in pools.all
        if (runs := found.get((task.name, OURS.name))) is not None
    ]
    panels = []
    for title, part in (("Quality: mean accuracy", "quality"), ("Diversity: its standard deviation", "diversity")):
        groups: dict[str, list[tuple[float, float]]] = {}
        for pool, spearman in points:
            groups.setdefault(pool.group, []).append((getattr(pool, part), spearman))
        lines = [Line(group, *np.array(each).T) for group, each in sorted(groups.items())]
        if lines:
            panels.append(Panel(title, tuple(lines)))
    note = (
        "A point for each task, clean and shifted. The paper's rule of thumb is "
        f"quality > {QUALITY} and diversity > {DIVERSITY}."
    )
    title = "Figure 7: quality and diversity against the ranking by LaF"
    return Figure("figure-7", title, "quality or diversity", "Spearman", tuple(panels), kind="points", note=note)


def _band(label: str, runs: Runs) -> Line:
    line, spread = runs.line(label), runs.values.std(axis=0)
    return replace(line, low=np.maximum(line.y - spread, -1.0), high=np.minimum(line.y + spread, 1.0))


def _means(found: Rankings, tasks: Sequence[str], name: str) -> FloatArray:
    return np.array([found[task, name].values.mean() if (task, name) in found else np.nan for task in tasks])


def _significance(outcome: Outcome | None, indicator: str) -> Cell:
    if outcome is None or np.isnan(p_values := P_VALUES[indicator](outcome)).all():
        return Cell(MISSING)
    if p_values.size == 1:
        return Cell(f"{measured(outcome, indicator)[0, 0]:.2f} ({_small(float(p_values[0, 0]))})")
    share = float((p_values < SIGNIFICANT).mean())  # where all models tie there is no p-value, and no evidence
    return Cell(f"{share:.0%} ({_small(float(np.nanmedian(p_values)))})")


def _small(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
