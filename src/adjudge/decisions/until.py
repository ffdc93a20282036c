"""Whether labeling may stop, by a rule that is told in words."""

from adjudge.core.labels import Labels
from adjudge.core.losses import Loss
from adjudge.core.predictions import Predictions
from adjudge.decisions.checks import check_labels, check_pool, warn_about_labels
from adjudge.decisions.stopping import StoppingRule, StoppingStatus, in_points, stopping_status
from adjudge.errors import InputError


def until(
    predictions: Predictions,
    labels: Labels,
    rule: StoppingRule | str = "separated",
    *,
    loss: Loss | None = None,
    label_noise: float = 0.0,
) -> StoppingStatus:
    """Whether labeling may stop, and if not, about how many more labels that may take.

    Parameters
    ----------
    rule
        "separated" (only one model can still be the best), "within 0.01" (the first model is at most so much worse
        than the best), or "likely within 0.01" (calibrated, not guaranteed).
    loss
        What a wrong prediction costs; for numbers, one with a stated range.
    label_noise
        The share of labels that may be wrong, which widens the intervals.

    Returns
    -------
    StoppingStatus
        Its `ranking` has anytime-valid intervals, which hold no matter how often one checks, if labels were drawn.
        It is None if there is no label yet that the rule can use.

    Examples
    --------
    >>> from adjudge import fill, from_frame, select
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> until(pool, labels, "within 0.01").stopped
    True
    """
    check_pool(predictions)
    check_labels(predictions, labels)
    status = stopping_status(predictions, labels, checked_rule(rule, predictions, loss), loss, label_noise)
    if status.ranking is not None:  # without one there is no number yet to warn about
        warn_about_labels(predictions, labels)
    return status


def checked_rule(until: StoppingRule | str, predictions: Predictions, loss: Loss | None = None) -> StoppingRule:
    """The stopping rule, refused if any ranking would pass it, or if it has points of accuracy for grades."""
    rule = StoppingRule.read(until) if isinstance(until, str) else until
    if rule.margin is not None and rule.margin >= 1 and loss is None and predictions.classes is not None:
        raise InputError(
            f"--until {str(until)!r} holds for any ranking, since accuracies lie between 0 and 1; "
            f"{rule.margin:g} points are written as 'within {rule.margin / 100:g}'"
        )
    if predictions.grades is not None and isinstance(until, str) and in_points(until):
        raise InputError(
            f"--until {until!r} is about points of accuracy; give the margin in the units of the grades, such as "
            "'within 0.2'"
        )
    return rule
