"""What a plan of labels will tell, in words."""

from math import isnan
from typing import Any

from adjudge.core.index import counted
from adjudge.decisions.outlook import POWER, Outlook
from adjudge.reports.plain import plain


def outlook_sentence(found: Outlook, *, of_two: bool = False) -> str:
    """What the labels are for, and what they will not tell; `of_two` models, which are compared and not searched."""
    these = f"These {counted(found.labels, 'label')}" if found.labels != 1 else "This label"
    if found.in_all > found.labels:
        these += f", {found.in_all:,} with those before,"
    be, give = ("is", "gives") if found.labels == 1 else ("are", "give")
    if found.pair is not None:
        return (
            f"{these} {be} for comparing {found.pair[0]} and {found.pair[1]}: a difference of about "
            f"{_points(found.detectable)} will be detected (with a chance of {POWER:.0%}). They say nothing about "
            "accuracies."
        )
    if isnan(found.half_width):
        return f"{these} {be} chosen, not drawn, to order models. Accuracies will not be known{_instead(found)}."
    within = f"to about +-{_points(found.half_width)}"
    if found.purpose == "estimate":
        fewer = "" if of_two else " To find the best model, fewer do: --goal best."
        return f"{these} {be} for accuracies, which will be known {within}.{fewer}"
    if found.purpose == "draws":
        fewer = "" if of_two else " To find the best model, fewer do: --method pooled."
        return f"{these} {give} accuracies {within}{_instead(found)}.{fewer}"
    aim = "rank the models" if found.purpose == "rank" else "find the best model"
    return f"{these} {be} meant to {aim}. Accuracies will be known {within} only{_instead(found)}."


def outlook_facts(found: Outlook | None, *, of_two: bool = False) -> dict[str, Any] | None:
    """The outlook for machines."""
    if found is None:
        return None
    return {**plain(vars(found)), "sentence": outlook_sentence(found, of_two=of_two)}


def _instead(found: Outlook) -> str:
    """How many labels would give accuracies that are worth having."""
    if found.estimate_labels is None:
        return ""
    return f" (for +-{_points(found.wanted)}: --goal estimate with {counted(found.estimate_labels, 'label')})"


def _points(fraction: float) -> str:
    """A fraction of accuracy as points, two digits at most."""
    points = 100 * fraction
    shown = f"{points:.0f}" if points >= 9.5 else f"{points:.2g}"
    return f"{shown} point{'' if shown == '1' else 's'}"
