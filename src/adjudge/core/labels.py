"""The log of labels: the only state of a run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from math import nan
from typing import Any, NamedTuple

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray, frame_of, locked
from adjudge.core.index import Index, ids_at, label_text
from adjudge.core.predictions import Predictions
from adjudge.errors import LabelsError


class Skip(Enum):
    """The answer for a sample that nobody can label."""

    SKIP = "SKIP"


SKIP = Skip.SKIP
NONE_RIGHT = "(none is right)"  # the label of a sample to which no model gave the right answer; a class like any other
Value = int | float | Skip  # a class code, a number, or a skip
RUN = "adjudge run"  # where a frame of pandas has the header of a log: a key of its `attrs`


COLUMNS = ("sample", "weight", "seen", "stratum", "max_weight", "value", "answered")  # a pick, and its answer


class Pick(NamedTuple):
    """A sample to label, and how it came to be picked.

    Parameters
    ----------
    sample
        Its position in the pool.
    weight
        The inverse-propensity weight: uniform chance / real chance of this draw; nan: chosen, not drawn.
    seen
        How many rows of the log were handed out when the draw was made.
    stratum
        The stratum it was drawn from, by its number in `core.strata`; 0 is the whole pool.
    max_weight
        The largest weight that any open sample of the stratum could have had; nan: not known.
    """

    sample: int
    weight: float = nan
    seen: int = 0
    stratum: int = 0
    max_weight: float = nan


class Names(NamedTuple):
    """What positions and codes in a log stand for."""

    samples: Index
    classes: tuple[str, ...] | None
    graded: bool = False  # labels are grades of answers, which no column of a log holds

    @classmethod
    def of(cls, predictions: Predictions) -> "Names":
        return cls(predictions.samples, predictions.classes, predictions.grades is not None)

    def text_of(self, value: float, answered: bool) -> str | None:
        """A label as people write it; None where there is none yet."""
        if not answered:
            return None
        return SKIP.value if np.isnan(value) else label_text(value, self.classes)


@dataclass(frozen=True)
class RunHeader:
    """What is needed to continue a run on another machine, or to refuse to."""

    method: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    pool: str = ""  # fingerprint of the sample ids
    version: str = ""
    models: tuple[str, ...] = ()  # the models when the run began, which define its strata; (): all models
    pairs: tuple[
        tuple[str, str], ...
    ] = ()  # two models each: draws from where they differ, stratum 3 on (`core.strata`)
    given: int = 0  # first rows that adjudge did not draw: how they were drawn is the word of the user


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows in the order in which samples were handed out, answered or pending.

    A row whose weight is nan was chosen, or given by the user, and counts as known; any other row was drawn at random.
    An answered row whose value is nan is a skip.

    Examples
    --------
    >>> log = Labels.empty(pool=5).add(Pick(3, weight=1.0), 0).add(Pick(1, weight=1.0, seen=1), SKIP)
    >>> log
    Labels(2 of 5 samples: 1 labeled, 1 skipped)
    >>> log.undo()
    Labels(1 of 5 samples: 1 labeled)
    """

    pool: int
    sample: IntArray
    weight: FloatArray
    seen: IntArray
    stratum: IntArray
    max_weight: FloatArray
    value: FloatArray
    answered: BoolArray
    header: RunHeader = RunHeader()
    names: Names | None = None  # of the pool, where it is known

    def __post_init__(self) -> None:
        sample = self.sample
        if len(sample) and (sample.min() < 0 or sample.max() >= self.pool):
            raise LabelsError(f"the log has sample {sample.max()}, but the pool has only {self.pool} samples")
        if len(np.unique(sample)) != len(sample):
            raise LabelsError("a sample occurs twice in the log of labels; keep one row for each sample")
        for name in COLUMNS:
            object.__setattr__(self, name, locked(getattr(self, name)))

    @classmethod
    def empty(cls, pool: int, header: RunHeader | None = None) -> "Labels":
        return cls.known(pool, [], [], header)

    @classmethod
    def known(
        cls,
        pool: int,
        samples: Array | list[int],
        values: Array | list[float],
        header: RunHeader | None = None,
    ) -> "Labels":
        """Labels from before a run, of which it is not known how they were chosen."""
        count = len(samples)
        none = np.zeros(count, dtype=np.int64)
        return cls(
            pool,
            sample=np.array(samples, dtype=np.int64),
            weight=np.full(count, nan),
            seen=none,
            stratum=none,
            max_weight=np.full(count, nan),
            value=np.array(values, dtype=np.float64),
            answered=np.ones(count, dtype=bool),
            header=header or RunHeader(),
        )

    @classmethod
    def complete(cls, truth: Array) -> "Labels":
        """The truth about every sample; nan there is a skip."""
        return cls.known(len(truth), np.arange(len(truth)), truth)

    def hand_out(self, pick: Pick) -> "Labels":
        """One more row, not answered yet."""
        return self._append(pick, nan, answered=False)

    def add(self, pick: Pick, value: Value) -> "Labels":
        """One more row, with its answer."""
        return self._append(pick, nan if isinstance(value, Skip) else float(value), answered=True)

    def answer_all(self, truth: Array) -> "Labels":
        """Every pending row answered by the truth about all samples; nan there is a skip."""
        value = np.where(self.answered, self.value, truth[self.sample])
        return replace(self, value=value, answered=np.ones(len(self), dtype=bool))

    def with_header(self, header: RunHeader) -> "Labels":
        return replace(self, header=header)

    def undo(self) -> "Labels":
        """The log without its last row."""
        return self.head(len(self) - 1)

    def head(self, rows: int) -> "Labels":
        """The first rows of the log."""
        return self._with({name: getattr(self, name)[:rows] for name in COLUMNS})

    def picks(self, first: int = 0) -> list[Pick]:
        """The rows from the first on, without their answers."""
        columns = (getattr(self, name)[first:].tolist() for name in Pick._fields)
        return [Pick(*row) for row in zip(*columns, strict=True)]

    def settled(self) -> "Labels":
        """The rows before the first pending one, on whose answer later draws may depend.

        What uses weights needs such a log. It is made once, where the log comes in: at the top of each ranker that uses
        weights (`drawn`, `pooled`, the ratio metrics), of each function of `decisions/` that looks at labels, and of
        `vote_trust`. All functions that these call expect a log without pending rows.
        """
        pending = np.flatnonzero(~self.answered)
        return self.head(int(pending[0])) if pending.size else self

    def _append(self, pick: Pick, value: float, *, answered: bool) -> "Labels":
        if not 0 <= pick.sample < self.pool or (self.sample == pick.sample).any():
            raise LabelsError(f"sample {pick.sample} is not open in a pool of {self.pool}")
        added = zip(COLUMNS, (*pick, value, answered), strict=True)
        return self._with({name: np.append(getattr(self, name), self._cell(name, new)) for name, new in added})

    def _cell(self, name: str, value: object) -> Array:
        return np.array([value], dtype=getattr(self, name).dtype)

    def _with(self, columns: Mapping[str, Array]) -> "Labels":
        """The same run with other columns, which are not checked again: a long plan is made row by row."""
        made = object.__new__(Labels)
        for name, column in columns.items():
            object.__setattr__(made, name, locked(column))
        object.__setattr__(made, "pool", self.pool)
        object.__setattr__(made, "header", self.header)
        object.__setattr__(made, "names", self.names)
        return made

    def table(self, names: Names) -> dict[str, list[Any]]:
        """The columns of a log for people, as files have them; None where nothing is known."""
        blank = {"weight": self.weight, "max_weight": self.max_weight}
        known = {name: [None if np.isnan(each) else each for each in column.tolist()] for name, column in blank.items()}
        written = map(names.text_of, self.value.tolist(), self.answered.tolist())
        return {
            "sample_id": ids_at(names.samples, self.sample),
            "order": list(range(len(self))),
            "weight": known["weight"],
            "seen": self.seen.tolist(),
            "stratum": self.stratum.tolist(),
            **({} if np.isnan(self.max_weight).all() else {"max_weight": known["max_weight"]}),
            **({} if names.graded else {"label": list(written)}),
        }

    def to_frame(self) -> Any:
        """The log as a frame of pandas or polars: ids, how each sample was drawn, and labels, empty where pending.

        Filled in, it can be given back as `labels` of `rank` and others. How the run began (method, seed, pairs of
        models) is in `attrs` of pandas, which a merge of frames may lose; a frame of polars has no place for it. `fill`
        always keeps it.
        """
        if self.names is None:
            raise LabelsError("these labels do not say which pool they belong to; use those that `select` returns")
        table = self.table(self.names)
        if isinstance(self.names.samples, range):  # numbers of rows, to pick these from an array
            table["sample_id"] = self.sample.tolist()
        frame = frame_of(table)
        if hasattr(frame, "attrs"):
            frame.attrs[RUN] = asdict(self.header)
        return frame

    @property
    def codes(self) -> IntArray:
        """(samples,): the class code of each sample that has a label, -1 for the others."""
        codes = np.full(self.pool, -1)
        codes[self.sample[self.usable]] = self.value[self.usable]
        return codes

    @property
    def usable(self) -> BoolArray:
        """Rows with a label: answered, and not skipped."""
        return np.asarray(self.answered & ~np.isnan(self.value))

    @property
    def labeled(self) -> int:
        """How many rows have a label."""
        return int(np.count_nonzero(self.usable))

    @property
    def skipped(self) -> int:
        return int(np.count_nonzero(self.answered & np.isnan(self.value)))

    def __len__(self) -> int:
        return len(self.sample)

    def __repr__(self) -> str:
        parts = [f"{self.labeled:,} labeled"]
        if self.skipped:
            parts.append(f"{self.skipped:,} skipped")
        if pending := np.count_nonzero(~self.answered):
            parts.append(f"{pending:,} pending")
        return f"Labels({len(self):,} of {self.pool:,} samples: {', '.join(parts)})"
