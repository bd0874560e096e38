"""Opens one TOML table of facts strictly: every key is asked for by name, and a key nobody asked for is an error.

A fact is written as people write it, with a key of the file's ``[sources]`` table::

    [sources]
    spec = { text = "vendor specification", evidence = "datasheet" }

    [facts]
    memory = { value = "24 GiB", source = "spec" }

``evidence``, ``low``, ``high`` and ``note`` may be given per fact; a fact without ``evidence`` has that of its source.
"""

import tomllib
from pathlib import Path
from typing import Any, cast

from outboard.errors import FileError, UnitError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.units import parse

DATA = Path(__file__).parent / "data"
EVIDENCE = {level.label: level for level in Evidence}
FACT_KEYS = frozenset({"value", "source", "evidence", "low", "high", "note"})
SOURCE_KEYS = frozenset({"text", "evidence"})


def read_toml(path: Path) -> dict[str, Any]:
    """Return the parsed file. Raises :class:`FileError` for a file that is missing or not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise FileError(path, _("cannot be read: {problem}").format(problem=problem.strerror)) from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise FileError(path, _("is not TOML: {problem}").format(problem=problem)) from problem


def reject_unknown(path: Path, table: dict[str, Any], allowed: frozenset[str] | set[str], where: str = "") -> None:
    """Raise :class:`FileError` naming the path and the first key of ``table`` that is not in ``allowed``."""
    for key in table:
        if key not in allowed:
            right = _("known keys: {keys}").format(keys=", ".join(sorted(allowed)))
            raise FileError(path, _("unknown key"), f"{where}.{key}" if where else key, right)


class Table:
    """One opened file. Take what is known with the methods below, then call :meth:`close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._top = read_toml(path)
        self._sources = self._top.pop("sources", {})
        self._facts: dict[str, Any] = self._top.pop("facts", {})
        for key, source in self._sources.items():
            self._check_table(source, SOURCE_KEYS, f"sources.{key}")

    def text(self, key: str, default: str | None = None) -> str:
        """Take a text. Without ``default`` the key must be there."""
        if key not in self._top:
            if default is None:
                raise FileError(self.path, _("missing"), key)
            return default
        value = self._top.pop(key)
        if not isinstance(value, str):
            raise FileError(self.path, _("must be a text"), key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of texts, empty when absent."""
        value = self._top.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[object]", value)):
            raise FileError(self.path, _("must be a list of texts"), key)
        return tuple(cast("list[str]", value))

    def flag(self, key: str) -> bool:
        """Take true or false, false when absent."""
        value = self._top.pop(key, False)
        if not isinstance(value, bool):
            raise FileError(self.path, _("must be true or false"), key)
        return value

    def fact(self, key: str, dimension: str) -> Fact:
        """Take a fact that must be there, in the SI unit of ``dimension``."""
        found = self.optional_fact(key, dimension)
        if found is None:
            raise FileError(self.path, _("missing"), f"facts.{key}")
        return found

    def optional_fact(self, key: str, dimension: str) -> Fact | None:
        """Take a fact, or None when the file does not hold it."""
        raw = self._facts.pop(key, None)
        return None if raw is None else self._fact(f"facts.{key}", raw, dimension)

    def rates(self, key: str) -> dict[str, Fact]:
        """Take a sub-table of rates by number type; "int8" counts operations, the others floating-point ones."""
        table = self._facts.pop(key, {})
        if not isinstance(table, dict):
            raise FileError(self.path, _("must be a table of rates by number type"), f"facts.{key}")
        rates = cast("dict[str, Any]", table)
        return {
            name: self._fact(f"facts.{key}.{name}", raw, "OP/s" if name == "int8" else "FLOP/s")
            for name, raw in rates.items()
        }

    def close(self) -> None:
        """Raise :class:`FileError` if the file holds a key that nobody took."""
        reject_unknown(self.path, self._top, set())
        reject_unknown(self.path, self._facts, set(), "facts")

    def _fact(self, key: str, raw: object, dimension: str) -> Fact:
        table = self._check_table(raw, FACT_KEYS, key)
        if "value" not in table or "source" not in table:
            raise FileError(self.path, _("a fact needs a value and a source"), key, _("see docs/add-a-device.md"))
        source = self._sources.get(table["source"])
        if source is None:
            raise FileError(self.path, _("'{key}' is not in [sources]").format(key=table["source"]), f"{key}.source")
        return Fact(
            value=self._number(key, table, "value", dimension),
            unit=dimension,
            source=source["text"],
            evidence=self._evidence(key, table.get("evidence", source.get("evidence"))),
            low=self._number(key, table, "low", dimension) if "low" in table else None,
            high=self._number(key, table, "high", dimension) if "high" in table else None,
            note=table.get("note", ""),
        )

    def _check_table(self, raw: object, allowed: frozenset[str], key: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise FileError(self.path, _("must be a table"), key, "{ " + " = …, ".join(sorted(allowed)) + " = … }")
        table = cast("dict[str, Any]", raw)
        reject_unknown(self.path, table, allowed, key)
        return table

    def _number(self, key: str, table: dict[str, Any], which: str, dimension: str) -> float:
        try:
            return parse(table[which], dimension)
        except (UnitError, TypeError) as problem:
            raise FileError(self.path, str(problem), f"{key}.{which}") from problem

    def _evidence(self, key: str, label: object) -> Evidence:
        if label not in EVIDENCE:
            right = _("one of: {levels}").format(levels=", ".join(EVIDENCE))
            raise FileError(self.path, _("unknown evidence '{label}'").format(label=label), f"{key}.evidence", right)
        return EVIDENCE[cast("str", label)]
