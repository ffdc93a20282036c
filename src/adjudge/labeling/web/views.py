"""What the page asks for, one short function for each verb of the session."""

import hmac
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import BaseModel, Field

from adjudge.core.labels import SKIP
from adjudge.labeling.session.checks import LONGEST_ANSWER, LONGEST_NOTE
from adjudge.labeling.session.export import export, export_merged
from adjudge.labeling.session.review import put_off, retake
from adjudge.labeling.session.rows import PickRow
from adjudge.labeling.session.session import Card, Taken
from adjudge.labeling.web.access import Visitor
from adjudge.labeling.web.desk import AHEAD, Desk
from adjudge.labeling.web.facts import disputes_facts, said_facts, without_ranking
from adjudge.labeling.web.users import ADJUDICATOR, OWNER

LARGEST = 2**31 - 1  # of the numbers that the database takes
api = APIRouter()
Number = Annotated[int, Field(ge=0, le=LARGEST)]


class Said(BaseModel):
    """An answer; no label at all is a skip."""

    lease: Number
    label: Annotated[str, Field(max_length=LONGEST_ANSWER)] | None
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    sample: str | None = None  # what was shown; another one than that of the lease is refused


class PutOff(BaseModel):
    """A sample that somebody is not sure about."""

    lease: Number


class Decision(BaseModel):
    """What the label is where people disagree."""

    place: Number
    label: Annotated[str, Field(max_length=LONGEST_ANSWER)] | None
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class Given(BaseModel):
    """An answer to the sample, how many models gave it, and its place in a list of grades."""

    text: str
    models: int
    number: int


class Shown(BaseModel):
    """A sample on the screen or about to be."""

    place: int
    name: str
    text: str | None
    fields: dict[str, str]
    kind: str | None
    media: str | None
    html: str | None
    missing: bool  # whether there should be something to see and is not
    answers: list[Given] | None  # where a labeler chooses among them, or grades them; the most frequent first


class InHand(Shown):
    """A sample in a person's hands; note and grades are those of an answer which was taken back."""

    lease: int
    note: str
    grades: str | None  # a list in JSON


class Hand(BaseModel):
    """The samples in a person's hands."""

    cards: list[InHand]
    state: Literal["ready", "preparing", "done"]
    mine: int


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def visitor_of(request: Request) -> Visitor:
    """Who asks; whoever changes something proves besides that our own page does."""
    desk = desk_of(request)
    visitor = desk.access.visitor(request.cookies.get(desk.cookie))
    if visitor is None:
        raise HTTPException(401, "log in first")
    shown = request.headers.get("x-adjudge-token", "")
    if request.method == "POST" and not hmac.compare_digest(shown.encode(), visitor.token.encode()):
        raise HTTPException(403, "the request does not come from the page; load it again")
    return visitor


async def _desk(request: Request) -> Desk:  # not worth a thread, which a plain function would get
    return desk_of(request)


async def _visitor(request: Request) -> Visitor:
    return visitor_of(request)


def _at_least(role: str) -> Any:
    async def allowed(request: Request) -> Visitor:
        visitor = visitor_of(request)
        if not visitor.may(role):
            raise HTTPException(403, f"this is for the role {role!r}, and you are {visitor.role!r}")
        return visitor

    return Depends(allowed)


TheDesk = Annotated[Desk, Depends(_desk)]
Person = Annotated[Visitor, Depends(_visitor)]
Judge = Annotated[Visitor, _at_least(ADJUDICATOR)]
Owner = Annotated[Visitor, _at_least(OWNER)]


@api.get("/api/cards")
def cards(desk: TheDesk, person: Person) -> Hand:
    return hand_of(desk, person)


@api.post("/api/answers")
def answer(desk: TheDesk, person: Person, said: Said) -> Hand:
    try:
        cards = _answered(desk, person, said, said.lease)
    except Taken:
        again = retake(desk.session, person.name, said.lease)  # it may have been given back, with nobody else after it
        if again is None:
            raise
        cards = _answered(desk, person, said, again)
    return _hand(desk, person, cards)


def _answered(desk: Desk, person: Visitor, said: Said, lease: int) -> list[Card]:
    label = SKIP if said.label is None else said.label
    return desk.session.answer(person.name, lease, label, said.note, AHEAD, said.sample)


@api.post("/api/later")
def later(desk: TheDesk, person: Person, asked: PutOff) -> Hand:
    return _hand(desk, person, put_off(desk.session, person.name, asked.lease, AHEAD))


@api.post("/api/undo")
def undo(desk: TheDesk, person: Person) -> Hand:
    return _hand(desk, person, desk.session.undo(person.name, AHEAD))


def hand_of(desk: Desk, person: Visitor) -> Hand:
    """The samples in a person's hands, and others until there are enough."""
    return _hand(desk, person, desk.session.next(person.name, AHEAD))


def _hand(desk: Desk, person: Visitor, cards: list[Card]) -> Hand:
    return Hand.model_validate(desk.cards(person.name, cards))


@api.get("/api/look")
def look(desk: TheDesk, person: Person) -> Response:
    news = desk.news()
    return Response(news if desk.sees_ranking(person) else without_ranking(news), media_type="application/json")


@api.get("/api/events", include_in_schema=False)
def events(desk: TheDesk, person: Person) -> StreamingResponse:
    shown = str if desk.sees_ranking(person) else without_ranking
    return StreamingResponse(desk.hub.listen(desk.hub.last or desk.news(), shown), media_type="text/event-stream")


def picked(desk: Desk, place: int) -> PickRow:
    """The sample at a place of the log: what was never picked is not shown."""
    picks = desk.session.ledger.picks
    if not 0 <= place < len(picks):
        raise HTTPException(404, "there is no such sample")
    return picks[place]


@api.get("/api/said/{place}")
def said(desk: TheDesk, person: Person, place: int) -> list[dict[str, Any]]:
    return said_facts(desk.session.pool, picked(desk, place).pick.sample)


@api.get("/media/{project}/{place}")
def media(desk: TheDesk, person: Person, project: str, place: int) -> Response:
    if project != desk.session.project.settings.id:  # another one was at this address before
        raise HTTPException(404, "this image or sound is not of this project; load the page again")
    found = desk.samples.media(picked(desk, place).pick.sample)
    if found is None:
        raise HTTPException(404, "this sample has no image or sound")
    # an image may be looked at, but a page inside a picture must not run
    safe = {"content-security-policy": "default-src 'none'; sandbox"}
    if found.path is not None:  # in parts, as fast as they are taken, and any range of it
        return FileResponse(found.path, media_type=found.type, headers=safe)
    return Response(found.content, media_type=found.type, headers=safe)


@api.get("/api/disputes")
def disputes(desk: TheDesk, person: Judge) -> list[dict[str, Any]]:
    return disputes_facts(desk.session)


@api.post("/api/decisions")
def decide(desk: TheDesk, person: Judge, decision: Decision) -> list[dict[str, Any]]:
    label = SKIP if decision.label is None else decision.label
    desk.session.resolve(person.name, decision.place, label, decision.note)
    desk.background.wake()
    return disputes_facts(desk.session)


@api.get("/openapi.json", include_in_schema=False)
def schema(request: Request, person: Owner) -> dict[str, Any]:
    found: dict[str, Any] = request.app.openapi()
    return found


Exported = Literal["labels.csv", "labels.parquet", "labels.json", "same.csv"]


@api.get("/export/{name}")
def exported(desk: TheDesk, person: Owner, name: Exported) -> Response:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        (export_merged if name == "same.csv" else export)(desk.session, file)
        content = file.read_bytes()
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
