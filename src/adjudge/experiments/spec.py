"""What an experiment is: a built-in one by name, or a TOML file."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from adjudge.errors import InputError
from adjudge.experiments.comparison import Entry, MethodComparison
from adjudge.experiments.jobs import Job, RunSettings
from adjudge.experiments.outputs import Output
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

BUILT_IN = {"sds-2021": "sds_2021", "ces-2019": "ces_2019", "laf-2022": "laf_2022"}
KEYS: Mapping[str, type] = {
    "tasks": list,
    "budgets": list,
    "repetitions": int,
    "seed": int,
    "indicators": list,
    "methods": list,
    "compare": str,
}
METHOD_KEYS: Mapping[str, type] = {"method": str, "name": str, "options": dict, "ranker": str}
WORDS = {list: "a list", int: "a whole number", str: "text", dict: "a table"}


class Experiment(Protocol):
    """Jobs to run, and tables and figures to make of their results."""

    def jobs(self, tasks: Sequence[Task], settings: RunSettings) -> list[Job]: ...
    def outputs(self, tasks: Sequence[Task], results: Results) -> list[Output]: ...


def experiment(name: str) -> tuple[Experiment, tuple[str, ...], RunSettings]:
    """The experiment of this name or file, the tasks it names, and its settings."""
    if name in BUILT_IN:
        made: Experiment = import_module(f"adjudge.experiments.papers.{BUILT_IN[name]}")
        return made, (), RunSettings()
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{name!r} is neither a file nor a built-in experiment; those are {', '.join(BUILT_IN)}")
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"{path.name} is not TOML ({problem}); see the docs for an example") from problem
    return _from_toml(path.name, told)


def _from_toml(name: str, told: Mapping[str, Any]) -> tuple[Experiment, tuple[str, ...], RunSettings]:
    _check(name, told, KEYS)
    entries = tuple(_entry(name, method) for method in told.get("methods", ()))
    if not entries:
        raise InputError(f"{name} names no method; add at least one [[methods]] table")
    budgets = told.get("budgets", [35, 60, 90, 120, 150, 180])
    if not budgets or not all(type(each) is int and each > 0 for each in budgets):
        raise InputError(f"the budgets of {name} are {budgets}; give whole numbers above 0")
    settings = RunSettings(told.get("repetitions", 50), told.get("seed", 0))
    if settings.repetitions < 1 or settings.seed < 0:
        raise InputError(
            f"{name} asks for {settings.repetitions} repetitions from the seed {settings.seed}; "
            "give at least 1 and a seed that is not negative"
        )
    indicators = tuple(map(str, told.get("indicators", ("spearman", "jaccard_10"))))
    made = MethodComparison(entries, tuple(sorted(set(budgets))), indicators, told.get("compare", entries[0].name))
    return made, tuple(map(str, told.get("tasks", ()))), settings


def _entry(name: str, told: Any) -> Entry:
    where = f"a [[methods]] table of {name}"
    if not isinstance(told, dict) or "method" not in told:
        raise InputError(f"{where} has no method; it takes {', '.join(METHOD_KEYS)}")
    given: dict[str, Any] = told
    _check(where, given, METHOD_KEYS)
    return Entry(given.get("name", given["method"]), given["method"], given.get("ranker"), given.get("options", {}))


def _check(where: str, told: Mapping[str, Any], known: Mapping[str, type]) -> None:
    for key, value in told.items():
        if key not in known:
            raise InputError(f"{where} has the unknown key {key!r}; it may have {', '.join(known)}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            raise InputError(f"{key} of {where} is {value!r}; give {WORDS[known[key]]}")
