"""Two models against each other, in words."""

import shlex
from math import isnan

from adjudge.core.index import counted
from adjudge.decisions.comparison import FUTURE, REFUTED, UNDECIDED, Comparison
from adjudge.losses.loss import ZeroOne

FIRST = 20  # labels to draw where none tells how many it takes


def comparison_sentences(found: Comparison, command: str | None = None) -> list[str]:
    """Whether the claim is shown, the difference, and what both rest on.

    Parameters
    ----------
    command
        What draws more labels, as `more_command` says; "" if it is told elsewhere.
    """
    a, b = found.a, found.b
    noise = f"Intervals allow for {100 * found.label_noise:g}% of labels being wrong."
    return [
        f"That {_claim(found)} is {_shown(found, command)}.",
        f"{a} minus {b}: {found.quantity} {_signed(found.difference)}, {_interval(found)}"
        f"{'; lower is better' if found.lower_is_better else ''}.",
        *([noise] if found.label_noise else []),
        *([_unpaired(found)] if found.unpaired else []),
        f"They differ on {found.differing:,} of {found.samples:,} samples, of which {found.differing_labeled:,} "
        f"{'is' if found.differing_labeled == 1 else 'are'} labeled ({counted(found.labels, 'label')} in all).",
        _flips(found),
        f"Method: {found.method}{_left_out(found)}"
        + ("." if isnan(found.p_value) else f"; {_p_value(found.p_value)} for no difference."),
        *_fixed(found),
    ]


def verdict_sentence(found: Comparison, command: str | None = None) -> str:
    """The verdict, the difference, what is missing, and how often one may look, in one line."""
    claim, difference, *_ = comparison_sentences(found, command)
    often = [
        "This is valid at any time, since a test is run again and again; adjudge compare without --anytime takes the "
        "number of labels as fixed in advance."
    ]
    looks = _fixed(found) if found.complete or not found.anytime else often
    return " ".join([f"{found.verdict}.", difference, claim, *looks])


def more_command(found: Comparison, source: str, labels: str) -> str | None:
    """The command that draws the labels that the claim still takes, behind those of the file; None: nobody knows."""
    more = min(FIRST, found.differing) if _nothing_known(found) else found.more
    return None if more is None else draw_command(source, (found.a, found.b), more, labels)


def _nothing_known(found: Comparison) -> bool:
    """Whether no label is where the two differ, although there could be one."""
    some_open = not found.complete and found.differing > found.differing_skipped
    return found.verdict == UNDECIDED and some_open and not found.differing_labeled


def draw_command(source: str, models: tuple[str, str], budget: int, labels: str | None) -> str:
    """The command that draws labels where two models differ, behind those of the file."""
    log = "" if labels is None else f" --labels {labels}"
    out = shlex.split(labels)[0] if labels else "labels.csv"
    return f"adjudge select {source}{log} --models {shlex.join(models)} --budget {budget} --out {shlex.quote(out)}"


def _fixed(found: Comparison) -> list[str]:
    """That looking again and again takes another interval."""
    if found.complete or found.anytime:
        return []
    other = "" if found.about == FUTURE else "; a test that is run again and again needs --anytime (anytime= in Python)"
    return [f"This is valid if the number of labels was fixed in advance{other}."]


def _p_value(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3g}"


def _interval(found: Comparison) -> str:
    if isnan(found.low):
        return "too few labels for an interval"
    level = f"{100 * found.level:.4g}% interval"
    here = f"{level} {'at any time ' * found.anytime}{_signed(found.low)} to {_signed(found.high)}"
    if found.low == found.high:
        here = f"exactly, on these {found.samples:,} samples"
    if isnan(found.future_low):
        return here
    there = f"{_signed(found.future_low)} to {_signed(found.future_high)}"
    return f"{here}; for future data of the same kind {'' if level in here else f'{level} '}{there}"


def _unpaired(found: Comparison) -> str:
    """That the comparison says nothing about samples that a model lacks."""
    return f"Nothing is said about {counted(found.unpaired, 'other sample')}, which not both of them predict."


