"""The report: the same numbers as a ranking, for any pool, in a file that stays small and safe."""

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from adjudge import RankOptions, rank, report
from adjudge.charts.cells import row_texts
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.registry import selector
from adjudge.reports.plain import plain
from adjudge.reports.report.gather import ReportOptions, gather
from adjudge.reports.report.sections import sections
from adjudge.reports.report.write import write
from adjudge.reports.tables import chosen_sentence, ranking_facts
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.reports.test_page import Found

EVIL = "<script>alert(1)</script>|`_*"
LARGEST = 3_000_000  # bytes


def pool_of(models: int = 6, samples: int = 200, labels: int = 80) -> tuple[Predictions, Labels, FloatArray]:
    pool, truth = example_pool(models=models, samples=samples, seed=4)
    known = truth.astype(np.float64)
    return pool, bought(selector("pooled"), pool, known, labels, seed=0), known


def written(
    folder: Path, pool: Predictions, log: Labels | None, options: ReportOptions | None = None
) -> dict[str, str]:
    """The report in all three forms; gathering takes long, writing does not."""
    texts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AdjudgeWarning)
        found = report(pool, log, folder / "report.html", options=options)
        for ending in ("html", "md", "json"):
            write(found, folder / f"report.{ending}")
            texts[ending] = (folder / f"report.{ending}").read_text()
    return texts


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


def test_warnings_are_told_and_raised() -> None:
    pool, _, truth = pool_of()
    given = Labels.known(200, list(range(30)), truth[:30])
    with pytest.warns(AdjudgeWarning, match="only one model"):
        found = gather(replace(pool, values=pool.values[:1], models=("a",), probabilities=None), given)
    assert any("only one model" in told for told in found.warnings)


def test_slices_are_ranked_by_themselves(tmp_path: Path) -> None:
    pool, log, _ = pool_of(labels=120)
    cut = replace(pool, columns=pa.table({"site": ["north"] * 150 + ["south"] * 50}))
    texts = written(tmp_path, cut, log, ReportOptions(column="site"))
    told = json.loads(texts["json"])["report"]["slices"]
    assert [each["name"] for each in told["slices"]] == ["north", "south"]
    assert told["slices"][0]["ranking"]["models"]
    assert "Slices by site" in texts["html"]
    assert "| north | 150 |" in texts["md"]
    with pytest.raises(InputError, match="no column 'color'"):
        gather(cut, log, ReportOptions(column="color"))


def test_contested_samples_show_text_or_small_images(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    told = replace(pool, columns=pa.table({"text": [f"sentence {number} " + "x" * 1000 for number in range(200)]}))
    found = gather(told, log)
    assert len(found.contested) == 12
    assert all(each.text is not None and each.text.endswith("…") and len(each.text) <= 400 for each in found.contested)
    np.save(tmp_path / "images.npy", np.zeros((200, 8, 8), dtype=np.uint8))
    shown = gather(pool, log, ReportOptions(data=tmp_path / "images.npy"))
    assert all((each.image or "").startswith("data:image/png;base64,") for each in shown.contested)
    known = dict(zip(log.sample.tolist(), log.value.tolist(), strict=True))
    for each in shown.contested:
        label = known.get(int(each.name))
        assert each.label == (None if label is None else pool.text_of(label))


def test_a_ranking_by_another_metric_is_reported_as_one() -> None:
    pool, _, truth = pool_of()
    log = bought(selector("random"), pool, truth, 100, seed=0)
    found = gather(pool, log, ReportOptions(rank=RankOptions(metric="macro-f1")))
    assert found.ranking.estimate.quantity == "macro-f1"
    assert sections(found)[0].chart is not None


def test_a_file_that_cannot_be_is_refused_before_any_work(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    with pytest.raises(InputError, match=r"report\.docx ends in '\.docx'; use \.html, \.md or \.json"):
        report(pool, log, tmp_path / "report.docx")
    with pytest.raises(InputError, match="does not exist"):
        report(pool, log, tmp_path / "nowhere" / "report.html")


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


def test_a_notebook_shows_one_line_of_a_report(tmp_path: Path) -> None:
    pool, log, _ = pool_of()
    shown = repr(report(pool, log, tmp_path / "report.html"))
    assert shown.startswith("Report on 6 models on 200 samples: ")
    assert shown.endswith(f"All of it: {tmp_path / 'report.html'}")
    assert "\n" not in shown
    with pytest.raises(InputError, match="a str is given where predictions are needed"):
        report("pool.csv")  # type: ignore[arg-type]
