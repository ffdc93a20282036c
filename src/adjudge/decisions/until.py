"""Whether labeling may stop, by a rule that is told in words."""

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.checks import check_labels, check_pool, warn_about_labels
from adjudge.decisions.rank import metric_loss
from adjudge.decisions.stopping import StoppingRule, StoppingStatus, in_points, stopping_status
from adjudge.errors import InputError
from adjudge.io.given import LabelsLike, PredictionsLike, given_labels
from adjudge.losses.loss import Loss


def until(
    predictions: PredictionsLike,
    labels: LabelsLike,
    rule: StoppingRule | str = "separated",
    *,
    loss: Loss | None = None,
    metric: str | None = None,
    positive: str | None = None,
    label_noise: float = 0.0,
    level: float = 0.95,
) -> StoppingStatus:
    """Whether labeling may stop, and if not, about how many more labels that may take.

    Parameters
    ----------
    rule
        "separated" (only one can still be best), "within 0.01" (the first model is at most so much worse than the
        best), or "likely within 0.01" (calibrated, not guaranteed).
    loss, metric, positive
        As for `rank`; a loss of numbers needs a stated range, and the metric has to be a mean of losses.
    label_noise, level
        The share of labels that may be wrong; the confidence level.

    Returns
    -------
    StoppingStatus
        Its `ranking` has anytime-valid intervals, which hold no matter how often one checks, if labels were drawn; None
        if there is no label yet that the rule can use.

    Examples
    --------
    >>> from adjudge import fill, from_frame, select
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> until(pool, labels, "within 0.01").stopped
    True
    """
    predictions, labels = given_labels(predictions, labels)
    check_pool(predictions)
    check_labels(predictions, labels)
    if metric is not None or positive is not None:
        predictions, loss = mean_only(predictions, labels, metric, positive, loss)
    status = stopping_status(predictions, labels, checked_rule(rule, predictions, loss), loss, label_noise, level)
    if status.ranking is not None:  # without one there is no number yet to warn about
        warn_about_labels(predictions, labels)
    return status


def mean_only(
    predictions: Predictions, labels: Labels, metric: str | None, positive: str | None, loss: Loss | None = None
) -> tuple[Predictions, Loss]:
    """The pool and the loss of a metric that is a mean of losses; others are refused."""
    found = metric_loss(predictions, labels, metric, positive, loss)
    if found is None:
        raise InputError(
            f"a stopping rule holds however often one checks, which is known for means of losses only; {metric} is "
            "none: label a number of samples fixed in advance, then rank by it"
        )
    return found


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
