"""Many at once, and the worst moments: eight clients, kill -9, a second process, estimates of a team."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from adjudge.api import rank
from adjudge.core.arrays import IntArray
from adjudge.core.labels import SKIP, Labels
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.io import read, read_labels
from adjudge.labeling.session.background import keep_ready, look_at
from adjudge.labeling.session.export import export
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Look, Work
from adjudge.methods.baselines.drawn import Drawn
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge
from tests.support.pools import Begin

CLIENTS, EACH = 8, 16


def test_eight_clients_lose_and_double_nothing(begin: Begin, database: str | None) -> None:
    """Each with a session of its own, as eight servers would have, beside two that pick."""
    session = begin(database)
    done = Event()

    def feed() -> None:
        own, work = Session.open(session.project, database), Work.on(open_project(session.project.folder))
        while not done.is_set():
            keep_ready(own, work, 2 * CLIENTS)
            own.refresh()
        own.close()

    def client(number: int) -> list[tuple[int, str]]:
        own, person = Session.open(session.project, database), f"person {number}"
        said: list[tuple[int, str]] = []
        while len(said) < EACH:
            for card in own.next(person, ahead=2)[:1]:
                label = "abcd"[card.sample % 4]
                own.answer(person, card.lease, label)
                said.append((card.sample, label))
        own.close()
        return said

    feeders = [Thread(target=feed) for _ in range(2)]
    for feeder in feeders:
        feeder.start()
    with ThreadPoolExecutor(CLIENTS) as clients:
        said = [each for answers in clients.map(client, range(CLIENTS)) for each in answers]
    done.set()
    for feeder in feeders:
        feeder.join()
    session.refresh()
    pool, labels = session.labels()
    assert pool.classes is not None
    assert len(said) == len(dict(said)) == CLIENTS * EACH
    stored = {s: pool.classes[int(v)] for s, v in zip(labels.sample, labels.value, strict=True) if not np.isnan(v)}
    assert stored == dict(said)
    assert sorted(session.ledger.by_person().values()) == [EACH] * CLIENTS


WRITER = """
import sys
from pathlib import Path
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work

session = Session.open(open_project(Path(sys.argv[1])), sys.argv[2] or None)
keep_ready(session, Work.on(session.project), 200)
cards = session.next("ada")
while cards:
    card = cards[0]
    cards = session.answer("ada", card.lease, "abcd"[card.place % 4])
    print(card.place, flush=True)
"""


def test_kill_in_the_middle_of_200_writes_loses_nothing(begin: Begin, database: str | None) -> None:
    after = 111
    session = begin(database)
    call = [sys.executable, "-c", WRITER, str(session.project.folder), database or ""]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout.read().split()]
    again = Session.open(open_project(session.project.folder), database)
    pool, labels = again.labels()
    assert pool.classes is not None
    assert len(labels) == 200
    said = [pool.classes[int(value)] for value in labels.value[acknowledged]]
    assert said == ["abcd"[place % 4] for place in acknowledged]
    assert int(labels.answered.sum()) - len(acknowledged) in (0, 1)  # one may be kept that was not acknowledged yet
    [card] = again.next("ada")
    assert card.place == int(labels.answered.sum())
    again.close()


def labeled(session: Session, truth: IntArray, rows: int = 30) -> Look:
    """A session with answers, a skip, and a class that no model named."""
    work = Work.on(session.project)
    for row in range(rows):
        keep_ready(session, work, 3)
        [card] = session.next("ada")
        label = SKIP if row == 7 else "zebra" if row in (11, 12) else "abcd"[truth[card.sample]]
        session.answer("ada", card.lease, label)
    return look_at(session, work)


@pytest.mark.filterwarnings("ignore::adjudge.errors.AdjudgeWarning")
@pytest.mark.parametrize("method", ["random", "pooled"])
def test_an_exported_log_ranks_the_same_to_the_last_digit(begin: Begin, tmp_path: Path, method: str) -> None:
    pool, truth = example_pool(models=5, samples=400, classes=4, seed=1)
    session = begin(pool=pool, method=method, seed=3)
    look = labeled(session, truth)
    plain = rank_checked(*session.labels(), RankOptions())
    stored = read(session.project.folder / "predictions.npz")
    for suffix in ("csv", "parquet", "json"):
        export(session, tmp_path / f"labels.{suffix}")
        wider, labels = read_labels(tmp_path / f"labels.{suffix}", stored)
        assert labels.header == session.project.settings.header
        assert rank(wider, labels).rows() == plain.rows()
        again = stopping_status(wider, labels, StoppingRule())
        assert again.ranking is not None
        assert again.ranking.rows() == look.ranking.rows()


def test_the_command_line_ranks_an_exported_log_as_the_page_does(begin: Begin, tmp_path: Path) -> None:
    pool, truth = example_pool(models=5, samples=400, classes=4, seed=1)
    session = begin(pool=pool, method="pooled")
    look = labeled(session, truth)
    export(session, tmp_path / "labels.json")
    words = (session.project.folder / "predictions.npz", "--labels", tmp_path / "labels.json")
    told = json.loads(adjudge("rank", *words, "--until", "separated", "--json").stdout)
    assert told["models"] == look.ranking.rows()


def test_the_command_line_allows_for_people_who_disagree_as_the_page_does(begin: Begin, tmp_path: Path) -> None:
    pool, truth = example_pool(models=5, samples=400, classes=4, seed=1)
    session = begin(pool=pool, method="random", overlap=2, share=1.0)
    work = Work.on(session.project)
    keep_ready(session, work, 30)
    for person in ("ada", "bob"):
        for row in range(30):
            [card] = session.next(person)
            session.answer(person, card.lease, "abcd"[(truth[card.sample] + (person == "bob" and row % 9 == 0)) % 4])
    told = adjudge("export", "log", session.project.folder, "--out", tmp_path / "labels.csv").stderr
    words = " ".join(told.split("adjudge rank ")[1].split()).split(" ")
    ranked = adjudge("rank", session.project.folder / "predictions.npz", *words, "--until", "separated", "--json")
    assert json.loads(ranked.stdout)["models"] == look_at(session, work).ranking.rows()


def test_estimates_of_a_team_are_unbiased() -> None:
    """Four people who take their time in turns, with samples in flight at every draw."""
    pool, truth = example_pool(models=3, samples=40, classes=3, seed=4)
    errors = (pool.values != truth).mean(axis=1)
    found = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 99])
        picker = selector("active-testing").start(pool, Labels.empty(40), None, seed)
        log = Labels.empty(40)
        while len(log.settled()) < 12:
            open_rows = np.flatnonzero(~log.answered)
            if len(open_rows) < 4:
                pick = picker(log)
                assert pick is not None
                log = log.hand_out(pick)
            else:
                row = rng.choice(open_rows)
                value, answered = log.value.copy(), log.answered.copy()
                value[row], answered[row] = truth[log.sample[row]], True
                log = replace(log, value=value, answered=answered)
        found.append(1 - Drawn().rank(pool, log.head(12)).estimate.value)
    off = np.mean(found, axis=0) - errors
    assert (np.abs(off) < 3.5 * np.std(found, axis=0) / np.sqrt(len(found))).all(), off
