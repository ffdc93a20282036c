"""Simulations as tables and in words."""

from rich.table import Table

from adjudge.charts.cells import number
from adjudge.core.index import counted
from adjudge.simulation.simulate import Simulation, Spread, spread
from adjudge.simulation.stopping_runs import StoppingSimulation


def simulation_table(result: Simulation) -> Table:
    """One row per metric: the mean over seeds at each budget, with the standard deviation."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("labels", no_wrap=True)
    for shown in result.budgets:
        table.add_column(str(shown), justify="right", no_wrap=True)
    for name, curve in result.curves.items():
        across = [spread(curve[:, shown]) for shown in result.budgets]
        if any(each["mean"] is not None for each in across):
            title = name.replace("_", " at ") if name.startswith("jaccard") else name.replace("_", " ")
            table.add_row(title, *map(_spread, across))
    return table


def simulation_title(result: Simulation) -> str:
    """What was played, and what the numbers below are."""
    runs = len(result.seeds)
    many = "1 seed, so no standard deviation" if runs == 1 else f"{runs} seeds: mean ± standard deviation"
    return f"{result.method} ranked by {result.ranker}, {many}"


def simulation_totals(result: Simulation) -> str:
    """The two numbers that sum up a run."""
    regret, reached = (result.totals()[name] for name in ("cumulative_regret", "labels_to_within_1pt"))
    return f"cumulative regret {_spread(regret)}, labels until within a point {_spread(reached, 1)}"


def runs_sentences(runs: StoppingSimulation) -> list[str]:
    """What a stopping rule came to, as a few lines."""
    used, of = runs.labels, f"of {counted(len(runs.seeds), 'run')}"
    beyond = "not the best" if runs.rule.margin is None else f"more than {runs.rule.margin:g} worse than the best"
    promise = "makes it likely that it is" if runs.rule.likely else "promises"
    return [
        f"{runs.method} until {runs.rule}, at most {counted(runs.budget, 'label')}",
        f"stopped by the rule: {int(runs.stopped.sum())} {of}; the others reached the budget",
        f"labels used: {number(spread(used)['mean'], 1)} on average, from {used.min():.0f} to {used.max():.0f}",
        f"stopped at a model that is {beyond}: {int(runs.broken.sum())} {of} (the rule {promise} at most 5%)",
        f"first model {beyond}, stopped or not: {int(runs.missed.sum())} {of}; mean regret "
        f"{number(spread(runs.regret)['mean'])}",
    ]


def _spread(value: Spread, digits: int = 3) -> str:
    deviation = number(value["std"], max(digits - 1, 1)).removeprefix("0")
    return number(value["mean"], digits) + (f" ±{deviation}" if value["std"] is not None else "")
