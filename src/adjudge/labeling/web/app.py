"""The app: routes, and what goes wrong, in one sentence."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, DatabaseError, DiskFull
from adjudge.labeling.session.session import Taken
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.guard import Guard
from adjudge.labeling.web.pages import pages
from adjudge.labeling.web.team import team
from adjudge.labeling.web.views import api


def make_app(desk: Desk, hosts: tuple[str, ...] = ()) -> FastAPI:
    """The app of one project; `hosts` are the names by which it may be reached."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        desk.hub.loop = asyncio.get_running_loop()
        desk.background.start()
        yield
        desk.background.stop()

    app = FastAPI(title="adjudge", version=__version__, lifespan=life, openapi_url=None)
    app.state.desk = desk
    app.include_router(api)
    app.include_router(team)
    app.include_router(pages)
    app.add_middleware(Guard, hosts=hosts)

    @app.exception_handler(Taken)
    def taken(_: Request, problem: Taken) -> JSONResponse:
        return JSONResponse({"detail": str(problem)}, 409)

    @app.exception_handler(DatabaseError)
    def away(_: Request, problem: DatabaseError) -> JSONResponse:
        # not the request's fault: the page sends it again
        return JSONResponse({"detail": problem.public}, 507 if isinstance(problem, DiskFull) else 503)

    @app.exception_handler(RequestValidationError)
    def unread(_: Request, problem: RequestValidationError) -> JSONResponse:
        """Say what is wrong without repeating it: it may hold what no answer can be written with."""
        slips = (f"{'.'.join(map(str, slip['loc']))}: {slip['msg']}" for slip in problem.errors())
        told = f"the request cannot be read ({'; '.join(slips)})"
        return JSONResponse({"detail": told.encode("ascii", "replace").decode()}, 422)

    @app.exception_handler(AdjudgeError)
    def told(_: Request, problem: AdjudgeError) -> JSONResponse:
        return JSONResponse({"detail": str(problem)}, 422)

    return app
