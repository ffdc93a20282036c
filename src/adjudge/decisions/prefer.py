"""Which model people prefer, from votes on pairs: win shares, strengths, tiers, and what to ask next."""

from dataclasses import asdict, dataclass
from math import isfinite, nan

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.index import counted, named
from adjudge.decisions.extrapolation import rounded_up
from adjudge.decisions.next_votes import (
    MOST,
    NextVote,
    connecting_pairs,
    telling_pairs,
    votes_needed,
    with_samples,
)
from adjudge.errors import InputError
from adjudge.inference.bradley_terry import Strengths, Votes, fit_strengths, win_chance, win_shares
from adjudge.inference.intervals import check_level
from adjudge.inference.tiers import tiers
from adjudge.io.labels.preferences import Preferences

FEWEST = 20  # votes below which no number of further votes is guessed; a choice of ours, not measured
SAME = 0.6  # a share of wins up to which either model will do; a choice of ours, not measured


@dataclass(frozen=True)
class PreferredModel:
    """What the votes say about a model; nan: nothing.

    Attributes
    ----------
    tier
        0: no vote connects it with the others.
    share, share_low, share_high
        The share of its own votes that it won, ties as half.
    strength, low, high
        Log-odds of winning against the first model, in the Bradley-Terry model; an end is infinite where the votes set
        no bound. These intervals hold for all pairs of models at once.
    against_first, against_low, against_high
        The same as an expected share of wins against the first model.
    """

    name: str
    rank: int
    tier: int
    votes: int
    share: float
    share_low: float
    share_high: float
    strength: float = nan
    low: float = nan
    high: float = nan
    against_first: float = nan
    against_low: float = nan
    against_high: float = nan


@dataclass(frozen=True)
class PreferenceRanking:
    """Models, the preferred first; `advice` says what to do, `notes` what else to know, `next` what to ask."""

    models: tuple[PreferredModel, ...]
    votes: int
    ties: int
    samples: int | None  # None: no sample was told, so every vote counts as independent of the others
    level: float
    advice: str
    notes: tuple[str, ...]
    next: tuple[NextVote, ...]

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        return asdict(self)


def prefer(preferences: Preferences, *, level: float = 0.95, next: int = 5) -> PreferenceRanking:  # noqa: A002
    """Rank models by what people prefer, from votes on pairs of them.

    Strengths are those of the Bradley-Terry model, with ties as half wins. Votes on one sample count as one cluster.
    Intervals hold for a number of votes that was fixed in advance.

    Parameters
    ----------
    preferences
        The votes, from `read_preferences`.
    level
        Confidence level of intervals and tiers.
    next
        How many pairs to propose.

    Examples
    --------
    >>> from adjudge import preferences_of
    >>> votes = preferences_of(["x"] * 30, ["y"] * 30, ["x"] * 24 + ["tie"] * 2 + ["y"] * 4)
    >>> found = prefer(votes)
    >>> found.advice
    'Deploy x: people prefer it to every other model (95% sure).'
    >>> [(each.name, each.tier, round(each.share, 2), round(each.against_first, 2)) for each in found.models]
    [('x', 1, 0.83, 0.5), ('y', 2, 0.17, 0.18)]
    """
    check_level(level)
    if next < 0:
        raise InputError(f"{next} pairs cannot be proposed; give 0 or more")
    votes = Votes(len(preferences.models), preferences.first, preferences.second, preferences.won, preferences.sample)
    main = int(np.argmax(np.bincount(votes.groups, votes.counts.sum(axis=1))))
    kept = votes.groups == main
    places = np.flatnonzero(kept)
    strengths = fit_strengths(votes.among(kept))
    tier, open_pairs = _tiers(strengths, level)
    rows = _rows(preferences, votes, strengths, places, tier, level)
    connecting = connecting_pairs(votes, main)
    inside = telling_pairs(strengths, open_pairs, max(0, next - len(connecting)))
    pairs = [*connecting, *((int(places[a]), int(places[b])) for a, b in inside)][:next]
    needed = votes_needed(strengths, open_pairs, level, _pairs(strengths)) if open_pairs else 0.0
    return PreferenceRanking(
        rows,
        len(preferences.won),
        int((preferences.won == 0.5).sum()),
        len(preferences.samples) or None,
        level,
        _advice(rows, needed, len(preferences.won), level, listed=bool(pairs)),
        tuple(_notes(rows, preferences)),
        tuple(with_samples(pairs, votes, preferences.models, preferences.samples)),
    )