def _shown(found: Comparison, command: str | None) -> str:
    """Whether the claim is shown, and about what, where that could be mistaken."""
    here = "on the samples that both predict" if found.unpaired else "for this pool"
    about = f" {here}" if found.complete else ""
    if found.about == FUTURE:
        about = " for future data"
    if found.verdict == REFUTED:
        return f"refuted{about}: {_opposite(found)}"
    return f"shown{about}" if found.holds else f"not shown{about}{_hope(found, command)}"


def _opposite(found: Comparison) -> str:
    """What is true instead of a refuted claim."""
    low, high = found.decisive
    if found.test == "superior":
        no_better = f"it is {'better by no more than that' if found.margin else 'no better'}"
        return f"{found.b} is better" if high < 0 else no_better
    by = "by more than that" if max(-high, low) > found.margin else "by that or more"
    if found.test == "non-inferior":
        return f"it is worse {by}"
    return f"{found.a if low > 0 else found.b} is better {by}"


def _flips(found: Comparison) -> str:
    """On how many labeled samples each model is better, and for how much of the pool these stand."""
    sides = ((found.a_better, found.a_better_share), (found.b_better, found.b_better_share))
    one, many = ("is", "are") if found.complete else ("stands for", "stand for")
    first, second = (
        f"{count:,}{{}}, which {one if count == 1 else many} {_share(share)} of the pool" if count else "none{}"
        for count, share in sides
    )
    return f"{found.a} is better on {first.format(' of the labeled samples')}; {found.b} on {second.format('')}."


def _left_out(found: Comparison) -> str:
    if not found.skipped:
        return ""
    ties = ", and others that nobody can label count as ties" if found.ties else ""
    return f"; {found.skipped:,} skipped left out, {found.differing_skipped:,} of them where the two differ{ties}"


def _hope(found: Comparison, command: str | None) -> str:
    """Whether more labels could show a claim that is not shown."""
    if found.differing_skipped and not found.differing_labeled:
        return ": no sample on which they differ has a label, and some were skipped"
    known = not isnan(found.difference)
    if found.more is None and found.from_noise and known and not _within_reach(found, found.from_noise):
        return ", and with so much label noise more labels cannot be expected to show it"
    return "; more samples of the same kind may show it" if found.complete else _more_labels(found, command)


def _more_labels(found: Comparison, command: str | None) -> str:
    """What more labels may do for a claim that is neither shown nor refuted."""
    unlikely = not isnan(found.difference) and not _within_reach(found)
    looks, do = (", and does not look like it now", "refute") if unlikely else ("", "show")
    both = f"--models {shlex.join((found.a, found.b))}"
    if found.more is not None:
        told = f"adjudge select ... {both}" if command is None else command
        drawn = f" ({told} draws them)" if told else ""
        return f"{looks}; about {counted(found.more, 'more label')} where the two differ may {do} it{drawn}"
    if command is not None and _nothing_known(found):
        told = f": {command}" if command else ""
        return f"; no sample on which they differ has a label, so begin with {min(FIRST, found.differing)}{told}"
    accuracy = found.quantity == ZeroOne().quantity and not unlikely
    how_many = f" (adjudge plan says how many, adjudge select draws them: {both})" if accuracy else ""
    return f"{looks}; more labels may {do} it{how_many}"


def _within_reach(found: Comparison, noise: float = 0.0) -> bool:
    """Whether the claim would be shown if every label were there and the difference were what it looks like now."""
    least = found.margin if found.test == "superior" else -found.margin
    low, high = found.gain - noise, found.gain + noise
    return low > least and (found.test != "equivalent" or high < found.margin)


def _claim(found: Comparison) -> str:
    a, b, margin = found.a, found.b, f"{found.margin:g}"
    return {
        "superior": f"{a} is better than {b}" + (f" by more than {margin}" if found.margin else ""),
        "non-inferior": f"{a} is less than {margin} worse than {b}",
        "equivalent": f"{a} and {b} differ by less than {margin}",
    }[found.test]


def _signed(number: float) -> str:
    if isnan(number):
        return "unknown"
    return f"{number:+.4f}" if 0.001 <= abs(number) < 10_000 or abs(number) < 1e-9 else f"{number:+.4g}"


def _share(share: float) -> str:
    return "an unknown share" if isnan(share) else f"{share:.1%}"
