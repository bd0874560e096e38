"""Names as they occur in the wild."""

import csv
import re
from pathlib import Path

import pytest

from outboard.catalog import device, link, place
from outboard.errors import OutboardError, UnknownNameError

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"

WILD = {
    "NVIDIA_H100_80GB_HBM3": "h100-sxm5-80gb",
    "NVIDIA H100 PCIe": "h100-pcie-80gb",
    "h100": "h100-sxm5-80gb",
    "HGX H100": "h100-sxm5-80gb",
    "H100 NVL": "h100-nvl-94gb",
    "RTX 3090": "rtx-3090",
    "a100": "a100-sxm4-40gb",
    "a100_80gb": "a100-sxm4-80gb",
    "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
    "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
    "NVIDIA A100 SXM 80": "a100-sxm4-80gb",
    "v100": "v100-sxm2-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm2-32gb",
    "v100-pcie-32gb": "v100-pcie-32gb",
    "GeForce_GTX_1080_Ti": "gtx-1080-ti",
    "GTX1080Ti": "gtx-1080-ti",
    "rtx-pro-6000-blackwell-max-q": "rtx-pro-6000-blackwell-max-q",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition": "rtx-pro-6000-blackwell-max-q",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "rtx-pro-6000-blackwell",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "rtx-pro-6000-blackwell-server",
    "rtx-5090": "rtx-5090",
    "titan-rtx": "titan-rtx",
    "NVIDIA TITAN Xp": "titan-xp",
    "NVIDIA H200": "h200-sxm-141gb",
    "NVIDIA GH200 480GB": "gh200-96gb",
    "b200": "b200-sxm",
    "NVIDIA RTX 6000 Ada Generation": "rtx-6000-ada",
    "Quadro RTX 6000": "quadro-rtx-6000",
    "Quadro RTX 8000": "rtx-8000",
    "a10": "a10",
    "L40S (45 GB)": "l40s",
    "NVIDIA GeForce RTX 3060 12GB": "rtx-3060-12gb",
    "rtx 3060": "rtx-3060-12gb",
    "rtx-3060-8gb": "rtx-3060-8gb",
    "RTX 4060 Ti": "rtx-4060-ti-8gb",
    "RTX 3060 Ti GDDR6X": "rtx-3060-ti-gddr6x",
    "Tesla T4": "t4",
    "T4 (16 GB)": "t4",
    "p4": "p4",
    "instinct-mi100": "mi100",
    "AMD_Instinct_MI100": "mi100",
    "h200": "h200-sxm-141gb",
    "gh200": "gh200-96gb",
    "rtx-6000-ada": "rtx-6000-ada",
    "NVIDIA GeForce RTX 4070 Laptop GPU": "rtx-4070-mobile",
    "NVIDIA GeForce RTX 2080 Super with Max-Q Design": "rtx-2080-super-max-q",
    "Intel(R) Arc(TM) A770 Graphics": "arc-a770-16gb",
    "AMD Radeon RX 7900 XTX": "rx-7900-xtx",
    "4090": "rtx-4090",
    "3080 ti": "rtx-3080-ti",
    "A6000 (48 GB)": "rtx-a6000",
    "DGX Spark": "gb10",
}


@pytest.mark.parametrize(("wild", "id"), WILD.items(), ids=WILD)
def test_names_in_the_wild(wild: str, id: str) -> None:
    assert device(wild).id == id


@pytest.mark.parametrize("wrong", ["rtx-4090-48gb", "a40-48q", "RTX 4080 (32 GB mod)", "NVIDIA B200 NVL", "max-q", "-"])
def test_another_memory_size_or_form_is_another_device(wrong: str) -> None:
    with pytest.raises(UnknownNameError):
        device(wrong)


def test_a_miss_lists_the_nearest_and_says_what_next() -> None:
    with pytest.raises(UnknownNameError) as caught:
        device("rtx 3091")
    assert "rtx-3090" in caught.value.near
    assert "add-a-device" in str(caught.value)
    with pytest.raises(UnknownNameError) as caught:
        device("rtx-4090-48gb")
    assert caught.value.near[0] == "rtx-4090"
    with pytest.raises(UnknownNameError, match="Apple"):
        device("Apple M3 Max")
    with pytest.raises(UnknownNameError) as caught:
        link("tb33")
    assert "tb3" in caught.value.near


@pytest.mark.parametrize(
    ("wild", "id"),
    [
        ("Thunderbolt 3", "tb3"),
        ("thunderbolt-5", "tb5"),
        ("TB3 x2", "tb3-x2"),
        ("tb3_x4", "tb3"),
        ("USB4", "usb4-40"),
        ("USB4 40Gbps", "usb4-40"),
        ("usb4v2_80", "usb4v2-80"),
        ("OCuLink", "oculink-pcie4-x4"),
        ("OCuLink PCIe 4.0 x4", "oculink-pcie4-x4"),
        ("PCIe 4.0 x16", "pcie4-x16"),
        ("pcie gen3 x8", "pcie3-x8"),
        ("PCI Express 5.0 x16", "pcie5-x16"),
        ("titan ridge", "ctl-titan-ridge"),
        ("ctl_asm2464pd", "ctl-asm2464pd"),
        ("nvlink4", "nvlink4"),
        ("InfiniBand NDR", "infiniband-ndr"),
    ],
)
def test_links_in_the_wild(wild: str, id: str) -> None:
    assert link(wild).id == id


# What no table can hold: several GPUs in one word, remarks, systems on a chip, virtual GPUs, other accelerators.
NOT_A_DEVICE = re.compile(
    r"\+|not stated|see issue|^-$|^AMD$|apple|-core-|ryzen|intel-core|gaudi|a40-48q|\(|—|^\d |NVLink|GB200|500W|nvl",
    re.I,
)


def _reference_names() -> list[str]:
    found: set[str] = set()
    for path in sorted(REFERENCE.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines)
            header = next(rows)
            if "gpu" in header:
                found.update(row[header.index("gpu")] for row in rows)
    return sorted(found - {""})


@pytest.mark.skipif(not REFERENCE.exists(), reason="the published measurements are not at hand")
def test_every_gpu_of_the_published_measurements_is_known_or_rightly_not() -> None:
    missed: list[str] = []
    for name in _reference_names():
        try:
            place(name)
        except OutboardError:
            missed.append(name)
    assert [name for name in missed if not NOT_A_DEVICE.search(name)] == []
