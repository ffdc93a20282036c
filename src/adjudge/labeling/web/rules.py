"""The stop rules that can be chosen on the page, and what each waits for, in words."""

from typing import Any

from adjudge.core.predictions import Predictions
from adjudge.decisions.recommend import MARGIN
from adjudge.decisions.stopping import StoppingRule
from adjudge.decisions.wording import points
from adjudge.labeling.session.project import Project


def rule_choices(project: Project) -> list[dict[str, Any]]:
    """Likely within a margin, within it, and separated; () where no rule can be applied."""
    settings, predictions = project.settings, project.predictions
    grades = predictions.grades
    if predictions.classes is None and settings.stated_loss is None and grades is None:
        return []
    chosen = StoppingRule.read(settings.until)
    low, high = (0.0, 1.0) if settings.grade is None else settings.grade
    margin = chosen.margin or MARGIN * (high - low)
    likely = () if grades is not None else (StoppingRule(margin, likely=True),)  # which only a consensus tells
    rules = (*likely, StoppingRule(margin), StoppingRule())
    return [
        {"rule": str(rule), "name": _name(rule, predictions), "goal": goal(rule, predictions), "chosen": rule == chosen}
        for rule in rules
    ]


def goal(rule: StoppingRule, predictions: Predictions) -> str:
    """What labeling goes on for."""
    if rule.margin is None:
        return "only one model can still be the best"
    size = _size(rule.margin, predictions)
    return f"a loss of more than {size} is unlikely" if rule.likely else f"a loss of at most {size} is guaranteed"


def _name(rule: StoppingRule, predictions: Predictions) -> str:
    if rule.margin is None:
        return "separated"
    return f"{'likely ' * rule.likely}within {_size(rule.margin, predictions)}"


def _size(margin: float, predictions: Predictions) -> str:
    return points(margin, "accuracy" if predictions.classes is not None else "loss")
