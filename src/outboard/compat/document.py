"""What ``outboard doctor`` found, as plain dictionaries for JSON. Keys and words are stable and never translated."""

from typing import Any

from outboard.compat.diagnose import Diagnosis, Seen
from outboard.compat.machine import Machine, known
from outboard.compat.verdict import Finding, Verdict

Document = dict[str, Any]


def document(answer: Verdict | None, log: Document | None = None) -> Document:
    """The whole document. Without a machine there is no verdict, without a log no symptoms; ``here`` is for probes."""
    return {
        "verdict": answer.outcome if answer else None,
        "missing": list(answer.missing) if answer else [],
        "machine": machine(answer.machine) if answer else {},
        "assumed": list(answer.machine.assumed) if answer else [],
        "findings": [finding(one) for one in (*answer.findings, *answer.open)] if answer else [],
        "log": log,
        "here": None,
    }


def machine(described: Machine) -> Document:
    """What is known of the machine, in SI units; unknown facts are left out."""
    values = {name: getattr(described, name) for name in known() if name != "seen"}
    found = {name: value for name, value in values.items() if value is not None}
    return found | ({} if described.seen is None else {"seen": sorted(described.seen)})


def finding(one: Finding) -> Document:
    """One rule that applies, or that may apply: then ``applies`` is null and ``missing`` says what decides."""
    rule = one.rule
    return {
        "rule": rule.id,
        "consequence": rule.consequence,
        "applies": one.applies,
        "missing": list(one.missing),
        "why": rule.why,
        "cure": rule.cure,
        "risk": rule.risk,
        "confidence": rule.confidence,
        "source": list(rule.source),
    }


def log(found: Diagnosis, file: str) -> Document:
    """What a log shows."""
    return {
        "file": file,
        "lines": found.count,
        "verdict": "fault" if found.faults else ("no fault" if found.symptoms else "nothing known"),
        "symptoms": [symptom(one) for one in found.symptoms],
    }


def symptom(one: Seen) -> Document:
    """One symptom with the lines that show it."""
    kind = one.symptom
    return {
        "symptom": kind.id,
        "fault": kind.fault,
        "sure": kind.sure,
        "what": kind.what,
        "cause": kind.cause,
        "cure": kind.cure,
        "risk": kind.risk,
        "rule": kind.rule or None,
        "confidence": kind.confidence,
        "source": list(kind.source),
        "lines": [{"number": number, "text": text} for number, text in one.lines],
    }
