"""`adjudge select`: which samples to label next."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import LabelsSoFar, PoolSource, with_options
from adjudge.cli.inputs import AsJson, MetricName, PositiveClass, SeedOrNone, words_of
from adjudge.cli.output import busy, note, print_json, screen
from adjudge.cli.selector import SelectorOptions

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.decisions.outlook import Outlook


@dataclass(frozen=True)
class PlanOptions:
    """What is planned, and where it is written to."""

    models: Annotated[
        tuple[str, str] | None,
        typer.Option("--models", help="Draw only where these two differ, for adjudge compare.", metavar="A B"),
    ] = None
    grade: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--grade",
            help="Labels are grades in this range: the plan has a row for each answer to a sample.",
            metavar="LOW HIGH",
        ),
    ] = None
    metric: MetricName = None
    positive: PositiveClass = None
    out: Annotated[Path | None, typer.Option("--out", help="Write the plan here: CSV or Parquet.")] = None

    @property
    def aim(self) -> dict[str, str | None]:
        return {"metric": self.metric, "positive": self.positive}

    @property
    def metric_words(self) -> list[str]:
        """The metric as it was told, for a command to try next."""
        told = (("--metric", self.metric), ("--class", self.positive))
        return [word for name, given in told if given is not None for word in (name, given)]

    def say_if_uniform(self) -> None:
        """Say so where the metric is drawn for uniformly."""
        from adjudge.inference.metrics.registry import named_metric

        if self.metric is not None and not named_metric(self.metric).metric.aimed:
            note(f"no draws were found that beat uniform ones for {self.metric}, so samples are drawn uniformly")


@with_options
def select(
    source: PoolSource,
    budget: Annotated[int, typer.Option("--budget", "--batch", help="How many samples to label, chosen together.")],
    selector: SelectorOptions,
    labels: LabelsSoFar,
    wanted: PlanOptions,
    seed: SeedOrNone = None,
    as_json: AsJson = False,
) -> None:
    """Choose the samples to label next, as a plan that any spreadsheet can fill in.

    Fill the label column (SKIP where nobody can tell) and give the file back with --labels: the next plan goes on from
    it. With --grade 1 5 fill the grade column: a grade for each answer, which counts for all models that gave it.

    css draws more samples where a model is unsure, or with --option by=COLUMN where this column is high. by=surprise
    computes it from features (Kim et al. 2019), for which every call needs --reference. --models draws uniformly from
    samples on which the two differ. --metric draws more of the samples that matter most to it.

    Example: adjudge select predictions.csv --budget 40 --out labels.csv
    """
    from adjudge.api import select as select_samples
    from adjudge.decisions.checks import check_parts
    from adjudge.decisions.outlook import outlook
    from adjudge.reports.outlooks import outlook_facts, outlook_sentence

    models, out = wanted.models, wanted.out
    _check_target(out, labels.labels)
    predictions = source.read(in_parts=models is None)
    if labels.labels is None:
        check_parts(predictions, selector.name())
    predictions, log = labels.read(source, predictions)
    predictions = predictions if wanted.grade is None else _graded(predictions, labels, wanted.grade)
    if models is None:
        predictions, method, options = selector.made(predictions, source.path, log)
    else:
        method, options = selector.for_pair(), {}  # such draws take none
    with busy("choosing samples"):
        told: dict[str, Any] = {"options": options, "models": models, **wanted.aim}
        plan = select_samples(predictions, budget, method, labels=log, seed=seed, **told)
    wanted.say_if_uniform()
    picks, ahead = _picks(plan, predictions, 0 if log is None else len(log)), outlook(predictions, plan)
    pair = models or _compared(predictions, ahead)
    if ahead is not None and not as_json:
        note(outlook_sentence(ahead, of_two=pair is not None))
    if out is not None:
        _write(plan, predictions, out, len(picks), _next(source, selector.model, wanted, pair))
    if as_json:
        print_json("select", {"picks": picks, "outlook": outlook_facts(ahead, of_two=pair is not None)})
    elif out is None:
        _list(picks)


def _graded(predictions: "Predictions", labels: LabelsSoFar, grade: tuple[float, float]) -> "Predictions":
    """The pool with labels that are grades; refused after labels of another kind."""
    from adjudge.errors import InputError
    from adjudge.io import graded

    if predictions.grades is None and labels.labels is not None:
        raise InputError(f"{labels.labels} has labels, and --grade asks for grades; leave out one of the two")
    if predictions.grades is not None and predictions.grades.span not in (None, grade):
        low, high = predictions.grades.span
        raise InputError(f"the grades of {labels.labels} go from {low:g} to {high:g}; leave out --grade")
    return graded(predictions, *grade)


def _list(picks: list[dict[str, object]]) -> None:
    screen().print("\n".join(str(pick["sample_id"]) for pick in picks), markup=False, soft_wrap=True)


def _picks(plan: "Labels", predictions: "Predictions", first: int) -> list[dict[str, object]]:
    """The rows of the plan from the first one that is new."""
    from adjudge.core.index import ids_at

    new = zip(ids_at(predictions.samples, plan.sample[first:]), plan.weight[first:].tolist(), strict=True)
    return [
        {"sample_id": name, "order": order, "weight": weight} for order, (name, weight) in enumerate(new, start=first)
    ]


def _write(plan: "Labels", predictions: "Predictions", out: Path, count: int, then: str) -> None:
    from adjudge.io import write_labels

    write_labels(plan, predictions, out)
    waiting = int((~plan.answered).sum())
    many = "1 sample to label is" if waiting == 1 else f"{waiting:,} samples to label are"
    new = f" ({count:,} of them new)" if count < waiting else ""
    column = "label" if predictions.grades is None else "grade"
    note(f"{many} in {out}{new}; fill its {column} column, then:", f"adjudge {then}")


def _compared(predictions: "Predictions", ahead: "Outlook | None") -> tuple[str, ...] | None:
    """The only two models, where labels are drawn to tell their accuracies: the second, which is the new one, first."""
    drawn = ahead is not None and ahead.purpose in ("estimate", "draws")
    return predictions.models[::-1] if drawn and len(predictions.models) == 2 else None


def _next(source: PoolSource, model: str | None, wanted: PlanOptions, pair: tuple[str, ...] | None) -> str:
    """The command for when the labels are there; for two models, they are compared."""
    told = ["--labels", wanted.out, *wanted.metric_words]
    if model is None and pair is not None:
        return f"compare {source.words()} {words_of(*pair, *told)}"
    if model is None:
        return f"rank {source.words()} {words_of(*told)}"
    return f"estimate {source.words()} {words_of('--model', model, *told)}"


def _check_target(out: Path | None, labels: Path | None) -> None:
    """Before anything is read: whether a plan can be written there, in place of no labels but its own."""
    from adjudge.io.files import check_target
    from adjudge.io.labels.log import LOG_SUFFIXES
    from adjudge.io.labels.replacing import refuse_loss

    if out is None:
        return
    check_target(out, LOG_SUFFIXES)
    if labels is None or not out.exists() or not out.samefile(labels):
        refuse_loss(out, None, f"go on from it with {words_of('--labels', out)}, or choose another name for --out")
