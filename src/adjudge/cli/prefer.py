"""`adjudge prefer`: which model people prefer, from votes on pairs."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.inputs import AsJson, Level, UnusedSeed, told_options
from adjudge.cli.output import print_json, screen


def prefer(
    votes: Annotated[Path, typer.Argument(help="Votes on pairs: CSV, JSONL or Parquet.", show_default=False)],
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            help="What the table calls something: winner=NAME. Also model_a, model_b, sample. Repeat for several. "
            "(default: by usual names)",
        ),
    ] = None,
    level: Level = 0.95,
    next: Annotated[int, typer.Option("--next", min=0, help="How many pairs to ask about next.")] = 5,  # noqa: A002
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Say which model people prefer, from votes on pairs of models: win shares, strengths, and what to ask next.

    Each row has two models and the winner: model_a, model_b, a name, or tie. Ties count as half a win
    for each. Votes on one sample count together.

    Example: adjudge prefer votes.csv
    """
    from adjudge.decisions.prefer import prefer as rank_by_preference
    from adjudge.io.labels.preferences import read_preferences
    from adjudge.reports.preferences import preference_table, preference_words

    found = rank_by_preference(read_preferences(votes, columns=told_options(column)), level=level, next=next)
    if as_json:
        print_json("prefer", found.to_dict())
        return
    console = screen()
    console.print(found.advice, markup=False, style="bold")
    console.print(preference_table(found))
    for sentence in preference_words(found):
        console.print(sentence, markup=False)
