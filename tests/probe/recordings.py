"""Computers as they could have been recorded, written for these tests in the formats of sysfs, procfs and the tools."""

import json
from pathlib import Path

PCI = "/sys/bus/pci/devices"
TB = "/sys/bus/thunderbolt/devices"
WINDOW_32G = "0x80000000 0x83ffffff 0x40200\n0x6000000000 0x67ffffffff 0x14220c"
WINDOW_256M = "0x6000000000 0x600fffffff 0x14220c\n0x0 0x0 0x0\n0x6010000000 0x60101fffff 0x14220c"
TIDY = "amd_iommu=on"


def bridge(address: str, vendor: str, device: str, speed: str = "16.0 GT/s PCIe", width: str = "4") -> dict[str, str]:
    here = f"{PCI}/{address}"
    return {
        f"{here}/class": "0x060400",
        f"{here}/vendor": vendor,
        f"{here}/device": device,
        f"{here}/max_link_speed": speed,
        f"{here}/max_link_width": width,
    }


def gpu(address: str, vendor: str, device: str, width: str = "16", **more: str) -> dict[str, str]:
    here = f"{PCI}/{address}"
    return {
        f"{here}/class": "0x030000",
        f"{here}/vendor": vendor,
        f"{here}/device": device,
        f"{here}/max_link_speed": "32.0 GT/s PCIe",
        f"{here}/max_link_width": width,
        **{f"{here}/{name}": text for name, text in more.items()},
    }


def computer(vendor: str, product: str, cpu: str, kernel: str, flags: str = "fpu vme") -> dict[str, str]:
    maker = "GenuineIntel" if "Intel" in cpu else "AuthenticAMD"
    return {
        "/sys/class/dmi/id/sys_vendor": vendor,
        "/sys/class/dmi/id/product_name": product,
        "/proc/sys/kernel/osrelease": kernel,
        "/proc/cpuinfo": f"processor\t: 0\nvendor_id\t: {maker}\nmodel name\t: {cpu}\nflags\t\t: {flags}",
        "/proc/meminfo": "MemTotal:       32614000 kB\nMemFree:        1000 kB",
    }


# A Blackwell card in a Thunderbolt 5 box on a laptop with Thunderbolt 4.
NUC = {
    **computer("Intel(R) Client Systems", "NUC11PAHi7", "11th Gen Intel(R) Core(TM) i7-1165G7", "6.17.4-arch1-1"),
    "/proc/cmdline": "root=UUID=9f8b2c1e-1d2c-4b3a-8f7e-0123456789ab rw thunderbolt.clx=0 iommu=pt",
    "/sys/module/thunderbolt/parameters/host_reset": "Y",
    "/sys/module/thunderbolt/parameters/clx": "N",
    f"{TB}/domain0/security": "user",
    f"{TB}/domain0/iommu_dma_protection": "1",
    f"{TB}/0-0/generation": "4",
    f"{TB}/0-1/generation": "4",
    f"{TB}/0-1/authorized": "1",
    f"{TB}/0-1/vendor_name": "Razer",
    f"{TB}/0-1/device_name": "Core X V2",
    f"{TB}/0-1/rx_speed": "20.0 Gb/s",
    f"{TB}/0-1/rx_lanes": "2",
    **bridge("0000:00:07.0", "0x8086", "0x9a23", "2.5 GT/s PCIe"),
    **bridge("0000:02:00.0", "0x8086", "0x5786", "2.5 GT/s PCIe"),
    **bridge("0000:03:00.0", "0x8086", "0x5786"),
    **gpu(
        "0000:04:00.0",
        "0x10de",
        "0x2c02",
        current_link_speed="2.5 GT/s PCIe",
        current_link_width="4",
        resource=WINDOW_32G,
    ),
    "/proc/driver/nvidia/version": (
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (root@box)"
    ),
    "/commands/nvidia-smi.txt": "00000000:04:00.0, NVIDIA GeForce RTX 5080, 580.95.05, Disabled",
    "/commands/dmesg.txt": (
        "Linux version 6.17.4-arch1-1 (root@box)\n"
        "pci 0000:04:00.0: 8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x4 link at 0000:00:07.0"
    ),
    "/links.json": json.dumps(
        {
            f"{PCI}/0000:04:00.0": ("/sys/devices/pci0000:00/0000:00:07.0/0000:02:00.0/0000:03:00.0/0000:04:00.0"),
            f"{PCI}/0000:04:00.0/driver": "/sys/bus/pci/drivers/nvidia",
        }
    ),
}
# A Radeon, which carries a switch of its own, in a slot of a desktop; its name stands for several cards.
DESKTOP = {
    **computer("ASUS", "System Product Name", "AMD Ryzen 9 7950X 16-Core Processor", "6.8.0-45-generic"),
    **bridge("0000:00:01.1", "0x1022", "0x14db", "16.0 GT/s PCIe", "8"),
    **bridge("0000:01:00.0", "0x1002", "0x1478", "16.0 GT/s PCIe", "16"),
    **bridge("0000:02:00.0", "0x1002", "0x1479", "16.0 GT/s PCIe", "16"),
    **gpu("0000:03:00.0", "0x1002", "0x744c", resource=WINDOW_256M, mem_info_vram_total="25753026560"),
    "/commands/lspci.txt": (
        "0000:03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] "
        "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M] [1002:744c] (rev c8)"
    ),
    "/links.json": json.dumps(
        {
            f"{PCI}/0000:03:00.0": ("/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"),
            f"{PCI}/0000:03:00.0/driver": "/sys/bus/pci/drivers/amdgpu",
        }
    ),
}
# A box that nobody has authorised: no card on the bus.
LAPTOP = {
    **computer("Framework", "Laptop 13 (AMD Ryzen 7040Series)", "AMD Ryzen 7 7840U w/ Radeon 780M", "6.12.1"),
    f"{TB}/domain0/security": "user",
    f"{TB}/0-0/generation": "4",
    f"{TB}/0-1/generation": "3",
    f"{TB}/0-1/authorized": "0",
    f"{TB}/0-1/rx_speed": "20.0 Gb/s",
    f"{TB}/0-1/rx_lanes": "2",
}
# A card that no longer answers.
LOST = {
    **computer("Micro-Star", "MS-7D25", "12th Gen Intel(R) Core(TM) i5-12600K", "6.11.0"),
    **gpu("0000:01:00.0", "0x10de", "0x2204", width="255"),
    "/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA GeForce RTX 3090\nIRQ: \t\t 145",
}
MAC = {"/commands/platform.txt": "darwin 15.1 arm64"}
ALL = {"nuc": NUC, "desktop": DESKTOP, "laptop": LAPTOP, "lost": LOST, "mac": MAC}


def write(files: dict[str, str], folder: Path) -> Path:
    for path, text in files.items():
        place = folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text + "\n", encoding="utf-8")
    return folder
