"""Which language people read. Chosen before the program is built, because help texts are translated too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from outboard import i18n
from outboard.errors import UsageError
from outboard.i18n import LANGUAGES, _

_code = "en"


def asked_for(arguments: Sequence[str]) -> str | None:
    """The value of the last ``--lang`` among ``arguments``, wherever it stands; None without one.

    >>> asked_for(["devices", "--lang", "es"]), asked_for(["--lang=en"]), asked_for(["devices"])
    ('es', 'en', None)
    """
    found = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--lang":
            found = arguments[position + 1] if position + 1 < len(arguments) else None
        elif argument.startswith("--lang="):
            found = argument.removeprefix("--lang=")
    return found


def use(language: str | None) -> None:
    """Speak ``language``; without one, that of the environment."""
    global _code
    if language is not None and language not in LANGUAGES:
        message = _("--lang must be one of {values}, not '{value}'")
        raise UsageError(message.format(values=", ".join(LANGUAGES), value=language))
    _code = i18n.use(language)


def code() -> str:
    """The language in use, "en" or "es"."""
    return i18n.here() or _code


@contextmanager
def english(wanted: bool = True) -> Iterator[None]:
    """Speak English inside the block, as everything that goes into JSON does; nothing when not ``wanted``."""
    before = _code
    if wanted:
        use("en")
    try:
        yield
    finally:
        if wanted:
            use(before)