def _pairs(strengths: Strengths) -> int:
    count = strengths.votes.models
    return max(1, count * (count - 1) // 2)


def _tiers(strengths: Strengths, level: float) -> tuple[IntArray, list[tuple[int, int]]]:
    """(models,): tiers; and the pairs to tell apart next.

    These are the leader and the others of its tier; once it stands alone, all other pairs that are not told apart.
    """

    def worse(below: IntArray, leader: int | IntArray) -> BoolArray:
        above = np.broadcast_to(np.asarray(leader), below.shape)
        return np.asarray(strengths.differences(below, above, level, _pairs(strengths))[2] < 0)

    tier, order = tiers(strengths.value, worse), np.argsort(-strengths.value, kind="stable")
    rivals = order[1:][tier[order[1:]] == 1]
    if len(rivals):
        return tier, [(int(order[0]), int(each)) for each in rivals]
    left, right = np.triu_indices(len(order) - 1, 1)
    above, below = order[1:][left], order[1:][right]
    same = ~worse(below, above)
    return tier, list(zip(above[same].tolist(), below[same].tolist(), strict=True))


def _rows(
    preferences: Preferences, votes: Votes, strengths: Strengths, places: IntArray, tier: IntArray, level: float
) -> tuple[PreferredModel, ...]:
    share, low, high = win_shares(votes, level)
    leader = np.full(len(places), int(np.argmax(strengths.value)))
    found = strengths.differences(np.arange(len(places)), leader, level, _pairs(strengths))
    ends = [np.where(np.arange(len(places)) == leader, 0.0, each) for each in found]  # the leader against itself
    against = [win_chance(each) for each in ends]
    inside = {int(at): number for number, at in enumerate(places)}
    total = votes.counts.sum(axis=1)
    order = sorted(
        range(len(total)),
        key=lambda at: (at not in inside, -strengths.value[inside[at]] if at in inside else -share[at]),
    )
    ranks = {at: 1 + sum(strengths.value[inside[at]] < strengths.value - 1e-9) for at in inside}
    rows = []
    for at in order:
        number = inside.get(at)
        known = [] if number is None else [float(each[number]) for each in (*ends, *against)]
        where = (0, 0) if number is None else (int(ranks[at]), int(tier[number]))
        own = (float(share[at]), float(low[at]), float(high[at]))
        rows.append(PreferredModel(preferences.models[at], *where, int(total[at]), *own, *known))
    return tuple(rows)


def _advice(rows: tuple[PreferredModel, ...], needed: float, votes: int, level: float, *, listed: bool) -> str:
    """What to do, in one sentence."""
    best, rivals = rows[0], [row for row in rows[1:] if row.tier == 1]
    if not rivals:
        others = "every other model" if all(row.tier for row in rows) else "every model that it was compared with"
        return f"Deploy {best.name}: people prefer it to {others} ({level:.0%} sure)."
    first = [row.name for row in rows if row.rank == 1]
    told = f"{named(first)} {'leads' if len(first) == 1 else 'lead, tied'}"
    if behind := [row.name for row in rivals if row.rank > 1]:
        told += f", but people may prefer {named(behind)} as much"
    if not isfinite(needed):
        if votes < FEWEST:
            return f"{told}: {counted(votes, 'vote')} cannot tell, so ask for more."
        close = all(row.against_low >= 1 - SAME and row.against_high <= SAME for row in rivals)
        return (
            f"{told}: they are too close to tell apart with {rounded_up(MOST * votes):,} more votes"
            f"{', so either will do' * close}."
        )
    return f"{told}: ask for about {rounded_up(needed):,} more votes{', on the pairs below first' * listed}."


def _notes(rows: tuple[PreferredModel, ...], preferences: Preferences) -> list[str]:
    """What else to know, a sentence each."""
    notes = []
    if apart := [row.name for row in rows if not row.tier]:
        verb = "is" if len(apart) == 1 else "are"
        notes.append(
            f"{named(apart)} {verb} not ranked: no vote connects {'it' if len(apart) == 1 else 'them'} with "
            f"{rows[0].name}, not even through other models; ask for votes that do."
        )
    for share, word in ((1.0, "won"), (0.0, "lost")):
        if all_of_them := [row.name for row in rows if row.tier and row.share == share]:
            bound = "how much better" if share else "how much worse"
            verb, their = ("has", "its") if len(all_of_them) == 1 else ("have", "their")
            notes.append(
                f"{named(all_of_them)} {verb} {word} all of {their} votes, so these do not say {bound} at most."
            )
    if not preferences.samples:
        notes.append(
            "No column says which votes are about the same sample, so each counts as a sample of its own; if some are, "
            "name it with --column sample=NAME (columns= in Python), or intervals are too narrow."
        )
    return notes
