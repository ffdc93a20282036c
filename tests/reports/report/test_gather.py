"""What is gathered for a report."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from adjudge.core.labels import Labels
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.reports.report.gather import ReportOptions, gather
from tests.support.reported import pool_of, written


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
