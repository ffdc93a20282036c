"""Whole experiments: run, measured, and written to a folder as tables, figures and one page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.outputs import Grid, Output
from adjudge.experiments.results import LeftOut, write_results
from adjudge.experiments.run import run
from adjudge.experiments.shift import study
from adjudge.experiments.shift.pools import write_pools
from adjudge.experiments.spec import experiment
from adjudge.experiments.tasks import find, load
from adjudge.experiments.zoo.digits import tasks_or_zoo
from adjudge.io import truth_of
from adjudge.io.files import PathLike
from adjudge.models.datasets import read_data
from adjudge.models.prediction import shifts_for
from adjudge.reports.outputs import write_outputs
from adjudge.simulation.engine import Progress, Workers, silent


@dataclass(frozen=True, eq=False)
class StudyResult:
    """What an experiment found; the same is in its folder, as Markdown, LaTeX, CSV, SVG, PNG and `report.html`.

    Attributes
    ----------
    sentences
        The findings in words.
    left_out
        Jobs whose task lacks what their method needs.
    """

    folder: Path
    outputs: tuple[Output, ...]
    sentences: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def tables(self) -> tuple[Grid, ...]:
        return tuple(output for output in self.outputs if isinstance(output, Grid))


def bench(
    spec: str,
    out: PathLike = "bench",
    *,
    tasks: Sequence[str] = (),
    repetitions: int | None = None,
    seed: int | None = None,
    workers: Workers = -1,
    progress: Progress = silent,
) -> StudyResult:
    """Run an experiment, and write its tables and figures; what is done is kept, and not run again.

    Parameters
    ----------
    spec
        "sds-2021", "ces-2019", "laf-2022", or a TOML file.
    tasks
        npz files, or names in the folder `$ADJUDGE_TASKS`; by default all that are there, or else a small pool of
        models that are trained first.
    repetitions, seed
        By default those of the experiment.
    workers
        So many processes, -1: one per core; or what `dask_cluster` returns, whose machines see the tasks and `out`.
    """
    folder = Path(out)
    made, named, settings = experiment(spec)
    settings = replace(settings, repetitions=repetitions or settings.repetitions)
    settings = replace(settings, seed=settings.seed if seed is None else seed)
    paths = {path.stem: path for path in tasks_or_zoo(tasks or named, folder)}
    loaded = [load(path) for path in paths.values()]
    jobs = made.jobs(loaded, settings)
    with progress("running jobs", len(jobs)) as tell:
        results = run(jobs, paths, folder, workers, tell)
    write_results(results, folder)
    outputs = made.outputs(loaded, results)
    lead = f"{len(loaded)} tasks, {settings.repetitions} repetitions, seed {settings.seed}."
    write_outputs(outputs, f"adjudge bench {Path(spec).name}", lead, folder)
    return StudyResult(folder, tuple(outputs), left_out=results.left_out)


def shift_study(
    models: Sequence[str],
    data: PathLike | None = None,
    labels: PathLike | None = None,
    out: PathLike = "shift",
    *,
    columns: Sequence[str] = (),
    kinds: str = "all",
    severities: str = "all",
    repetitions: int = 10,
    seed: int = 0,
    workers: Workers = -1,
    progress: Progress = silent,
    **options: Any,
) -> StudyResult:
    """Run models on clean data and under shift, and compare their rankings; what is done is kept, and not run again.

    Parameters
    ----------
    models
        As for `predict`; without data, npz files of a clean pool and its shifts, such as clean_fog3.npz.
    data, labels
        Files of the clean data and of its true labels.
    kinds, severities
        Names and numbers with commas between, or "all".
    workers
        Where rankings are made, as for `bench`; models run here.
    **options
        How the models are run: `features`, `probabilities`, `settings` and `trust` of `predict`.
    """
    folder = Path(out)
    if data is None:
        found = find(models)
    elif labels is None:
        raise InputError("a study of shift measures rankings against the truth; add --labels FILE")
    else:
        raw = read_data(data, columns=columns)
        shifts = shifts_for(raw, kinds, severities)
        truth = truth_of(labels, raw.samples, complete=True)
        with progress("running models", len(models) * len(raw) * (1 + len(shifts))) as tell:
            found = write_pools(models, raw, truth, shifts, folder, seed=seed, progress=tell, **options)
    tasks = study.ordered([load(path) for path in found])
    jobs = study.jobs(tasks, RunSettings(repetitions, seed))
    with progress("ranking", len(jobs)) as tell:
        results = run(jobs, {path.stem: path for path in found}, folder, workers, tell)
    write_results(results, folder)
    outputs, sentences = study.outputs(tasks, results), study.summary(tasks, results)
    write_outputs(outputs, "Clean and shifted rankings", " ".join(sentences), folder)
    return StudyResult(folder, tuple(outputs), tuple(sentences), results.left_out)
