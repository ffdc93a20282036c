"""The pages: the one to label on, the one to log in, and the files they are made of."""

from contextlib import nullcontext
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader

from adjudge._version import __version__
from adjudge.errors import InputError
from adjudge.labeling.web.access import COOKIE, KNOWN, STAY
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.views import desk_of, visitor_of

BROWSER = f"{COOKIE}-browser"  # says who has logged in with a browser before
STATIC = Path(__file__).parent / "static"
SCRIPT = "text/javascript"
FILES = {"label.css": "text/css", "label.js": SCRIPT, "ranking.js": SCRIPT, "icon.svg": "image/svg+xml"}
pages = APIRouter(include_in_schema=False)
templates = Environment(loader=PackageLoader("adjudge.labeling.web"), autoescape=True)


def keys_of(classes: tuple[str, ...]) -> dict[str, str]:
    """The key of each of the first ten classes: 1 to 9 and 0, unless the classes are digits themselves.

    >>> keys_of(("cat", "dog")), keys_of(("0", "1"))
    ({'cat': '1', 'dog': '2'}, {'0': '0', '1': '1'})
    """
    if all(len(name) == 1 and name.isdecimal() for name in classes):
        return {name: name for name in classes}
    return {name: str(place % 10) for place, name in enumerate(classes[:10], start=1)}


@pages.get("/")
def page(request: Request) -> Response:
    desk = desk_of(request)
    visitor = desk.access.visitor(request.cookies.get(COOKIE))
    if visitor is None and (not desk.access.asks or desk.access.opens(request.query_params.get("token"))):
        return _enter(desk, desk.access.person, request)
    if visitor is None:
        return RedirectResponse("login", 303)
    predictions = desk.session.project.predictions
    rendered = templates.get_template("label.html.jinja").render(
        project=desk.session.project.settings,
        classes=predictions.classes,
        keys=keys_of(predictions.classes or ()),
        open_classes=predictions.classes is not None and not predictions.declared,
        models=len(predictions.models),
        samples=len(predictions.samples),
        visitor=visitor,
        version=__version__,
    )
    return HTMLResponse(rendered)


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
        response = _enter(desk, name, request)
    except InputError as problem:
        return _login_page(desk, f"{problem}.", 422)
    _keep(response, BROWSER, access.remember(name), KNOWN, request)
    return response


@pages.post("/logout")
def logout(request: Request) -> Response:
    desk_of(request).access.leave(visitor_of(request))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE)
    return response


@pages.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    if name == "vega.js":
        return Response(desk_of(request).drawing, media_type="text/javascript", headers=_kept())
    if name not in FILES:
        raise HTTPException(404, "there is no such file")
    return Response((STATIC / name).read_bytes(), media_type=FILES[name], headers=_kept())


def _kept() -> dict[str, str]:
    return {"cache-control": "max-age=60"}


def _enter(desk: Desk, name: str, request: Request) -> Response:
    """Let a person in: the cookie goes only to us, and no script can read it."""
    _, cookie = desk.access.welcome(name)
    response = RedirectResponse("./", 303)
    _keep(response, COOKIE, cookie, STAY, request)
    return response


def _keep(response: Response, name: str, value: str, seconds: int, request: Request) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


def _login_page(desk: Desk, problem: str = "", status: int = 200) -> HTMLResponse:
    project = desk.session.project.settings
    rendered = templates.get_template("login.html.jinja").render(
        project=project, asks=desk.access.asks, problem=problem, person=desk.access.person
    )
    return HTMLResponse(rendered, status)
