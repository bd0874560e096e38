"""What all views share: the request as they see it, the templates, and the functions that templates call."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from outboard.cli.render import numbers, words
from outboard.i18n import LANGUAGES, _
from outboard.types.estimate import Term
from outboard.web import question, spoken
from outboard.web.answers import Answers

HERE = Path(__file__).parent.parent
STATIC = HERE / "static"


@dataclass(frozen=True)
class Asking:
    """A request, what it can be answered with, and the language of the answer."""

    request: Request
    answers: Answers
    usual: question.Question
    language: str

    @property
    def said(self) -> dict[str, str]:
        """The fields as they were written."""
        return dict(self.request.query_params)

    @property
    def view(self) -> str:
        """The name of the view, for the menu."""
        path = self.request.url.path.strip("/").partition(".")[0].partition("/")[0]
        return {"llm": "llm", "machine": "machine", "runs": "runs", "run": "runs"}.get(path, "plan")

    def question(self) -> question.Question:
        """What is asked. Raises :class:`~outboard.web.fields.FieldError`."""
        return question.read(self.said, self.usual)

    @staticmethod
    def parsed(query: str) -> dict[str, str]:
        """The fields in a query string."""
        return dict(parse_qsl(query[: question.LONGEST * 20], keep_blank_values=True))

    @property
    def part(self) -> bool:
        """Whether only the part that changes is wanted: htmx asks so, unless it goes back in history."""
        headers = self.request.headers
        return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"

    @property
    def language_suffix(self) -> str:
        """What keeps a language that was chosen in the address."""
        return f"&lang={self.language}" if "lang" in self.request.query_params else ""

    def in_language(self, code: str) -> str:
        """This address in another language."""
        said = [(name, value) for name, value in self.request.query_params.multi_items() if name != "lang"]
        return "?" + urlencode([*said, ("lang", code)])


class Page(HTMLResponse):
    """A page; one that is not ``final`` would be another if it were asked for again."""

    final = True


def page(asking: Asking, template: str, status: int = 200, **context: Any) -> Page:
    """A page, or the part of it that changes."""
    text = (
        _environment()
        .get_template(template)
        .render(asking=asking, lang=asking.language, languages=LANGUAGES, suffix=asking.language_suffix, **context)
    )
    return Page(text, status, headers={"Vary": "HX-Request, Accept-Language", "Content-Language": asking.language})


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "_": _,
        "address": address,
        "term": partial(_in_words, numbers.term),
        "band": partial(_in_words, numbers.band),
        "span": partial(_in_words, numbers.span),
        "share": numbers.share,
        "quantity": numbers.quantity,
        "prose": numbers.prose,
        "part_name": words.part,
        "short_part": words.short_part,
        "verdict_name": words.verdict,
        "evidence_name": words.evidence,
        "unit_name": words.unit,
        "plain": spoken.plain,
        "money": spoken.money,
        "money_band": spoken.money_band,
        "hours": spoken.hours,
        "moment": spoken.moment,
        "percent": spoken.percent,
        "written": question.written,
    }
    return made


def _in_words(write: Callable[[Term], str], number: Term) -> str:
    """A number as the command line writes it, what it counts in the language of the page."""
    return write(number).replace(number.unit, words.unit(number.unit)) if number.unit else write(number)


@cache
def address(name: str) -> str:
    """Where a static file is; the address carries its hash, so that a browser may keep it for good."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{digest}"
