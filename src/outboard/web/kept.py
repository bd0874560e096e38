"""Answers that were given already, as the bytes that went out: who opens the same page again does not wait."""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from outboard.measuring.names import NAMES
from outboard.web import spoken
from outboard.web.answers import Answers

# Views whose answer follows from their address; what is seen of the machine and of runs changes by itself.
LASTING = frozenset({"/", "/plan", "/plan.json", "/cost", "/chart.svg", "/job.yaml", "/me.yaml", "/llm", "/llm.json"})
MOST = 256  # answers; a page is 200 kB, 40 kB compressed
LEVEL = 5
OF_BODY = frozenset({"content-length", "content-type"})


@dataclass(frozen=True)
class Bytes:
    """One answer, plain and compressed."""

    plain: bytes
    compressed: bytes
    headers: dict[str, str]
    media_type: str | None


class Pages:
    """Keeps the newest answers of the views that last. Used by the event loop alone."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Bytes] = OrderedDict()
        self._making: dict[Hashable, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, key: Hashable) -> AsyncIterator[None]:
        """Whoever asks for the same meanwhile waits, and then finds it."""
        lock, waiting = self._making.get(key, (asyncio.Lock(), 0))
        self._making[key] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._making.pop(key)
            if waiting > 1:
                self._making[key] = lock, waiting - 1

    @staticmethod
    def key(request: Request, answers: Answers) -> Hashable | None:
        """What an answer depends on; None where it must be made each time."""
        path, query = request.url.path, request.url.query
        if path not in LASTING or any(name in query.lower() for name in NAMES):
            return None
        part = request.headers.get("hx-request"), request.headers.get("hx-history-restore-request")
        return path, query, spoken.language(request), part, answers.day(), tuple(answers.uploads.every())

    def get(self, key: Hashable, request: Request) -> Response | None:
        """The answer, None where there is none."""
        found = self._found.get(key)
        if found is None:
            return None
        self._found.move_to_end(key)
        return _sent(found, request)

    def put(self, key: Hashable, answer: Response, request: Request) -> Response:
        """Keep an answer that is final, and return it as it goes out."""
        if answer.status_code != 200 or not getattr(answer, "final", True):
            return answer
        plain = bytes(answer.body)
        headers = {
            name: value for name, value in answer.headers.items() if name not in ("content-length", "content-type")
        }
        kept = Bytes(plain, gzip.compress(plain, LEVEL, mtime=0), headers, answer.headers["content-type"])
        self._found[key] = kept
        while len(self._found) > MOST:
            self._found.popitem(last=False)
        return _sent(kept, request)


def _sent(found: Bytes, request: Request) -> Response:
    vary = ", ".join(one for one in (found.headers.get("vary"), "Accept-Encoding") if one)
    headers = {**found.headers, "vary": vary}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.plain, headers=headers, media_type=found.media_type)
    return Response(found.compressed, headers={**headers, "content-encoding": "gzip"}, media_type=found.media_type)
