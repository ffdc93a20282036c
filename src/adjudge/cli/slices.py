"""The slices of `adjudge rank --slice`: the parts of a pool that are ranked apart."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.output import busy, print_json, screen

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.core.ranking import Ranking
    from adjudge.decisions.rank import RankOptions
    from adjudge.decisions.slices import Slice


@dataclass(frozen=True)
class SliceOptions:
    """The parts of the pool that are ranked apart."""

    column: Annotated[
        str | None, typer.Option("--slice", help="Rank on each value of this column, named in --columns too.")
    ] = None
    clean: Annotated[
        str | None, typer.Option("--clean", help="The slice that others are compared with. (default: the whole pool)")
    ] = None
    minimum: Annotated[
        int | None, typer.Option("--slice-labels", help="Labels that a slice needs to be ranked. (default: 20)")
    ] = None


def show_slices(
    predictions: "Predictions", log: "Labels | None", told: SliceOptions, wanted: "RankOptions", as_json: bool
) -> None:
    """Rank each slice, and compare the rankings with that of the clean slice or of the whole pool."""
    from adjudge.decisions.slices import MINIMUM, rank_slices

    assert told.column is not None
    minimum = MINIMUM if told.minimum is None else told.minimum
    with busy("ranking"):
        found = rank_slices(predictions, log, told.column, minimum=minimum, options=wanted)
    clean = _clean(predictions, log, wanted, found, told.clean)
    _show(told.column, found, clean, told.clean, minimum, wanted.label_noise, as_json)


def _clean(
    predictions: "Predictions",
    log: "Labels | None",
    wanted: "RankOptions",
    found: "tuple[Slice, ...]",
    name: str | None,
) -> "Ranking | None":
    """The ranking that slices are compared with; None where there are not enough labels for one."""
    from adjudge.core.index import listed
    from adjudge.core.labels import Labels
    from adjudge.decisions.rank import rank_checked
    from adjudge.errors import InputError, NotEnoughLabels

    if name is None:
        try:
            return rank_checked(predictions, Labels.empty(len(predictions.samples)) if log is None else log, wanted)
        except NotEnoughLabels:
            return None
    ranking = next((each.ranking for each in found if each.name == name), None)
    if ranking is None:
        large = listed([each.name for each in found if each.ranking is not None]) or "none"
        raise InputError(f"--clean {name!r} is not a slice with enough labels to rank; those are {large}")
    return ranking


def _show(
    column: str,
    found: "tuple[Slice, ...]",
    clean: "Ranking | None",
    name: str | None,
    minimum: int,
    label_noise: float,
    as_json: bool,
) -> None:
    from dataclasses import asdict

    from adjudge.core.index import counted
    from adjudge.decisions.slices import slice_changes
    from adjudge.reports.slices import changes_sentence, changes_table
    from adjudge.reports.tables import noise_sentence, print_advice, ranking_facts, ranking_table

    changes = () if clean is None else slice_changes(clean, [each for each in found if each.name != name])
    if as_json:
        rows = [
            {
                "name": each.name,
                "samples": each.samples,
                "labels": each.labels,
                "too_small": each.ranking is None,
                "ranking": None if each.ranking is None else ranking_facts(each.ranking),
            }
            for each in found
        ]
        told = [asdict(each) | {"verdict": each.verdict} for each in changes]
        print_json("rank", {"column": column, "minimum": minimum, "slices": rows, "clean": name, "changes": told})
        return
    console = screen()
    for each in found:
        head = f"{column} = {each.name}: {counted(each.samples, 'sample')}, {counted(each.labels, 'label')}"
        if each.ranking is None:
            console.print(f"{head}; too small to rank, which takes {minimum}\n", markup=False)
            continue
        console.print(head, markup=False, style="bold")
        assert each.ranking.recommendation is not None
        print_advice(each.ranking.recommendation, console)
        console.print(ranking_table(each.ranking, console.width, most=10))
        console.print()
    if label_noise:
        console.print(noise_sentence(label_noise), markup=False)
    if changes:
        console.print(changes_table(column, changes))
        console.print(changes_sentence(changes, "the whole pool" if name is None else name), markup=False)
