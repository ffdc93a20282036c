"""What an experiment is: a built-in one by name, or a TOML file."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from adjudge.errors import InputError
from adjudge.experiments.comparison import Comparison, Entry
from adjudge.experiments.jobs import Job, Settings
from adjudge.experiments.outputs import Output
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

BUILT_IN = {"sds-2021": "sds_2021", "ces-2019": "ces_2019", "laf-2022": "laf_2022"}


class Experiment(Protocol):
    """Jobs to run, and tables and figures to make of their results."""

    def jobs(self, tasks: Sequence[Task], settings: Settings) -> list[Job]: ...
    def outputs(self, tasks: Sequence[Task], results: Results) -> list[Output]: ...


def experiment(name: str) -> tuple[Experiment, tuple[str, ...], Settings]:
    """The experiment of this name or file, the tasks it names, and its settings."""
    if name in BUILT_IN:
        made: Experiment = import_module(f"adjudge.experiments.papers.{BUILT_IN[name]}")
        return made, (), Settings()
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{name!r} is neither a file nor a built-in experiment; those are {', '.join(BUILT_IN)}")
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"{path.name} is not TOML ({problem}); see the docs for an example") from problem
    return _from_toml(path.name, told)


def _from_toml(name: str, told: Mapping[str, Any]) -> tuple[Experiment, tuple[str, ...], Settings]:
    known = {"tasks", "budgets", "repetitions", "seed", "indicators", "methods", "compare"}
    if strange := sorted(set(told) - known):
        raise InputError(f"{name} has the unknown key {strange[0]!r}; it may have {', '.join(sorted(known))}")
    entries = tuple(_entry(name, method) for method in told.get("methods", ()))
    budgets = told.get("budgets", [35, 60, 90, 120, 150, 180])
    if not entries or not isinstance(budgets, list) or not all(isinstance(each, int) for each in budgets):
        raise InputError(f"{name} needs at least one [[methods]] table, and budgets as a list of whole numbers")
    indicators = tuple(told.get("indicators", ("spearman", "jaccard_10")))
    compare = told.get("compare", entries[0].name)
    made = Comparison(entries, tuple(sorted(budgets)), indicators, compare)
    return made, tuple(told.get("tasks", ())), Settings(int(told.get("repetitions", 50)), int(told.get("seed", 0)))


def _entry(name: str, told: Mapping[str, Any]) -> Entry:
    if "method" not in told or (strange := set(told) - {"method", "name", "options", "ranker"}):
        what = f"the unknown key {sorted(strange)[0]!r}" if "method" in told else "no method"
        raise InputError(f"a [[methods]] table of {name} has {what}; it takes method, name, options and ranker")
    return Entry(told.get("name", told["method"]), told["method"], told.get("ranker"), told.get("options", {}))
