"""Logs that a project exports."""

import json
from pathlib import Path

import pytest

from adjudge.api import rank
from adjudge.core.arrays import IntArray
from adjudge.core.labels import SKIP
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.io import read, read_labels
from adjudge.labeling.session.background import keep_ready, look_at
from adjudge.labeling.session.export import export
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Look, Work
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge
from tests.support.pools import Begin


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
