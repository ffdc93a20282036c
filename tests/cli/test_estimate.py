"""`adjudge estimate`, and what `adjudge simulate --model` adds."""

import json
from pathlib import Path

import pytest

import adjudge
from adjudge.errors import AdjudgeWarning, InputError, NotEnoughLabels
from adjudge.simulation.contract import example_pool
from tests.support.commands import WIDE, as_json, refused
from tests.support.commands import adjudge as adjudge_command


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text(WIDE)
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("sample_id,label\na,cat\nc,cat\ne,dog\n")
    return path


def test_drawn_labels_give_an_interval(pool: Path, labels: Path) -> None:
    told = as_json("estimate", pool, "--model", "tree", "--labels", labels, "--drawn", "uniform")
    _, *names = told
    assert names == ["model", "quantity", "value", "low", "high", "level", "labels", "skipped", "method", "future"]
    assert told["model"] == "tree"
    assert (told["quantity"], told["level"], told["method"]) == ("accuracy", 0.95, "drawn")
    assert told["value"] == pytest.approx(1 / 3)
    assert 0.16 < told["low"] < told["value"] < told["high"] < 0.67  # one is right, two are wrong, three are open
    assert (told["labels"], told["skipped"]) == (3, 0)
    said = adjudge_command("estimate", pool, "--model", "tree", "--labels", labels, "--drawn", "uniform").stdout
    assert said.startswith("tree: accuracy 0.333, 95% interval ")


def test_the_estimate_is_that_of_the_ranking(pool: Path, labels: Path) -> None:
    ranked = as_json("rank", pool, "--labels", labels, "--drawn", "uniform")["models"]
    for row in ranked:
        told = as_json("estimate", pool, "--model", row["name"], "--labels", labels, "--drawn", "uniform")
        assert [told[side] for side in ("value", "low", "high")] == [row[side] for side in ("value", "low", "high")]


def test_chosen_labels_are_no_estimate_and_it_says_so(pool: Path, labels: Path) -> None:
    done = adjudge_command("estimate", pool, "--model", "net", "--labels", labels, "--json")
    told = json.loads(done.stdout)
    assert (told["value"], told["low"], told["high"], told["level"]) == (1.0, None, None, None)
    assert (told["quantity"], told["method"]) == ("accuracy on the labeled samples", "labeled")
    assert "not an estimate for the whole pool" in done.stderr
    assert (
        "without interval (3 labels)" in adjudge_command("estimate", pool, "--model", "net", "--labels", labels).stdout
    )


def test_labels_chosen_for_the_best_model_are_told(tmp_path: Path) -> None:
    pool, truth = example_pool(models=4, samples=80)
    adjudge.write_predictions(pool, file := tmp_path / "pool.npz")
    adjudge.write_labels(adjudge.select(pool, 12).answer_all(truth), pool, log := tmp_path / "log.csv")
    one, other = pool.models[:2]
    for words in (("estimate", file, "--model", one), ("compare", file, one, other, "--test", "equivalent")):
        margin = ("--margin", 0.001) if words[0] == "compare" else ()
        told = " ".join(adjudge_command(*words, *margin, "--labels", log).stdout.split())
        assert " of 12 labels were chosen, not drawn: " in told
        assert "For accuracies and comparisons: adjudge select --goal estimate." in told
    plain = adjudge_command("estimate", file, "--model", one, "--labels", log, "--drawn", "unknown").stdout
    assert "chosen" not in plain  # there is no interval that could be wide


def test_slips_get_one_sentence(pool: Path, labels: Path) -> None:
    assert "no model 'tre'; did you mean 'tree'?" in refused("estimate", pool, "--model", "tre", "--labels", labels)
    assert "the models are 'net', 'tree', 'rule'" in refused("estimate", pool, "--model", "xyz", "--labels", labels)
    assert "--labels" in refused("estimate", pool, "--model", "net")
    plan = labels.with_name("plan.csv")
    assert adjudge_command("select", pool, "--budget", 2, "--out", plan).returncode == 0
    assert "none of the 6 samples has a label yet" in refused("estimate", pool, "--model", "net", "--labels", plan)


def test_numbers_are_judged_in_the_range_of_all_models() -> None:
    pool = adjudge.from_frame({"id": list("abcd"), "low": [0.0, 0.1, 0.2, 0.3], "high": [9.0, 9.5, 8.0, 1.0]})
    log = adjudge.fill(adjudge.select(pool, 4), pool, dict.fromkeys("abcd", 1.0))
    everything = adjudge.rank(pool, log).estimate.value
    assert adjudge.estimate(pool, "low", log).estimate.value[0] == pytest.approx(everything[0])
    loss = adjudge.Absolute(0.0, 10.0)
    assert adjudge.estimate(pool, "low", log, loss).estimate.value[0] == pytest.approx(0.85)


