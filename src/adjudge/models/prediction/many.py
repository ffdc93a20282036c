"""Many models, run one after the other on the same data."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from adjudge.core.arrays import Array, Frame
from adjudge.core.predictions import Predictions
from adjudge.engine.cluster import Dask
from adjudge.errors import AdjudgeError, AdjudgeWarning, InputError
from adjudge.io.files import PathLike
from adjudge.models.datasets import Dataset, from_array, from_rows, is_rows, read_data
from adjudge.models.prediction.kept import Result
from adjudge.models.prediction.on_cluster import run_jobs
from adjudge.models.prediction.passing import pass_through
from adjudge.models.prediction.pool import agreed, aligned, pool_of
from adjudge.models.prediction.running import Job, Ran, Wanted, job_for, run_model
from adjudge.models.prediction.signs import signs
from adjudge.models.runners.layers import Layer, wanted_layer
from adjudge.models.runners.protocol import Request
from adjudge.models.runners.references import STORED_KIND, LiveModel, Reference, references
from adjudge.models.runners.settings import settings_of

Models: TypeAlias = "PathLike | Mapping[str, object] | Sequence[object]"  # files, references, or models in memory

Progress: TypeAlias = Callable[[int], None] | None
Outcome: TypeAlias = tuple[list[Ran], dict[str, str]]  # of models that ran, and why others did not


@dataclass(frozen=True, eq=False)
class Predicted:
    """The pool, and what else is known of the models in it.

    Attributes
    ----------
    features
        (samples, units) of each model that has them.
    failures
        Model by model, why one is not in the pool.
    origins
        Hashes, settings and versions of each model.
    reused
        The models that did not have to be run.
    """

    predictions: Predictions
    features: Mapping[str, Array] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reused: tuple[str, ...] = ()

    @property
    def stored_features(self) -> dict[str, Array]:
        """The features by the names that they have in an npz file."""
        return {f"features_{self.predictions.models.index(name)}": rows for name, rows in self.features.items()}


def predict(
    models: "Models",
    data: "PathLike | Dataset | Array | Frame",
    *,
    features: bool | Layer | None = False,
    probabilities: bool = False,
    settings: "PathLike | None" = None,
    trust: bool = False,
    batch: int | None = None,
    cache: "PathLike | None" = None,
    fresh: bool = False,
    progress: Callable[[int], None] | None = None,
    workers: Dask | None = None,
) -> Predicted:
    """Run models on raw data. A model that fails is told by a warning; if all fail, that is an error.

    Parameters
    ----------
    models
        Files (Keras, ONNX, PyTorch, scikit-learn, or predictions made elsewhere), functions `package.module:function`,
        or addresses that answer JSON; NAME=MODEL gives one another name. Models in memory as for `from_estimators`.
    features
        Keep the values of a layer: "last" (or True), the last hidden one, or the one that a model's settings name; else
        the layer of that name, or, below 0, the one at that place from the end.
    settings, trust
        A TOML file for models that have none next to them; whether to open pickles, PyTorch programs and code named in
        TOML files, which may run anything.
    cache
        The folder in which each result is kept as it grows: a run that was interrupted goes on, and one whose model,
        data, settings and versions are the same is not repeated. Results of models in memory are not kept.
    fresh, progress, workers
        Whether it is repeated; what is told how many samples of all models are done; a cluster to run on
        (`dask_cluster`), whose machines see the files of models and data.

    Examples
    --------
    >>> import numpy as np
    >>> found = predict("sign=numpy:signbit", np.array([0.5, -2.0, 1.0]))
    >>> found.predictions, found.predictions.values.tolist()
    (Predictions(1 model x 3 samples, 2 classes), [[0, 1, 0]])
    """
    told, pool = _references(models), _as_data(data)
    ours = cache is not None and not Path(cache).exists()
    wanted = Wanted(*wanted_layer(features), probabilities, trust, batch, _made(cache), fresh)
    run = _run_all if workers is None else partial(_run_there, workers)
    ran, failures = run(told, pool, wanted, None if settings is None else Path(settings), progress)
    _remove_empty(wanted.cache if ours else None)
    return _gathered(ran, failures, pool)


def _run_all(
    models: Sequence[Reference], data: Dataset, wanted: Wanted, settings: Path | None, progress: Progress
) -> Outcome:
    """What came out of each model, and why nothing came out of the others."""
    ran: list[Ran] = []
    failures: dict[str, str] = {}
    for place, reference in enumerate(models):
        tell = partial(tell_after, progress, place * len(data))
        try:
            ran += _run(reference, data, wanted, settings, tell)
        except AdjudgeError as problem:
            failures[reference.name] = _named(reference, problem)
        tell(len(data))
    return ran, failures


def _run_there(
    cluster: Dask, models: Sequence[Reference], data: Dataset, wanted: Wanted, settings: Path | None, progress: Progress
) -> Outcome:
    """The same on a cluster, whose tasks are known before the first of them begins."""
    found: dict[str, list[Ran] | AdjudgeError] = {}
    jobs: list[Job] = []
    for reference in models:
        try:
            with _making_room(wanted):
                begun = _begun(reference, data, wanted, settings)
            jobs += [begun] if isinstance(begun, Job) else []
            found[reference.name] = [] if isinstance(begun, Job) else begun
        except AdjudgeError as problem:
            found[reference.name] = problem
    tell = partial(tell_after, progress, (len(models) - len(jobs)) * len(data))
    with _making_room(wanted):
        for job, came in zip(jobs, run_jobs(jobs, data, wanted, cluster, tell), strict=True):
            found[job.reference.name] = [came] if isinstance(came, Ran) else came
    ran = [each for came in found.values() if isinstance(came, list) for each in came]
    problems = [(each, found[each.name]) for each in models]
    return ran, {each.name: _named(each, came) for each, came in problems if isinstance(came, AdjudgeError)}


def _begun(reference: Reference, data: Dataset, wanted: Wanted, named: Path | None) -> list[Ran] | Job:
    """What is there already, or what is to be done."""
    if reference.kind == STORED_KIND:
        return list(pass_through(reference, data, wanted))
    job = job_for(reference, _request(reference, wanted, named), data, wanted)
    return job if isinstance(job, Job) else [job]


def _run(
    reference: Reference, data: Dataset, wanted: Wanted, named: Path | None, tell: Callable[[int], None]
) -> list[Ran]:
    if reference.kind == STORED_KIND:
        return list(pass_through(reference, data, wanted))
    with _making_room(wanted):
        return [run_model(reference, _request(reference, wanted, named), data, wanted, tell)]


def _request(reference: Reference, wanted: Wanted, named: Path | None) -> Request:
    settings = settings_of(reference.path, named)
    if wanted.layer is not None:
        settings = replace(settings, layer=wanted.layer)
    return Request(settings, reference.path, reference.entry, wanted.features, wanted.probabilities, wanted.trust)


@contextmanager
def _making_room(wanted: Wanted) -> Iterator[None]:
    """Say that results cannot be kept, where that is the problem."""
    try:
        yield
    except OSError as problem:  # no room, most likely
        reason = problem.strerror or type(problem).__name__
        raise InputError(f"its result cannot be kept in {wanted.cache} ({reason}); make room") from problem


def _gathered(ran: Sequence[Ran], failures: dict[str, str], data: Dataset) -> Predicted:
    """The pool of all that can be ranked together; the others are failures too."""
    fitting: list[Result] = []
    wanted = agreed([each.result for each in ran]) if ran else None
    for each in ran:
        assert wanted is not None
        try:
            if each.result.name in {other.name for other in fitting}:
                raise InputError("another model has this name; give it another: NAME=MODEL")
            fitting.append(aligned(each.result, wanted))
        except AdjudgeError as problem:
            failures[each.result.name] = f"{each.result.name}: {problem}"
    if not fitting or wanted is None:
        raise InputError("; ".join(failures.values()) or "no model is given; name at least one")
    for sentence in failures.values():
        _warn(f"left out: {sentence}")
    for each in ran:
        for sentence in (*each.notes, *signs(each.result)):
            _warn(sentence)
    return Predicted(
        pool_of(fitting, wanted, data.samples),
        {each.name: each.features for each in fitting if each.features is not None},
        failures,
        {each.name: each.about for each in fitting},
        tuple(each.result.name for each in ran if each.reused),
    )


def _made(cache: "PathLike | None") -> Path | None:
    if cache is None:
        return None
    try:
        Path(cache).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"results cannot be kept in {cache} ({problem.strerror}); choose another folder") from problem
    return Path(cache)


def _remove_empty(folder: Path | None) -> None:
    if folder is not None:
        with suppress(OSError):  # it holds something
            folder.rmdir()


def from_estimators(models: "Models", data: "Dataset | Array | Frame", *, probabilities: bool = True) -> Predictions:
    """What fitted estimators, or functions, say about samples: `predict` for models in memory, in one call each.

    Parameters
    ----------
    models
        By name, or in a list; estimators of scikit-learn and what is like them, or functions that take all samples.
    data
        An array, a frame or a sparse matrix; the index of pandas is the sample ids.
    probabilities
        Whether to ask those that have `predict_proba` for it.

    Examples
    --------
    >>> import numpy as np
    >>> from_estimators({"sign": np.signbit, "above 1": lambda rows: rows > 1}, np.array([0.5, -2.0, 3.0]))
    Predictions(2 models x 3 samples, 2 classes)
    """
    pool = _as_data(data)
    return predict(models, pool, probabilities=probabilities, batch=len(pool)).predictions


def _references(models: "Models") -> list[Reference]:
    if isinstance(models, Mapping):
        return references(models)
    return references(models if isinstance(models, Sequence) and not isinstance(models, str) else [models])


def _as_data(data: "PathLike | Dataset | Array | Frame") -> Dataset:
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str | Path):
        return read_data(data)
    return from_rows(data) if is_rows(data) else from_array(np.asanyarray(data))


def _named(reference: Reference, problem: AdjudgeError) -> str:
    """The sentence with the model in front, where it does not name it."""
    file = reference.given if reference.path is None else reference.path.name
    if not isinstance(reference, LiveModel) and file in str(problem):  # a name such as "a" stands in any sentence
        return str(problem)
    return (
        f"{file}:{reference.entry}: {problem}"
        if reference.path is not None and reference.entry
        else f"{file}: {problem}"
    )


def tell_after(progress: Callable[[int], None] | None, before: int, done: int) -> None:
    """Say that so many more than those before are done, if anybody wants to know."""
    if progress is not None:
        progress(before + done)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, AdjudgeWarning, stacklevel=4)
