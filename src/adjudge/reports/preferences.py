"""What people prefer, as a table and in words."""

from math import isinf, isnan

from rich.markup import escape
from rich.table import Table

from adjudge.charts.cells import UNKNOWN
from adjudge.core.index import counted, named
from adjudge.decisions.next_votes import NextVote
from adjudge.decisions.prefer import PreferenceRanking

LONGEST = 40  # characters of the id of a sample


def preference_table(found: PreferenceRanking) -> Table:
    """One row per model, the preferred first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rank", "tier"):
        table.add_column(heading, justify="right")
    table.add_column("model", overflow="fold", min_width=6)
    for heading in ("votes", "won", "strength", f"against {escape(found.models[0].name)}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, row in enumerate(found.models):
        table.add_row(
            *((str(row.rank), str(row.tier)) if row.tier else (UNKNOWN, UNKNOWN)),
            escape(row.name),
            f"{row.votes:,}",
            _share(row.share, row.share_low, row.share_high),
            _strength(row.strength, row.low, row.high) if place else "0",
            _share(row.against_first, row.against_low, row.against_high) if place else "",
            end_section=place + 1 < len(found.models) and found.models[place + 1].tier != row.tier,
        )
    return table


def preference_words(found: PreferenceRanking) -> list[str]:
    """What the table rests on, and what to ask next."""
    samples, first = "" if found.samples is None else f" on {counted(found.samples, 'sample')}", found.models[0].name
    words = [
        f"{counted(found.votes, 'vote')}{samples}, {counted(found.ties, 'tie')}; a tie is half a win for each. "
        f"Strengths are log-odds against {first} (Bradley-Terry), also shown as the expected share of wins; in "
        f"brackets {found.level:.0%} intervals, which for strengths hold for all pairs at once.",
        *found.notes,
    ]
    if found.next:
        words.append(f"Next votes: {'; '.join(_asked(found.next))}.")
    elif all(row.tier for row in found.models) and len({row.tier for row in found.models}) == len(found.models):
        words.append("All pairs of models are separated.")
    return words


def _asked(votes: tuple[NextVote, ...]) -> list[str]:
    """The pairs, each once, with its samples or how often to ask."""
    by_pair: dict[str, list[str | None]] = {}
    for each in votes:
        by_pair.setdefault(f"{each.model_a} or {each.model_b}", []).append(each.sample)
    return [f"{pair}{_where(samples)}" for pair, samples in by_pair.items()]


def _where(samples: list[str | None]) -> str:
    known = [each if len(each) <= LONGEST else f"{each[: LONGEST - 3]}..." for each in samples if each is not None]
    if known:
        return f" on {named(known, len(known))}"
    return "" if len(samples) == 1 else f", {len(samples)} times"


def _share(share: float, low: float, high: float) -> str:
    return UNKNOWN if isnan(share) else f"{share:.0%} ({100 * low:.0f}-{100 * high:.0f})"


def _strength(strength: float, low: float, high: float) -> str:
    if isnan(strength):
        return UNKNOWN
    if isinf(low):
        return f"{strength:.2f} (no lower bound)" if isinf(high) else f"{strength:.2f} (up to {high:.2f})"
    return f"{strength:.2f} (from {low:.2f})" if isinf(high) else f"{strength:.2f} ({low:.2f} to {high:.2f})"
