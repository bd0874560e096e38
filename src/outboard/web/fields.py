"""Readers of single fields: text in, value out, or one error that names field, value and what would be right."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from outboard import catalog
from outboard.cost import money
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.measuring import is_here
from outboard.tracing import zoo

Reader = Callable[[str, str], Any]
UPLOADED = "upload:"


class FieldError(UsageError):
    """A field of the page that cannot be used; ``field`` is its name, ``value`` what was written."""

    def __init__(self, field: str, value: str, problem: str) -> None:
        said = f" '{value}'" if value else ""
        super().__init__(f"{field}{said}: {problem}")
        self.field, self.value, self.problem = field, value, problem


def text(field: str, value: str, longest: int) -> str:
    """A text without control characters, and not too long."""
    if len(value) > longest:
        raise FieldError(field, value[:20] + "…", _("is longer than {count} characters").format(count=longest))
    if any(not one.isprintable() for one in value):
        raise FieldError(field, "", _("holds characters that cannot be printed"))
    return value.strip()


def one_of(values: Sequence[str]) -> Reader:
    """Exactly one of ``values``."""

    def read(field: str, value: str) -> str:
        if value not in values:
            problem = _("must be one of {values}").format(values=", ".join(one for one in values if one))
            raise FieldError(field, value, problem)
        return value

    return read


def whole(lowest: int, highest: int, also: Sequence[str] = ()) -> Reader:
    """A whole number in a range, one of the words ``also``, or nothing."""

    def read(field: str, value: str) -> int | str | None:
        if value in also:
            return value
        if not value:
            return None
        try:
            found = int(value)
        except ValueError:
            found = lowest - 1
        if not lowest <= found <= highest:
            words = "".join(_(", or {word}").format(word=word) for word in also)
            problem = _("must be a whole number from {lowest} to {highest}").format(lowest=lowest, highest=highest)
            raise FieldError(field, value, problem + words)
        return found

    return read


def number(lowest: float, highest: float) -> Reader:
    """A number in a range, with a decimal point or comma, or nothing."""

    def read(field: str, value: str) -> float | None:
        if not value:
            return None
        try:
            found = float(value.replace(",", "."))
        except ValueError:
            found = math.nan
        if not lowest <= found <= highest:
            problem = _("must be a number from {lowest:g} to {highest:g}").format(lowest=lowest, highest=highest)
            raise FieldError(field, value, problem)
        return found

    return read


def switch(field: str, value: str) -> bool:
    """Yes or no."""
    if value not in ("yes", "no"):
        raise FieldError(field, value, _("must be one of {values}").format(values="yes, no"))
    return value == "yes"


def workload(field: str, value: str) -> str:
    """A model of the zoo or an uploaded trace. Whatever would run code of others is refused."""
    if value.startswith(UPLOADED):
        return value
    if not value.startswith("zoo:"):
        problem = _("the page forecasts models of the zoo, such as zoo:resnet50, and uploaded traces; it runs no code")
        raise FieldError(field, value, problem)
    with named(field, value):
        return f"zoo:{zoo.find(value.removeprefix('zoo:')).name}"


def places(most: int, empty: bool) -> Reader:
    """Places with commas between them, in the spelling of the catalogue."""

    def read(field: str, value: str) -> tuple[str, ...]:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if len(parts) > most:
            raise FieldError(field, value, _("{count} places at most").format(count=most))
        found: list[str] = []
        for part in parts:
            if is_here(part):
                found.append(part.strip().lower())
                continue
            with named(field, part):
                found.append(catalog.place(part).name)
        if not found and not empty:
            raise FieldError(field, value, _("name at least one place, for example {example}").format(example="l4"))
        return tuple(dict.fromkeys(found))

    return read


def host(field: str, value: str) -> str:
    """A family of hosts, or nothing."""
    if not value:
        return ""
    with named(field, value):
        return catalog.host(value).id


def country(field: str, value: str) -> str:
    """Two letters, or nothing."""
    if not value:
        return ""
    with named(field, value):
        money.country(value, field)
    return value.upper()


def amount(example: str) -> Reader:
    """An amount of money as it was written, or nothing."""

    def read(field: str, value: str) -> str:
        if value:
            with named(field, value):
                money.parse_money(value, field, example=example)
        return value

    return read


def rate(per: str) -> Reader:
    """An amount of money per ``per`` as it was written, or nothing."""

    def read(field: str, value: str) -> str:
        if value:
            with named(field, value):
                money.parse_rate(value, per, field)
        return value

    return read


class named:  # noqa: N801 - reads as a word after "with"
    """What is wrong inside the block is told of this field."""

    def __init__(self, field: str, value: str) -> None:
        self.field, self.value = field, value

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, UsageError) and not isinstance(error, FieldError):
            problem = str(error).removeprefix(f"{self.field}: ")
            raise FieldError(self.field, self.value, problem) from error
