"""Models run on clean data and on the same data under shift."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.io.files import PathLike
from adjudge.models.corruptions import shifted
from adjudge.models.corruptions.shifted import kinds_for, severities_for
from adjudge.models.datasets import Dataset
from adjudge.models.prediction.many import Predicted, predict, tell_after
from adjudge.models.runners.references import STORED_KIND, Reference, references

HELD = 1 << 30  # bytes of changed data that are kept for all models; larger data is changed for each of them anew


@dataclass(frozen=True)
class Shift:
    """A kind of corruption and how severe it is."""

    kind: str
    severity: int

    @property
    def name(self) -> str:
        """As files are named.

        Examples
        --------
        >>> Shift("fog", 3).name
        'fog3'
        """
        return f"{self.kind}{self.severity}"

    def file(self, clean: Path) -> Path:
        """Where predictions under this shift are written, next to those on clean data.

        Examples
        --------
        >>> Shift("fog", 3).file(Path("out/predictions.npz")).as_posix()
        'out/predictions_fog3.npz'
        """
        return clean.with_name(f"{clean.stem}_{self.name}{clean.suffix}")


def shifts_for(data: Dataset, kinds: str, severities: str) -> list[Shift]:
    """The shifts that two words mean: "all", or names and numbers with commas between.

    Examples
    --------
    >>> from adjudge.models.datasets import from_texts
    >>> [shift.name for shift in shifts_for(from_texts(["How good"]), "typos,case", "1,5")]
    ['typos1', 'typos5', 'case1', 'case5']
    """
    return [Shift(kind, severity) for kind in kinds_for(data, kinds) for severity in severities_for(severities)]


def predict_shifted(
    models: "Sequence[PathLike | Reference]",
    data: Dataset,
    shifts: Sequence[Shift],
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Iterator[tuple[Shift | None, Predicted]]:
    """Run models on the clean data, which comes first with None, and then under each shift.

    What looks odd is told for clean data only: under shift, odd is what is looked for. A model that failed once is
    told, and not run again.

    Parameters
    ----------
    shifts
        What `shifts_for` returns.
    **options
        Those of `predict`.
    """
    left = references(models)
    stored = [each.given for each in left if each.kind == STORED_KIND]
    if stored and shifts:
        raise InputError(
            f"{stored[0]} holds stored predictions, which cannot be run under shift; leave it out, or give "
            "the model itself"
        )
    moved = [shifted(data, each.kind, each.severity, seed) for each in shifts]
    if isinstance(data.load(0, 1), np.ndarray):
        for each in moved:
            each.rows(0, 1)  # what cannot be done is told once, before any model runs
    size, failures = len(models) * len(data), dict[str, str]()
    for place, (shift, each) in enumerate(zip((None, *shifts), (data, *moved), strict=True)):
        tell = partial(tell_after, progress, place * size)
        if shift is None:
            found = predict(left, each, progress=tell, **options)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AdjudgeWarning)
                here = options.get("workers") is None  # workers change the samples that they are given
                found = predict(left, _held(each) if here else each, progress=tell, **options)
            for sentence in found.failures.values():
                warnings.warn(f"left out from {shift.name} on: {sentence}", AdjudgeWarning, stacklevel=2)
        failures |= found.failures
        left = [model for model in left if model.name not in failures]
        yield shift, replace(found, failures=dict(failures))


def _held(data: Dataset) -> Dataset:
    """Data that is changed once, when the first model asks for it, and not for every model."""
    first = data.load(0, 1)
    if not isinstance(first, np.ndarray) or first.nbytes * len(data) > HELD:
        return data

    @lru_cache(maxsize=1)
    def everything() -> Array:
        return data.rows(0, len(data))

    return replace(
        data,
        load=lambda start, end: everything()[start:end],
        hash_content=lambda: data.digest,
        transforms=(),
        again=None,
    )
