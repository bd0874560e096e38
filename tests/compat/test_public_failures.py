"""Failures of tools like this one, reported in public: what they got wrong, this must get right."""

import pytest

from outboard import compat
from outboard.compat.frameworks import build_runs, holds_code_for
from tests.compat.machines import applying, verdict

CU128 = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"]


def test_a_p100_with_torch_for_cuda_12_8_is_told_before_its_first_operation_fails() -> None:
    """Kaggle/kaggle-cli#1151, Kaggle/docker-python#1546: is_available() is True, then no kernel image."""
    answer = verdict(gpu="p100-pcie-16gb", link="pcie3-x16", os="linux", framework_version="2.7", cuda="12.8")
    assert answer.outcome == "impossible"
    assert "T4 instead of the P100" in answer.findings[0].rule.cure
    assert verdict(gpu="t4", link="pcie3-x16", os="linux", framework_version="2.7", cuda="12.8").outcome == "works"
    assert verdict(gpu="p100-pcie-16gb", link="pcie3-x16", os="linux", framework_version="2.7", cuda="12.6").possible


@pytest.mark.parametrize("device", ["rtx-5080", "rtx-5090"])
@pytest.mark.parametrize("link", ["tb4", "tb5"])
def test_an_rtx_50_over_thunderbolt_is_warned_of_although_nvidia_smi_works(device: str, link: str) -> None:
    """NVIDIA/open-gpu-kernel-modules#979."""
    answer = verdict("intel-nuc", device, link, os="linux")
    assert answer.outcome == "workaround"
    assert answer.findings[0].rule.id == "nv-blackwell-tb-lock"


def test_a_cable_that_is_pulled_is_warned_of() -> None:
    """NVIDIA/open-gpu-kernel-modules#842: RTX 3060 over TB3 needs a restart after unplugging or sleep."""
    answer = verdict("intel-nuc", "rtx-3060-12gb", "tb3", os="linux")
    assert "nv-hot-unplug" in applying(answer)
    assert "nv-suspend" in {one.rule.id for one in answer.open}


def test_gen_1_at_idle_is_no_fault() -> None:
    """NVIDIA/open-gpu-kernel-modules#1010."""
    found = compat.diagnose("LnkSta:\tSpeed 2.5GT/s (downgraded), Width x4")
    assert not found.faults
    assert [one.symptom.id for one in found.symptoms] == ["gen1-when-idle"]


def test_energy_that_no_counter_gives_is_not_zero() -> None:
    """mlco2/codecarbon#1316."""
    assert "nv-no-energy-counter" in applying(verdict(gpu="gtx-1080-ti", link="pcie3-x16", os="linux"))
    assert "nv-no-energy-counter" not in applying(verdict(gpu="v100-pcie-16gb", link="pcie3-x16", os="linux"))


def test_only_a_cards_own_memory_counts() -> None:
    """microsoft/WSL#11050: a tensor of 30 GiB "fits" a card of 16 GB."""
    for system in ("windows", "wsl2"):
        assert "windows-shared-memory" in applying(verdict(gpu="rtx-4080", link="pcie4-x16", os=system))


def test_graphics_inside_are_not_added_to_a_card() -> None:
    """AlexsJones/llmfit#271."""
    assert "memory-shared-with-cpu" in applying(verdict(gpu="rtx-4080", link="pcie4-x16", gpu_shares_memory=True))


def test_the_list_of_architectures_decides_and_not_the_name_of_the_build() -> None:
    assert holds_code_for(CU128, "6.0") is False
    assert holds_code_for(CU128, "8.9") is True
    assert holds_code_for(["sm_80", "compute_80"], "12.0") is True
    assert build_runs("2.7", "12.8", "7.0") is False
    assert build_runs("2.8", "12.8", "7.0") is True
    assert build_runs(None, "12.8", "7.0") is None  # the builds differ
    assert build_runs("1.9", "11.1", "7.0") is None  # a build that nobody wrote down
