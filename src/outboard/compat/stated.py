"""Facts of a machine as people type them: ``rebar=off``, ``measured_h2d=2.7 GB/s``, ``tb_security=user``."""

import re
from collections.abc import Iterable
from typing import Any

from outboard.catalog.names import nearest
from outboard.compat.machine import Known, known
from outboard.compat.versions import version
from outboard.errors import UnknownNameError, UsageError
from outboard.i18n import _
from outboard.units import parse

YES, NO = ("yes", "on", "true", "1"), ("no", "off", "false", "0")
DIMENSIONS = {"measured_h2d": "bytes/s", "length_margin": "m", "supply_margin": "W", "power_margin": "W"}
CUDA_TAG = re.compile(r"\+?cu(\d\d)(\d)")
SPELLINGS = {"torch": "pytorch", "wsl": "wsl2", "osx": "macos", "win": "windows", "llamacpp": "llama.cpp"}
BITS = 8  # a rate in bits is typed as such and read in bytes


def stated(texts: Iterable[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` texts. Raises :class:`UsageError` saying what would be right."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().lower().replace("-", "_")
        if not equals:
            raise UsageError(_("'{text}' is no fact; write it like rebar=off").format(text=text))
        fact = known().get(name)
        if fact is None or fact.kind == "signs":
            usable = [one.name for one in known().values() if one.kind != "signs"]
            raise UnknownNameError("fact", name, nearest(name, usable) or usable)
        found[name] = value_of(fact, value.strip())
    return found


def value_of(fact: Known, text: str) -> Any:
    """Turn ``text`` into a value that ``fact`` can have.

    >>> value_of(known()["rebar"], "Off"), value_of(known()["tunnel_rate"], "20 Gb/s")
    (False, 20000000000.0)
    """
    lower = text.lower()
    if fact.kind == "flag":
        if lower not in (*YES, *NO):
            raise _wrong(fact, text, "yes, no")
        return lower in YES
    if fact.kind == "number":
        return _number(fact, text)
    if fact.kind == "version" and version(text) is None:
        raise _wrong(fact, text, "6.19.10")
    if fact.values and lower not in fact.values:
        raise _wrong(fact, text, ", ".join(fact.values))
    return lower if fact.kind == "text" else text


def _number(fact: Known, text: str) -> float:
    if fact.name == "tunnel_rate":
        return BITS * parse(text, "bytes/s")
    try:
        return parse(text, DIMENSIONS[fact.name]) if fact.name in DIMENSIONS else float(text)
    except ValueError:
        raise _wrong(fact, text, "2") from None


def _wrong(fact: Known, text: str, right: str) -> UsageError:
    message = _("{fact} cannot be '{value}'; one of: {right}")
    return UsageError(message.format(fact=fact.name, value=text, right=right))


def system(text: str | None) -> dict[str, Any]:
    """Read ``linux`` or ``macos 14``. Raises :class:`UsageError` for a system that no rule knows.

    >>> system("macOS 14.2"), system("Linux"), system(None)
    ({'os': 'macos', 'os_version': '14.2'}, {'os': 'linux'}, {})
    """
    return _named(text, "os", "os_version")


def framework(text: str | None) -> dict[str, Any]:
    """Read ``pytorch 2.7+cu128``, ``pytorch==2.7`` or ``tinygrad``; pip's name for PyTorch is understood.

    >>> framework("torch==2.7.1+cu128")
    {'framework': 'pytorch', 'framework_version': '2.7.1', 'cuda': '12.8'}
    """
    match = CUDA_TAG.search(text or "")
    found = _named(CUDA_TAG.sub("", text) if text else None, "framework", "framework_version")
    return found | ({"cuda": f"{match[1]}.{match[2]}"} if match else {})


def _named(text: str | None, name: str, number: str) -> dict[str, Any]:
    if not text:
        return {}
    word, _space, rest = re.sub(r"[=:\s]+|-(?=\d)", " ", text.strip()).partition(" ")
    word = SPELLINGS.get(word.lower(), word)
    found = {name: value_of(known()[name], word)}
    return found | ({number: value_of(known()[number], rest)} if rest else {})
