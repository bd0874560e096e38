"""Everything that can be told of a computer, put together."""

import re
from dataclasses import dataclass
from typing import Any

from outboard.probe import names, pci, system, thunderbolt
from outboard.probe.source import Live, Source
from outboard.types.hardware import Device

MODULE = re.compile(r"NVRM version: NVIDIA UNIX (Open )?.*?\s(\d{3}\.\d+(?:\.\d+)?)\s")
CUDA_TAG = re.compile(r"\+cu(\d\d)(\d)$")
PCIE_LANES = (1, 2, 4, 8, 16)
NEWEST_PCIE = 5


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU with its name, its device and link of the catalogue where they are known, and facts for rules."""

    gpu: pci.Gpu
    name: str
    device: Device | None
    link: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen. ``log`` is the kernel's log since start-up, empty where it may not be read."""

    system: system.System
    chain: thunderbolt.Chain
    cards: tuple[Card, ...]
    facts: dict[str, Any]
    log: str

    @property
    def gpus(self) -> tuple[pci.Gpu, ...]:
        """The GPUs on the bus."""
        return tuple(card.gpu for card in self.cards)

    @property
    def waiting(self) -> str:
        """The link of a box that nobody has authorised, whose card therefore does not show; else empty."""
        if all(box.authorized is not False for box in self.chain.boxes):
            return ""
        return self.chain.link(self.facts.get("host_cpu") == "intel")

    @property
    def main(self) -> Card | None:
        """The card that a verdict is about: an external one before others, and one for computing before the rest."""
        order = sorted(self.cards, key=lambda card: (not card.gpu.tunnelled, card.device is None))
        return order[0] if order else None


def look(source: Source | None = None) -> Sight:
    """Look at the running system, or at what ``source`` recorded."""
    source = source or Live()
    computer, chain = system.read(source), thunderbolt.read(source)
    intel = computer.facts.get("host_cpu") == "intel"
    cards = tuple(_card(source, gpu, chain, intel) for gpu in pci.read(source))
    facts = {**computer.facts, **chain.facts, **_module(source), **_framework(source)}
    return Sight(computer, chain, cards, facts, source.output("journal") or source.output("dmesg"))


def _card(source: Source, gpu: pci.Gpu, chain: thunderbolt.Chain, intel: bool) -> Card:
    name, told = names.said(source, gpu)
    facts: dict[str, Any] = {"gpu_vendor": gpu.vendor}
    facts |= {key: told[key] for key in ("driver", "persistence") if key in told}
    if gpu.rebar is not None:
        facts["rebar"] = gpu.rebar
    link = chain.link(intel) if gpu.tunnelled else _slot(gpu)
    found = names.device(name, gpu.memory or told.get("memory")) if name else None
    return Card(gpu, name, found, link, facts)


def _slot(gpu: pci.Gpu) -> str:
    """The link of the catalogue that card and slot make together; an OCuLink cable looks the same."""
    if gpu.generation is None or gpu.lanes not in PCIE_LANES:
        return ""
    return f"pcie{min(gpu.generation, NEWEST_PCIE)}-x{gpu.lanes}"


def _module(source: Source) -> dict[str, Any]:
    """The version of NVIDIA's kernel module and which of the two it is."""
    match = MODULE.search(source.text("/proc/driver/nvidia/version"))
    return {"driver": match[2], "driver_flavour": "open" if match[1] else "proprietary"} if match else {}


def _framework(source: Source) -> dict[str, Any]:
    """The PyTorch that is installed beside this program."""
    installed = source.output("torch").strip()
    if not installed:
        return {}
    tag = CUDA_TAG.search(installed)
    cuda = {"cuda": f"{tag[1]}.{tag[2]}"} if tag else {}
    return {"framework": "pytorch", "framework_version": installed.partition("+")[0], **cuda}
