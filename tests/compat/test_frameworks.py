"""Facts about frameworks and drivers, and machines that they decide."""

import pytest

from outboard.compat.frameworks import driver_runs, rocm_listed
from tests.compat.machines import applying, machine, verdict


@pytest.mark.parametrize(
    ("driver", "cuda", "os", "answer"),
    [
        ("525.60.13", "12.8", "linux", True),
        ("525.60", "12.8", "linux", False),
        ("470.256", "12.1", "linux", False),
        ("528.33", "12.1", "wsl2", True),
        ("575.51", "13.0", "windows", False),
        ("575.51", "14.0", "linux", None),
        (None, "12.1", "linux", None),
        ("535", "12.1", "macos", None),
    ],
)
def test_a_driver_is_new_enough_or_not(driver: str | None, cuda: str, os: str, answer: bool | None) -> None:
    assert driver_runs(driver, cuda, os) is answer


@pytest.mark.parametrize(
    ("family", "kind", "os", "answer"),
    [
        ("rdna4", "consumer", "linux", True),
        ("cdna3", "datacentre", "linux", True),
        ("rdna2", "consumer", "linux", False),
        ("rdna2", "pro", "linux", None),
        ("rdna2", "consumer", "windows", False),
        ("rdna3", "consumer", "macos", None),
    ],
)
def test_rocms_list(family: str, kind: str, os: str, answer: bool | None) -> None:
    assert rocm_listed(family, kind, os) is answer


def test_a_driver_too_old_for_cuda_forbids_it() -> None:
    old = verdict(gpu="rtx-3090", link="pcie4-x16", os="linux", driver="470.57", cuda="12.4")
    assert old.outcome == "impossible"
    assert "driver-older-than-cuda" in applying(old)


@pytest.mark.parametrize(("device", "emulated"), [("t4", True), ("v100-pcie-16gb", True), ("rtx-3090", False)])
def test_bf16_is_warned_of_where_it_is_emulated(device: str, emulated: bool) -> None:
    answer = verdict(gpu=device, link="pcie3-x16", os="linux", precision="amp-bf16")
    assert ("bf16-emulated" in applying(answer)) is emulated


def test_pytorchs_builds_say_nothing_of_other_frameworks() -> None:
    assert machine(gpu="p100-pcie-16gb", framework="jax", cuda="12.8").gpu_in_build is None
