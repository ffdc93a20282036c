"""Several runs as one table, with what does not fit together listed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.runs.records import Run, Said, State, epoch_name, letter, place_among

SPOKEN = {State.unparsed: "(unparsed)", State.refused: "(refused)"}  # answers that are never right
FACTS = ("task", "question", "options", "cluster")  # the same for all models
FIRST, ALL = "first", "all"
EPOCHS = (FIRST, ALL)
SEVERAL = 2  # samples missing at the end, from which on a log looks cut off: a single one may have failed


@dataclass(frozen=True)
class ImportSummary:
    """What became of the runs that were imported; samples are named by their ids in the table.

    Attributes
    ----------
    models
        Each model, with the number of samples that it has a row for.
    partial
        Samples that only some models have.
    cut_off
        Models that have all samples of the longest run of a task but several at its end, as where a log was cut off.
    targets_differ, options_differ, questions_differ
        Samples for which runs disagree on the right answer, the options, or the question itself.
    several_targets
        Samples with several right answers, which a file of labels cannot hold.
    unparsed, refused, errored, blank, duplicates, epochs
        By model, where there are any.
    remarks
        Sentences on single files.
    normalization
        How answers are compared.
    own_tasks
        By model, the number of samples of each of its tasks, where some model lacks all of a task that another has.
    """

    models: Mapping[str, int]
    samples: int
    tasks: tuple[str, ...]
    partial: tuple[str, ...] = ()
    cut_off: tuple[str, ...] = ()
    targets_differ: tuple[str, ...] = ()
    options_differ: tuple[str, ...] = ()
    questions_differ: tuple[str, ...] = ()
    several_targets: tuple[str, ...] = ()
    unparsed: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    errored: Mapping[str, int] = field(default_factory=dict)
    blank: Mapping[str, int] = field(default_factory=dict)
    duplicates: Mapping[str, int] = field(default_factory=dict)
    epochs: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    normalization: str = "none"
    own_tasks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    truth: int | None = None  # how many samples have a right answer in the file of their own


@dataclass(frozen=True, eq=False)
class JoinedRuns:
    """A long table with a row for each model and sample, the right answers, and what was found on the way."""

    table: pa.Table
    truth: pa.Table
    summary: ImportSummary


Rows = dict[str, dict[str, Said]]  # by model and key


def joined(runs: Sequence[Run], *, epochs: str = FIRST) -> JoinedRuns:
    """One table of all runs.

    Parameters
    ----------
    epochs
        Of several answers of a model to one question: "first" keeps the first, "all" makes a model of each epoch.
    """
    if epochs not in EPOCHS:
        raise InputError(f"epochs={epochs!r} is not known; use {' or '.join(EPOCHS)}")
    said, duplicates = _by_epoch(runs)
    counted = {model: max(len(each) for each in rows.values()) for model, rows in said.items()}
    rows = _chosen(said, epochs)
    _check_shared(rows, {run.model: run.file for run in runs})
    samples = list(dict.fromkeys(key for each in rows.values() for key in each))
    first = {key: next(each[key] for each in rows.values() if key in each) for key in samples}
    rows, options_differ = _same_options(rows, first)
    right = {key: _targets(each[key] for each in rows.values() if key in each) for key in samples}
    summary = ImportSummary(
        {model: len(each) for model, each in rows.items()},
        len(samples),
        tuple(dict.fromkeys(each.task for each in first.values() if each.task)),
        tuple(key for key in samples if any(key not in each for each in rows.values())),
        _cut_off(rows),
        tuple(key for key in samples if len(right[key]) > 1),
        options_differ,
        _questions_differ(rows, first),
        tuple(key for key in samples if any(len(each) > 1 for each in right[key])),
        _count(rows, State.unparsed),
        _count(rows, State.refused),
        _count(rows, State.errored),
        _count(rows, State.blank),
        duplicates=duplicates,
        epochs={model: count for model, count in counted.items() if count > 1},
        remarks=tuple(remark for run in runs for remark in run.remarks),
        own_tasks=_own_tasks(rows),
    )
    return JoinedRuns(_table(rows, samples, first), _truth(right), summary)


def _by_epoch(runs: Sequence[Run]) -> tuple[dict[str, dict[str, dict[int, Said]]], dict[str, int]]:
    """What each model said, by sample and epoch, and how many rows say again what another says."""
    found: dict[str, dict[str, dict[int, Said]]] = {}
    files: dict[tuple[str, str, int], Run] = {}
    duplicates: Counter[str] = Counter()
    for run in runs:
        rows = found.setdefault(run.model, defaultdict(dict))
        for said in run.rows:
            before = files.setdefault((run.model, said.key, said.epoch), run)
            if before is not run:
                where = run.file if run.file == before.file else f"{before.file} and {run.file}"
                raise InputError(
                    f"two runs have the name {run.model!r} ({where}), and both answer {said.key!r}; give each run a "
                    "name of its own, in their order: --names A,B (names= in Python)"
                )
            if said.epoch in rows[said.key]:
                duplicates[run.model] += 1
            rows[said.key].setdefault(said.epoch, said)
    return found, dict(duplicates)


def _chosen(said: Mapping[str, Mapping[str, Mapping[int, Said]]], epochs: str) -> Rows:
    """One answer for each model and sample."""
    if epochs == FIRST:
        return {model: {key: each[min(each)] for key, each in rows.items()} for model, rows in said.items()}
    found: Rows = {}
    for model, rows in said.items():
        numbers = sorted({epoch for each in rows.values() for epoch in each})
        for epoch in numbers:
            name = model if len(numbers) == 1 else epoch_name(model, epoch)
            found[name] = {key: each[epoch] for key, each in rows.items() if epoch in each}
    return found


def _check_shared(rows: Rows, files: Mapping[str, str]) -> None:
    """Refuse a run that no other can be compared with."""
    times = Counter(key for each in rows.values() for key in each)
    for model, each in rows.items():
        if len(rows) > 1 and not any(times[key] > 1 for key in each):
            own, others = _tasks(each.values()), _tasks(s for m, o in rows.items() if m != model for s in o.values())
            tasks = f" (its task is {own}, theirs {others})" if own != others else ""
            where = f" of {files[model]}" if model in files else ""
            raise InputError(
                f"the run {model!r}{where} has no sample in common with the others{tasks}; import the runs of each "
                "task by themselves"
            )


def _cut_off(rows: Rows) -> tuple[str, ...]:
    """Models whose samples of a task are the first ones of the longest run of that task, without the last several."""
    found: set[str] = set()
    for task in {said.task for each in rows.values() for said in each.values()}:
        keys = {model: [key for key, said in each.items() if said.task == task] for model, each in rows.items()}
        longest = max(keys.values(), key=len)
        most = len(longest) - SEVERAL
        found |= {model for model, own in keys.items() if 0 < len(own) <= most and {*own} == {*longest[: len(own)]}}
    return tuple(model for model in rows if model in found)


def _own_tasks(rows: Rows) -> dict[str, dict[str, int]]:
    """How many samples of each task a model has; empty where all have the same tasks."""
    found = {model: dict(Counter(said.task or "(no task)" for said in each.values())) for model, each in rows.items()}
    return found if len({frozenset(each) for each in found.values()}) > 1 else {}


def _tasks(said: Iterable[Said]) -> str:
    return listed(sorted({each.task for each in said}), 3)


def _same_options(rows: Rows, first: Mapping[str, Said]) -> tuple[Rows, tuple[str, ...]]:
    """Answers and targets as letters of the options that the first run had; blank where an option is not there."""
    differ: dict[str, None] = {}
    found: Rows = {model: {} for model in rows}
    for model, each in rows.items():
        for key, said in each.items():
            options = first[key].choices
            if said.choices != options:
                differ[key] = None
            found[model][key] = _lettered(said, options)
    return found, tuple(differ)


def _lettered(said: Said, options: tuple[str, ...]) -> Said:
    if not said.choices and not options:
        return said
    targets = tuple(_option(each, said.choices, options) or each for each in said.targets)
    if said.state != State.answered or said.answer is None:
        return replace(said, targets=targets)
    answer = _option(said.answer, said.choices, options)
    if answer is None and said.choices != options:
        return replace(said, answer=None, state=State.blank, targets=targets)
    return replace(said, answer=answer or said.answer, targets=targets)


def _option(text: str, own: tuple[str, ...], options: tuple[str, ...]) -> str | None:
    place = place_among(text, own)
    if place is None or (own != options and own[place] not in options):
        return None
    return letter(options.index(own[place])) if own != options else letter(place)


def _targets(said: Iterable[Said]) -> list[tuple[str, ...]]:
    """The different sets of right answers that runs name for a sample."""
    return list(dict.fromkeys(tuple(each.strip() for each in row.targets) for row in said if row.targets))


def _questions_differ(rows: Rows, first: Mapping[str, Said]) -> tuple[str, ...]:
    """Samples with one id and several questions, whether the hash keeps them apart or not."""
    asked: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in rows.values():
        for said in each.values():
            asked[said.task, said.sample].setdefault(said.question, said.key)
    return tuple(key for texts in asked.values() if len(texts) > 1 and "" not in texts for key in texts.values())


def _count(rows: Rows, state: State) -> dict[str, int]:
    found = {model: sum(said.state == state for said in each.values()) for model, each in rows.items()}
    return {model: count for model, count in found.items() if count}


def _table(rows: Rows, samples: Sequence[str], first: Mapping[str, Said]) -> pa.Table:
    """A row for each model and sample; facts that no log has are left out."""
    cells = [(model, key, each.get(key)) for model, each in rows.items() for key in samples]
    facts = {
        "task": [first[key].task for _, key, _ in cells],
        "question": [first[key].question for _, key, _ in cells],
        "options": [_shown(first[key].choices) for _, key, _ in cells],
        "cluster": [first[key].cluster for _, key, _ in cells],
    }
    columns = {
        "sample_id": pa.array([key for _, key, _ in cells], pa.string()),
        "model": pa.array([model for model, _, _ in cells], pa.string()),
        "prediction": pa.array([None if said is None else _spoken(said) for _, _, said in cells], pa.string()),
        "state": pa.array([None if said is None else str(said.state) for _, _, said in cells], pa.string()),
    }
    columns |= {name: pa.array(texts, pa.string()) for name, texts in facts.items() if any(texts)}
    for name in ("score", "cost", "latency"):
        numbers = [None if said is None else getattr(said, name) for _, _, said in cells]
        if any(number is not None for number in numbers):
            columns[name] = pa.array(numbers, pa.float64())
    return pa.table(columns)


def _spoken(said: Said) -> str | None:
    """An answer as the table has it: what cannot be right is an answer too, what was never heard is none."""
    return said.answer if said.state == State.answered else SPOKEN.get(said.state)


def _shown(choices: Sequence[str]) -> str:
    return "\n".join(f"{letter(place)}. {text}" for place, text in enumerate(choices))


def _truth(right: Mapping[str, list[tuple[str, ...]]]) -> pa.Table:
    """The right answer of each sample that has one on which all runs agree."""
    known = {key: sets[0][0] for key, sets in right.items() if len(sets) == 1 and len(sets[0]) == 1}
    ids, labels = list(known), list(known.values())
    return pa.table({"sample_id": pa.array(ids, pa.string()), "label": pa.array(labels, pa.string())})
