"""A report in words."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from adjudge.core.labels import SKIP, Pick
from adjudge.reports.report.gather import ReportOptions
from adjudge.reports.tables import chosen_sentence
from tests.support.reported import pool_of, written


def test_it_says_how_labels_were_drawn_and_by_whom(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    open_samples = np.setdiff1d(np.arange(200), log.sample)
    log = log.add(Pick(int(open_samples[0]), seen=80), SKIP).hand_out(Pick(int(open_samples[1]), seen=81))
    log = log.with_header(replace(log.header, method="pooled", seed=7, parameters={"goal": "best"}, version="0.0.1"))
    text = written(tmp_path, pool, log, ReportOptions(annotators=("ada labeled 60 samples.", "bob labeled 20.")))["md"]
    chosen = int(np.isnan(log.weight[log.usable]).sum())
    for words in (
        f"80 of 200 samples: {80 - chosen} drawn at random, each with a recorded chance; {chosen} chosen because",
        "**Skipped:** 1 sample, which nobody could label.",
        "**Pending:** 1 sample, handed out and not labeled yet.",
        "pooled, goal best, seed 7 (adjudge 0.0.1)",
        "ada labeled 60 samples. bob labeled 20.",
        "1 sample could not be labeled",  # a warning
    ):
        assert words in text


def test_labels_after_a_blank_one_are_counted_apart(tmp_path: Path) -> None:
    pool, log, _ = pool_of(labels=40)
    answered = np.arange(40) != 30
    blank = replace(log, answered=answered, value=np.where(answered, log.value, np.nan))
    counts = json.loads(written(tmp_path, pool, blank)["json"])["report"]["drawn"]
    assert counts["labels"] == 39
    assert (counts["drawn"] + counts["chosen"], counts["waiting"], counts["pending"]) == (30, 9, 1)
    sentence = chosen_sentence(replace(blank, header=replace(blank.header, method="pooled")))
    assert sentence is not None
    assert sentence.startswith(f"{counts['chosen']} of 30 labels were chosen")
