"""`adjudge doctor`: what is installed, and whether it works."""

import typer

from adjudge.cli.inputs import AsJson, UnusedSeed
from adjudge.cli.output import print_json, screen


def doctor(seed: UnusedSeed = 0, as_json: AsJson = False) -> None:
    """Show versions and what each extra adds, and test the installation; exit code 1 if it does not work.

    Example: adjudge doctor
    """
    from dataclasses import asdict

    from adjudge.reports.doctor import doctor as examine

    found = examine()
    if as_json:
        print_json("doctor", asdict(found))
    else:
        screen().print(str(found), markup=False)
    raise typer.Exit(0 if found.works else 1)
