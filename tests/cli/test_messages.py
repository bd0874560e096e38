"""Every message is translated, by a person, and the compiled catalogue is the one in the sources."""

import re

import pytest

from tests.cli.test_schema import script

messages = script("messages")
PLACEHOLDER = re.compile(r"\{[^{}]*\}")


@pytest.mark.parametrize("language", messages.TRANSLATED)
def test_every_message_of_the_sources_is_in_the_catalogue_and_no_other(language: str) -> None:
    wanted = {entry.id for entry in messages.extract() if entry.id}
    found = {entry.id for entry in messages.read(language) if entry.id}
    assert wanted - found == set(), "make messages, then translate"
    assert found - wanted == set(), "make messages removes what is no longer said"


@pytest.mark.parametrize("language", messages.TRANSLATED)
def test_every_message_is_translated_and_none_is_fuzzy(language: str) -> None:
    entries = [entry for entry in messages.read(language) if entry.id]
    assert [entry.id for entry in entries if not entry.string] == []
    assert [entry.id for entry in entries if entry.fuzzy] == []


@pytest.mark.parametrize("language", messages.TRANSLATED)
def test_placeholders_survive_translation(language: str) -> None:
    for entry in messages.read(language):
        if entry.id:
            assert sorted(PLACEHOLDER.findall(entry.id)) == sorted(PLACEHOLDER.findall(entry.string)), entry.id


@pytest.mark.parametrize("language", messages.TRANSLATED)
def test_the_compiled_catalogue_is_current(language: str) -> None:
    assert messages.path(language, ".mo").read_bytes() == messages.compiled(messages.read(language)), "make messages"
