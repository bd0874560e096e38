"""A machine put together from the catalogue: what follows from host, device, link and box, and what is assumed."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from outboard.catalog.architectures import architectures
from outboard.catalog.reader import read_toml
from outboard.compat import frameworks
from outboard.compat.boxes import margins
from outboard.compat.machine import Machine
from outboard.types.hardware import Device, Enclosure, Host, Link

HOSTS = Path(__file__).parent / "data" / "hosts.toml"
BESIDE = frozenset({"oculink", "usb", "proprietary", "m2", "legacy"})  # kinds of link that leave the computer's slots
USB4_CONTROLLERS = frozenset({"ctl-asm2464pd", "ctl-asm4242", "ctl-amd-usb4"})
TUNNEL_RATE = {"tb1": 10, "tb2": 20, "tb3-x2": 20, "usb4-20": 20, "tb3": 40, "tb4": 40, "usb4-40": 40} | {
    "tb5": 80,
    "usb4v2-80": 80,
}  # of the cable [Gb/s]
CURRENT_MACOS = "26"  # the last that runs on both kinds of Mac


def assemble(
    host: Host | None = None,
    device: Device | None = None,
    link: Link | None = None,
    enclosure: Enclosure | None = None,
    *,
    count: int = 1,
    **stated: Any,
) -> Machine:
    """Return the machine of these parts; ``stated`` holds fields of :class:`Machine` and has the last word.

    What is not stated is derived where it follows, assumed where everybody has it (``assumed`` names it), else None.
    """
    fields: dict[str, Any] = {}
    if host is not None:
        fields |= _host(host, link)
    if device is not None:
        fields |= _device(device) | {"gpu_count": float(count)}
    if link is not None:
        fields |= _link(link)
    if enclosure is not None:
        fields |= margins(enclosure, device)
    fields |= {name: value for name, value in stated.items() if value is not None}
    taken = _assumed(fields)
    fields |= taken
    return Machine(**(_software(fields) | fields), assumed=tuple(taken))


def seeing(machine: Machine, signs: frozenset[str], facts: Mapping[str, Any]) -> Machine:
    """The same machine with symptoms that a log shows, and with what it says where nobody has stated anything."""
    open_ = {name: value for name, value in facts.items() if getattr(machine, name) is None or name in machine.assumed}
    return replace(
        machine,
        **open_,
        seen=(machine.seen or frozenset()) | signs,
        assumed=tuple(name for name in machine.assumed if name not in open_),
    )


def family(architecture: str) -> str:
    """The generation that an architecture of the catalogue belongs to.

    >>> family("ampere-ga10x"), family("gcn-4.0"), family("gcn-5.1"), family("rdna3")
    ('ampere', 'gcn4', 'vega', 'rdna3')
    """
    name, _dash, rest = architecture.partition("-")
    if name != "gcn":
        return name
    return "vega" if rest.startswith("5") else f"gcn{rest[:1]}"


@cache
def host_facts() -> dict[str, dict[str, str]]:
    """What ``data/hosts.toml`` says of families of hosts."""
    return read_toml(HOSTS)


def _host(host: Host, link: Link | None) -> dict[str, Any]:
    known = host_facts().get(host.id, {})
    return {
        "host": host.id,
        "host_kind": known.get("kind", "pc"),
        "host_cpu": known.get("cpu"),
        "host_chip": known.get("chip"),
        "host_tunnels": any(name in TUNNEL_RATE for name in host.links),
        "host_has_link": None if link is None else _has(host, link),
    }


def _has(host: Host, link: Link) -> bool | None:
    """Whether some port is of this link or of a faster one that takes it; unknown for what is no port."""
    if link.id in host.links:
        return True
    rate = TUNNEL_RATE.get(link.id)
    if rate is not None:
        return any(TUNNEL_RATE.get(name, 0) >= rate for name in host.links)
    if link.kind == "oculink":
        return any(name.startswith("oculink") for name in host.links)
    return False if link.kind == "proprietary" else None


def _device(device: Device) -> dict[str, Any]:
    known = device.architecture in architectures()
    return {
        "gpu": device.id,
        "gpu_vendor": device.vendor,
        "gpu_family": family(device.architecture),
        "gpu_kind": device.kind,
        "gpu_bf16": ("bf16" in device.matmul or "bf16" in device.vector) if known else None,
        "gpu_shares_memory": device.form == "integrated",
        "compute_capability": device.compute_capability or None,
    }


def _link(link: Link) -> dict[str, Any]:
    kind = link.kind
    if kind == "controller":
        kind = "usb4" if link.id in USB4_CONTROLLERS else "thunderbolt"
    maker = "asmedia" if link.id == "ctl-asm2464pd" else None
    return {
        "link": link.id,
        "link_kind": kind,
        "link_tunnelled": link.tunnelled,
        "external": link.tunnelled or kind in BESIDE,
    } | ({"dock_maker": maker} if maker else {})


def _assumed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What everybody has who says nothing else: a Mac runs macOS, a kernel its own defaults."""
    taken: dict[str, Any] = {"framework": "pytorch", "vm": False}
    if fields.get("host_kind") in ("apple-silicon", "intel-mac"):
        taken["os"] = "macos"
    system = fields.get("os") or taken.get("os")
    if system == "macos":
        taken["os_version"] = CURRENT_MACOS
    if system == "linux":
        taken |= {"tb_host_reset": True, "tb_clx": True, "gsp": True}
        if fields.get("gpu_family") == "blackwell":
            taken["driver_flavour"] = "open"
    return {name: value for name, value in taken.items() if name not in fields}


def _software(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from versions and the GPU together."""
    vendor, os, cuda = fields.get("gpu_vendor"), fields.get("os"), fields.get("cuda")
    if vendor == "nvidia":
        capability = fields.get("compute_capability") or ""
        runs = frameworks.build_runs(fields.get("framework_version"), cuda, capability)
        return {
            "gpu_in_build": runs if fields.get("framework") == "pytorch" else None,
            "driver_runs_cuda": frameworks.driver_runs(fields.get("driver"), cuda, os),
        }
    if vendor == "amd" and "gpu_family" in fields:
        return {"rocm_listed": frameworks.rocm_listed(fields["gpu_family"], fields.get("gpu_kind", ""), os)}
    return {}
