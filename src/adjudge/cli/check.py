"""`adjudge check`: what is in the pool."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.inputs import AsJson, EngineName, UnusedSeed, words_of
from adjudge.cli.output import print_command, print_json, screen

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions
    from adjudge.decisions.screening import Screening

RANK = "a ranking without labels, and which labels to get", "rank {}"


@with_options
def check(
    source: PredictionsSource,
    merged: Annotated[
        Path | None,
        typer.Option("--merged", help="Write the answers that --normalize merged here, to change and to give back."),
    ] = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Look at the pool: what is in it, what is odd, and what can be computed with it.

    Example: adjudge check predictions.csv
    """
    from dataclasses import asdict

    from adjudge.decisions.screening import missing_inputs
    from adjudge.decisions.screening import screen as screen_pool
    from adjudge.io.labels.replacing import refuse_labels
    from adjudge.io.predictions.equal_answers import write_equivalences
    from adjudge.io.predictions.features import has_features
    from adjudge.reports.plain import SCREENING_NAMES

    predictions = source.read(in_parts=True)
    if merged is not None:
        refuse_labels(merged, "choose another name for --merged")
        write_equivalences(predictions, merged)
    found = screen_pool(predictions)
    lacking = missing_inputs(predictions, features=has_features(source.path))
    if as_json:
        able = {name: {"works": not lacks, "lacks": lacks} for name, lacks in lacking.items()}
        told = {SCREENING_NAMES.get(name, name): value for name, value in asdict(found).items()}
        print_json("check", told | {"methods": able})
        return
    _show(found, lacking)
    if len(found.models) > 1:
        respelled = found.normalization is None and found.merged and not predictions.in_parts
        source = replace(source, normalize="auto") if respelled else source
        _suggest(source, found.may_abstain, _first_step(predictions), in_parts=predictions.in_parts)


def _first_step(predictions: "Predictions") -> tuple[str, str]:
    """What a command is for, and the command, with a gap for the predictions."""
    from adjudge.core.recommendation import FIRST_LABELS

    if predictions.grades is not None:
        return "how the models rank by their scores", "rank {}"
    if predictions.classes is not None:
        return RANK
    budget = min(FIRST_LABELS, len(predictions.samples))  # votes are between classes, so that nothing ranks numbers yet
    return "which samples to label", f"select {{}} --budget {budget} --out labels.csv"


def _suggest(source: PredictionsSource, may_abstain: Iterable[str], step: tuple[str, str], *, in_parts: bool) -> None:
    """Commands to try next; where parts are worked on is no matter of `merge`, nor kept by it."""
    on_file = replace(source, engine=EngineName.local, scheduler=None).words()
    words = on_file + "".join(f" --abstain {words_of(each)}" for each in may_abstain)
    first, ranked = "Next", source
    if words != words_of(source.path):
        out = Path("pool" if in_parts else "pool.parquet")
        what = "a folder of parts" if in_parts else "one file"
        screen().print(f"Next: write the pool once, so that later commands need no more than {what}:")
        print_command(f"adjudge merge {words} --out {out}")
        first, ranked = "Then", PredictionsSource([out], engine=source.engine, scheduler=source.scheduler)
    purpose, command = step
    screen().print(f"{first}: {purpose}:")
    print_command(f"adjudge {command.format(ranked.words())}")


def _show(found: "Screening", lacking: Mapping[str, Sequence[str]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from adjudge.reports.pool import facts, sentences
    from adjudge.reports.tables import bullets

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts(found):
        table.add_row(f"[bold]{name}[/bold]", escape(value))
    console = screen()
    console.print(table)
    console.print(bullets(sentences(found)))
    work = sum(not lacks for lacks in lacking.values())
    needs = "; ".join(f"{name} needs {' and '.join(lacks)}" for name, lacks in lacking.items() if lacks)
    console.print(
        f"\n{work} of {len(lacking)} methods work here (adjudge methods lists them){f': {needs}' if needs else ''}.",
        markup=False,
    )
