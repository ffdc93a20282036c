"""Worst cases at the door and at the desk: databases that go away, keys that change, floods, odd names."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import get_ident

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError

from adjudge.errors import InputError
from adjudge.labeling.session.store import Store, Turn
from adjudge.labeling.web.access import Access, kept_secret
from adjudge.labeling.web.app import make_app
from adjudge.labeling.web.limits import TRIES
from adjudge.labeling.web.users import User
from tests.support.labeling import SECRET, Visit, desk, page
from tests.support.pools import Begin


def test_a_database_that_is_away_is_not_the_fault_of_the_answer(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        told = {"lease": ada.get("/api/cards").json()["cards"][0]["lease"], "label": "a"}

        def away(*_: object, **__: object) -> None:
            raise OperationalError("insert", {}, Exception("the server went away"))

        with monkeypatch.context() as patch:
            patch.setattr(Turn, "add_answer", away)
            refused = ada.post("/api/answers", told)
        assert (refused.status_code, "went away" in refused.text) == (503, False)  # it may name hosts and users
        assert ada.post("/api/answers", told).json()["mine"] == 1


def test_the_ranking_goes_on_when_the_database_is_back(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk(begin())
    whole, met = Store._reading, set()

    def away(_: Store) -> None:
        met.add(get_ident())
        raise OperationalError("select", {}, Exception("the server went away"))

    monkeypatch.setattr("adjudge.labeling.session.background.POLL", 0.01)
    with TestClient(make_app(made, hosts=("testserver",)), follow_redirects=False) as client:
        ada = Visit(client)
        until(lambda: made.background.newest is not None)
        monkeypatch.setattr(Store, "_reading", away)
        until(lambda: len(met) == 2)  # the thread that picks, and the one that looks
        monkeypatch.setattr(Store, "_reading", whole)
        for _ in range(12):  # more than lie ready
            card = ada.get("/api/cards").json()["cards"][0]
            assert ada.post("/api/answers", {"lease": card["lease"], "label": "a"}).status_code == 200
            until(lambda: bool(ada.get("/api/cards").json()["cards"]))
        until(lambda: made.background.problem is None and made.background.looked_at == 12)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_cookies_of_another_token_or_password_are_worth_nothing() -> None:
    before = Access(SECRET, token="the first of two tokens")
    cookie = before.welcome("ada")[1]
    assert before.visitor(cookie) is not None
    assert Access(SECRET, token="the first of two tokens").visitor(cookie) is not None  # a restart logs nobody out
    assert Access(SECRET, token="the second of two tokens").visitor(cookie) is None
    assert Access(SECRET, token="any token will do").visitor(Access(SECRET).welcome("ada")[1]) is None
    ada = User.with_password("the password of ada")
    of_ada = Access(SECRET, users={"ada": ada}).welcome("ada")[1]
    assert Access(SECRET, users={"ada": ada, "bob": ada}).visitor(of_ada) is not None
    assert Access(SECRET, users={"ada": User.with_password("another password")}).visitor(of_ada) is None


def test_an_empty_key_signs_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()  # as a full disk leaves it
    with pytest.raises(InputError, match="is damaged"):
        kept_secret(tmp_path)


def test_log_ins_at_once_are_limited_too(begin: Begin) -> None:
    app = make_app(desk(begin(), Access(SECRET, token="open sesame, please")))
    all_in = asyncio.Barrier(3 * TRIES)

    async def slow(password: str) -> AsyncIterator[bytes]:
        await all_in.wait()  # all are past the door before the first is read
        yield f"name=eve&password={password}".encode()

    async def flood() -> list[int]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            tries = (client.post("/login", content=slow(str(number))) for number in range(3 * TRIES))
            return [each.status_code for each in await asyncio.gather(*tries)]

    assert sorted(asyncio.run(flood())) == [401] * TRIES + [429] * 2 * TRIES


@pytest.mark.parametrize("header", [{"host": "["}, {"origin": "http://["}])
def test_names_that_are_none_are_refused(begin: Begin, header: dict[str, str]) -> None:
    with page(begin()) as client:
        assert client.post("/login", data={"name": "ada"}, headers=header).status_code in (400, 403)
