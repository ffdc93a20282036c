"""`adjudge compare`: is one model better than another, as a gate."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import KnownLabels, PoolSource, with_options
from adjudge.cli.inputs import AsJson, Cluster, LabelNoise, Level, UnusedSeed, words_of
from adjudge.cli.losses import MetricOptions
from adjudge.cli.output import answering, print_command, print_json, screen

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.decisions.comparison import Comparison


class Claim(StrEnum):
    """What is to be shown about A."""

    superior = "superior"
    non_inferior = "non-inferior"
    equivalent = "equivalent"


class About(StrEnum):
    """What the claim is about."""

    pool = "pool"
    future = "future"


@dataclass(frozen=True)
class ClaimOptions:
    """The claim that is to be shown."""

    test: Annotated[
        Claim, typer.Option("--test", help="The claim about A: better, not worse, or equally good, by the margin.")
    ] = Claim.superior
    margin: Annotated[float, typer.Option("--margin", help="The smallest difference that matters, such as 0.01.")] = 0.0
    about: Annotated[
        About | None,
        typer.Option(
            "--about",
            help="What the claim is about: these samples, or future data of the same kind. (default: pool while "
            "samples are open, then future)",
        ),
    ] = None
    anytime: Annotated[
        bool,
        typer.Option(
            "--anytime", help="Use an interval, usually wider, that holds even if you check after every label."
        ),
    ] = False
    cluster: Cluster = None


@with_options
def compare(
    source: PoolSource,
    a: Annotated[str, typer.Argument(help="A model.", show_default=False)],
    b: Annotated[str, typer.Argument(help="The model that it is compared with.", show_default=False)],
    labels: KnownLabels,
    loss: MetricOptions,
    claim: ClaimOptions,
    level: Level = 0.95,
    label_noise: LabelNoise = 0.0,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Say by how much A is better than B, and whether a claim about it is shown: exit code 0 if so, 1 if not.

    Once every sample is labeled, the difference is exact on these samples, and the claim is about future
    data of the same kind, unless --about pool is given.

    Example: adjudge compare predictions.csv new old --labels labels.csv --test non-inferior --margin 0.01
    """
    from dataclasses import asdict

    from adjudge.decisions.compare import compare as compare_models

    predictions, log = labels.read(source)
    found = compare_models(
        predictions,
        a,
        b,
        log,
        test=claim.test.value,
        margin=claim.margin,
        level=level,
        **loss.told(predictions),
        label_noise=label_noise,
        about=None if claim.about is None else claim.about.value,
        anytime=claim.anytime,
        cluster=claim.cluster,
    )
    with answering(0 if found.holds else 1):
        if as_json:
            print_json("compare", asdict(found) | {"verdict": found.verdict})
        else:
            _show(found, source, labels, log)


def _show(found: "Comparison", source: PoolSource, labels: KnownLabels, log: "Labels") -> None:
    from adjudge.reports.pairs import comparison_sentences, more_command
    from adjudge.reports.tables import chosen_sentence

    console = screen()
    drawn = [] if labels.drawn is None else ["--drawn", labels.drawn.value]
    file = None if labels.labels is None else words_of(labels.labels, *drawn)
    command = None if file is None else more_command(found, source.words(), file)
    for place, sentence in enumerate(comparison_sentences(found, command and "")):
        console.print(sentence, markup=False, style=None if place else "bold")
    if (wide := chosen_sentence(log)) and not found.complete and not found.holds:
        console.print(f"{wide} What is likely, by all labels: adjudge rank.", markup=False)
    if command is not None:
        console.print("Draw them with:", markup=False)
        print_command(command)
