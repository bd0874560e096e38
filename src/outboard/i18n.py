"""The one door to translated text.

Messages are marked with ``_("...")`` and looked up at call time, so that ``--lang`` can be read first. Catalogues
live in ``locale/<lang>/LC_MESSAGES/outboard.mo``; without one the English text itself is shown.
"""

import gettext
import os
from pathlib import Path

LOCALE_DIR = Path(__file__).parent / "locale"
LANGUAGES = ("en", "es")

_active: gettext.NullTranslations | None = None


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


def _(message: str) -> str:
    """Return ``message`` in the active language."""
    if _active is None:
        use(None)
    assert _active is not None
    return _active.gettext(message)
