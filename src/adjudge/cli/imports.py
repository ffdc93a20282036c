"""`adjudge import`: runs of language models, and labels, from other tools."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.inputs import Abstain, AsJson, Epochs, HowNormalized, names_in, told_options, words_of
from adjudge.cli.output import WholeSentences, note, print_json, screen

if TYPE_CHECKING:
    from adjudge.io.runs.join import ImportSummary

app = typer.Typer(
    cls=WholeSentences, no_args_is_help=True, help="Read runs of language models, or labels, from other tools."
)


@app.callback()
def options() -> None:
    """Read runs of language models, or labels, from other tools."""


Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="What the table calls something: answer=NAME. Also sample, model, score, choices, target, cost, "
        "latency, epoch, cluster, prompt, task, error. Repeat for several. (default: by usual names)",
    ),
]


@dataclass(frozen=True)
class ImportOptions:
    """Logs that become one file of predictions, and what is written besides."""

    paths: Annotated[list[str], typer.Argument(help="The logs.", show_default=False)]
    out: Annotated[Path, typer.Option("--out", help="Write the predictions here: Parquet.")]
    with_truth: Annotated[
        Path | None, typer.Option("--with-truth", help="Write the right answers that the logs name here: CSV, Parquet.")
    ] = None
    normalize: HowNormalized = None
    abstain: Abstain = None
    epochs: Annotated[
        Epochs,
        typer.Option("--epochs", help="Of several answers to one question: first, or all, as models of their own."),
    ] = Epochs.first
    names: Annotated[
        str, typer.Option("--names", help="Names for the runs, in their order: A,B. (default: those of the logs)")
    ] = ""
    as_json: AsJson = False

    def run(self, tool: str, **told: Any) -> None:
        """Write the files, and say what was found."""
        from dataclasses import asdict

        from adjudge.core.index import counted, named
        from adjudge.io.runs.importing import import_runs
        from adjudge.reports.imports import import_sentences
        from adjudge.reports.tables import bullets

        found = import_runs(
            tool,
            self.paths,
            self.out,
            with_truth=self.with_truth,
            normalize=self.normalize,
            abstain=self.abstain or (),
            epochs=self.epochs,
            names=names_in(self.names),
            **told,
        )
        if self.as_json:
            print_json("import", asdict(found))
            return
        runs = f"{counted(len(found.models), 'model')} on {counted(found.samples, 'sample')}"
        screen().print(f"{runs}: {named(list(found.models), 6)}", markup=False)
        if sentences := import_sentences(found):
            screen().print(bullets(sentences))
        if found.truth is not None:
            note(f"{counted(found.truth, 'right answer')} of {counted(found.samples, 'sample')} in {self.with_truth}")
        note(f"the predictions are in {self.out}; then:\n  adjudge {self._then(found)}")

    def _then(self, found: "ImportSummary") -> str:
        """What to do next: two models are compared, several are ranked, and runs of one are put together."""
        from adjudge.core.recommendation import FIRST_LABELS

        truth = f" {words_of('--labels', self.with_truth)}" if found.truth else ""
        if any(model not in found.models for model in found.epochs):
            return f"repeats {words_of(self.out)}{truth}"
        drawn = " --drawn uniform" if truth else ""
        if len(found.models) != 2:
            return f"rank {words_of(self.out)}{truth}{drawn}"
        if not truth:
            budget = min(FIRST_LABELS, found.samples)
            return f"select {words_of(self.out)} --goal estimate --budget {budget} --out labels.csv"
        return f"compare {words_of(self.out, *reversed(list(found.models)))}{truth}{drawn}"


@app.command("inspect")
@with_options
def inspect(
    logs: ImportOptions,
    scorer: Annotated[
        str | None, typer.Option("--scorer", help="Whose answers to take. (default: the first that noted any)")
    ] = None,
) -> None:
    """Read logs of inspect_ai (.eval or .json) into one file of predictions.

    Example: adjudge import inspect a.eval b.eval --out predictions.parquet --normalize auto
    """
    logs.run("inspect", scorer=scorer)


@app.command("lm-eval")
@with_options
def lm_eval(
    logs: ImportOptions,
    filter: Annotated[  # noqa: A002
        str | None, typer.Option("--filter", help="Whose answers to take. (default: the first of each task)")
    ] = None,
) -> None:
    """Read folders of lm-evaluation-harness (--log_samples) into one file of predictions.

    Example: adjudge import lm-eval results/* --out predictions.parquet
    """
    logs.run("lm-eval", filter=filter)


@app.command("every-eval-ever")
@with_options
def every_eval_ever(logs: ImportOptions) -> None:
    """Read files of Every Eval Ever (JSONL of instances) into one file of predictions.

    Example: adjudge import every-eval-ever *_samples.jsonl --out predictions.parquet
    """
    logs.run("every-eval-ever")


@app.command("promptfoo")
@with_options
def promptfoo(logs: ImportOptions) -> None:
    """Read results of promptfoo (JSON) into one file of predictions: a model for each provider and prompt.

    Example: adjudge import promptfoo results.json --out predictions.parquet --normalize auto
    """
    logs.run("promptfoo")


@app.command("table")
@with_options
def table(
    logs: ImportOptions,
    column: Columns = None,
) -> None:
    """Read long tables, with a row for each sample and model, into one file of predictions.

    CSV, JSONL, Parquet, or tables as Weights & Biases and MLflow write them (JSON with columns and data).

    Example: adjudge import table answers.csv --column answer=reply --out predictions.parquet --normalize auto
    """
    logs.run("table", columns=told_options(column))


@app.command("mlflow")
@with_options
def mlflow(
    logs: ImportOptions,
    column: Columns = None,
    experiment: Annotated[
        str | None, typer.Option("--experiment", help="Whose runs to read. (default: those of all)")
    ] = None,
) -> None:
    """Read tables that runs of MLflow logged, from a store (sqlite:///FILE, http://...) or as JSON files.

    Example: adjudge import mlflow sqlite:///mlflow.db --experiment answers --out predictions.parquet --normalize auto
    """
    logs.run("mlflow", columns=told_options(column), experiment=experiment)


@app.command("label-studio")
@with_options
def label_studio(
    source: PredictionsSource,
    out: Annotated[Path, typer.Option("--out", help="Write the log here: CSV, Parquet or JSON.")],
    export: Annotated[Path | None, typer.Option("--export", help="Its export: JSON or JSON-MIN.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Or a live server.")] = None,
    token: Annotated[str, typer.Option("--token", envvar="LABEL_STUDIO_TOKEN", help="Its access token.")] = "",
    project: Annotated[int, typer.Option("--project", help="Its project.")] = 1,
    plan: Annotated[Path | None, typer.Option("--plan", help="The plan that the tasks were made from.")] = None,
) -> None:
    """Read annotations of Label Studio into a log of labels, with the weights of the plan they belong to.

    Example: adjudge import label-studio predictions.csv --export export.json --plan plan.csv --out labels.csv
    """
    from adjudge.core.index import counted
    from adjudge.errors import InputError
    from adjudge.io import read_labels, write_labels
    from adjudge.io.labels.label_studio import fetch_annotations, read_annotations
    from adjudge.labeling.exchange import import_annotations

    if (export is None) == (url is None):
        raise InputError("give either --export FILE or --url with --token, the one that holds the annotations")
    found = fetch_annotations(url, token, project) if url is not None else read_annotations(str(export))
    predictions, log = source.read(), None
    if plan is not None:
        predictions, log = read_labels(plan, predictions, id=source.id, label_column=source.label_column)
    predictions, filled = import_annotations(predictions, found, log)
    write_labels(filled, predictions, out)
    then = f"adjudge rank {source.words()} {words_of('--labels', out)}"
    note(f"{counted(filled.labeled, 'label')} {'is' if filled.labeled == 1 else 'are'} in {out}; then: {then}")
