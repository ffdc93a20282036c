"""`adjudge demo`: the whole story on real data."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.inputs import AsJson, Seed


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the predictions, the labels and the report.")] = Path(
        "demo"
    ),
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Tell the whole story on 1,797 scanned digits and more than 20 models, in half a minute.

    Example: adjudge demo
    """
    from adjudge.cli.output import print_json
    from adjudge.reports.demo import demo as tell

    result = tell(out, seed, quiet=as_json)
    if as_json:
        print_json("demo", result)
