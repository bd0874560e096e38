"""Finds known symptoms, and what else a log says of the machine, in a kernel log or a pasted text."""

import re
from dataclasses import dataclass
from typing import Any

from outboard.compat.symptoms import Symptom, read

KERNEL = re.compile(r"Linux version (\d+\.\d+\S*)")
DRIVER = re.compile(r"NVIDIA UNIX (Open Kernel Module|\S+ Kernel Module).*?\s(\d{3}\.\d+(?:\.\d+)?)\s")
COMMAND_LINE = re.compile(r"[Cc]ommand line: (.*)|BOOT_IMAGE=(.*)")
SECURITY = re.compile(r"security level set to '(\w+)'|security: +(\w+)")
OFF = ("0", "false", "n", "off")
LONGEST = 4000  # a line beyond this is no log line


@dataclass(frozen=True, slots=True)
class Seen:
    """One symptom and the lines that show it, with their numbers from 1."""

    symptom: Symptom
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a text shows: symptoms, faults first; all signs; facts of the machine; how many lines it has."""

    symptoms: tuple[Seen, ...]
    seen: frozenset[str]
    facts: dict[str, Any]
    count: int

    @property
    def faults(self) -> tuple[Seen, ...]:
        """The symptoms that are faults."""
        return tuple(one for one in self.symptoms if one.symptom.fault)

    @property
    def rules(self) -> frozenset[str]:
        """The rules that say the same of a machine."""
        return frozenset(one.symptom.rule for one in self.symptoms)


def diagnose(text: str) -> Diagnosis:
    """Look for everything that is known in ``text``.

    >>> found = diagnose("NVRM: Xid (PCI:0000:09:00): 79, pid=1, GPU has fallen off the bus.")
    >>> found.symptoms[0].symptom.id, found.symptoms[0].lines[0][0]
    ('gpu-lost', 1)
    """
    signs, symptoms = read()
    where: dict[str, list[tuple[int, str]]] = {}
    facts: dict[str, Any] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        short = line[:LONGEST]
        facts |= _facts(short)
        for name in signs.of(short):
            where.setdefault(name, []).append((number, short.strip()))
    shown = [_seen(one, where) for one in symptoms if _shows(one, where)]
    hidden = {name for one in shown for name in one.symptom.hides}
    kept = sorted((one for one in shown if one.symptom.id not in hidden), key=_weight)
    return Diagnosis(tuple(kept), frozenset(where), facts, len(lines))


def _shows(symptom: Symptom, where: dict[str, list[tuple[int, str]]]) -> bool:
    here = all(len(where.get(name, ())) >= symptom.often for name in symptom.signs)
    return here and not any(name in where for name in symptom.without)


def _seen(symptom: Symptom, where: dict[str, list[tuple[int, str]]]) -> Seen:
    lines = {line for name in symptom.signs for line in where[name]}
    return Seen(symptom, tuple(sorted(lines)))


def _weight(one: Seen) -> tuple[bool, int]:
    """Faults first, then what came first in the text."""
    return (not one.symptom.fault, one.lines[0][0])


def _facts(line: str) -> dict[str, Any]:
    """What one line says of the machine."""
    if match := KERNEL.search(line):
        return {"os": "linux", "kernel": match[1]}
    if match := DRIVER.search(line):
        flavour = "open" if match[1].startswith("Open") else "proprietary"
        return {"gpu_vendor": "nvidia", "driver": match[2], "driver_flavour": flavour}
    if match := COMMAND_LINE.search(line):
        return _parameters(match[1] or match[2])
    if match := SECURITY.search(line):
        return {"tb_security": match[1] or match[2]}
    return {}


def _parameters(command_line: str) -> dict[str, Any]:
    """What the kernel was started with.

    >>> _parameters("quiet thunderbolt.host_reset=false intel_iommu=off")
    {'tb_host_reset': False, 'iommu': 'off'}
    """
    given = dict(word.split("=", 1) for word in command_line.split() if "=" in word)
    found: dict[str, Any] = {}
    for name in ("host_reset", "clx"):
        if (value := given.get(f"thunderbolt.{name}")) is not None:
            found[f"tb_{name}"] = value.lower() not in OFF
    iommu = given.get("iommu") or given.get("intel_iommu") or given.get("amd_iommu")
    if iommu in ("off", "pt", "on"):
        found["iommu"] = iommu
    return found
