"""The page without a browser: what it gives, and what it refuses."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.session import Job
from adjudge.labeling.session.work import Work
from adjudge.labeling.web.access import Access, kept_secret
from adjudge.labeling.web.guard import POLICY
from adjudge.labeling.web.serve import Address
from tests.support.labeling import SECRET, Visit, desk, page
from tests.support.pools import Begin

EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">'


def test_a_label_by_hand(begin: Begin) -> None:
    session = begin()
    with page(session) as client:
        ada = Visit(client)
        hand = ada.get("/api/cards").json()
        assert [card["place"] for card in hand["cards"]] == [0, 1, 2]
        first = hand["cards"][0]
        hand = ada.post("/api/answers", {"lease": first["lease"], "label": "b", "note": "sure"}).json()
        assert [card["place"] for card in hand["cards"]] == [1, 2, 3]
        assert hand["mine"] == 1
        said = ada.get("/api/said/0").json()
        assert sum(len(group["models"]) for group in said) == 5
        assert ada.post("/api/undo").json()["cards"][0] == first | {"note": "sure"}  # it is not to be typed again
        assert ada.post("/api/undo").status_code == 409
        skipped = ada.post("/api/answers", {"lease": first["lease"], "label": None})
        assert skipped.status_code == 200
        told = ada.get("/api/look").json()
        assert told["progress"]["skipped"] == 1


def test_answers_that_come_at_once_are_written_together(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    session, batches = begin(), list[int]()
    keep_ready(session, Work.on(session.project), 20)
    together, write_all = session._together, session._together.write_all
    with page(session) as client, ThreadPoolExecutor(6) as pool:
        visits = [Visit(client, f"person {number}") for number in range(6)]
        cards = [visit.get("/api/cards").json()["cards"][0] for visit in visits]
        client.cookies.clear()

        def counted(jobs: list[Job]) -> None:
            batches.append(len(jobs))
            write_all(jobs)

        def answer(visit: Visit, card: dict[str, Any]) -> int:
            told = {"lease": card["lease"], "label": "a", "sample": card["name"]}
            headers = visit.headers | {"cookie": f"{visit.cookie_name}={visit.cookie}"}
            return int(client.post("/api/answers", json=told, headers=headers).status_code)

        monkeypatch.setattr(together, "write_all", counted)
        with session.lock:  # as if somebody else wrote
            asked = [pool.submit(answer, *each) for each in zip(visits, cards, strict=True)]
            limit = time.monotonic() + 300
            while len(together._queue) < 6:
                assert time.monotonic() < limit
                time.sleep(0.01)
        assert [each.result() for each in asked] == [200] * 6
        assert batches == [6]
    assert session.log()[1].labeled == 6


def test_downloads(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        for suffix, start in (("csv", b"# adjudge labels"), ("parquet", b"PAR1"), ("json", b"{")):
            found = ada.get(f"/export/labels.{suffix}")
            assert found.content.startswith(start)
            assert "attachment" in found.headers["content-disposition"]
        assert ada.get("/export/secret").status_code == 422


def test_nobody_comes_in_without_the_token(begin: Begin) -> None:
    access = Access(SECRET, token="open sesame, please")
    with page(begin(), access) as client:
        assert client.get("/").headers["location"] == "login"
        for path in ("/api/cards", "/api/look", "/api/events", "/media/x/0", "/api/said/0", "/export/labels.csv"):
            assert client.get(path).status_code == 401, path
        client.cookies.set("adjudge", "forged.cookie.here")
        assert client.get("/api/cards").status_code == 401
        other = Access("another secret", token="open sesame, please").welcome("ada")[1]
        client.cookies.set("adjudge", other)
        assert client.get("/api/cards").status_code == 401
        assert Visit(client, "ada", "open sesame, please").get("/api/cards").status_code == 200


def test_requests_of_other_sites_are_refused(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        lease = ada.get("/api/cards").json()["cards"][0]["lease"]
        told = {"lease": lease, "label": "a"}
        assert client.post("/api/answers", json=told).status_code == 403  # the cookie alone proves nothing
        for header in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert client.post("/api/answers", json=told, headers=ada.headers | header).status_code == 403
        assert client.get("/api/cards", headers={"host": "evil.example"}).status_code == 400
        assert client.post("/logout").status_code == 403
        assert ada.post("/logout").status_code == 204


def test_headers_are_strict_everywhere(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        for path in ("/", "/login", "/api/cards", "/static/label.js", "/nowhere", "/openapi.json"):
            found = ada.get(path)
            assert found.headers["content-security-policy"] == POLICY, path
            assert found.headers["x-content-type-options"] == "nosniff"
        assert "unsafe" not in POLICY
        client.cookies.clear()
        cookie = client.get("/").headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie


def test_bodies_are_bounded(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        huge = "x" * 100_000
        assert ada.post("/api/answers", {"lease": 1, "label": huge}).status_code == 413
        parts = (part for part in [b'{"lease": 1, "label": "', *[b"x" * 10_000] * 10, b'"}'])
        headers = ada.headers | {"content-type": "application/json"}
        assert client.post("/api/answers", content=parts, headers=headers).status_code == 413
        assert ada.post("/api/answers", {"lease": 1, "label": "x" * 501}).status_code == 422


@pytest.mark.parametrize(
    "path", ["/static/../pages.py", "/static/%2e%2e%2fpages.py", "/static/..%5cpages.py", "/media/x/-1"]
)
def test_no_path_leads_out(begin: Begin, path: str) -> None:
    with page(begin()) as client:
        assert Visit(client).get(f"/{path}").status_code in (404, 422)


def test_data_outside_the_folder_is_not_read(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    inside = tmp_path / "data"
    inside.mkdir()
    (inside / "a.png").write_bytes(b"\x89PNG fine")
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    rows = "id,image,text\na,a.png,one\nb,../secret.png,two\nc,link.png,three\nd,/etc/passwd,four\n"
    (inside / "rows.csv").write_text(rows)
    pool = Predictions(np.array([[0, 1, 1, 0], [1, 1, 0, 0]]), ("m", "n"), pa.array(list("abcd")), ("x", "y"))
    session = begin(pool=pool, method="random")
    with page(session, data=inside / "rows.csv") as client:
        ada = Visit(client)
        seen = {row.name: ada.get(f"/media/{session.project.settings.id}/{row.place}") for row in session.ledger.picks}
    assert seen["a"].content == b"\x89PNG fine"
    assert "sandbox" in seen["a"].headers["content-security-policy"]
    assert {name: found.status_code for name, found in seen.items()} == {"a": 200, "b": 404, "c": 404, "d": 404}


def test_scripts_in_data_stay_text(begin: Begin, tmp_path: Path) -> None:
    template = tmp_path / "card.html"
    template.write_text("<h3>{{ text }}</h3><p>{{ fields.source }}</p>")
    columns = pa.table({"text": [EVIL] * 2, "source": [EVIL] * 2})
    pool = Predictions(np.array([[0, 1], [1, 1]]), ("m", EVIL), pa.array([EVIL, "b"]), ("x", EVIL), columns=columns)
    session = begin(pool=pool, name=EVIL, template=str(template))
    with page(session) as client:
        ada = Visit(client, name="<b>ada</b>")
        assert "<script>alert" not in ada.html
        assert "<b>ada" not in ada.html
        shown = ada.get("/api/cards").json()["cards"][0]["html"]
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_beyond_loopback_it_needs_a_token_or_users(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--token TOKEN or --users FILE"):
        Address("0.0.0.0").check(Access(SECRET))
    Address("0.0.0.0").check(Access(SECRET, token="long enough to be safe"))
    Address("127.0.0.1").check(Access(SECRET))
    with pytest.raises(InputError, match="too short"):
        Access(SECRET, token="short")
    assert kept_secret(tmp_path) == kept_secret(tmp_path)
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0


def test_a_template_that_is_wrong_is_told(begin: Begin, tmp_path: Path) -> None:
    template = tmp_path / "card.html"
    template.write_text("{{ ''.__class__.__mro__ }}")
    session = begin(template=str(template))
    cards = session.next("ada")
    with pytest.raises(InputError, match="cannot show sample"):
        desk(session).cards("ada", cards or session.next("ada"))
