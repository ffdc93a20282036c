"""What people ask for beside the next card: their history, what to decide, the project as a whole."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from adjudge.core.labels import SKIP, Labels
from adjudge.decisions.until import checked_rule
from adjudge.labeling.session.checks import LONGEST_ANSWER
from adjudge.labeling.session.project import changed
from adjudge.labeling.session.review import merge, revise, unmerge
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.facts import history_facts, project_facts, said_by_people
from adjudge.labeling.web.users import ADJUDICATOR
from adjudge.labeling.web.views import LARGEST, Hand, Judge, Number, Owner, Person, Said, TheDesk, hand_of, picked

PAGE = 20  # answers that are listed at a time
EXCERPT = 200  # characters of a text in a list
team = APIRouter()
Start = Annotated[int, Query(ge=0, le=LARGEST)]


class Rule(BaseModel):
    """A stop rule, as `--until` takes it."""

    rule: Annotated[str, Field(max_length=100)]


class Pair(BaseModel):
    """Two answers that are the same."""

    one: Annotated[str, Field(max_length=LONGEST_ANSWER)]
    other: Annotated[str, Field(max_length=LONGEST_ANSWER)]


class Merged(BaseModel):
    """A merge, by its number."""

    merge: Number


class AfterMerge(Hand):
    """The samples in a person's hands, whose answers may have changed; None: nothing was merged."""

    merge: int | None


def shown_at(desk: Desk, place: int) -> dict[str, Any]:
    row = picked(desk, place)
    return desk.shown(place, row.pick.sample, row.name)


@team.get("/api/history")
def history(desk: TheDesk, person: Person, start: Start = 0) -> dict[str, Any]:
    found = history_facts(desk.session, person.name, start, PAGE)
    for each in found["answers"]:
        sample = shown_at(desk, each["place"])
        each |= {"kind": sample["kind"], "media": sample["media"], "text": (sample["text"] or "")[:EXCERPT]}
    return found


@team.post("/api/history")
def change(desk: TheDesk, person: Person, said: Said) -> dict[str, Any]:
    label = SKIP if said.label is None else said.label
    revise(desk.session, person.name, said.lease, label, said.note, said.sample)
    desk.background.wake(person.name)
    return {"changed": True}


@team.get("/api/samples/{place}")
def sample(desk: TheDesk, person: Person, place: int) -> dict[str, Any]:
    return shown_at(desk, place)


@team.get("/api/queue")
def queue(desk: TheDesk, person: Judge, start: Start = 0) -> dict[str, Any]:
    """One of the samples on which people disagree, with what they said."""
    with desk.session.lock:
        places = desk.session.ledger.disputes()
        if not places:
            return {"total": 0, "at": 0, "sample": None, "said": []}
        at = min(start, len(places) - 1)
        said = said_by_people(desk.session, places[at])
    return {"total": len(places), "at": at, "sample": shown_at(desk, places[at]), "said": said}


@team.get("/api/project")
def project(desk: TheDesk, person: Person) -> dict[str, Any]:
    told = project_facts(desk.session)
    if not person.may(ADJUDICATOR):  # how others work is not everybody's business
        told["people"] = [each for each in told["people"] if each["person"] == person.name]
    return told


@team.post("/api/rule")
def choose_rule(desk: TheDesk, person: Owner, chosen: Rule) -> dict[str, Any]:
    session = desk.session
    settings, predictions = session.project.settings, session.project.predictions
    judged = settings.judged(predictions, Labels.empty(len(predictions.samples)))
    checked_rule(chosen.rule, *(judged or (predictions, None)))
    session.project = changed(session.project, {"until": chosen.rule})
    desk.background.look_again()
    return {"rule": session.project.settings.until}


@team.post("/api/merges")
def merge_answers(desk: TheDesk, person: Person, pair: Pair) -> AfterMerge:
    merged = merge(desk.session, person.name, pair.one, pair.other)
    return AfterMerge(**hand_of(desk, person).model_dump(), merge=merged)


@team.post("/api/merges/undo")
def undo_merge(desk: TheDesk, person: Person, merged: Merged) -> Hand:
    unmerge(desk.session, person.name, merged.merge, any_person=person.may(ADJUDICATOR))
    return hand_of(desk, person)
