"""History, decisions, the project as a whole, and the stop rule, without a browser."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.labeling.session.project import open_project
from adjudge.labeling.start import label_project
from adjudge.labeling.web.access import Access, Visitor
from adjudge.labeling.web.rules import rule_choices
from tests.support.labeling import SECRET, Visit, desk, disagree, page
from tests.support.pools import Begin


def test_media_belong_to_a_project_and_are_not_kept(begin: Begin, tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number}.png").write_bytes(b"\x89PNG %d" % number)
    with page(begin(method="random"), data=folder) as client:
        ada = Visit(client)
        card = ada.get("/api/cards").json()["cards"][0]
        found = ada.get(f"/{card['media']}")
        assert found.content == b"\x89PNG %d" % int(card["name"])
        assert found.headers["cache-control"] == "no-store"
        address = card["media"]
    with page(begin(method="random"), data=folder) as client:  # another project at the same address
        assert Visit(client).get(f"/{address}").status_code == 404


def test_an_answer_to_what_was_not_shown_is_refused(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        one, other, _ = ada.get("/api/cards").json()["cards"]
        told = {"lease": one["lease"], "label": "a"}
        refused = ada.post("/api/answers", told | {"sample": other["name"]})
        assert (refused.status_code, "load the page again" in refused.json()["detail"]) == (409, True)
        assert ada.post("/api/answers", told | {"sample": one["name"]}).json()["mine"] == 1


def test_two_projects_have_two_cookies(begin: Begin) -> None:
    with page(begin()) as client, page(begin()) as other:
        one, two = Visit(client), Visit(other)
        assert one.cookie_name != two.cookie_name
        client.cookies.set(two.cookie_name, two.cookie)  # a browser sends those of all ports
        client.cookies.set(one.cookie_name, one.cookie)
        assert client.get("/api/cards").status_code == 200


def test_who_keeps_no_cookies_is_not_sent_round(begin: Begin) -> None:
    with page(begin()) as client:
        for path in ("/", "/history", "/decide", "/project"):
            client.cookies.clear()
            assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "told", [{"note": "\ud800"}, {"label": "\ud800"}, {"label": "\ud800" * 600}, {"sample": "\ud800"}]
)
def test_half_a_character_is_refused(begin: Begin, told: dict[str, str]) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        lease = ada.get("/api/cards").json()["cards"][0]["lease"]
        sent = json.dumps({"lease": lease, "label": "a"} | told)  # as \\ud800, which is not forbidden in JSON
        headers = ada.headers | {"content-type": "application/json"}
        assert client.post("/api/answers", content=sent, headers=headers).status_code in (409, 422)


def test_later_hands_out_another_one(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        first, second, _ = ada.get("/api/cards").json()["cards"]
        hand = ada.post("/api/later", {"lease": first["lease"]}).json()
        assert hand["cards"][0]["place"] == second["place"]
        assert ada.post("/api/later", {"lease": first["lease"]}).status_code == 409


def test_the_stop_rule_is_chosen_on_the_page(begin: Begin) -> None:
    session = begin()
    with page(session) as client:
        ada = Visit(client)
        names = [each["name"] for each in ada.get("/api/look").json()["rules"]]
        assert names == ["likely within 1 point", "within 1 point", "separated"]
        assert ada.post("/api/rule", {"rule": "within 0.01"}).json() == {"rule": "within 0.01"}
        assert [each["chosen"] for each in ada.get("/api/look").json()["rules"]] == [False, True, False]
        assert open_project(session.project.folder).settings.until == "within 0.01"
        assert ada.post("/api/rule", {"rule": "soon"}).status_code == 422


def test_rules_of_numbers_need_a_range(begin: Begin) -> None:
    pool = Predictions(np.random.default_rng(0).random((3, 50)), ("x", "y", "z"), range(50), None)
    assert rule_choices(begin(pool=pool, method="random").project) == []
    choices = rule_choices(begin(pool=pool, method="random", range=(0.0, 1.0), until="within 0.05").project)
    assert [each["name"] for each in choices] == ["likely within 0.05", "within 0.05", "separated"]


def test_rules_of_a_metric_are_for_means_of_losses(begin: Begin) -> None:
    pool = Predictions(np.random.default_rng(0).random((3, 50)), ("x", "y", "z"), range(50), None)
    told = {"pool": pool, "method": "random", "range": (0.0, 1.0)}
    assert rule_choices(begin(**told, metric="rmse").project) == []
    choices = rule_choices(begin(**told, metric="mae", until="within 0.05").project)
    assert [each["name"] for each in choices] == [
        "within 0.05",
        "separated",
    ]  # what is likely, a consensus says of classes


@dataclass(frozen=True)
class Labeler(Visitor):
    """Somebody who may label and no more."""

    role: str = "labeler"


class Roles(Access):
    """Everybody is a labeler."""

    def visitor(self, cookie: str | None) -> Visitor | None:
        found = super().visitor(cookie)
        return None if found is None else Labeler(found.name, found.token)


def test_labelers_see_and_decide_less(begin: Begin) -> None:
    session = begin(hide_ranking=True, overlap=2, share=1.0)
    with page(session, Roles(SECRET)) as client:
        bob = disagree(client, 1)
        assert bob.get("/api/look").json()["look"] is None
        assert bob.get("/api/look").json()["hidden"]
        assert 'id="ranking"' not in bob.html
        assert bob.get("/api/queue").status_code == 403
        assert bob.post("/api/rule", {"rule": "separated"}).status_code == 403
        assert [each["person"] for each in bob.get("/api/project").json()["people"]] == ["bob"]
    assert desk(session).sees_ranking(Visitor("ada", "token"))  # who has no role may do everything


def test_guidelines_are_shown_as_text(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("\ufeff# Cats\n<script>alert(1)</script>", encoding="utf-8")
    with page(begin(guidelines=str(tmp_path / "guide.md"))) as client:
        html = Visit(client).html
    assert "<h2>Cats</h2>" in html
    assert "&lt;script&gt;alert" in html


def test_templates_and_guidelines_are_checked_at_the_start(begin: Begin, tmp_path: Path) -> None:
    pool = begin().project.predictions
    (tmp_path / "card.html").write_text("<p>\n{% if %}")
    with pytest.raises(InputError, match="has a mistake in line 2"):
        label_project(tmp_path / "p", pool, template=str(tmp_path / "card.html"))
    with pytest.raises(InputError, match="there is no file"):
        label_project(tmp_path / "p", pool, guidelines=str(tmp_path / "none.md"))
    (tmp_path / "long.md").write_text("x" * 300_000)
    with pytest.raises(InputError, match="shorten them"):
        label_project(tmp_path / "p", pool, guidelines=str(tmp_path / "long.md"))
    assert not (tmp_path / "p").exists()


def test_a_file_that_is_missing_is_told(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "0.png").write_bytes(b"\x89PNG")
    (tmp_path / "rows.csv").write_text(
        "id,image\n0,0.png\n" + "".join(f"{each},none-{each}.png\n" for each in range(1, 400))
    )
    for data in (tmp_path, tmp_path / "rows.csv"):
        with page(begin(method="random"), data=data) as client:
            card = Visit(client).get("/api/cards").json()["cards"][0]
            assert (card["missing"], card["media"]) == (True, None)
