"""What votes on pairs advise: whom to deploy, what to ask next, and what they do not say."""

import numpy as np
import pytest

from adjudge import Preferences, prefer, preferences_of
from adjudge.errors import InputError
from tests.support.repeated import repeated

STRENGTH = {"a": 1.2, "b": 1.0, "c": 0.0, "d": -1.5}


def voted(count: int, seed: int = 0, samples: int = 0) -> Preferences:
    rng, names = np.random.default_rng(seed), list(STRENGTH)
    first = rng.integers(0, 4, count)
    second = (first + rng.integers(1, 4, count)) % 4
    ahead = [STRENGTH[names[a]] - STRENGTH[names[b]] for a, b in zip(first, second, strict=True)]
    won = rng.random(count) < 1 / (1 + np.exp(-np.array(ahead)))
    winner = ["tie" if rng.random() < 0.1 else "model_a" if each else "model_b" for each in won]
    sample = [f"s{at}" for at in rng.integers(0, samples, count)] if samples else None
    return preferences_of([names[at] for at in first], [names[at] for at in second], winner, sample)


def test_a_clear_leader_is_to_be_deployed() -> None:
    found = prefer(preferences_of(["x"] * 40, ["y", "z"] * 20, ["x"] * 36 + ["tie"] * 4))
    assert found.advice == "Deploy x: people prefer it to every other model (95% sure)."
    assert found.models[0].name == "x"
    assert [row.tier for row in found.models] == [1, 2, 2]


def test_close_models_share_a_tier_and_the_next_votes_are_about_them() -> None:
    found = prefer(voted(300, samples=50), next=4)
    assert [row.name for row in found.models] == ["a", "b", "c", "d"]
    assert [row.tier for row in found.models] == [1, 1, 2, 3]
    assert found.advice.startswith("a leads, but people may prefer b as much: ask for about ")
    assert {(each.model_a, each.model_b) for each in found.next} == {("a", "b")}
    assert found.models[1].low < 0 < found.models[1].high
    assert found.models[1].against_low < 0.5 < found.models[1].against_high


def test_next_votes_go_to_samples_on_which_the_pair_has_none() -> None:
    votes = voted(200, samples=40)
    asked = {
        (frozenset((votes.models[a], votes.models[b])), votes.samples[at])
        for a, b, at in zip(votes.first, votes.second, votes.sample, strict=True)
    }
    proposed = [(frozenset((each.model_a, each.model_b)), each.sample) for each in prefer(votes, next=8).next]
    assert len(set(proposed)) == 8
    assert not asked & set(proposed)


def test_votes_that_connect_nothing_are_told_and_asked_for() -> None:
    found = prefer(preferences_of(["x", "x", "x", "u"], ["y", "y", "y", "w"], ["x", "tie", "y", "w"]))
    assert [(row.name, row.tier) for row in found.models if not row.tier] == [("w", 0), ("u", 0)]
    assert np.isnan(found.models[-1].strength)
    assert "w and u are not ranked: no vote connects them with x, not even through other models" in found.notes[0]
    assert {found.next[0].model_a, found.next[0].model_b} == {"x", "u"}


def test_a_model_that_lost_everything_has_no_lower_bound() -> None:
    found = prefer(preferences_of(["x"] * 12, ["y"] * 12, ["x"] * 12))
    last = found.models[1]
    assert np.isinf(last.low)
    assert np.isfinite([last.strength, last.high]).all()
    assert (last.against_low, last.share_low) == (0.0, 0.0)
    assert "x has won all of its votes, so these do not say how much better at most." in found.notes
    assert "y has lost all of its votes, so these do not say how much worse at most." in found.notes


def test_equal_models_are_called_too_close() -> None:
    found = prefer(preferences_of(["x"] * 100, ["y"] * 100, ["x", "y"] * 50))
    same = "they are too close to tell apart with 2,000 more votes, so either will do."
    assert found.advice == f"x and y lead, tied: {same}"


def test_a_tie_on_top_has_no_single_leader() -> None:
    found = prefer(preferences_of(["x", "x", "x", "y"], ["y", "y", "z", "z"], ["x", "y", "x", "y"]))
    assert found.advice == (
        "x and y lead, tied, but people may prefer z as much: 4 votes cannot tell, so ask for more."
    )


def test_fewer_votes_are_missing_the_more_there_are() -> None:
    missing = []
    for count in (8, 16):
        found = prefer(preferences_of(["x"] * count, ["y"] * count, ["x", "x", "x", "y"] * (count // 4)))
        missing.append(int(found.advice.split("about ")[1].split()[0]))
    assert missing[0] > missing[1]


def test_once_the_leader_stands_alone_the_others_are_asked_about() -> None:
    rows = ["x"] * 60, ["y", "z"] * 30, ["x"] * 56 + ["tie"] * 4
    found = prefer(preferences_of(*rows), next=1)
    assert "Deploy x" in found.advice
    assert {found.next[0].model_a, found.next[0].model_b} == {"y", "z"}


def test_votes_without_samples_are_said_to_count_each() -> None:
    assert any("--column sample=NAME" in note for note in prefer(voted(60)).notes)
    assert not any("--column" in note for note in prefer(voted(60, samples=9)).notes)


def test_a_number_of_pairs_below_zero_is_refused() -> None:
    with pytest.raises(InputError, match="-1 pairs cannot be proposed"):
        prefer(voted(40), next=-1)


@repeated(60, 600)
def test_a_model_is_rarely_called_best_that_is_not(repeats: int) -> None:
    """Tiers hold for all pairs at once: a wrong model stands alone in the first tier in at most 5% of runs."""
    wrong = [found.models[0].name != "a" and "Deploy" in found.advice for found in map(prefer, map_votes(repeats))]
    assert np.mean(wrong) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def map_votes(repeats: int) -> list[Preferences]:
    return [voted(150, seed) for seed in range(repeats)]


def test_few_votes_are_not_called_a_tie() -> None:
    one = prefer(preferences_of(["a"], ["b"], ["a"]))
    assert one.models[0].name == "a"
    assert one.advice == "a leads, but people may prefer b as much: 1 vote cannot tell, so ask for more."
    even = prefer(preferences_of(["a"] * 1000, ["b"] * 1000, ["a", "b"] * 500))
    assert even.advice.endswith("more votes, so either will do.")
