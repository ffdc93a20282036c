"""The stop rules that can be chosen on the page, and what each waits for, in words."""

from typing import Any

from adjudge.core.labels import Labels
from adjudge.decisions.amounts import points
from adjudge.decisions.recommend import MARGIN
from adjudge.decisions.stopping import StoppingRule
from adjudge.labeling.session.project import Project


def rule_choices(project: Project) -> list[dict[str, Any]]:
    """Likely within a margin, within it, and separated; () where no rule can be applied."""
    settings, predictions = project.settings, project.predictions
    grades = predictions.grades
    judged = settings.judged(predictions, Labels.empty(len(predictions.samples)))
    if judged is None:
        return []
    accuracy = judged[0].classes is not None
    chosen = StoppingRule.read(settings.until)
    low, high = (0.0, 1.0) if settings.grade is None else settings.grade
    margin = chosen.margin or MARGIN * (high - low)
    # 'likely' needs a consensus
    likely = () if grades is not None or settings.metric is not None else (StoppingRule(margin, likely=True),)
    rules = (*likely, StoppingRule(margin), StoppingRule())
    return [
        {
            "rule": str(rule),
            "name": _name(rule, accuracy),
            "goal": goal(rule, accuracy=accuracy),
            "chosen": rule == chosen,
        }
        for rule in rules
    ]


def goal(rule: StoppingRule, *, accuracy: bool) -> str:
    """What labeling goes on for."""
    if rule.margin is None:
        return "only one model can still be the best"
    size = _size(rule.margin, accuracy)
    return f"a loss of more than {size} is unlikely" if rule.likely else f"a loss of at most {size} is guaranteed"


def _name(rule: StoppingRule, accuracy: bool) -> str:
    if rule.margin is None:
        return "separated"
    return f"{'likely ' * rule.likely}within {_size(rule.margin, accuracy)}"


def _size(margin: float, accuracy: bool) -> str:
    return points(margin, "accuracy" if accuracy else "loss")
