"""Who may come in and do what: passwords, roles, log-ins that end, limits that lock out nobody else."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from adjudge.labeling.web.access import Access, Ended
from adjudge.labeling.web.limits import TRIES
from adjudge.labeling.web.users import ADJUDICATOR, LABELER, OWNER, User, UsersFile, add_user
from tests.support.commands import refused
from tests.support.labeling import SECRET, Visit, page
from tests.support.pools import Begin
from tests.support.users import ADA, BOB, EVE

pytestmark = pytest.mark.usefixtures("cheap")


def team() -> dict[str, User]:
    roles = {"ada": (ADA, OWNER), "bob": (BOB, ADJUDICATOR), "eve": (EVE, LABELER)}
    return {name: User.with_password(password, role) for name, (password, role) in roles.items()}


def log_in(client: TestClient, name: str, password: str) -> int:
    return client.post("/login", data={"name": name, "password": password}).status_code


def test_roles_bound_what_people_may_do(begin: Begin) -> None:
    with page(begin(overlap=2, share=1.0), Access(SECRET, users=team())) as client:
        for name, password, label in (("ada", ADA, "a"), ("eve", EVE, "b")):
            visit = Visit(client, name, password)
            lease = visit.get("/api/cards").json()["cards"][0]["lease"]
            assert visit.post("/api/answers", {"lease": lease, "label": label}).status_code == 200
        decision = {"place": 0, "label": "b"}
        eve, bob, ada = (Visit(client, *each) for each in (("eve", EVE), ("bob", BOB), ("ada", ADA)))
        assert eve.post("/api/decisions", decision).status_code == 403
        assert eve.get("/api/disputes").status_code == 403
        assert bob.post("/api/decisions", decision).status_code == 200
        for path in ("/export/labels.csv", "/openapi.json"):
            assert [visit.get(path).status_code for visit in (eve, bob, ada)] == [403, 403, 200], path
        assert ["export/labels.csv" in visit.get("/project").text for visit in (eve, bob, ada)] == [False, False, True]


def test_where_nobody_is_asked_everybody_is_the_owner(begin: Begin) -> None:
    with page(begin()) as client:
        assert client.get("/openapi.json").status_code == 401
        assert Visit(client).get("/openapi.json").status_code == 200


def test_a_log_out_ends_the_log_in_on_the_server(begin: Begin, tmp_path: Path) -> None:
    access = Access(SECRET, users=team(), ended=Ended(tmp_path / "ended"))
    with page(begin(), access) as client:
        ada = Visit(client, "ada", ADA)
        again = Visit(client, "ada", ADA)
        assert ada.post("/logout").status_code == 204
        assert ada.get("/api/cards").status_code == 401  # a copy of the cookie is worth nothing
        assert again.get("/api/cards").status_code == 200
    restarted = Access(SECRET, users=access.users, ended=Ended(tmp_path / "ended"))
    assert restarted.visitor(ada.cookie) is None
    assert restarted.visitor(again.cookie) is not None
    assert (tmp_path / "ended").stat().st_mode & 0o077 == 0


def test_another_password_ends_the_log_in_at_once(begin: Begin, tmp_path: Path) -> None:
    file = tmp_path / "users.txt"
    add_user(file, "ada", ADA, OWNER)
    add_user(file, "bob", BOB)
    with page(begin(), Access(SECRET, users=UsersFile(file))) as client:
        ada, bob = Visit(client, "ada", ADA), Visit(client, "bob", BOB)
        add_user(file, "ada", "another password", OWNER)
        assert ada.get("/api/cards").status_code == 401
        assert bob.get("/api/cards").status_code == 200
        assert log_in(client, "ada", ADA) == 401
        Visit(client, "ada", "another password")
        file.write_text(file.read_text().partition("bob")[0])
        assert bob.get("/api/cards").status_code == 401


def test_who_guesses_locks_out_nobody_else(begin: Begin) -> None:
    with page(begin(), Access(SECRET, users=team())) as client:
        assert log_in(client, "ada", ADA) == 303
        known = {name: value for name, value in client.cookies.items() if name.endswith("browser")}
        client.cookies.clear()
        assert [log_in(client, "ada", "a guess") for _ in range(TRIES + 2)] == [401] * TRIES + [429] * 2
        assert log_in(client, "ada", ADA) == 429  # from the place and for the name that was guessed
        Visit(client, "bob", BOB)
        client.cookies.clear()
        client.cookies.update(known)
        assert log_in(client, "ada", ADA) == 303  # with the browser that she has used before


def test_the_printed_link_opens_the_page_and_nothing_else_does(begin: Begin) -> None:
    access = Access(SECRET, token="a-token-of-the-machine", link=True, person="ada")
    with page(begin(), access) as client:
        assert client.get("/").headers["location"] == "login"
        assert client.get("/?token=a-guess").headers["location"] == "login"
        assert client.get("/?token=a-token-of-the-machine").status_code in (200, 303)
        assert "ada" in client.get("/").text
    with page(begin(), Access(SECRET, token="a-token-of-the-machine")) as client:
        # only a token that was made for it may stand in an address
        assert client.get("/?token=a-token-of-the-machine").headers["location"] == "login"


def test_secrets_come_from_files_and_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pool.csv").write_text("sample_id,a,b\n1,x,y\n2,y,x\n")
    secret = tmp_path / "token"
    secret.write_text("short\n")
    secret.chmod(0o600)
    words = ("label", tmp_path / "pool.csv", "--no-browser")
    assert "too short to be safe" in refused(*words, "--token-file", secret)
    assert "both given" in refused(*words, "--token-file", secret, "--token", "a long enough token")
    secret.chmod(0o644)
    assert "chmod 600" in refused(*words, "--token-file", secret)
    secret.chmod(0o600)
    secret.write_text("postgresql://ada:hidden@127.0.0.1:1/labels")
    told = refused(*words, "--database-file", secret)
    assert "cannot be used" in told
    assert "hidden" not in told
    for name, value, why in (
        ("ADJUDGE_TOKEN", "short", "too short to be safe"),
        ("ADJUDGE_DATABASE", secret.read_text(), "cannot be used"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            told = refused(*words)
        assert why in told
        assert "hidden" not in told
    assert "need PostgreSQL" in refused(*words, "--workers", 2)
    assert "leave out --token" in refused(*words, "--local-token", "--token", "a long enough token")
