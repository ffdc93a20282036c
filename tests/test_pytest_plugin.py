"""The pytest plug-in, in test runs of its own: shown, refuted, not enough labels."""

import re

import numpy as np
import pytest

import adjudge
from adjudge.core.predictions import Predictions

pytest_plugins = ["pytester"]
SAMPLES = 400
SHARES = {"old": 0.7, "good": 0.95, "bad": 0.4, "near": 0.75}  # of samples on which each model is right
LABELS = {"good": 60, "bad": 120, "near": 12}
SETTINGS = "[pytest]\nadjudge_predictions = predictions.parquet\nadjudge_labels = near.csv\n"
TESTS = """
import adjudge as library


def test_shown(adjudge):
    adjudge.assert_not_worse("good", "old", margin=0.05, labels="good.csv")


def test_refuted(adjudge):
    adjudge.assert_not_worse("bad", "old", margin=0.05, labels="bad.csv")


def test_too_few(adjudge):
    adjudge.assert_not_worse("near", "old", margin=0.05)


def test_objects(adjudge):
    pool, log = library.read_labels("good.csv", library.read("predictions.parquet"))
    found = adjudge.assert_better("good", "old", predictions=pool, labels=log, level=0.9)
    assert found.level == 0.9 and found.anytime
    plain = {str(sample): ("no", "yes")[int(value)] for sample, value in zip(log.sample, log.value)}
    assert adjudge.assert_better("good", "old", labels=plain, drawn="uniform").holds
    columns = {name: [("no", "yes")[code] for code in row] for name, row in zip(pool.models, pool.values)}
    frame = {"id": [str(sample) for sample in range(len(pool.samples))], **columns}
    assert adjudge.assert_better("good", "old", predictions=frame, labels=plain, drawn="uniform").holds


def test_unknown_model(adjudge):
    adjudge.assert_better("near", "oldest")


def test_unknown_file(adjudge):
    adjudge.assert_better("near", "old", labels="none.csv")
"""


def project(here: pytest.Pytester, settings: str) -> None:
    """A project with four models, and labels for comparing each with the old one."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=SAMPLES)
    right = rng.random((len(SHARES), SAMPLES)) < np.array(list(SHARES.values()))[:, None]
    pool = Predictions(np.where(right, truth, 1 - truth), tuple(SHARES), range(SAMPLES), ("no", "yes"))
    adjudge.write_predictions(pool, here.path / "predictions.parquet")
    for model, count in LABELS.items():
        log = adjudge.select(pool, count, models=(model, "old"), seed=1).answer_all(truth.astype(float))
        adjudge.write_labels(log, pool, here.path / f"{model}.csv")
    here.makeini(settings)
    here.makepyfile(test_gate=TESTS)


def run(here: pytest.Pytester, *words: str) -> pytest.RunResult:
    """A process of its own: it loads the plug-in as any project's tests do."""
    return here.runpytest_subprocess("-p", "no:cacheprovider", *words)


def test_three_verdicts_and_plain_sentences(pytester: pytest.Pytester) -> None:
    project(pytester, SETTINGS)
    done = run(pytester)
    done.assert_outcomes(passed=2, failed=4)
    assert "Traceback" not in done.stdout.str()
    for line in (
        "refuted. bad minus old: accuracy -0.*less than 0.05 worse *is refuted: it is worse by more than that.*",
        "not enough labels. *; about * more labels where the two differ may show it (adjudge select *"
        "--labels near.csv --models near old --budget * --out near.csv draws them). This is valid at "
        "any time, since a test is run again and again; *",
        "adjudge: *oldest*",
        "adjudge: *none.csv*",
        "*::test_shown: shown. good minus old: accuracy +0.2*95% interval at any time *is shown. This*",
    ):
        done.stdout.fnmatch_lines([line])


def test_a_project_may_skip_while_labels_are_too_few(pytester: pytest.Pytester) -> None:
    project(pytester, f"{SETTINGS}adjudge_undecided = skip\n")
    done = run(pytester, "-k", "few or refuted")
    done.assert_outcomes(skipped=1, failed=1)  # refuted is no lack of labels
    done.stdout.fnmatch_lines(["*::test_too_few: not enough labels. *"])


def test_no_label_at_all_is_undecided_too(pytester: pytest.Pytester) -> None:
    project(pytester, f"{SETTINGS}adjudge_undecided = skip\n")
    open_log = pytester.path / "near.csv"
    open_log.write_text("\n".join(re.sub(",(no|yes)$", ",", line) for line in open_log.read_text().splitlines()))
    done = run(pytester, "-k", "few")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(
        [
            "*::test_too_few: not enough labels. none of the *; fill in the column of labels or grades, or draw "
            "others: adjudge select predictions.parquet --labels near.csv --models near old --budget 20 --out near.csv"
        ]
    )


def test_settings_are_checked(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nadjudge_undecided = maybe\n")
    done = run(pytester)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*adjudge_undecided = maybe is not known; use fail or skip"])


def test_nothing_is_guessed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile('def test_gate(adjudge):\n    adjudge.assert_better("new", "old")\n')
    run(pytester).stdout.fnmatch_lines(["adjudge: no predictions are named; add `adjudge_predictions = FILE`*"])


def test_scores_need_no_labels(pytester: pytest.Pytester) -> None:
    scores = np.random.default_rng(0).random(80) + np.array([[1.0], [0.0]])
    np.savez(pytester.path / "scores.npz", scores=scores, model_names=["new", "old"], range=[0, 2])
    pytester.makeini("[pytest]\nadjudge_predictions = scores.npz\n")
    pytester.makepyfile('def test_gate(adjudge):\n    adjudge.assert_better("new", "old", margin=0.1)\n')
    done = run(pytester)
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["*shown. new minus old: mean score +1.0000*"])


def test_a_command_names_files_from_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(pytester, SETTINGS)
    above = pytester.path / "above"
    above.mkdir()
    monkeypatch.chdir(above)
    done = run(pytester, "-k", "few", "--rootdir", str(pytester.path), str(pytester.path / "test_gate.py"))
    done.stdout.fnmatch_lines(["*adjudge select ../predictions.parquet --labels ../near.csv --models near old*"])
