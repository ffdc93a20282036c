from pathlib import Path

from adjudge.io import write_labels, write_predictions
from adjudge.methods.baselines.random import Random
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.commands import adjudge, as_json, refused


def test_the_commands(tmp_path: Path) -> None:
    pool, codes = example_pool(models=4, samples=120, seed=1)
    truth = codes.astype(float)
    source, labels = tmp_path / "p.npz", tmp_path / "l.csv"
    known = tmp_path / "truth.csv"
    known.write_text("sample_id,label\n" + "".join(f"{row},{'abc'[code]}\n" for row, code in enumerate(codes)))
    write_predictions(pool, source)
    write_labels(bought(Random(), pool, truth, 8, 0), pool, labels)
    done = adjudge("rank", source, "--labels", labels, "--until", "within 0.04")
    assert done.returncode == 1, done.stderr
    assert "Go on:" in done.stdout
    assert "more labels" in done.stdout.replace("\n", " ")
    told = as_json("rank", source, "--labels", labels, "--until", "within 0.9")["until"]
    assert told["may_stop"] is True
    assert told["rule"] == "within 0.9"
    assert "adjudge select" not in adjudge("rank", source, "--labels", labels, "--until", "within 0.9").stdout
    assert "Get 20 of them first." in done.stdout.replace("\n", " ")
    assert "--budget 20 " in done.stdout
    assert 'or "separated"' in refused("rank", source, "--labels", labels, "--until", "soon")
    assert "--labels" in refused("rank", source, "--until", "separated")
    metric = ("--metric", "macro-f1")
    assert "macro-f1 is none" in refused("rank", source, "--labels", labels, "--until", "separated", *metric)
    assert "a metric" in refused("rank", source, "--labels", labels, "--until", "separated", "--class", "a")
    runs = as_json("simulate", source, "--truth", known, "--until", "within 0.3", "--budget", 120, "--seeds", 2)
    assert runs["summary"]["stopped"] == 1.0
    shown = adjudge("simulate", source, "--truth", known, "--until", "within 0.3", "--budget", 10, "--seeds", 2).stdout
    assert "stopped by the rule: " in shown


def test_drawn_labels_say_whether_the_crowd_can_be_trusted(tmp_path: Path) -> None:
    pool, codes = example_pool(models=7, samples=120, seed=1)
    source, labels = tmp_path / "p.npz", tmp_path / "l.csv"
    write_predictions(pool, source)
    write_labels(bought(Random(), pool, codes.astype(float), 60, 0), pool, labels)
    told = as_json("rank", source, "--labels", labels)["vote_trust"]
    assert told["verdict"] == "a good guide"
    assert told["in_dispute"]["low"] < told["in_dispute"]["value"] < told["in_dispute"]["high"]
    shown = adjudge("rank", source, "--labels", labels).stdout.replace("\n", " ")
    assert "the vote is a good guide here." in shown
    assert as_json("rank", source)["vote_trust"] is None


def test_label_noise_is_said(tmp_path: Path) -> None:
    pool, codes = example_pool(models=3, samples=60, seed=1)
    source, labels = tmp_path / "p.npz", tmp_path / "l.csv"
    write_predictions(pool, source)
    write_labels(bought(Random(), pool, codes.astype(float), 30, 0), pool, labels)
    words = ("rank", source, "--labels", labels)
    said = adjudge(*words, "--label-noise", 0.025).stdout.replace("\n", " ")
    assert "What is guaranteed, and intervals, allow for 2.5% of labels being wrong;" in said
    assert "being wrong" not in adjudge(*words).stdout
    assert "being wrong" in adjudge(*words, "--label-noise", 0.025, "--until", "best").stdout
