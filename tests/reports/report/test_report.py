"""The report: the same numbers as a ranking, for any pool, in a file that stays small and safe."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from adjudge import rank, report
from adjudge.charts.cells import row_texts
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError
from adjudge.registry import selector
from adjudge.reports.plain import plain
from adjudge.reports.report.gather import ReportOptions
from adjudge.reports.tables import ranking_facts
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.reports.test_page import Found
from tests.support.reported import pool_of, written

EVIL = "<script>alert(1)</script>|`_*"
LARGEST = 3_000_000  # bytes


def test_all_forms_have_the_numbers_of_the_ranking(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    pool = pool.with_auxiliary("cost", np.broadcast_to(np.arange(6.0)[:, None], (6, 200)))
    texts = written(tmp_path, pool, log)
    ranking = rank(pool, log)
    told = json.loads(texts["json"])
    expected = json.loads(json.dumps(plain(ranking_facts(ranking))))
    assert {name: told[name] for name in expected} == expected
    for row in ranking.rows():
        cells = row_texts(row, ranking.estimate.digits)
        for text in (texts["md"], texts["html"]):
            assert cells["interval_text"] in text
            assert cells["behind_text"] in text
    assert told["recommendation"]["prices"]["cost"] == {name: float(at) for at, name in enumerate(pool.models)}
    assert all("Quality and cost" in texts[ending] for ending in ("md", "html"))
    assert told["report"]["chance_of_best"]["labels"][-1] == log.labeled
    assert told["report"]["drawn"]["chosen"] + told["report"]["drawn"]["drawn"] == log.labeled
    pairs = told["report"]["pairs"]
    assert len(pairs) == 15
    assert any(pair["state"] == "guaranteed better" for pair in pairs)


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    pool, log, _ = pool_of(4)
    named = replace(
        pool,
        models=tuple(f"{EVIL}{number}" for number in range(4)),
        samples=pa.array([f"{EVIL}{number}" for number in range(200)]),
        classes=(EVIL, "b", "c"),
        columns=pa.table({"text": [EVIL] * 200, EVIL: ["a", "b"] * 100}),
    )
    log = log.with_header(replace(log.header, models=named.models, method=EVIL))
    texts = written(tmp_path, named, log, ReportOptions(title=EVIL, column=EVIL, annotators=(EVIL,)))
    found = Found(texts["html"])
    assert found.tags.count("script") == 2
    assert "&lt;script&gt;" in texts["html"]
    assert "<script>" not in texts["md"]
    assert json.loads(texts["json"])["models"][0]["name"].startswith(EVIL)


def test_a_hundred_models_fit_in_three_megabytes(tmp_path: Path) -> None:
    pool, truth = example_pool(models=100, samples=120, seed=4)
    log = bought(selector("random"), pool, truth, 40, seed=0)
    images = tmp_path / "images"
    images.mkdir()
    noise = np.random.default_rng(0)
    from PIL import Image

    for sample in range(120):
        Image.fromarray(noise.integers(0, 255, (400, 300, 3), dtype=np.uint8)).save(images / f"{sample}.png")
    texts = written(tmp_path, pool, log, ReportOptions(data=images))
    assert len(texts["html"].encode()) < LARGEST
    assert texts["html"].count("data:image/jpeg;base64,") == 12
    for name in pool.models:
        assert f">{name}<" in texts["html"]  # the table has all of them
        assert f"| {name} |" in texts["md"]


def test_without_labels_it_is_a_guess_of_the_crowd(tmp_path: Path) -> None:
    pool, _, _ = pool_of()
    texts = written(tmp_path, pool, None)
    told = json.loads(texts["json"])
    assert told["quantity"] == "agreement"
    assert told["report"]["chance_of_best"] is None
    assert told["report"]["pairs"] == []
    assert told["report"]["fail_together"]["measure"] == "same answer"
    for text in (texts["html"], texts["md"]):
        assert "none: the ranking shows how far models agree with each other" in text
        assert "agreement" in text


def test_numbers_one_model_and_gaps_have_reports_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=150)
    numbers = Predictions(truth + rng.normal(size=(4, 150)), tuple("abcd"), range(150), None)
    log = bought(selector("random"), numbers, truth, 60, seed=0)
    told = json.loads(written(tmp_path, numbers, log)["json"])
    assert told["report"]["fail_together"]["measure"] == "correlation of errors"
    pool, log, _ = pool_of()
    alone = replace(pool, values=pool.values[:1], models=pool.models[:1], probabilities=None)
    drawn = bought(selector("random"), alone, np.zeros(200), 20, seed=0)
    told = json.loads(written(tmp_path, alone, drawn)["json"])
    assert told["report"]["fail_together"] is None
    assert told["report"]["contested"] == []
    values = np.array(pool.values)
    values[2, ::3] = MISSING
    values[5] = MISSING
    gaps = replace(pool, values=values, probabilities=None)
    texts = written(tmp_path, gaps, log.with_header(replace(log.header, models=())))
    assert "no answer" in texts["html"]


def test_a_file_that_cannot_be_is_refused_before_any_work(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    with pytest.raises(InputError, match=r"report\.docx ends in '\.docx'; use \.html, \.md or \.json"):
        report(pool, log, tmp_path / "report.docx")
    with pytest.raises(InputError, match="does not exist"):
        report(pool, log, tmp_path / "nowhere" / "report.html")


def test_a_notebook_shows_one_line_of_a_report(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    shown = repr(report(pool, log, tmp_path / "report.html"))
    assert shown.startswith("Report on 6 models on 200 samples: ")
    assert shown.endswith(f"All of it: {tmp_path / 'report.html'}")
    assert "\n" not in shown
    with pytest.raises(InputError, match="a str is given where predictions are needed"):
        report("pool.csv")  # type: ignore[arg-type]
