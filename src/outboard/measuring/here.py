"""``--on cpu`` and ``--on here``: this machine's processor as a device, with what was measured of it."""

from outboard import catalog
from outboard.i18n import _
from outboard.measuring.machine import Machine, this
from outboard.store import Store
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device, Place
from outboard.types.measured import Figure

BANDWIDTH = 20e9  # of two channels of DDR4, about half of what their data sheet says [B/s]


def place_here(store: Store | None = None, measured: bool = True) -> Place:
    """This machine's processor; with ``measured`` False as if nothing had been measured yet."""
    machine = this()
    figures = (store or Store()).figures(machine.key) if measured else {}
    return Place("cpu", device(machine, figures), 1, catalog.link("host-memory"))


def device(machine: Machine, figures: dict[str, Figure]) -> Device:
    """The device that the figures describe; what was not measured is assumed, and says so."""
    measured = {name: fact(figure) for name, figure in figures.items()}
    source = f"/proc/cpuinfo: {machine.name}"
    peak = Fact(machine.peak, "FLOP/s", f"{source}; cores x clock x 32 or 64 FLOP", Evidence.ASSUMED)
    bandwidth = Fact(BANDWIDTH, "B/s", "two channels of DDR4", Evidence.ASSUMED, BANDWIDTH / 2, BANDWIDTH * 2)
    single = measured.get("matmul.fp32", peak)
    memory = Fact(machine.memory, "B", "/proc/meminfo", Evidence.DATASHEET)
    types = ("fp32", "fp16", "bf16")
    return Device(
        id="cpu",
        name=machine.processor,
        vendor="cpu",
        architecture="cpu",
        kind="cpu",
        memory=memory,
        memory_bandwidth=measured.get("memory.bandwidth", bandwidth),
        units=Fact(float(machine.cores), "1", source, Evidence.DATASHEET),
        clock=Fact(machine.clock, "Hz", source, Evidence.DATASHEET),
        l2=None,
        tdp=None,
        matmul={"fp32": single} | {name: measured[f"matmul.{name}"] for name in types if f"matmul.{name}" in measured},
        vector={"fp32": single},
        pcie_generation=None,
        pcie_lanes=None,
        usable_memory=memory,
        form="integrated",
        measured=measured,
    )


def fact(figure: Figure) -> Fact:
    """A figure as the forecast wants it."""
    source = _("measured here on {date}, {count} repetitions").format(date=figure.date, count=figure.repetitions)
    return Fact(figure.value, figure.unit, source, Evidence.MEASURED_HERE, figure.low, figure.high)
