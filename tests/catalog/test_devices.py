"""Rates, memory and the ways from one to the other."""

import pytest

from outboard.catalog import device, devices
from outboard.types.evidence import Evidence

GEFORCE_WITH_TENSOR_CORES = [known for known in devices() if known.kind == "geforce" and known.matmul]
PRO = ["rtx-a6000", "rtx-6000-ada", "titan-rtx", "a10", "l4", "t4", "a100-sxm4-40gb", "h100-sxm5-80gb"]


@pytest.mark.parametrize("known", GEFORCE_WITH_TENSOR_CORES, ids=lambda known: known.id)
def test_geforce_halves_its_rate_with_fp32_accumulation(known) -> None:
    assert known.matmul_fp16_accumulate is not None
    assert known.matmul["fp16"].value == pytest.approx(known.matmul_fp16_accumulate.value / 2, rel=0.01)


@pytest.mark.parametrize("name", PRO)
def test_other_parts_do_not(name: str) -> None:
    known = device(name)
    assert known.matmul_fp16_accumulate is not None
    assert known.matmul["fp16"].value == known.matmul_fp16_accumulate.value


def test_geforce_fp8_is_counted_with_fp32_accumulation() -> None:
    assert device("rtx-4090").matmul["fp8"].value == pytest.approx(330.3e12)
    assert "fp16 accumulate" in device("rtx-4090").matmul["fp8"].note


@pytest.mark.parametrize(
    ("name", "kind", "ratio"),
    [
        ("gtx-1080-ti", "fp16", 1 / 64),
        ("gtx-1080-ti", "fp64", 1 / 32),
        ("p100-pcie-16gb", "fp16", 2),
        ("v100-sxm2-16gb", "fp64", 1 / 2),
        ("t4", "fp16", 2),
        ("a100-sxm4-40gb", "fp16", 4),
        ("a100-sxm4-40gb", "bf16", 2),
        ("rtx-3090", "fp16", 1),
        ("rtx-3090", "fp64", 1 / 64),
        ("h100-sxm5-80gb", "fp64", 1 / 2),
    ],
)
def test_vector_rates_follow_the_architecture(name: str, kind: str, ratio: float) -> None:
    known = device(name)
    assert known.vector[kind].value == pytest.approx(known.vector["fp32"].value * ratio)


def test_fp32_has_matrix_units_only_on_cdna() -> None:
    with_fp32 = {known.architecture for known in devices() if "fp32" in known.matmul}
    assert with_fp32 == {"cdna1", "cdna2", "cdna3"}


def test_a_type_that_a_part_lacks_is_absent() -> None:
    assert device("gtx-1660").matmul == {}
    assert "bf16" not in device("v100").matmul
    assert "fp8" not in device("rtx-3090").matmul
    assert any("BF16" in note for note in device("t4").notes)


@pytest.mark.parametrize(
    ("name", "gib"),
    [("t4", 14.75), ("l40s", 44.4), ("a10", 22.2), ("rtx-3090", 23.69), ("rtx-4080", 15.76), ("a100-80gb", 79.25)],
)
def test_usable_memory(name: str, gib: float) -> None:
    usable = device(name).usable_memory
    assert usable is not None
    assert usable.value / 2**30 == pytest.approx(gib, rel=0.005)
    assert usable.low is not None
    assert usable.high is not None


def test_where_sources_disagree_the_band_holds_both() -> None:
    units = device("a10g").units
    assert (units.low, units.high) == (72, 80)
    assert units.evidence is Evidence.ASSUMED


def test_the_cpu_is_a_device_of_assumed_rates() -> None:
    cpu = device("cpu")
    assert cpu.kind == "cpu"
    assert {fact.evidence for fact in cpu.vector.values()} == {Evidence.ASSUMED}
    assert cpu.matmul == {}
