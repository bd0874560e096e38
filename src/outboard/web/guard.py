"""What stands before every page: who may ask, under which name, how much may be sent, and what a browser may do."""

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outboard.web.uploads import LARGEST

LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
COOKIE = "outboard-token"
BODY = LARGEST + (64 << 10)  # what a form adds around a file [B]
LONGEST_QUERY = 8192
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all a browser does not say where this page's own forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class Rules:
    """Where the page may be asked for. ``token`` empty: by anyone on this machine, by the names of this machine."""

    hosts: frozenset[str] = frozenset(LOCAL)
    token: str = field(default="", repr=False)


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


class Guard:
    """ASGI middleware. Refuses what :class:`Rules` do not allow, and adds :data:`HEADERS` to every answer."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        answer = self.refusal(scope)
        if answer is not None:
            await answer(scope, receive, _safely(send))
        else:
            await self.app(scope, _limited(receive, scope), _safely(send))

    def refusal(self, scope: Scope) -> Response | None:
        """The answer to whoever may not pass; None lets them through."""
        headers = Headers(scope=scope)
        if _host(headers.get("host", "")) not in self.rules.hosts:
            # A name that points to this machine without being its own: how another site would read this page.
            return _no("This page is asked for under a name that it does not have; open it as it was printed.", 421)
        if scope["method"] not in ("GET", "HEAD") and not _same_site(headers):
            return _no("This form was sent from another site.", 403)
        if len(scope["query_string"]) > LONGEST_QUERY:
            return _no("The address is too long.", 414)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY:
            return _no(f"At most {LARGEST >> 20} MiB can be sent.", 413)
        return self._token(scope, headers) if self.rules.token else None

    def _token(self, scope: Scope, headers: Headers) -> Response | None:
        if hmac.compare_digest(_cookie(headers.get("cookie", "")), self.rules.token.encode()):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), "")
        if not hmac.compare_digest(given.encode(), self.rules.token.encode()):
            return _no("This page needs its token: open the address that outboard serve printed.", 401)
        # Out of the address at once, so that it is in no history and no link.
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(COOKIE, self.rules.token, httponly=True, samesite="strict", path="/")
        return answer


def _no(why: str, status: int) -> Response:
    return PlainTextResponse(why + "\n", status)


def _host(header: str) -> str:
    """The name without the port.

    >>> _host("127.0.0.1:8765"), _host("[::1]:8765"), _host("localhost")
    ('127.0.0.1', '[::1]', 'localhost')
    """
    name, colon, port = header.rpartition(":")
    return (name if colon and port.isdigit() and (name.endswith("]") or ":" not in name) else header).lower()


def _same_site(headers: Headers) -> bool:
    """Whether a form comes from this page itself. A browser always says where a form that is posted comes from."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def _cookie(header: str) -> bytes:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return b""
    return found.value.encode() if found else b""


def _limited(receive: Receive, scope: Scope) -> Receive:
    """A body that says nothing of its length is cut all the same."""
    seen = 0

    async def read() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > BODY:
            scope["outboard.too_large"] = True
            return {"type": "http.disconnect"}
        return message

    return read


def _safely(send: Send) -> Send:
    async def write(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return write
