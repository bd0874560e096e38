"""Places as a struct of arrays, so that one replay covers the whole catalogue."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from outboard.perf.collectives.fabric import fabric
from outboard.perf.input.facts import fact
from outboard.perf.input.pipeline import has_engine
from outboard.perf.input.transfer import link_rate
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.rates import memory_bandwidth, sustained_matrix, sustained_vector
from outboard.types.hardware import Device, Place
from outboard.types.trace import DTYPES, FloatArray, IntArray

# A device whose table lacks the size of its cache is given the smallest of its time [B].
SMALL_L2 = 2e6
WIDE_CROSSBAR = ("ampere-ga100", "hopper", "blackwell-gb100")
BEFORE_AMPERE = ("maxwell", "pascal", "volta", "turing")


@dataclass(frozen=True)
class DeviceArrays:
    """What the kernels need of each device. Scalars per device have shape (D,), rates have (D, len(DTYPES))."""

    matrix: FloatArray  # sustained rate of products by operand type, fallbacks applied [FLOP/s]
    tensor: FloatArray  # 1 where that rate is one of matrix units, else 0
    vector: FloatArray  # sustained rate of the ordinary units [FLOP/s]
    bandwidth: FloatArray  # [B/s]
    l2: FloatArray  # [B]
    units: FloatArray  # multiprocessors [1]
    clock: FloatArray  # [Hz]
    crossbar: (
        FloatArray  # bytes from the last-level cache for each multiprocessor and cycle, over those of other chips [1]
    )
    wide: FloatArray  # 1 where batched products on the ordinary units take full tiles only, else 0

    @classmethod
    def of(cls, devices: Sequence[Device], c: Coefficients | None = None) -> "DeviceArrays":
        """Read the facts of each device once. ``c`` replaces the coefficients that ship."""
        matrix = [[sustained_matrix(device, dtype, c) for dtype in DTYPES] for device in devices]
        return cls(
            matrix=np.array([[rate for rate, _ in row] for row in matrix]),
            tensor=np.array([[float(unit) for _, unit in row] for row in matrix]),
            vector=np.array([[sustained_vector(device, dtype) for dtype in DTYPES] for device in devices]),
            bandwidth=_facts([memory_bandwidth(device, c) for device in devices]),
            l2=_facts([device.l2.value if device.l2 else SMALL_L2 for device in devices]),
            units=_facts([device.units.value for device in devices]),
            clock=_facts([device.clock.value for device in devices]),
            crossbar=_facts([crossbar(device) for device in devices]),
            wide=_facts([float(has_wide_batches(device)) for device in devices]),
        )

    def __len__(self) -> int:
        return len(self.bandwidth)

    def take(self, index: IntArray | slice) -> "DeviceArrays":
        """The devices at ``index``."""
        return replace(self, **{item.name: getattr(self, item.name)[index] for item in fields(self)})


@dataclass(frozen=True)
class PlaceArrays:
    """Places, shape (P,) each; ``device`` says which row of ``devices`` (the distinct ones) each place has."""

    devices: DeviceArrays
    device: IntArray
    count: FloatArray  # devices at the place [1]
    link_h2d: FloatArray  # what the link leaves to each device [B/s]
    link_d2h: FloatArray  # [B/s]
    link_latency: FloatArray  # [s]
    tunnelled: FloatArray  # 1 where PCIe travels inside another protocol, else 0
    cores: FloatArray  # of the host [1]
    disk: FloatArray  # of the host [B/s]
    engines: FloatArray  # 1 where the device decodes images beside the step, else 0
    measured: FloatArray  # samples/s of one device with resident input, NaN where nobody measured it
    exchange_bandwidth: FloatArray  # of each device while all exchange [B/s]
    exchange_step: FloatArray  # one step of the ring for a message of no size [s]
    machines: FloatArray  # 1 where a network joins the devices, else 0

    @classmethod
    def of(cls, places: Sequence[Place], c: Coefficients | None = None) -> "PlaceArrays":
        """Collect the facts of the places; a device that several places share is kept once."""
        rows: dict[int, int] = {}
        distinct: list[Device] = []
        for place in places:
            if id(place.device) not in rows:
                rows[id(place.device)] = len(distinct)
                distinct.append(place.device)
        rings = [fabric(place) for place in places]
        return cls(
            devices=DeviceArrays.of(distinct, c),
            device=np.array([rows[id(place.device)] for place in places], dtype=np.int64),
            count=_facts([float(place.count) for place in places]),
            link_h2d=_facts([link_rate(place) for place in places]),
            link_d2h=_facts([link_rate(place, towards_host=True) for place in places]),
            link_latency=_facts([place.link.latency.value for place in places]),
            tunnelled=_facts([float(place.link.tunnelled) for place in places]),
            cores=_facts([(place.host.cores or fact("host.cores")).value for place in places]),
            disk=_facts([(place.host.disk or fact("host.disk")).value for place in places]),
            engines=_facts([float(has_engine(place.device.architecture)) for place in places]),
            measured=_facts([place.resident_rate or float("nan") for place in places]),
            exchange_bandwidth=_facts([ring.bandwidth for ring in rings]),
            exchange_step=_facts([ring.step for ring in rings]),
            machines=_facts([float(ring.way == "network") for ring in rings]),
        )

    def __len__(self) -> int:
        return len(self.device)


def crossbar(device: Device) -> float:
    """How much wider the way to the last-level cache is for each multiprocessor than on other chips [1].

    An A100 reads 5120 bytes a cycle with 108 multiprocessors, a V100 2048 with 80 (NVIDIA A100 white paper). The
    data-centre chips since are taken to be alike.
    """
    return 1.85 if device.architecture.startswith(WIDE_CROSSBAR) else 1.0


def has_wide_batches(device: Device) -> bool:
    """Whether cuBLAS runs batched fp32 products in tiles of 128 x 128 whatever their size: from Ampere on."""
    return device.vendor == "nvidia" and not device.architecture.startswith(BEFORE_AMPERE)


def _facts(values: list[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)
