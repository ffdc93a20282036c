"""Results of a comparison, as files."""

import json
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from adjudge.errors import InputError
from adjudge.experiments.results import read_outcome
from tests.support.comparisons import play, rows_of


def test_results_are_tidy_and_say_where_they_come_from(tasks: Path) -> None:
    results = play(tasks, tasks / "out", seed=7)
    table = parquet.read_table(tasks / "out" / "results.parquet")
    assert table.num_rows == sum(each.values.size for each in results.outcomes)
    rows = table.to_pandas()
    chosen = rows[(rows.task == "full") & (rows.method == "SDS") & (rows.budget == 20) & (rows.repetition == 2)]
    assert set(chosen.seed) == {9}
    outcome = results.get("full", "SDS")
    assert outcome is not None
    assert chosen.value.tolist() == outcome.values[2, 1].tolist()
    assert chosen.truth.tolist() == outcome.truth.tolist()
    assert set(json.loads(table.schema.metadata[b"versions"])) == {"adjudge", "numpy", "python"}
    times = rows_of(tasks / "out" / "times.csv")
    assert len(times) == 7
    assert all(row["part_number"] == "" and row["repetitions"] == "3" for row in times)
    assert {row["cpu_seconds"] for row in times} == {f"{each.seconds:.4f}" for each in results.outcomes}


def test_a_part_is_read_as_it_was(tasks: Path) -> None:
    results = play(tasks, tasks / "out")
    for outcome in results.outcomes:
        read = read_outcome(tasks / "out" / "parts" / f"{outcome.job.key}.parquet")
        assert read.job == outcome.job
        assert np.array_equal(read.values, outcome.values, equal_nan=True)


def test_a_folder_that_cannot_be_made_is_one_sentence(tasks: Path) -> None:
    (tasks / "taken").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        play(tasks, tasks / "taken")
