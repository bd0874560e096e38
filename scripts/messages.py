"""Collects the messages of the program into the catalogues and compiles them: ``make messages``.

New messages arrive untranslated; a test fails until a person has written them in every language.
"""

import io
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "outboard"
RULES = "compat/data/*.toml"
PAGES = "web/templates/*.html"
SENTENCES = ("why", "cure", "risk", "what", "cause")  # keys of rules and symptoms that people read
TRANSLATED = ("es",)
CREDITS = {
    "project": "Outboard",
    "version": "1",
    "msgid_bugs_address": "the issues of the project",
    "last_translator": "the contributors to Outboard",
    "language_team": "Spanish",
}
HEADER = "# Outboard in another language. New messages arrive here with: make messages"


def extract() -> Catalog:
    """Every message marked in the sources and in the templates of the page, and every sentence of the rules."""
    template = Catalog(project="Outboard", charset="utf-8", fuzzy=False)
    methods: Any = [("**.py", "python"), (PAGES, "jinja2"), (RULES, sentences)]
    for _file, _line, message, comments, context in extract_from_dir(SOURCES, method_map=methods):
        template.add(message, auto_comments=comments, context=context)
    return template


def sentences(file: Any, *_unused: object, **_options: object) -> Iterator[tuple[int, None, str, list[str]]]:
    """Every sentence of a file of rules, as Babel wants it."""
    for table in (one for group in tomllib.load(file).values() if isinstance(group, list) for one in group):
        for key in SENTENCES:
            if table.get(key):
                yield 1, None, table[key], []


def path(language: str, suffix: str) -> Path:
    """Where a catalogue of ``language`` lives: ``.po`` for people, ``.mo`` for the program."""
    return (SOURCES / "locale" / language / "LC_MESSAGES" / "outboard").with_suffix(suffix)


def read(language: str) -> Catalog:
    """The catalogue of ``language``; empty when there is none yet."""
    source = path(language, ".po")
    if not source.exists():
        return Catalog(locale=language, header_comment=HEADER, fuzzy=False, **CREDITS)
    with source.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog) -> bytes:
    """What the program reads."""
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def update(language: str) -> Catalog:
    """Bring the catalogue of ``language`` up to the sources, and compile it."""
    template, catalogue = extract(), read(language)
    template.creation_date = catalogue.creation_date
    catalogue.update(template, no_fuzzy_matching=True)
    path(language, ".po").parent.mkdir(parents=True, exist_ok=True)
    with path(language, ".po").open("wb") as file:
        write_po(file, catalogue, width=0, no_location=True, sort_output=True, ignore_obsolete=True)
    path(language, ".mo").write_bytes(compiled(read(language)))
    return catalogue


def main() -> int:
    """Update all catalogues; exit status 1 while something is left to translate."""
    left = [(language, str(entry.id)) for language in TRANSLATED for entry in update(language) if not entry.string]
    for language, message in left:
        print(f"{language}: {message}")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
