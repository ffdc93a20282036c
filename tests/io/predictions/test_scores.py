"""Scores and grades."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import PredictionsError
from adjudge.io import merge, read
from adjudge.io.predictions.scores import scores_of


@pytest.mark.parametrize("form", ["long.csv", "wide.csv", "scores.npz"])
def test_scores_stay_the_same_and_are_not_read_in_parts(tmp_path: Path, form: str) -> None:
    scores, file, out = np.random.default_rng(0).random((2, 20)), tmp_path / form, tmp_path / "parts"
    if form == "scores.npz":
        np.savez(file, scores=scores, model_names=["a", "b"], range=[0, 1])
    elif form == "wide.csv":
        file.write_text(
            "# kind: scores\nsample_id,a,b\n" + "".join(f"{at},{a},{b}\n" for at, (a, b) in enumerate(scores.T))
        )
    else:
        rows = (f"{at},{model},{scores[place, at]}\n" for at in range(20) for place, model in enumerate("ab"))
        file.write_text("sample_id,model,score\n" + "".join(rows))
    assert merge(file, out, rows=7).parts == 3
    pool = read(out)
    assert scores_of(pool).tolist() == scores.tolist()
    assert pool.grades is not None
    assert pool.grades.span == ((0.0, 1.0) if form == "scores.npz" else None)
    for each in (out, file) if form == "scores.npz" else (out,):
        with pytest.raises(PredictionsError, match="are needed in memory at once"):
            read(each, memory=300)
