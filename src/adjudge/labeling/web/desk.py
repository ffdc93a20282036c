"""What the pages share: the session, the samples, the threads beside them, and who may come in."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Template

from adjudge.errors import InputError
from adjudge.io.labels.values import has_open_answers
from adjudge.labeling.session.answers import answers_to
from adjudge.labeling.session.background import Background
from adjudge.labeling.session.review import last_said
from adjudge.labeling.session.session import Card, Session
from adjudge.labeling.web.access import COOKIE, Access, Visitor
from adjudge.labeling.web.facts import look_facts
from adjudge.labeling.web.hub import Hub
from adjudge.labeling.web.template import read_template
from adjudge.labeling.web.users import OWNER
from adjudge.models.datasets.contents import IMAGES, MEDIA_COLUMNS, SOUNDS, Content, Samples

AHEAD = 3  # samples in a person's hands: the one on the screen, and those that the browser loads meanwhile


@dataclass
class Desk:
    """One project, as the views see it."""

    session: Session
    samples: Samples
    background: Background
    access: Access
    hub: Hub = field(default_factory=Hub)

    def __post_init__(self) -> None:
        self.background.on_look = lambda: self.hub.publish(self.news)

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers keep those of all ports together, so each project has its own."""
        return f"{COOKIE}-{self.session.project.settings.id}"

    def sees_ranking(self, visitor: Visitor) -> bool:
        return not self.session.project.settings.hide_ranking or visitor.may(OWNER)

    def news(self) -> str:
        return json.dumps(look_facts(self.background), allow_nan=False)

    def cards(self, person: str, cards: list[Card]) -> dict[str, Any]:
        """The cards as the page shows them, and what it means if there are none."""
        self.background.wake(person, max(0, AHEAD - len(cards)))
        state = "ready" if cards else "done" if self.background.exhausted else "preparing"
        mine = len(self.session.ledger.history.get(person, {}))
        return {"cards": [self._card(card) for card in cards], "state": state, "mine": mine}

    def _card(self, card: Card) -> dict[str, Any]:
        before = last_said(self.session.ledger, card.lease)
        note, label = ("", None) if before is None else (before.note, before.label)
        grades = None if self.session.pool.grades is None else label
        return self.shown(card.place, card.sample, card.name) | {"lease": card.lease, "note": note, "grades": grades}

    def shown(self, place: int, sample: int, name: str) -> dict[str, Any]:
        """A sample as the page shows it."""
        content = self.samples.content(sample)
        media = f"media/{self.session.project.settings.id}/{place}" if content.media else None
        html = None
        if self._template is not None:
            own = {"id": name, "text": content.text or "", "media": media or "", "fields": content.fields}
            try:
                html = self._template.render(content.fields | own)
            except Exception as problem:  # a template may fail at whatever it works out
                raise InputError(f"the template cannot show sample {name!r} ({problem}); correct it") from None
        return {
            "place": place,
            "name": name,
            "text": content.text,
            "fields": content.fields,
            "kind": content.media,
            "media": media,
            "html": html,
            "missing": self._missing(content),
            "answers": self._answers(sample),
        }

    @cached_property
    def answers_shown(self) -> bool:
        """Whether a labeler chooses among the answers to a sample, or grades them, and not among all classes."""
        pool = self.session.project.predictions
        return pool.grades is not None or has_open_answers(pool)

    def _answers(self, sample: int) -> list[dict[str, Any]] | None:
        return [vars(each) for each in answers_to(self.session.pool, sample)] if self.answers_shown else None

    def _missing(self, content: Content) -> bool:
        """Whether there should be something to see and is not: a file that is not there, or a sample without data."""
        if self.samples.data is None or content.media or content.text is not None:
            return False
        named = (content.fields.get(name, "") for name in MEDIA_COLUMNS)
        return not content.fields or any(Path(each).suffix.lower() in (*IMAGES, *SOUNDS) for each in named)

    @cached_property
    def _template(self) -> Template | None:
        path = self.session.project.path_of(self.session.project.settings.template)
        return None if path is None else read_template(path)
