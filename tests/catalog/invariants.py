"""What must hold of any device and any link, whoever wrote its file: inherit, and supply a fixture."""

from collections.abc import Iterator

from outboard.types.evidence import Fact
from outboard.types.hardware import Device, Link

VENDORS = {"nvidia", "amd", "intel", "apple", "cpu"}
KINDS = {"geforce", "consumer", "pro", "datacentre", "laptop", "cpu"}
FORMS = {"card", "module", "laptop", "integrated"}
MATRIX_TYPES = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"}
VECTOR_TYPES = {"fp64", "fp32", "fp16", "bf16", "int8"}


def facts_of(thing: Device | Link) -> Iterator[tuple[str, Fact]]:
    for name, value in vars(thing).items():
        if isinstance(value, Fact):
            yield name, value
        elif isinstance(value, dict):
            for key, fact in value.items():
                yield f"{name}.{key}", fact


def within(fact: Fact | None, least: float, most: float) -> bool:
    return fact is None or least <= fact.value <= most


class FactInvariants:
    """For a fixture ``thing``: each fact has a source, a positive value, and lies inside its own band."""

    def test_each_fact_has_a_source_and_a_band_around_it(self, thing: Device | Link) -> None:
        for name, fact in facts_of(thing):
            assert fact.source.strip(), name
            assert fact.value > 0, name
            assert (fact.low if fact.low is not None else fact.value) <= fact.value, name
            assert (fact.high if fact.high is not None else fact.value) >= fact.value, name


class DeviceInvariants(FactInvariants):
    """For a fixture ``thing`` that is a device: words from the contract, numbers of the right size."""

    def test_words(self, thing: Device) -> None:
        assert thing.vendor in VENDORS
        assert thing.kind in KINDS
        assert thing.form in FORMS
        assert set(thing.matmul) <= MATRIX_TYPES
        assert "fp32" in thing.vector
        assert set(thing.vector) <= VECTOR_TYPES

    def test_sizes(self, thing: Device) -> None:
        assert within(thing.memory, 1e9, 400e9)
        assert within(thing.memory_bandwidth, 50e9, 10e12)
        assert within(thing.units, 1, 1000)
        assert within(thing.clock, 0.5e9, 6e9)
        assert within(thing.l2, 0.2e6, 1e9)
        assert within(thing.tdp, 10, 2000)
        assert within(thing.vector["fp32"], 0.1e12, 400e12)
        assert within(thing.pcie_generation, 1, 6)
        assert within(thing.pcie_lanes, 1, 16)
        assert within(thing.length, 0.05, 0.5)

    def test_usable_memory_is_most_of_the_memory(self, thing: Device) -> None:
        assert thing.usable_memory is not None
        assert 0.85 <= thing.usable_memory.value / thing.memory.value < 1

    def test_narrower_types_are_not_slower(self, thing: Device) -> None:
        rates = [thing.matmul[name].value for name in ("tf32", "fp16", "fp8", "fp4") if name in thing.matmul]
        assert rates == sorted(rates)

    def test_old_nvidia_parts_have_no_bf16_and_no_fp8(self, thing: Device) -> None:
        if thing.vendor == "nvidia" and thing.compute_capability:
            generation = float(thing.compute_capability)
            assert ("bf16" in thing.matmul) <= (generation >= 8.0)
            assert ("fp8" in thing.matmul) <= (generation >= 8.9)
            assert bool(thing.matmul) <= (generation >= 7.0)


class LinkInvariants(FactInvariants):
    """For a fixture ``thing`` that is a link."""

    def test_rates_and_latency(self, thing: Link) -> None:
        assert within(thing.h2d, 0.1e9, 1e12)
        assert within(thing.d2h, 0.1e9, 1e12)
        assert within(thing.latency, 0.1e-6, 1e-3)

    def test_a_copy_is_no_faster_than_the_lanes(self, thing: Link) -> None:
        if thing.theoretical is not None:
            assert thing.h2d.value <= thing.theoretical.value
            assert thing.d2h.value <= thing.theoretical.value
