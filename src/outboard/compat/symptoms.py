"""What logs show, as data: ``data/symptoms.toml``, signs in single lines and symptoms made of signs."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from outboard.catalog.reader import read_toml, reject_unknown
from outboard.compat.rules import Confidence, Rule, one_of, rules
from outboard.errors import FileError
from outboard.i18n import _

Sure = Literal["certain", "likely", "possible"]
PATH = Path(__file__).parent / "data" / "symptoms.toml"
SHARED = ("cure", "source", "confidence")  # stand in the rule where there is one
NEEDED = ("id", "signs", "fault", "sure", "what", "cause", "failures")
KEYS = frozenset({*NEEDED, *SHARED, "without", "often", "rule", "hides", "risk"})


@dataclass(frozen=True, slots=True, eq=False)
class Symptom:
    """What several signs together mean. Texts are English; ``_`` translates them."""

    id: str
    signs: tuple[str, ...]
    without: tuple[str, ...]
    often: int
    fault: bool
    sure: Sure
    what: str
    cause: str
    cure: str
    risk: str
    source: tuple[str, ...]
    confidence: Confidence
    rule: str  # id of the rule that says the same of a machine, or empty
    hides: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signs:
    """Patterns of single lines by name, and one pattern that any of them matches."""

    by_name: dict[str, re.Pattern[str]]
    any: re.Pattern[str]

    def of(self, line: str) -> list[str]:
        """The names of all signs in ``line``; most lines hold none, which one look tells."""
        if self.any.search(line) is None:
            return []
        return [name for name, pattern in self.by_name.items() if pattern.search(line)]


@cache
def read(path: Path = PATH) -> tuple[Signs, tuple[Symptom, ...]]:
    """Read signs and symptoms. Raises :class:`FileError` naming file and key for anything it should not hold."""
    top = read_toml(path)
    reject_unknown(path, top, {"signs", "symptom"})
    signs = _signs(path, top.get("signs", {}))
    known = {rule.id: rule for rule in rules()}
    found = tuple(_symptom(path, table, signs, known) for table in top.get("symptom", []))
    names = {one.id for one in found}
    for one in found:
        _must_be_among(path, f"{one.id}.hides", one.hides, names)
    return signs, found


def _signs(path: Path, table: dict[str, Any]) -> Signs:
    texts = {name: given if isinstance(given, str) else "|".join(given) for name, given in table.items()}
    try:
        by_name = {name: re.compile(text, re.IGNORECASE) for name, text in texts.items()}
        return Signs(by_name, re.compile("|".join(f"(?:{text})" for text in texts.values()), re.IGNORECASE))
    except re.error as problem:
        text = _("is no pattern: {problem}").format(problem=problem)
        raise FileError(path, text, f"signs: {problem.pattern!r}") from problem


def _symptom(path: Path, table: dict[str, Any], signs: Signs, known: dict[str, Rule]) -> Symptom:
    where = str(table.get("id", "symptom"))
    reject_unknown(path, table, KEYS, where)
    if "rule" in table:
        _must_be_among(path, f"{where}.rule", (table["rule"],), known)
    rule = known.get(table.get("rule", ""))
    for key in (*NEEDED, *(() if rule else SHARED)):
        if key not in table:
            raise FileError(path, _("missing"), f"{where}.{key}")
    for key in ("signs", "without"):
        _must_be_among(path, f"{where}.{key}", table.get(key, ()), signs.by_name)
    return Symptom(
        id=where,
        signs=tuple(table["signs"]),
        without=tuple(table.get("without", ())),
        often=table.get("often", 1),
        fault=table["fault"],
        sure=one_of(path, table, "sure", get_args(Sure), where),
        what=table["what"],
        cause=table["cause"],
        cure=rule.cure if rule else table["cure"],
        risk=rule.risk if rule else table.get("risk", ""),
        source=rule.source if rule else tuple(table["source"]),
        confidence=rule.confidence if rule else one_of(path, table, "confidence", get_args(Confidence), where),
        rule=rule.id if rule else "",
        hides=tuple(table.get("hides", ())),
        failures=tuple(table["failures"]),
    )


def _must_be_among(path: Path, where: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            right = _("one of: {names}").format(names=", ".join(known))
            raise FileError(path, _("there is no '{name}'").format(name=name), where, right)
