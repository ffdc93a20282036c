"""What the page is told: plain types for JSON."""

import json
from typing import Any

import numpy as np

from adjudge.charts import chances_chart, leading_models
from adjudge.charts.cells import chance, row_texts
from adjudge.core.predictions import Predictions
from adjudge.decisions.contested import answers_about
from adjudge.labeling.session.additions import graded_answers
from adjudge.labeling.session.background import Background
from adjudge.labeling.session.rows import ADJUDICATOR, AnswerRow
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.statistics import label_counts, person_statistics
from adjudge.labeling.session.work import Look
from adjudge.labeling.web.rules import rule_choices
from adjudge.reports.plain import plain
from adjudge.reports.stops import no_rule, standing_facts
from adjudge.reports.tables import ranking_facts

POINTS = 200  # of a curve
SHORT = 40  # characters of an answer in a list of grades


def look_facts(background: Background) -> dict[str, Any]:
    """The newest look, and where the labeling stands."""
    session, look = background.session, background.newest
    told: dict[str, Any] = {
        "progress": progress_facts(session),
        "people": people_facts(session),
        "rules": rule_choices(session.project),
        "problem": background.problem,
        "look": None,
        "hidden": False,
    }
    if look is not None:
        told["look"] = _ranking(look, session.project.settings.metric) | {"curves": _curves(session, look)}
    return plain(told)  # type: ignore[no-any-return]


def without_ranking(news: str) -> str:
    """News for those who shall not see the ranking."""
    return json.dumps(json.loads(news) | {"look": None, "rules": [], "hidden": True}, allow_nan=False)


def _ranking(look: Look, metric: str | None) -> dict[str, Any]:
    ranking = look.ranking
    return ranking_facts(ranking) | {
        "models": [row | row_texts(row, ranking.estimate.digits) for row in ranking.rows()],
        "standing": None if look.standing is None else standing_facts(look.standing),
        "no_rule": no_rule(metric) if look.standing is None else None,
        "crowd": look.crowd,
        "noise": look.noise,
    }


def _curves(session: Session, look: Look) -> dict[str, Any] | None:
    """The chart of the chance of being best over the number of labels, of the models that lead now."""
    looks, chances = session.store.looks(), look.ranking.chance_of_best
    if chances is None or not looks:
        return None
    kept = np.unique(np.linspace(0, len(looks) - 1, POINTS).astype(int))
    read = [(labels, json.loads(said)) for labels, said in (looks[place] for place in kept)]
    models = look.ranking.models
    read = [(labels, said) for labels, said in read if len(said) == len(models)]
    leading = leading_models(look.ranking.order.tolist(), chances.tolist())
    lines = {models[model]: [said[model] for _, said in read] for model in leading}
    return chances_chart([labels for labels, _ in read], lines).to_dict()


def progress_facts(session: Session) -> dict[str, Any]:
    with session.lock:
        added, labels = session.log()
        return {
            "labels": labels.labeled,
            "skipped": labels.skipped,
            "in_hand": int((~labels.answered).sum()) - session.untouched(),
            "waiting": labels.labeled - labels.settled().labeled,
            "samples": labels.pool,
            "people": session.ledger.by_person(),
            "new_classes": list(added.classes),
        }


def people_facts(session: Session) -> dict[str, Any]:
    """How far people agree on the samples that several of them labeled."""
    with session.lock:
        found = session.agreement()
        return vars(found) | {"noise_text": chance(found.noise), "undecided": len(session.ledger.disputes())}


def said_facts(predictions: Predictions, sample: int) -> list[dict[str, Any]]:
    """What the models said about a sample, the most frequent answer first."""
    return [
        {"answer": "no answer" if answer is None else answer, "models": models}
        for answer, models in answers_about(predictions, sample)
    ]


def disputes_facts(session: Session) -> list[dict[str, Any]]:
    """Samples on which people disagree, with what each of them said."""
    with session.lock:
        ledger = session.ledger
        return [
            {
                "place": place,
                "name": ledger.picks[place].name,
                "said": said_by_people(session, place),
            }
            for place in ledger.disputes()
        ]


def said_by_people(session: Session, place: int) -> list[dict[str, Any]]:
    return [
        {"person": person, "note": answer.note} | _label_facts(session, place, answer)
        for person, answer in session.ledger.said(place).items()
    ]


def _label_facts(session: Session, place: int, answer: AnswerRow) -> dict[str, str | None]:
    """A label, and how people read it: in grades, each answer has one."""
    label = session.ledger.meaning(answer)[1]
    if label is None or session.pool.grades is None:
        return {"label": label, "told": label}
    grades = graded_answers(session.pool, session.ledger.picks[place].pick.sample, label)
    return {"label": label, "told": "; ".join(f"{_short(text)}: {grade:g}" for text, grade in grades.items())}


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"


def history_facts(session: Session, person: str, start: int, count: int) -> dict[str, Any]:
    """The last answers of a person, the newest first."""
    with session.lock:
        ledger = session.ledger
        leases = list(reversed(ledger.history.get(person, {})))
        found = [(ledger.leases[lease], ledger.seat_of(lease)) for lease in leases[start : start + count]]
        shown = [(lease, seat.answer) for lease, seat in found if seat is not None and seat.answer is not None]
        return {
            "total": len(leases),
            "answers": [
                _label_facts(session, lease.place, answer)
                | {
                    "note": answer.note,
                    "at": answer.at,
                    "lease": lease.id,
                    "place": lease.place,
                    "name": ledger.picks[lease.place].name,
                    "decided": lease.seat == ADJUDICATOR,
                }
                for lease, answer in shown
            ],
        }


def project_facts(session: Session) -> dict[str, Any]:
    """Who did what, and which labels there are."""
    told = {
        "people": [vars(each) for each in person_statistics(session)],
        "labels": [{"label": label, "count": count} for label, count in label_counts(session)],
        "merges": [vars(row) for row in session.ledger.merges.rows.values()],
    }
    return plain(told)  # type: ignore[no-any-return]
