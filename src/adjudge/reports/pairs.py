"""Two models against each other, in words."""

from math import isnan

from adjudge.core.index import counted
from adjudge.decisions.comparison import FUTURE, REFUTED, Comparison
from adjudge.losses.loss import ZeroOne


def comparison_sentences(found: Comparison) -> list[str]:
    """Whether the claim is shown, the difference, and what both rest on."""
    a, b = found.a, found.b
    noise = f"Intervals allow for {100 * found.label_noise:g}% of labels being wrong."
    return [
        f"That {_claim(found)} is {_shown(found)}.",
        f"{a} minus {b}: {found.quantity} {_signed(found.difference)}, {_interval(found)}"
        f"{'; lower is better' if found.lower_is_better else ''}.",
        *([noise] if found.label_noise else []),
        f"They differ on {found.differing:,} of {found.samples:,} samples, of which {found.differing_labeled:,} "
        f"{'is' if found.differing_labeled == 1 else 'are'} labeled ({counted(found.labels, 'label')} in all).",
        _flips(found),
        f"Method: {found.method}{_left_out(found)}"
        + ("." if isnan(found.p_value) else f"; {_p_value(found.p_value)} for no difference."),
    ]


def verdict_sentence(found: Comparison) -> str:
    """The verdict, the difference, and what is missing, in one line."""
    claim, difference, *_ = comparison_sentences(found)
    return f"{found.verdict}. {difference} {claim}"


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


def _shown(found: Comparison) -> str:
    """Whether the claim is shown, and about what, where that could be mistaken."""
    about = " for this pool" if found.complete else ""
    if found.about == FUTURE:
        about = " for future data"
    return f"shown{about}" if found.holds else f"not shown{about}{_hope(found)}"


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
    return f"; {found.skipped:,} skipped left out, {found.differing_skipped:,} of them where the two differ"


def _hope(found: Comparison) -> str:
    """Whether more labels could show a claim that is not shown."""
    if found.differing_skipped and not found.differing_labeled:
        return ": no sample on which they differ has a label, and some were skipped"
    if found.verdict == REFUTED:
        return f": {found.b} is better" if found.decisive[1] < 0 else ", and the interval contradicts it"
    if found.from_noise and not isnan(found.difference) and not _within_reach(found, found.from_noise):
        return ", and with so much label noise more labels cannot be expected to show it"
    return "; more samples of the same kind may show it" if found.complete else _more_labels(found)


def _more_labels(found: Comparison) -> str:
    """What more labels may do for a claim that is neither shown nor refuted."""
    if not isnan(found.difference) and not _within_reach(found):
        return ", and does not look like it now; more labels may refute it"
    if found.more is not None:
        labels, command = counted(found.more, "more label"), f"adjudge select ... --models {found.a} {found.b}"
        return f"; about {labels} where the two differ may show it ({command} draws them)"
    accuracy = found.quantity == ZeroOne().quantity
    both = f"--models {found.a} {found.b}"
    how_many = f" (adjudge plan says how many, adjudge select draws them: {both})" if accuracy else ""
    return f"; more labels may show it{how_many}"


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
