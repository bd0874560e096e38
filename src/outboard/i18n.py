"""The one door to translated text.

Messages are marked with ``_("...")`` and looked up at call time, so that ``--lang`` can be read first. Catalogues
live in ``locale/<lang>/LC_MESSAGES/outboard.mo``; without one the English text itself is shown.

A process speaks one language; a page that serves several people speaks another one inside :func:`speaking`, which other
threads do not notice.
"""

import gettext
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LOCALE_DIR = Path(__file__).parent / "locale"
LANGUAGES = ("en", "es")

_active: gettext.NullTranslations | None = None
_here: ContextVar[str | None] = ContextVar("language", default=None)


def use(language: str | None) -> str:
    """Activate ``language``, or the one of the environment; return the code in use ("en" or "es")."""
    global _active
    code = language or _from_environment()
    _active = gettext.translation("outboard", LOCALE_DIR, languages=[code], fallback=True)
    return code if code in LANGUAGES else "en"


def _from_environment() -> str:
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return value.split(":")[0].split(".")[0].split("_")[0] or "en"
    return "en"


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak ``language`` inside the block, in this thread or task alone."""
    token = _here.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _here.reset(token)


def here() -> str | None:
    """The language of the block of :func:`speaking` that runs, None outside of one."""
    return _here.get()


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation("outboard", LOCALE_DIR, languages=[language], fallback=True)


def _(message: str) -> str:
    """Return ``message`` in the active language."""
    spoken = _here.get()
    if spoken is not None:
        return _catalogue(spoken).gettext(message)
    if _active is None:
        use(None)
    assert _active is not None
    return _active.gettext(message)
