"""`adjudge samples`: what votes say about each sample."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.inputs import AsJson, Seed
from adjudge.cli.output import busy, note, print_json, screen


class Measure(StrEnum):
    """The method whose number sorts the samples."""

    sds = "sds"
    laf = "laf"


@with_options
def samples(
    source: PredictionsSource,
    method: Annotated[
        Measure, typer.Option("--method", help="What the table is sorted by: discrimination (sds), difficulty (laf).")
    ] = Measure.sds,
    out: Annotated[Path | None, typer.Option("--out", help="Write all samples here: CSV or Parquet.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Show what votes say about each sample: how telling, how hard, how disputed it is. No labels needed.

    Discrimination (SDS): the share of the best models that agree with the vote minus that of the
    worst. Difficulty (LaF): the higher, the harder; unknown where all models agree. Entropy: of the
    vote. Agreement: the share of models with the majority.

    Example: adjudge samples predictions.csv --out samples.csv
    """
    from adjudge.decisions.item_analysis import samples as analyze
    from adjudge.errors import InputError
    from adjudge.io.files import TABLE_SUFFIXES, check_target, write_table
    from adjudge.reports.samples import samples_sentences, samples_table

    if out is not None:
        check_target(out, TABLE_SUFFIXES)
        if out.exists() and any(
            each.exists() and each.samefile(path) for each in (out, out.parent) for path in source.predictions
        ):
            raise InputError(f"{out} holds predictions, which would be lost; choose another name for --out")
    predictions = source.read()
    with busy("looking at samples"):
        found = analyze(predictions, seed=seed)
    if out is not None:
        write_table(found.to_table(), out)
        note(f"{len(found.samples):,} samples are in {out}")
    if as_json:
        print_json("samples", found.to_dict())
        return
    by = "discrimination" if method is Measure.sds else "difficulty"
    console = screen()
    console.print(samples_table(found, by))
    for sentence in samples_sentences(found, by):
        console.print(sentence, markup=False)
