"""Figures that experiments share: curves over budgets, for each task or on average."""

from collections.abc import Sequence

import numpy as np

from adjudge.experiments.outputs import Figure, Line, Panel
from adjudge.experiments.rankings import Rankings


def curves(
    name: str,
    title: str,
    y: str,
    rankings: Rankings,
    tasks: Sequence[str],
    methods: Sequence[str],
    note: str = "",
) -> Figure:
    """The mean over repetitions at each budget, a panel for each task."""
    panels = [
        Panel(task, tuple(rankings[task, method].line(method) for method in methods if (task, method) in rankings))
        for task in tasks
    ]
    shown = tuple(panel for panel in panels if panel.lines)
    return Figure(name, title, "labels", y, shown, note=note, labels=tuple(methods))


def average_panels(title: str, rankings: Rankings, methods: Sequence[str]) -> list[Panel]:
    """Averages over tasks, never of different tasks in one panel.

    One panel for the tasks that have all methods; where there are more tasks, another for all of them, with the
    methods that they have in common. Tasks with fewer budgets than others are left out.
    """
    longest = max((len(runs.budgets) for runs in rankings.values()), default=0)
    tasks = [
        task
        for task in dict.fromkeys(task for task, _ in rankings)
        if all(len(runs.budgets) == longest for (each, _), runs in rankings.items() if each == task)
    ]
    complete = [task for task in tasks if all((task, method) in rankings for method in methods)]
    common = [method for method in methods if tasks and all((task, method) in rankings for task in tasks)]
    panels = []
    for chosen, shown in ((complete, methods), (tasks, common)):
        if not chosen or not shown or (chosen is tasks and complete == tasks):
            continue
        lines = [_average([rankings[task, method].line(method) for task in chosen]) for method in shown]
        panels.append(Panel(f"{title}, {_tasks(len(chosen))}", tuple(lines)))
    return panels


def _average(lines: Sequence[Line]) -> Line:
    return Line(lines[0].label, lines[0].x, np.mean([line.y for line in lines], axis=0))


def _tasks(count: int) -> str:
    return f"mean of {count} tasks" if count > 1 else "1 task"
