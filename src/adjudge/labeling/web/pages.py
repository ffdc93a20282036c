"""The pages: to label, to look back, to decide, the project as a whole, to log in; and the files they are made of."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader

from adjudge._version import __version__
from adjudge.charts.script import drawing_script
from adjudge.core.labels import NONE_RIGHT
from adjudge.errors import InputError
from adjudge.labeling.web.access import COOKIE, KNOWN, STAY, Visitor
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.markdown import rendered
from adjudge.labeling.web.template import read_guidelines
from adjudge.labeling.web.users import ADJUDICATOR, OWNER
from adjudge.labeling.web.views import desk_of, visitor_of

BROWSER = f"{COOKIE}-browser"  # says who has logged in with a browser before
STATIC = Path(__file__).parent / "static"
KEYS = "1234567890"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FILES = {path.name: TYPES[path.suffix] for path in STATIC.iterdir() if path.suffix in TYPES}
pages = APIRouter(include_in_schema=False)
templates = Environment(loader=PackageLoader("adjudge.labeling.web"), autoescape=True)


def keys_of(classes: tuple[str, ...], new: tuple[str, ...] = ()) -> dict[str, str]:
    """The key of each of the first ten classes: 1 to 9 and 0, unless the classes are digits themselves.

    Classes that labels brought take the keys that are left, so that no key changes its meaning.

    >>> keys_of(("cat", "dog"), ("fish",)), keys_of(("0", "1"))
    ({'cat': '1', 'dog': '2', 'fish': '3'}, {'0': '0', '1': '1'})
    """
    if all(len(name) == 1 and name.isdecimal() for name in classes):
        keys = {name: name for name in classes}
    else:
        keys = dict(zip(classes, KEYS, strict=False))
    left = (key for key in KEYS if key not in keys.values())
    return keys | dict(zip(new, left, strict=False))


@pages.get("/")
def page(request: Request) -> Response:
    return _page(request, "label")


@pages.get("/history")
def history_page(request: Request) -> Response:
    return _page(request, "history")


@pages.get("/decide")
def decide_page(request: Request) -> Response:
    return _page(request, "decide")


@pages.get("/project")
def project_page(request: Request) -> Response:
    return _page(request, "project")


def _page(request: Request, name: str) -> Response:
    """A page for whoever is known; where nobody is asked, also for who comes for the first time."""
    desk = desk_of(request)
    visitor = desk.access.visitor(request.cookies.get(desk.cookie))
    if visitor is not None:
        return HTMLResponse(_shown(desk, visitor, name))
    if desk.access.opens(request.query_params.get("token")):  # sent on, so that the address shows the token no more
        return _with_cookie(RedirectResponse("./", 303), desk.access.welcome(desk.access.person)[1], request)
    if desk.access.asks:
        return RedirectResponse("login", 303)
    visitor, cookie = desk.access.welcome(desk.access.person)
    # not a redirect: a browser that keeps no cookies would be sent round for ever
    return _with_cookie(HTMLResponse(_shown(desk, visitor, name)), cookie, request)


def _shown(desk: Desk, visitor: Visitor, name: str) -> str:
    project = desk.session.project
    predictions, guidelines = project.predictions, project.path_of(project.settings.guidelines)
    with desk.session.lock:
        new = desk.session.log()[0].classes if predictions.classes is not None else ()
    facts: dict[str, Any] = {
        "classes": None if predictions.classes is None else (*predictions.classes, *new),
        "keys": keys_of(predictions.classes or (), new) if name == "label" else {},
        "open_classes": predictions.classes is not None and not predictions.declared,
        "open_answers": desk.answers_shown,
        "none_right": NONE_RIGHT,
        "models": len(predictions.models),
        "samples": len(predictions.samples),
        "guidelines": None if guidelines is None else rendered(read_guidelines(guidelines)),
        "sees_ranking": desk.sees_ranking(visitor),
        "decides": visitor.may(ADJUDICATOR),
        "owns": visitor.may(OWNER),
    }
    return templates.get_template(f"{name}.html.jinja").render(
        project=project.settings, visitor=visitor, version=__version__, here=name, **facts
    )


@pages.get("/login")
def login_page(request: Request) -> HTMLResponse:
    return _login_page(desk_of(request))


@pages.post("/login")
async def login(request: Request) -> Response:
    desk = desk_of(request)
    address = request.client.host if request.client else ""
    told = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    name, password = told.get("name", [""])[0].strip(), told.get("password", [""])[0]
    access = desk.access
    # one token for all proves no name, so other names are no other tries
    who = address, (name if access.users is not None else ""), access.device(request.cookies.get(BROWSER), name)
    hashed = access.users is not None  # which takes long
    async with access.hashing if hashed else nullcontext():
        if access.asks and not access.attempts.begin(*who):  # counted before it is tried: none of many slips by
            return _login_page(desk, "Too many log-ins failed. Wait a minute.", 429)
        admitted = await run_in_threadpool(access.admits, name, password) if hashed else access.admits(name, password)
        if not admitted:
            return _login_page(desk, "This name and this password do not belong together.", 401)
        access.attempts.succeeded(*who)
    try:
        _, cookie = access.welcome(name)
    except InputError as problem:
        return _login_page(desk, f"{problem}.", 422)
    response = _with_cookie(RedirectResponse("./", 303), cookie, request)
    _keep(response, BROWSER, access.remember(name), KNOWN, request)
    return response


@pages.post("/logout")
def logout(request: Request) -> Response:
    desk_of(request).access.leave(visitor_of(request))
    response = Response(status_code=204)
    response.delete_cookie(desk_of(request).cookie)
    return response


@pages.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    if name == "vega.js":
        return Response(drawing_script(), media_type="text/javascript", headers=_kept())
    if name not in FILES:
        raise HTTPException(404, "there is no such file")
    return Response((STATIC / name).read_bytes(), media_type=FILES[name], headers=_kept())


def _kept() -> dict[str, str]:
    return {"cache-control": "max-age=60"}


def _with_cookie(response: Response, cookie: str, request: Request) -> Response:
    """Let a person in."""
    _keep(response, desk_of(request).cookie, cookie, STAY, request)
    return response


def _keep(response: Response, name: str, value: str, seconds: int, request: Request) -> None:
    """Set a cookie: no script can read it, and other sites can only make it come along by a link to here."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)


def _login_page(desk: Desk, problem: str = "", status: int = 200) -> HTMLResponse:
    project = desk.session.project.settings
    rendered_page = templates.get_template("login.html.jinja").render(
        project=project, asks=desk.access.asks, problem=problem, person=desk.access.person
    )
    return HTMLResponse(rendered_page, status)
