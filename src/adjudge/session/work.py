"""The heavy work of a project, apart from whoever waits for the next sample: picks, and what the labels come to."""

import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

from adjudge.api import RankOptions, rank_quietly
from adjudge.core.arrays import FloatArray
from adjudge.core.belief import chance_of_best
from adjudge.core.estimate import Answer
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.loop import hand_out
from adjudge.registry import selector
from adjudge.selfcheck import crowd
from adjudge.session.project import Project, open_project
from adjudge.stopping import Rule, Standing, standing


@dataclass(frozen=True, eq=False)
class Look:
    """What the labels come to at some length of the log."""

    rows: int  # of the log
    answer: Answer
    standing: Standing | None  # None: a rule cannot be applied
    best: FloatArray | None  # (models,): the chance of being best; None: not known
    crowd: str | None  # whether the majority vote can be trusted
    noise: float | None  # the share of labels that may be wrong, which the intervals allow for


@dataclass
class Work:
    """A project in memory, with the pickers that were started for it."""

    project: Project
    pool: Predictions
    new: tuple[str, ...] = ()
    picker: Picker | None = None

    @classmethod
    def on(cls, project: Project) -> "Work":
        return cls(project, project.predictions)

    def _widen(self, new: tuple[str, ...]) -> None:
        """The pool with the classes that labels brought; what is cached for a pool serves as long as it is the same."""
        if new != self.new:
            self.pool = self.project.predictions.with_classes(new) if new else self.project.predictions
            self.new, self.picker = new, None

    def picks(self, new: tuple[str, ...], labels: Labels, count: int) -> list[Pick]:
        """So many picks behind the log; fewer where the pool or the budget ends."""
        settings = self.project.settings
        self._widen(new)
        if self.picker is None:
            method = selector(settings.method, settings.options)
            self.picker = method.start(self.pool, labels.head(settings.given), settings.budget, settings.seed)
        if settings.budget is not None:
            count = min(count, settings.given + settings.budget - len(labels))
        longer = hand_out(self.picker, labels, max(count, 0))
        columns = (getattr(longer, name)[len(labels) :].tolist() for name in Pick._fields)
        return [Pick(*row) for row in zip(*columns, strict=True)]

    def look(self, new: tuple[str, ...], labels: Labels, noise: float | None) -> Look:
        """Ranking, stop rule and chances, for labels of which a share may be wrong."""
        self._widen(new)
        classes = self.pool.classes is not None
        rule = Rule.read(self.project.settings.until)
        # what range numbers have is not stated, so no rule can hold for them
        found = standing(self.pool, labels, rule, label_noise=noise or 0.0) if classes else None
        answer = None if found is None else found.answer
        if answer is None:
            answer = rank_quietly(self.pool, labels.settled(), RankOptions())
        best = chance_of_best(self.pool, labels.settled()) if classes and len(self.pool.models) > 1 else None
        trust = crowd(self.pool, labels)
        return Look(len(labels), answer, found, best, None if trust is None else trust.sentence, noise)


_WORK: list[Work] = []  # of a process that does nothing else


def _begin(folder: Path, kindness: int) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with suppress(OSError, AttributeError):
        os.nice(kindness)
    _WORK.append(Work.on(open_project(folder)))


def _run(task: str, *arguments: Any) -> Any:
    return getattr(_WORK[0], task)(*arguments)


class Worker(Protocol):
    """Whoever does the work: this process, or another."""

    def picks(self, new: tuple[str, ...], labels: Labels, count: int) -> list[Pick]: ...

    def look(self, new: tuple[str, ...], labels: Labels, noise: float | None) -> Look: ...


class Helper:
    """A process of its own that does the work of a project."""

    def __init__(self, project: Project, kindness: int = 0) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"), _begin, (project.folder, kindness))

    def picks(self, new: tuple[str, ...], labels: Labels, count: int) -> list[Pick]:
        found: list[Pick] = self._pool.submit(_run, "picks", new, labels, count).result()
        return found

    def look(self, new: tuple[str, ...], labels: Labels, noise: float | None) -> Look:
        found: Look = self._pool.submit(_run, "look", new, labels, noise).result()
        return found

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
