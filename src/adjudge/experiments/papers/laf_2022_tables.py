"""Tables of LaF, and the rule by which tasks are clean or shifted."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.indicators import title_of
from adjudge.experiments.outputs import MISSING, Cell, Grid, cell
from adjudge.experiments.rankings import Rankings, Runs
from adjudge.experiments.tables import average
from adjudge.experiments.tasks import Task
from adjudge.models.corruptions import SEVERITIES, STUDY

CORRUPTED = re.compile(r"(?P<kind>.*[^\d_])_?(?P<severity>[1-5])")
NATURAL = {"drift", "ood", "shift"}
CORRUPTIONS = tuple(kind.replace("-", " ") for kind in STUDY)  # Table 2
GOOD = 0.7  # lower correlations are marked in Figure 7
QUALITY, DIVERSITY = 0.5, 0.18  # the rule of thumb (Section 5.3)
RULE = (
    "A task <clean>_<kind><severity>, with <clean> among the tasks and a severity of 1 to 5, is <clean> under "
    f"synthetic shift; other tasks with {', '.join(sorted(NATURAL))} between underscores in their name are under "
    "natural shift; the rest are clean."
)
ABSENT = f"{MISSING}: not there, or not measured."


@dataclass(frozen=True, eq=False)
class Shifted:
    """A task that is another one under synthetic shift."""

    task: Task
    clean: str
    kind: str
    severity: int


@dataclass(frozen=True, eq=False)
class Pools:
    """Tasks by what they test: accuracy on clean data, or robustness on shifted data."""

    clean: tuple[Task, ...]
    synthetic: tuple[Shifted, ...]
    natural: tuple[Task, ...]

    @property
    def all(self) -> tuple[Task, ...]:
        return (*self.clean, *(each.task for each in self.synthetic), *self.natural)

    @property
    def corruptions(self) -> tuple[tuple[str, str], ...]:
        """The clean task and the kind of each corruption that is there."""
        return tuple(dict.fromkeys((each.clean, each.kind) for each in self.synthetic))

    def shifted(self, clean: str, kind: str, severity: int) -> Task | None:
        asked = (clean, kind, severity)
        return next((each.task for each in self.synthetic if (each.clean, each.kind, each.severity) == asked), None)


@dataclass(frozen=True)
class Quality:
    """How good the models of a pool are, and how different."""

    quality: float  # mean accuracy
    diversity: float  # standard deviation of accuracy

    @property
    def group(self) -> str:
        """Which parts of the rule of thumb hold."""
        high, wide = self.quality > QUALITY, self.diversity > DIVERSITY
        if high and wide:
            return "high quality and diversity"
        return "high quality only" if high else "high diversity only" if wide else "neither is high"


def pools_of(tasks: Sequence[Task]) -> Pools:
    """Tasks grouped by their names, as `RULE` says."""
    found = {task.name: _shift(task, tasks) for task in tasks}
    rest = [task for task in tasks if found[task.name] is None]
    natural = [task for task in rest if NATURAL & set(task.name.lower().split("_"))]
    return Pools(
        tuple(task for task in rest if task not in natural),
        tuple(shift for shift in found.values() if shift is not None),
        tuple(natural),
    )


def places_of(shifts: Sequence[Shifted], gap: int = 0) -> tuple[FloatArray, tuple[tuple[str, float], ...]]:
    """A place on an axis for each shift, kind by kind with a gap between, and the name of each kind at its middle."""
    kinds = dict.fromkeys(each.kind for each in shifts)
    start = {kind: (len(SEVERITIES) + gap) * at for at, kind in enumerate(kinds)}
    place = np.array([float(start[each.kind] + each.severity) for each in shifts])
    return place, tuple((kind, at + float(np.median(SEVERITIES))) for kind, at in start.items())


def quality_of(task: Task) -> Quality:
    return Quality(float(task.values.mean()), float(task.values.std()))


def pools_grid(pools: Pools) -> Grid:
    """Table 1: what the pools hold, with the lowest and the highest accuracy and robustness of a model."""
    header = ("task", "classes", "models", "samples", "accuracy (%)", "shift", "shifted samples", "robustness (%)")
    rows = []
    for task in (*pools.clean, *pools.natural):
        clean, drifted = task in pools.clean, [task] * (task in pools.natural)
        synthetic = [each.task for each in pools.synthetic if each.clean == task.name]
        shifted = [*drifted, *synthetic]
        kinds = ["natural"] * bool(drifted) + ["synthetic"] * bool(synthetic)
        rows.append(
            (
                Cell(task.name),
                Cell(str(len(task.predictions.classes or ()))),
                Cell(str(len(task.predictions.models))),
                Cell(str(len(task.truth)) if clean else MISSING),
                Cell(_range([task] if clean else [])),
                Cell(", ".join(kinds) or MISSING),
                Cell(str(sum(len(each.truth) for each in shifted)) if shifted else MISSING),
                Cell(_range(shifted)),
            )
        )
    return Grid("table-1", "Table 1: the tasks", header, tuple(rows), f"{RULE} {ABSENT}")


def ranges_grid(pools: Pools) -> Grid:
    """Table 2: the lowest and the highest robustness of a model under synthetic shift."""
    rows = []
    for clean, kind in pools.corruptions:
        tasks = [pools.shifted(clean, kind, severity) for severity in SEVERITIES]
        ranges = (Cell(_range([task] if task else [])) for task in tasks)
        rows.append((Cell(clean), Cell(kind), *ranges))
    for clean, lacking in _lacking(pools):
        rows.append((Cell(clean), Cell(f"{len(lacking)} more of the paper"), *[Cell(MISSING)] * len(SEVERITIES)))
    header = ("task", "corruption", *(f"severity {each}" for each in SEVERITIES))
    note = _lacking_note(pools)
    return Grid("table-2", "Table 2: robustness (%) under synthetic shift", header, tuple(rows), f"{note} {ABSENT}")


def correlation_grid(
    name: str, table: str, indicator: str, found: Rankings, pools: Pools, methods: Sequence[str]
) -> Grid:
    """Tables 4 and 5: mean and standard deviation over budgets and repetitions, and who is best how often."""
    rows: list[tuple[Cell, ...]] = []
    cases: list[list[float | None]] = []
    for clean, kind in pools.corruptions:
        for severity in SEVERITIES:
            task = pools.shifted(clean, kind, severity)
            runs = [None if task is None else found.get((task.name, method)) for method in methods]
            means = [_mean(each) for each in runs]
            cases.append(means)
            shaded = [_beaten(means, methods, method) for method in methods]
            rows.append((Cell(clean), Cell(kind), Cell(str(severity)), *_spread(runs, means, shaded)))
    for clean, lacking in _lacking(pools):
        more = (Cell(clean), Cell(f"{len(lacking)} more of the paper"), Cell("1 to 5"))
        rows.append((*more, *[Cell(MISSING)] * len(methods)))
    rows.append((Cell("all"), Cell("best in"), Cell(""), *_counts(cases, len(methods))))
    note = (
        f"Bold: best of the row at two decimals. Shaded: above SDS without being LaF. Of one ranking for LaF, of all "
        f"budgets and repetitions for the others. {_lacking_note(pools)} {ABSENT}"
    )
    title = f"{table}: {title_of(indicator)} under synthetic shift"
    return Grid(name, title, ("task", "corruption", "severity", *methods), tuple(rows), note)


def jaccard_grid(
    name: str, title: str, tops: Mapping[int, Rankings], tasks: Sequence[str], methods: Sequence[str]
) -> Grid:
    """Tables 3 and 6: the overlap of the top k on each task, the averages, and who is best how often."""
    rows: list[tuple[Cell, ...]] = []
    every: list[list[float | None]] = []
    for k, found in tops.items():
        cases = [[_mean(found.get((task, method))) for method in methods] for task in tasks]
        every += cases
        rows += [(Cell(f"k = {k}"), Cell(task), *_marked(means)) for task, means in zip(tasks, cases, strict=True)]
        applicable = [means for means in cases if any(each is not None for each in means)]
        complete = [means for means in applicable if None not in means]
        for label, chosen in (("average", applicable), ("average (all methods)", complete)):
            if len(applicable) > 1 and chosen and (chosen is applicable or len(chosen) < len(applicable)):
                rows.append(
                    (Cell(f"k = {k}"), Cell(label), *_marked([average(column) for column in zip(*chosen, strict=True)]))
                )
    rows.append((Cell("all"), Cell("best in"), *_counts(every, len(methods))))
    note = (
        "Bold: best of the row. Means over all budgets and repetitions. The second average is over tasks that have all "
        f"methods. The top k of k models or fewer says nothing. {ABSENT}"
    )
    return Grid(name, title, ("top", "task", *methods), tuple(rows), note)


def quality_grid(found: Rankings, tasks: Sequence[Task], ours: str) -> Grid:
    """The numbers of Figure 7, and how often the rule of thumb holds."""
    rows: list[tuple[Cell, ...]] = []
    good: dict[str, list[bool]] = {}
    for task in tasks:
        pool, spearman = quality_of(task), _mean(found.get((task.name, ours)))
        rows.append((Cell(task.name), cell(pool.quality), cell(pool.diversity), cell(spearman), Cell(pool.group)))
        if spearman is not None:
            good.setdefault(pool.group, []).append(spearman >= GOOD)
    for group, each in sorted(good.items()):
        rows.append((Cell(f"Spearman >= {GOOD}"), Cell(""), Cell(""), Cell(f"{sum(each)} of {len(each)}"), Cell(group)))
    note = f"Quality is high above {QUALITY}, diversity above {DIVERSITY} (the paper's rule of thumb). {ABSENT}"
    header = ("task", "quality", "diversity", f"Spearman of {ours}", "rule of thumb")
    return Grid("figure-7-numbers", "Figure 7: quality and diversity", header, tuple(rows), note)


def _shift(task: Task, tasks: Sequence[Task]) -> Shifted | None:
    """What synthetic shift a task is; of several clean tasks that fit, the one with the longest name."""
    for clean in sorted((each.name for each in tasks), key=len, reverse=True):
        rest = task.name.removeprefix(f"{clean}_")
        if rest != task.name and (told := CORRUPTED.fullmatch(rest)):
            return Shifted(task, clean, told["kind"].replace("_", " ").replace("-", " "), int(told["severity"]))
    return None


def _range(tasks: Sequence[Task]) -> str:
    if not tasks:
        return MISSING
    lowest, highest = min(task.values.min() for task in tasks), max(task.values.max() for task in tasks)
    return f"{100 * lowest:.2f}-{100 * highest:.2f}"


def _lacking(pools: Pools) -> list[tuple[str, list[str]]]:
    """For each clean task with shifts, the corruptions of the paper that are not there."""
    cleans = dict.fromkeys(each.clean for each in pools.synthetic)
    lacking = {clean: [kind for kind in CORRUPTIONS if (clean, kind) not in pools.corruptions] for clean in cleans}
    return [(clean, kinds) for clean, kinds in lacking.items() if kinds]


def _lacking_note(pools: Pools) -> str:
    lacking = [f"Not there for {clean}: {', '.join(kinds)}." for clean, kinds in _lacking(pools)]
    return " ".join(lacking) if pools.synthetic else "No task is another one under synthetic shift."


def _mean(runs: Runs | None) -> float | None:
    """Over all rankings; None where a ranking is missing."""
    return None if runs is None or np.isnan(runs.values).any() else float(runs.values.mean())


def _best(means: Sequence[float | None]) -> list[bool]:
    known = [round(mean, 2) for mean in means if mean is not None]
    return [mean is not None and round(mean, 2) == max(known) for mean in means]


def _marked(means: Sequence[float | None]) -> list[Cell]:
    return [cell(mean, 2, bold=bold) for mean, bold in zip(means, _best(means), strict=True)]


def _spread(runs: Sequence[Runs | None], means: Sequence[float | None], shaded: Sequence[bool]) -> list[Cell]:
    """Mean and standard deviation; of one ranking only its value."""
    cells = []
    for each, mean, bold, shade in zip(runs, means, _best(means), shaded, strict=True):
        if each is None or mean is None:
            cells.append(Cell(MISSING))
        else:
            around = f"±{each.values.std():.2f}" if each.values.size > 1 else ""
            cells.append(Cell(f"{mean:.2f}{around}", bold, shade))
    return cells


def _beaten(means: Sequence[float | None], methods: Sequence[str], method: str) -> bool:
    """Whether a baseline is above SDS, which the paper marks in yellow."""
    by_name = dict(zip(methods, means, strict=True))
    own, sds = by_name[method], by_name.get("SDS")
    return method not in ("SDS", methods[-1]) and own is not None and sds is not None and own > sds


def _counts(cases: Sequence[Sequence[float | None]], methods: int) -> list[Cell]:
    """In how many of the cases that a method was measured in it is the best, alone or with others."""
    best = [_best(means) for means in cases]
    counted = []
    for place in range(methods):
        measured_in = sum(means[place] is not None for means in cases)
        counted.append(Cell(f"{sum(each[place] for each in best)} of {measured_in}" if measured_in else MISSING))
    return counted
