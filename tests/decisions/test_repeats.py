"""Several runs of one model: what is said about them, and whether to label more or to run again."""

import numpy as np
import pytest

from adjudge import Labels, Predictions, from_frame, rank, repeats
from adjudge.core.arrays import IntArray
from adjudge.core.labels import Pick
from adjudge.errors import AdjudgeWarning, InputError, LabelsError

SAMPLES = 200


def pool_of(**chances: tuple[int, float, float]) -> Predictions:
    """Models by their number of runs, the share of samples that they know, and their luck on the others."""
    rng = np.random.default_rng(0)
    names: list[str] = []
    rows: list[IntArray] = []
    for model, (runs, knows, luck) in chances.items():
        known = rng.random(SAMPLES) < knows
        for run in range(1, runs + 1):
            names.append(model if runs == 1 else f"{model} (epoch {run})")
            rows.append(np.where(known | (rng.random(SAMPLES) < luck), 0, 1 + rng.integers(0, 2, SAMPLES)))
    return Predictions(np.array(rows), tuple(names), range(SAMPLES), ("x", "y", "z"))


COMPLETE = Labels.complete(np.zeros(SAMPLES))


def test_without_labels_only_changes_are_told() -> None:
    found = repeats(pool_of(a=(3, 0.6, 0.5), b=(2, 0.9, 0.0), c=(1, 0.5, 0.5)))
    assert found.advice.startswith("Between two runs, a changes its answer on ")
    assert [row.runs for row in found.models] == [3, 2, 1]
    assert found.models[0].changes > found.models[1].changes > 0
    assert np.isnan(found.models[2].changes)
    assert found.labels == 0
    assert np.isnan(found.models[0].value)


def test_noisy_runs_are_to_be_repeated_and_steady_ones_to_be_labeled() -> None:
    noisy = repeats(pool_of(a=(2, 0.0, 0.7), b=(2, 0.0, 0.6)), COMPLETE)
    assert noisy.advice.endswith(": run again.")
    steady = repeats(pool_of(a=(2, 0.7, 0.05), b=(2, 0.6, 0.05)), COMPLETE)
    assert steady.advice.endswith(": label more.")
    assert noisy.models[0].run_share > 0.8
    assert steady.models[0].run_share < 0.2
    assert "3 more runs about" in noisy.advice
    assert "30 more labeled samples would make that about" in noisy.advice


def test_the_value_is_the_mean_over_runs_inside_its_interval() -> None:
    pool = pool_of(a=(4, 0.5, 0.5))
    row = repeats(pool, COMPLETE).models[0]
    each = (pool.values == 0).mean(axis=1)
    assert row.value == pytest.approx(each.mean())
    assert [row.lowest, row.highest] == pytest.approx([each.min(), each.max()])
    assert row.low < row.value < row.high
    assert row.half_width is not None
    assert row.half_width.now > row.half_width.with_labels


def test_drawn_labels_do_and_chosen_ones_are_refused() -> None:
    pool = pool_of(a=(3, 0.5, 0.5), b=(3, 0.3, 0.5))
    drawn, chosen = Labels.empty(SAMPLES), Labels.empty(SAMPLES)
    for step, sample in enumerate(np.random.default_rng(1).permutation(SAMPLES)[:50].tolist()):
        drawn = drawn.add(Pick(sample, 1.0, seen=step), 0)
        chosen = chosen.add(Pick(sample), 0)
    some, every = repeats(pool, drawn).models[0], repeats(pool, COMPLETE).models[0]
    assert some.name == every.name == "a"
    assert some.high - some.low > 1.5 * (every.high - every.low)
    assert "30 more labels" in repeats(pool, drawn).advice
    with pytest.raises(LabelsError, match="how these labels were chosen is not known"):
        repeats(pool, chosen)


def test_a_model_that_ran_once_is_not_compared_but_told() -> None:
    found = repeats(pool_of(a=(1, 0.9, 0.5), b=(3, 0.5, 0.5)), COMPLETE)
    assert found.models[0].name == "a"
    assert found.advice.startswith("b has accuracy 0.")
    assert "a ran once: how much its answers change is not known." in found.notes
    assert np.isnan(found.models[0].run_share)


def test_runs_that_never_change_tell_nothing_new() -> None:
    found = repeats(pool_of(a=(3, 0.7, 0.0), b=(2, 0.5, 0.3)), COMPLETE)
    assert found.models[0].changes > 0  # other wrong answers, which are as wrong
    assert "All runs of a did equally well on every labeled sample, so more of them tell nothing new." in found.notes


def test_a_run_with_another_setting_is_told() -> None:
    pool = pool_of(a=(3, 0.5, 0.5))
    values = pool.values.copy()
    values[0, :120] = 1
    other = Predictions(values, pool.models, range(SAMPLES), pool.classes)
    assert any("Whole runs of a differ by more than chance" in note for note in repeats(other, COMPLETE).notes)
    assert not any("Whole runs" in note for note in repeats(pool, COMPLETE).notes)


def test_samples_without_an_answer_of_every_run_do_not_count() -> None:
    pool = pool_of(a=(2, 0.5, 0.5))
    values = pool.values.copy()
    values[1, :100] = -1
    row = repeats(Predictions(values, pool.models, range(SAMPLES), pool.classes), COMPLETE).models[0]
    assert row.value == pytest.approx((pool.values[:, 100:] == 0).mean())


def test_a_model_that_abstains_twice_has_not_changed_its_answer() -> None:
    said = {"a (epoch 1)": ["x", "(none)", "(none)", "y"], "a (epoch 2)": ["x", "(none)", "y", "y"]}
    pool = from_frame({"id": list("pqrs")} | said, abstain=["(none)"])
    assert repeats(pool).models[0].changes == 0.25
    assert repeats(pool, Labels.complete(np.zeros(4))).models[0].value == pytest.approx(2 / 8)


def test_a_ranking_of_single_runs_is_warned_about() -> None:
    with pytest.warns(AdjudgeWarning, match="several runs of a are ranked as models of their own"):
        rank(pool_of(a=(2, 0.5, 0.5), b=(1, 0.5, 0.5)))


def test_a_pool_without_repeats_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"no model has several runs here, only a and b; import them with --epochs all"
    ):
        repeats(pool_of(a=(1, 0.5, 0.5), b=(1, 0.5, 0.5)))
    with pytest.raises(InputError, match="nothing can be weighed against nothing"):
        repeats(pool_of(a=(2, 0.5, 0.5)), more_runs=0)
