"""What the pages share: the session, the samples, the threads beside them, and who may come in."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import vl_convert
from jinja2 import TemplateError
from jinja2.sandbox import SandboxedEnvironment

from adjudge.errors import InputError
from adjudge.labeling.session.background import Background
from adjudge.labeling.session.session import Card, Session
from adjudge.labeling.web.access import Access
from adjudge.labeling.web.facts import look_facts
from adjudge.labeling.web.hub import Hub
from adjudge.models.datasets.contents import Samples

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
        self.background.on_look = lambda: self.hub.publish(self.news())

    def news(self) -> str:
        return json.dumps(look_facts(self.background), allow_nan=False)

    def cards(self, person: str, cards: list[Card]) -> dict[str, Any]:
        """The cards as the page shows them, and what it means if there are none."""
        self.background.wake(person, max(0, AHEAD - len(cards)))
        state = "ready" if cards else "done" if self.background.exhausted else "preparing"
        mine = len(self.session.ledger.history.get(person, {}))
        return {"cards": [self._shown(card) for card in cards], "state": state, "mine": mine}

    def _shown(self, card: Card) -> dict[str, Any]:
        content = self.samples.content(card.sample)
        media = f"media/{card.place}" if content.media else None
        html = None
        if self._template is not None:
            own = {"id": card.name, "text": content.text or "", "media": media or "", "fields": content.fields}
            try:
                html = self._template.render(content.fields | own)
            except Exception as problem:  # a template may fail at whatever it works out
                raise InputError(f"the template cannot show sample {card.name!r} ({problem}); correct it") from None
        return {
            "lease": card.lease,
            "place": card.place,
            "name": card.name,
            "text": content.text,
            "fields": content.fields,
            "kind": content.media,
            "media": media,
            "html": html,
        }

    @cached_property
    def _template(self) -> Any:
        """The user's own template: what comes from the data is escaped, and it can reach nothing else."""
        path = self.session.project.path_of(self.session.project.settings.template)
        if path is None:
            return None
        try:
            return SandboxedEnvironment(autoescape=True).from_string(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeError, TemplateError) as problem:
            raise InputError(f"the template {path} cannot be used ({problem}); correct it") from None

    @cached_property
    def drawing(self) -> str:
        """The script that draws charts, out of the installed vl-convert package."""
        return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
