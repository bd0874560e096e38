"""The application: routes, and what every answer goes through."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from outboard.errors import OutboardError, OutsideError, UsageError
from outboard.i18n import _, speaking
from outboard.web import question, spoken
from outboard.web.answers import Answers
from outboard.web.fields import FieldError
from outboard.web.guard import Guard, Rules
from outboard.web.kept import Pages
from outboard.web.pages import language_models, machine, runs, work
from outboard.web.pages.frame import Asking, page
from outboard.web.uploads import Uploads

STATIC = Path(__file__).with_name("static")
View = Callable[[Asking], Response]
QUICK, SLOW = 2, 2  # how many of each kind are computed at once


def create(rules: Rules | None = None, usual: question.Question | None = None) -> Starlette:
    """The application. ``usual`` is what the page opens with; without it, what this machine has."""
    uploads = Uploads()
    state = State(Answers(uploads), usual or question.here())
    views: dict[str, View] = {
        "/": work.page,
        "/plan": work.plan,
        "/plan.json": work.twin,
        "/job.yaml": work.job_file,
        "/me.yaml": work.me_file,
        "/chart.svg": work.chart,
        "/cost": work.cost,
        "/llm": language_models.page,
        "/llm.json": language_models.twin,
        "/machine": machine.page,
        "/machine.json": machine.twin,
        "/runs": runs.page,
        "/runs.json": runs.twin,
        "/run/{id}": runs.one,
    }
    routes: list[Any] = [Route(path, partial(_answered, state, view)) for path, view in views.items()]
    routes.append(Route("/upload", partial(_upload, state), methods=["POST"]))
    routes.append(Mount("/static", _Static(directory=STATIC)))
    middleware = [
        Middleware(Guard, rules=rules or Rules()),
        Middleware(GZipMiddleware, minimum_size=500, compresslevel=5),
    ]
    application = Starlette(routes=routes, middleware=middleware, exception_handlers={404: _missing})
    application.state.outboard = state
    return application


class State:
    """What lives as long as the page."""

    def __init__(self, answers: Answers, usual: question.Question) -> None:
        self.answers, self.usual = answers, usual
        self.pages = Pages()
        # More arithmetic at once than there are cores only makes everyone wait for the slowest.
        self.quick, self.slow = CapacityLimiter(QUICK), CapacityLimiter(SLOW)


async def _answered(state: State, view: View, request: Request) -> Response:
    key = state.pages.key(request, state.answers)
    if key is not None and (found := state.pages.get(key, request)) is not None:
        return found
    if key is None:
        return await _computed(state, view, request)
    async with state.pages.alone(key):
        # Somebody who asked the same at the same time may have got it meanwhile.
        if (found := state.pages.get(key, request)) is not None:
            return found
        return state.pages.put(key, await _computed(state, view, request), request)


async def _computed(state: State, view: View, request: Request) -> Response:
    async with state.slow if _takes_long(request) else state.quick:
        # Whoever moved a control again while this waited wants another answer by now.
        if await request.is_disconnected():
            return Response(status_code=204)
        return await run_sync(_spoken, state, view, request)


def _takes_long(request: Request) -> bool:
    """Whether a plan may have to be made."""
    part = request.headers.get("hx-request") == "true"
    return request.url.path in ("/plan", "/plan.json", "/chart.svg", "/cost") or (request.url.path == "/" and not part)


def _spoken(state: State, view: View, request: Request) -> Response:
    """The answer in the person's language; whatever is wrong becomes a page that says so."""
    language = spoken.language(request)
    with speaking(language):
        asking = Asking(request, state.answers, state.usual, language)
        try:
            return view(asking)
        except OutboardError as error:
            return _refused(asking, error)
        except Exception as error:
            if os.environ.get("OUTBOARD_DEBUG"):
                raise
            return _confessed(asking, error)


def _confessed(asking: Asking, error: Exception) -> Response:
    """A bug of our own in one line, and how to see all of it."""
    kind, text = type(error).__name__, " ".join(str(error).split())
    form = _("unexpected {kind}: {text}; this is a bug: please report it with what OUTBOARD_DEBUG=1 prints")
    return page(asking, "wrong.html", 500, error=form.format(kind=kind, text=text), field="", view=asking.view)


def _refused(asking: Asking, error: OutboardError) -> Response:
    status = 422 if isinstance(error, UsageError) else 502 if isinstance(error, OutsideError) else 500
    field = error.field if isinstance(error, FieldError) else ""
    if asking.request.url.path.endswith(".json"):
        return JSONResponse({"error": str(error), "field": field or None}, status)
    return page(asking, "wrong.html", status, error=str(error), field=field, view=asking.view)


async def _upload(state: State, request: Request) -> Response:
    """Take a trace, then show the page that asks about it."""
    language = spoken.language(request)
    try:
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            data = await file.read() if isinstance(file, UploadFile) else b""
            name = (file.filename or "") if isinstance(file, UploadFile) else ""
            rest = str(form.get("state", ""))
    except ClientDisconnect:
        return PlainTextResponse("Too much was sent.\n", 413)
    return await run_sync(_taken, state, request, language, data, name, rest)


def _taken(state: State, request: Request, language: str, data: bytes, name: str, rest: str) -> Response:
    with speaking(language):
        asking = Asking(request, state.answers, state.usual, language)
        try:
            if not data:
                raise FieldError("file", "", _("choose a file first: a trace that outboard trace wrote"))
            workload = state.answers.uploads.add(data, name)
            asked = question.read(asking.parsed(rest), state.usual)
        except OutboardError as error:
            return _refused(asking, error)
        query = asked.query(w=workload) + asking.language_suffix
        return RedirectResponse(f"/?{query}", 303)


def _missing(request: Request, _error: Exception) -> Response:
    return PlainTextResponse(f"There is no page {request.url.path[:80]!r}; begin at /\n", 404)


class _Static(StaticFiles):
    """Files that a browser may keep for good: their address carries their hash."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        if scope["query_string"]:
            answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer
