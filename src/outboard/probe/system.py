"""The system and the computer: Linux from its files, elsewhere what Python knows."""

import re
from dataclasses import dataclass
from typing import Any

from outboard.probe.source import Source

DMI = "/sys/class/dmi/id"
OFF = ("0", "n", "no", "off", "false")
STRIX_HALO = re.compile(r"RYZEN AI MAX", re.IGNORECASE)
HYPERVISOR = re.compile(r"^flags\s*:.*\bhypervisor\b", re.MULTILINE)
# What must stand in the names of maker and model, where that is not the parts of the family's id.
MODELS = {
    "dell-latitude-precision": ("dell", "latitude|precision"),
    "steam-deck": ("valve", "jupiter|galileo"),
    "asus-rog-ally-x": ("asus", "rog", "ally", "x"),
}


@dataclass(frozen=True, slots=True)
class System:
    """What is known of the computer but for its GPUs. ``host`` is an id of the catalogue or empty."""

    name: str  # as the maker calls it
    host: str
    processor: str
    memory: float | None  # [B]
    container: bool
    facts: dict[str, Any]  # as rules ask for them


def read(source: Source) -> System:
    """Look at the computer."""
    release = source.text("/proc/sys/kernel/osrelease")
    facts: dict[str, Any] = {}
    if release:
        facts |= {"os": "wsl2" if "microsoft" in release.lower() else "linux", "kernel": release}
    else:
        facts |= _elsewhere(source)
    cpu = source.text("/proc/cpuinfo")
    processor = _after(cpu, "model name") or _after(cpu, "Model")
    facts |= _processor(cpu, processor) | _parameters(source)
    if bios := source.text(f"{DMI}/bios_version"):
        facts["bios"] = bios
    seen = any(source.target(path) for path in ("/.dockerenv", "/run/.containerenv"))
    maker = " ".join(source.text(f"{DMI}/{name}") for name in ("sys_vendor", "product_version", "product_name"))
    host = _family(maker, facts)
    if host:
        facts.pop("host_kind", None)  # the family says it
    return System(
        name=" ".join(dict.fromkeys(maker.split())),
        host=host,
        processor=processor,
        memory=_memory(source.text("/proc/meminfo")),
        container=seen,
        facts={name: value for name, value in facts.items() if value is not None},
    )


def _elsewhere(source: Source) -> dict[str, Any]:
    """What Python tells of macOS and Windows."""
    name, release, machine = [*source.output("platform").split(), "", "", ""][:3]
    system = {"darwin": "macos", "win32": "windows"}.get(name)
    if system is None:
        return {}
    cpu = "apple" if machine == "arm64" else "intel"
    kind = {"host_kind": "apple-silicon" if cpu == "apple" else "intel-mac", "host_cpu": cpu}
    return {"os": system, "os_version": release.replace("?", "") or None} | (kind if system == "macos" else {})


def _family(maker: str, facts: dict[str, Any]) -> str:
    """Return the family of hosts that the names of maker and model speak of."""
    from outboard import catalog

    if facts.get("os") == "macos":
        return "apple-silicon" if facts["host_cpu"] == "apple" else "apple-intel"
    if "Apple" in maker:
        return "apple-intel" if facts.get("host_cpu") == "intel" else "apple-silicon"
    words = re.sub(r"[^a-z0-9]+", " ", maker.lower())
    fitting = [one.id for one in catalog.hosts() if _fits(one.id, words, facts.get("host_cpu"))]
    return max(fitting, key=len, default="")


def _fits(host: str, words: str, cpu: str | None) -> bool:
    maker, *model = host.split("-")
    if model and model[-1] in ("amd", "intel") and model.pop() != cpu:
        return False
    parts = MODELS.get(host) or (maker, *model)
    return len(parts) > 1 and all(re.search(rf"\b(?:{part})", words) for part in parts)


def _processor(cpu: str, name: str) -> dict[str, Any]:
    maker = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}.get(_after(cpu, "vendor_id"))
    if not name:
        return {}
    chip = "strix-halo" if STRIX_HALO.search(name) else "other"
    kind = {"host_kind": "pc"} if maker else {}  # a Mac is told apart by its maker, and has the last word
    return {"host_cpu": maker, "host_chip": chip, "vm": bool(HYPERVISOR.search(cpu)), **kind}


def _parameters(source: Source) -> dict[str, Any]:
    """What the kernel's modules were loaded with, and how it was started."""
    found: dict[str, Any] = {}
    for name in ("host_reset", "clx"):
        if value := source.text(f"/sys/module/thunderbolt/parameters/{name}"):
            found[f"tb_{name}"] = value.lower() not in OFF
    given = dict(word.split("=", 1) for word in source.text("/proc/cmdline").split() if "=" in word)
    iommu = given.get("iommu") or given.get("intel_iommu") or given.get("amd_iommu")
    if iommu in ("on", "pt", "off"):
        found["iommu"] = iommu
    if "nvidia_drm" in source.names("/sys/module"):
        found["nvidia_drm"] = True
    return found


def _memory(meminfo: str) -> float | None:
    match = re.search(r"MemTotal:\s+(\d+) kB", meminfo)
    return float(match[1]) * 1024 if match else None


def _after(text: str, key: str) -> str:
    match = re.search(rf"^{key}\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else ""