def test_from_python() -> None:
    pool, truth = example_pool(5, 200, 4, seed=1)
    log = adjudge.select(pool, 60, seed=2).answer_all(truth)
    answer = adjudge.estimate(pool, pool.models[2], log)
    assert answer.models == (pool.models[2],)
    assert answer.estimate.low[0] < (pool.values[2] == truth).mean() < answer.estimate.high[0]
    with pytest.raises(InputError, match="did you mean"):
        adjudge.estimate(pool, pool.models[2] + "x", log)
    with pytest.raises(NotEnoughLabels, match="none of the 200 samples has a label yet"):
        adjudge.estimate(pool, pool.models[2], adjudge.Labels.empty(200))
    with pytest.raises(InputError, match="a pool of 3 samples"):
        adjudge.estimate(pool, pool.models[2], adjudge.Labels.empty(3))
    with pytest.warns(AdjudgeWarning, match="not an estimate for the whole pool"):
        adjudge.estimate(pool, pool.models[2], adjudge.Labels.known(200, [4, 5], truth[[4, 5]]))


def test_simulate_tells_of_a_named_model(pool: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("sample_id,label\na,cat\nb,dog\nc,cat\nd,cat\ne,dog\nf,cat\n")
    words = ("simulate", pool, "--truth", truth, "--budget", 6, "--seeds", 3)
    plain, named = as_json(*words), as_json(*words, "--model", "tree")
    estimate = named["summary"].pop("estimate")
    assert named == plain
    assert estimate["model"] == "tree"
    assert estimate["truth"] == pytest.approx(4 / 6)
    assert estimate["error"] == {"6": {"mean": pytest.approx(0, abs=1e-12), "std": pytest.approx(0, abs=1e-12)}}
    assert list(estimate["efficiency"]) == ["6"]
    assert (
        "estimate of tree at 6 labels: 0.667 ±0.000 (truth 0.667), absolute error 0.000"
        in adjudge_command(*words, "--model", "tree").stdout
    )
    assert "did you mean 'tree'?" in refused(*words, "--model", "trea")
    assert "leave out --model" in refused(*words, "--model", "tree", "--until", "separated")
    assert "estimate" not in as_json(*words, "--model", "tree", "--method", "agreement")["summary"]


def test_skips_and_a_single_label_are_said_as_they_are(tmp_path: Path) -> None:
    source, labels = tmp_path / "p.csv", tmp_path / "l.csv"
    source.write_text(WIDE)
    labels.write_text("sample_id,label\na,cat\nb,dog\nc,cat\nd,cat\ne,dog\nf,SKIP\n")
    words = ("--model", "net", "--labels", labels, "--drawn", "uniform")
    told = " ".join(adjudge_command("estimate", source, *words).stdout.split())
    assert told == (
        "net: accuracy 1.000, exactly, on these 5 samples: every one that could be labeled is (1 skipped). For future "
        "data of the same kind: 0.549 to 1.000."
    )
    labels.write_text("sample_id,label\na,cat\n")
    compared = adjudge_command("compare", source, "net", "tree", "--labels", labels, "--drawn", "uniform")
    assert "(1 label in all)" in " ".join(compared.stdout.split()), compared


def test_an_exact_value_says_what_it_is_exact_about(tmp_path: Path) -> None:
    path, labels = tmp_path / "pool.csv", tmp_path / "labels.csv"
    path.write_text("sample_id,net,tree\n" + "".join(f"{at},{'cat' if at % 10 else 'dog'},cat\n" for at in range(200)))
    labels.write_text("sample_id,label\n" + "".join(f"{at},cat\n" for at in range(200)))
    words = ("estimate", path, "--model", "net", "--labels", labels)
    said = " ".join(adjudge_command(*words).stdout.split())
    assert said.startswith(
        "net: accuracy 0.900, exactly, on these 200 samples: every one is labeled. For future data of "
    )
    found = as_json(*words)
    assert (found["low"], found["high"]) == (0.9, 0.9)
    assert found["future"]["low"] == pytest.approx(0.853, abs=0.005)
    assert found["future"]["high"] == pytest.approx(0.937, abs=0.005)
    labels.write_text("sample_id,label\n" + "".join(f"{at},cat\n" for at in range(100)))
    assert as_json(*words, "--drawn", "uniform")["future"] is None
