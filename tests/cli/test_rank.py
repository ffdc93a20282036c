"""What `rank` recommends, in words and as JSON, and the command that it asks for."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from adjudge.io import read, read_labels, write_labels, write_predictions
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.commands import adjudge, as_json

ASKED_FOR = {
    *("model", "ties", "chance_of_best", "expected_loss", "likely_loss", "guaranteed_loss", "may_be_best", "level"),
    *("stop", "next"),
}
BESIDE = {
    "margin",
    "exact",
    "lacking",
    "samples",
    "incomplete",
    "incomplete_rivals",
    "future",
    "future_rivals",
    "refuted",
    "words",
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Predictions and a log of 30 labels, in a folder whose name has a space."""
    pool, truth = example_pool(models=4, samples=200, seed=1)
    folder = tmp_path / "my pool"
    folder.mkdir()
    source, labels = folder / "predictions.npz", folder / "labels.csv"
    write_predictions(pool, source)
    write_labels(bought(Pooled(), pool, truth * 1.0, 30, 0), pool, labels)
    return source, labels


def test_the_recommendation_for_machines(files: tuple[Path, Path]) -> None:
    source, labels = files
    told = as_json("rank", source, "--labels", labels)
    advice, models = told["recommendation"], told["models"]
    assert set(advice) == ASKED_FOR | BESIDE | {"prices", "cheapest", "verdict"}
    assert set(advice["next"]) == {"labels_likely", "labels_guaranteed", "waiting", "left", "unused", "command"}
    assert advice["model"] == models[0]["name"]
    assert advice["chance_of_best"] == models[0]["chance_of_best"]
    assert advice["expected_loss"] == models[0]["expected_loss"]
    assert advice["may_be_best"] == [row["name"] for row in models if row["may_be_best"]]
    assert 0 <= advice["likely_loss"] <= advice["guaranteed_loss"] <= 1
    assert (advice["level"], advice["margin"], advice["exact"], advice["refuted"]) == (0.95, 0.01, False, False)
    assert models[0]["behind"] == models[0]["behind_low"] == models[0]["behind_high"] == 0
    chances, behind, losses = ([row[name] for row in models] for name in ("chance_of_best", "behind", "expected_loss"))
    assert (chances, behind, losses) == (sorted(chances, reverse=True), sorted(behind), sorted(losses))
    assert all(row["behind_low"] <= row["behind"] <= row["behind_high"] for row in models)


def test_the_words_are_those_of_the_json(files: tuple[Path, Path]) -> None:
    source, labels = files
    words = as_json("rank", source, "--labels", labels)["recommendation"]["words"]
    shown = " ".join(adjudge("rank", source, "--labels", labels).stdout.split())
    for line in words:
        head, _, text = line.partition(": ")
        assert f"{head}: {' '.join(text.split())}" in shown if text else line in shown
    assert shown.startswith(words[0])


def test_the_command_that_it_asks_for_runs_and_gets_more_labels(files: tuple[Path, Path]) -> None:
    source, labels = files
    program, *words = shlex.split(as_json("rank", source, "--labels", labels)["recommendation"]["next"]["command"])
    assert program == "adjudge"
    assert adjudge(*words).returncode == 0
    _, log = read_labels(labels, read(source))
    assert (len(log), log.labeled) == (50, 30)


def test_without_labels_the_command_gets_the_first_ten(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = files
    advice = as_json("rank", source)["recommendation"]
    assert (advice["stop"], advice["likely_loss"], advice["guaranteed_loss"]) == (False, None, None)
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(advice["next"]["command"])
    assert adjudge(*words).returncode == 0
    assert len((tmp_path / "labels.csv").read_text().splitlines()) >= 11


def test_all_labels_need_no_further_command(files: tuple[Path, Path]) -> None:
    source, labels = files
    pool, truth = example_pool(models=4, samples=200, seed=1)
    write_labels(bought(Random(), pool, truth * 1.0, 200, 0), pool, labels)
    advice = as_json("rank", source, "--labels", labels)["recommendation"]
    assert (advice["exact"], advice["stop"], advice["guaranteed_loss"]) == (True, True, 0)
    assert set(advice["next"].values()) == {None, 0}
    assert advice["future"] > 0
    assert advice["model"] == pool.models[int(np.argmax((pool.values == truth).mean(axis=1)))]


def test_a_rule_changes_the_margin_and_who_may_stop(files: tuple[Path, Path]) -> None:
    source, labels = files
    for rule in ("likely within 0.3", "within 0.9", "within 0.001"):
        done = adjudge("rank", source, "--labels", labels, "--until", rule, "--json")
        told = json.loads(done.stdout)
        advice = told["recommendation"]
        assert advice["stop"] == told["until"]["may_stop"] == (done.returncode == 0)
        assert advice["margin"] == float(rule.split()[-1])
        assert advice["words"][0].startswith("Deploy") == advice["stop"]


def test_labels_that_are_missing_come_before_new_samples(files: tuple[Path, Path]) -> None:
    source, labels = files
    adjudge("select", source, "--labels", labels, "--budget", 20, "--out", labels)
    told = as_json("rank", source, "--labels", labels, "--margin", 1e-6)["recommendation"]
    assert (told["next"]["waiting"], told["next"]["left"], told["next"]["command"]) == (20, 150, None)
    assert told["words"][-1] == "Next: fill in the 20 labels that are still blank."
    again = adjudge("select", source, "--labels", labels, "--budget", 5, "--out", labels)
    assert "25 samples to label are in" in again.stderr
    assert "(5 of them new); fill its label column, then:\n  adjudge rank " in again.stderr


def test_a_rule_is_told_once(files: tuple[Path, Path]) -> None:
    source, labels = files
    done = adjudge("rank", source, "--labels", labels, "--until", "within 0.001")
    words = done.stdout.split()
    assert " ".join(words).count(" more label") == 1
    assert "better than" in " ".join(words)
