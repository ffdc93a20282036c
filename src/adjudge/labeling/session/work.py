"""The heavy work of a project, apart from whoever waits for the next sample: picks, and what the labels come to."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.sampling import Picker
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.decisions.stopping import StoppingRule, StoppingStatus, stopping_status
from adjudge.errors import AdjudgeError, AdjudgeWarning, InputError, NotEnoughLabels
from adjudge.inference.vote_trust import vote_trust
from adjudge.labeling.session.additions import Additions
from adjudge.labeling.session.project import Project, open_project
from adjudge.labeling.session.view import View
from adjudge.registry import selector

# matrices are small: threads that wait for each other beside a busy page take three times as long as one
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True, eq=False)
class Look:
    """What the labels come to at some length of the log."""

    rows: int  # of the log
    ranking: Ranking
    standing: StoppingStatus | None  # None: a rule cannot be applied
    crowd: str | None  # whether the majority vote can be trusted
    noise: float | None  # the share of labels that may be wrong, which the intervals allow for


@dataclass
class Work:
    """A project in memory, with the pickers that were started for it."""

    project: Project
    pool: Predictions
    added: Additions = field(default_factory=Additions)
    picker: Picker | None = None
    view: View = field(default_factory=View)

    @classmethod
    def on(cls, project: Project) -> "Work":
        return cls(project, project.predictions)

    def _widen(self, added: Additions) -> None:
        """The pool with what labels added; what is cached for a pool serves as long as it is the same."""
        if added != self.added:
            self.pool = added.to(self.project.predictions)
            self.added, self.picker, self.view = added, None, View()

    def picks(self, added: Additions, labels: Labels, count: int) -> list[Pick]:
        """So many picks behind the log; fewer where the pool or the budget ends."""
        settings = self.project.settings
        self._widen(added)
        if self.picker is None:
            method = selector(settings.method, settings.options)
            self.picker = method.start(self.pool, labels.head(settings.given), settings.budget, settings.seed)
        if settings.budget is not None:
            count = min(count, settings.given + settings.budget - len(labels))
        return self.view.picks(self.picker, labels, max(count, 0))

    def look(self, added: Additions, labels: Labels, noise: float | None, until: str) -> Look:
        """Ranking, stopping rule and chances, for labels of which a share may be wrong."""
        self._widen(added)
        classes, settings = self.pool.classes is not None, self.project.settings
        settled = labels.settled()  # what people have in hand is for the page to say
        judged = settings.judged(self.pool, settled)
        noise = noise if judged is not None and judged[0].classes is not None else None  # a share of wrong classes
        found = None
        if judged is not None:
            pool, loss = judged
            found = stopping_status(pool, settled, StoppingRule.read(until), loss, noise or 0.0, settings.level)
        ranking = None if found is None else found.ranking
        if ranking is None and not (classes or settled.usable.any()):
            raise NotEnoughLabels("there is no label yet, and numbers and grades cannot be ranked without")
        if ranking is None:
            ranking = self._ranked(settled)
        trust = vote_trust(self.pool, labels)
        return Look(len(labels), ranking, found, None if trust is None else trust.sentence, noise)

    def _ranked(self, labels: Labels) -> Ranking:
        """Where no rule can be applied yet, or at all; by votes while there is no label."""
        settings, told = self.project.settings, RankOptions(level=self.project.settings.level)
        if labels.usable.any():
            loss = settings.stated_loss if settings.metric is None else None
            told = replace(told, loss=loss, metric=settings.metric, positive=settings.positive)
        with catch_warnings():
            simplefilter("ignore", AdjudgeWarning)  # the page says by itself how many labels there are
            return rank_checked(self.pool, labels, told)


class Worker(Protocol):
    """Whoever does the work: this process, or another."""

    def picks(self, added: Additions, labels: Labels, count: int) -> list[Pick]: ...

    def look(self, added: Additions, labels: Labels, noise: float | None, until: str) -> Look: ...


@contextmanager
def patched_environment(told: Mapping[str, str]) -> Iterator[None]:
    """What a process that is started meanwhile finds in its environment."""
    before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Helper:
    """A process of its own that does the work of a project; to be asked by one thread."""

    def __init__(self, project: Project, kindness: int = 0) -> None:
        self._started, self._closed = (project.folder, kindness), False
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, *self._started), daemon=True)
        with patched_environment(ONE_THREAD):
            self._process.start()
        other.close()

    def picks(self, added: Additions, labels: Labels, count: int) -> list[Pick]:
        found: list[Pick] = self._ask("picks", added, labels, count)
        return found

    def look(self, added: Additions, labels: Labels, noise: float | None, until: str) -> Look:
        found: Look = self._ask("look", added, labels, noise, until)
        return found

    def _ask(self, task: str, *arguments: Any) -> Any:
        try:
            self._line.send((task, arguments))
            found = self._line.recv()
        except (EOFError, OSError):
            if not self._closed and not self._process.is_alive():
                self._start()
            raise InputError("the process that picks and ranks has ended; it was started again") from None
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        self._closed = True
        self._process.terminate()
        self._process.join()
        self._line.close()


def _serve(line: Connection, folder: Path, kindness: int) -> None:
    """Do what the other end of the line asks for, until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us
    with suppress(OSError, AttributeError):
        os.nice(kindness)
    work = Work.on(open_project(folder))
    with suppress(EOFError, OSError):
        while True:
            task, arguments = line.recv()
            try:
                line.send(getattr(work, task)(*arguments))
            except AdjudgeError as problem:
                line.send(problem)
            except Exception as problem:  # whatever a method does, the page goes on
                method = work.project.settings.method
                line.send(InputError(f"{method!r} failed at {task} ({type(problem).__name__}: {problem})"))
