"""The machine that rules are asked about: what it is, how it is set up, what was seen on it. None is unknown.

Each field says how it is compared, which question settles it, and whether a plan of a machine settles it already
(``stated``) or only a look at the real one does (``found``). Only what can be stated leaves a verdict undecided.
"""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal

Kind = Literal["text", "version", "number", "flag", "signs"]
SYSTEMS = ("linux", "windows", "macos", "wsl2")
VENDORS = ("nvidia", "amd", "intel", "apple", "cpu")
HOST_KINDS = ("pc", "apple-silicon", "intel-mac")
FLAVOURS = ("open", "proprietary")
FRAMEWORKS = ("pytorch", "tinygrad", "jax", "tensorflow", "llama.cpp", "mlx")
SECURITY = ("none", "user", "secure", "dponly", "usbonly", "nopcie")


def _field(kind: Kind, ask: str = "", values: tuple[str, ...] = (), stated: bool = False) -> Any:
    meaning = {"kind": kind, "ask": ask, "values": values, "stated": stated}
    return field(default=None, metadata=meaning)


def _plan(kind: Kind, ask: str = "", values: tuple[str, ...] = ()) -> Any:
    return _field(kind, ask, values, stated=True)


@dataclass(frozen=True)
class Machine:
    """A computer with a GPU on a link. Build it with :func:`outboard.compat.machine`; quantities are in SI units."""

    os: str | None = _plan("text", values=SYSTEMS)
    os_version: str | None = _plan("version", "os")
    vm: bool | None = _plan("flag", "os")  # runs as a guest, the card passed through

    host: str | None = _plan("text")  # id of the catalogue
    host_kind: str | None = _plan("text", "host", HOST_KINDS)
    host_cpu: str | None = _field("text", "host", ("intel", "amd", "apple", "arm"))
    host_chip: str | None = _field("text", values=("strix-halo", "other"))
    host_t2: bool | None = _field("flag")  # an Intel Mac with Apple's T2 chip
    host_tunnels: bool | None = _plan("flag", "host")  # some port carries PCIe through Thunderbolt or USB4
    host_has_link: bool | None = _field("flag", "host")  # the family has a port of this link, or a faster one
    bios: str | None = _field("version")

    gpu: str | None = _plan("text")
    gpu_vendor: str | None = _plan("text", "gpu", VENDORS)
    gpu_family: str | None = _plan("text", "gpu")  # "ampere", "rdna3", "gcn4", "xe2", ...
    gpu_kind: str | None = _plan("text", "gpu", ("geforce", "consumer", "pro", "datacentre", "laptop", "cpu"))
    gpu_count: float | None = _field("number")
    gpu_bf16: bool | None = _field("flag", "gpu")  # computes bf16 without emulation
    gpu_shares_memory: bool | None = _field("flag", "gpu")  # has no memory of its own
    compute_capability: str | None = _field("version", "gpu")
    rocm_listed: bool | None = _field("flag", "gpu")  # on ROCm's list for this operating system

    link: str | None = _plan("text")
    link_kind: str | None = _plan("text", "link")
    link_tunnelled: bool | None = _plan("flag", "link")
    external: bool | None = _plan("flag", "link")
    tunnel_rate: float | None = _field("number")  # negotiated, lanes x rate of a lane [bit/s]
    measured_h2d: float | None = _field("number")  # pinned copies under load [B/s]
    chain_shared: bool | None = _field("flag")  # displays, disks or Ethernet on the same chain

    enclosure: str | None = _field("text")
    dock_maker: str | None = _field("text", "enclosure", ("intel", "asmedia", "none"))  # of the dock's controller
    supply_margin: float | None = _field("number", "enclosure")  # supply - 1.5 x board power - 50 W [W]
    power_margin: float | None = _field("number", "enclosure")  # what the box gives a card - its board power [W]
    length_margin: float | None = _field("number", "enclosure")  # room for a card - its length [m]
    slot_margin: float | None = _field("number", "enclosure")

    kernel: str | None = _field("version")
    driver: str | None = _field("version")
    driver_flavour: str | None = _field("text", values=FLAVOURS)  # of NVIDIA's kernel modules
    driver_mode: str | None = _field("text", values=("wddm", "mcdm", "tcc"))
    driver_runs_cuda: bool | None = _field("flag", "driver")  # new enough for the CUDA that the framework brings
    framework: str | None = _plan("text", values=FRAMEWORKS)
    framework_version: str | None = _field("version")
    cuda: str | None = _field("version")  # CUDA that the framework was built for
    gpu_in_build: bool | None = _field("flag", "framework_version")  # the build holds code for this GPU
    precision: str | None = _field("text")

    tb_security: str | None = _field("text", values=SECURITY)
    tb_authorized: bool | None = _field("flag")
    tb_host_reset: bool | None = _field("flag")
    tb_clx: bool | None = _field("flag")
    iommu_dma_protection: bool | None = _field("flag")
    iommu: str | None = _field("text", values=("on", "pt", "off"))
    preboot_modules: bool | None = _field("flag")
    rebar: bool | None = _field("flag")
    gsp: bool | None = _field("flag")  # NVIDIA's firmware processor in use
    nvidia_drm: bool | None = _field("flag")  # the desktop may draw on the card
    persistence: bool | None = _field("flag")

    seen: frozenset[str] | None = _field("signs")  # symptoms; not seeing one proves nothing
    assumed: tuple[str, ...] = field(default=(), metadata={"kind": None})  # fields that nobody stated


@dataclass(frozen=True, slots=True)
class Known:
    """What a field means to a rule."""

    name: str
    kind: Kind
    ask: str  # the field that a person would state to settle this one
    values: tuple[str, ...]
    stated: bool


@cache
def known() -> dict[str, Known]:
    """Every field that a condition may name."""
    found = [(one.name, one.metadata) for one in fields(Machine) if one.metadata["kind"]]
    return {name: Known(name, m["kind"], m["ask"] or name, m["values"], m["stated"]) for name, m in found}
