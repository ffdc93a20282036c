"""What is installed, what each extra adds, and whether the core works here."""

import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from time import perf_counter

import numpy as np

from adjudge._version import __version__

PURPOSES = {  # of the extras
    "dask": "a Dask cluster: `--engine dask`",
    "demo": "the demo: `adjudge demo`",
    "images": "images: `predict`, `corrupt`",
    "keras": "Keras models: `predict`",
    "mlflow": "MLflow: `rank --log-mlflow`, `import mlflow`",
    "onnx": "ONNX models: `predict`",
    "sklearn": "scikit-learn models: `predict`",
    "torch": "PyTorch models: `predict`",
    "label": "the labeling page: `adjudge label`",
    "remote": "predictions behind URLs: s3://, gs:// and others",
}
NAME = re.compile(r"[\w.-]+")
LABELS, SAMPLES = 40, 300  # of the self-test


@dataclass(frozen=True)
class Extra:
    """An optional part: what it is for, what it lacks, and how to get it."""

    name: str
    purpose: str
    missing: tuple[str, ...]  # packages; (): it is there
    install: str


@dataclass(frozen=True)
class Diagnosis:
    """An installation: versions, extras, and the outcome of a small run through the core."""

    versions: dict[str, str]
    extras: tuple[Extra, ...]
    works: bool
    seconds: float  # of the self-test; more at first use, since kernels are compiled then
    problem: str = ""  # the error that ended the self-test, if one did

    def __str__(self) -> str:
        there = [f"  {name} {number}" for name, number in self.versions.items()]
        width = max((len(each.name) for each in self.extras), default=0)
        extras = [
            f"  {each.name:<{width}}  {each.purpose}: "
            + ("installed" if not each.missing else f"needs {', '.join(each.missing)}; {each.install}")
            for each in self.extras
        ]
        why = f" ({self.problem})" if self.problem else ""
        failed = f"FAILED{why}; install again in a new environment, and report it if that fails"
        outcome = "passed" if self.works else failed
        tested = f"Self-test (rank, select, intervals): {outcome}, {self.seconds:.1f} s"
        return "\n".join(["Versions", *there, "Extras", *extras, tested])


def doctor() -> Diagnosis:
    """Look at the installation, and rank a small pool with known truth.

    Examples
    --------
    >>> doctor().works
    True
    """
    needed = [(NAME.match(each), each) for each in requires("adjudge") or ()]
    plain = [found[0] for found, told in needed if found and "extra ==" not in told]
    versions = {"adjudge": __version__, "python": platform.python_version()}
    versions |= {name: _version(name) or "missing" for name in plain}
    extras = []
    for name in metadata("adjudge").get_all("Provides-Extra") or ():
        packages = [found[0] for found, told in needed if found and re.search(rf"extra == ['\"]{name}['\"]", told)]
        missing = tuple(package for package in packages if not _version(package))
        extras.append(Extra(name, PURPOSES.get(name, name), missing, f'pip install "adjudge[{name}]"'))
    start, works, problem = perf_counter(), False, ""
    try:
        works = _works()
    except Exception as error:  # whatever a broken installation raises
        problem = f"{type(error).__name__}: {error}"
    return Diagnosis(versions, tuple(extras), works, perf_counter() - start, problem)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _works() -> bool:
    """Whether a small pool gives what is known about it: the best model, and an interval with its accuracy inside."""
    from adjudge.api import rank, select
    from adjudge.simulation.contract import example_pool

    pool, truth = example_pool(samples=SAMPLES)
    ranking = rank(pool, select(pool, LABELS).answer_all(truth.astype(np.float64)))
    accuracy = (pool.values == truth).mean(axis=1)
    inside = (ranking.estimate.low <= accuracy) & (accuracy <= ranking.estimate.high)
    return ranking.best == pool.models[int(accuracy.argmax())] and bool(inside.all())
