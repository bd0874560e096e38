"""Logs in the formats that kernels and tools write, made up for these tests: what they show, and the text."""

# id of the symptom: lines
FAULTS = {
    "gpu-lost": ["[ 812.4411] NVRM: Xid (PCI:0000:2f:00): 79, pid=4711, name=python3, GPU has fallen off the bus."],
    "tunnel-dropped": [
        "Mar 03 21:04:10 box kernel: pcieport 0000:00:07.1: pciehp: Slot(4): Link Down",
        "Mar 03 21:04:10 box kernel: pcieport 0000:00:07.1: pciehp: Slot(4): Card not present",
        "Mar 03 21:04:11 box kernel: NVRM: Xid (PCI:0000:2f:00): 79, GPU has fallen off the bus.",
    ],
    "signal-lost-gpu": [
        "pcieport 0000:21:02.0: AER: Multiple Correctable error message received from 0000:21:02.0",
        "pcieport 0000:21:02.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)",
        "pcieport 0000:21:02.0:    [ 0] RxErr                  (First)",
        "NVRM: Xid (PCI:0000:22:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    ],
    "lost-in-suspend": ["PM: suspend entry (deep)", "NVRM: GPU 0000:22:00.0: GPU has fallen off the bus."],
    "restart-needed": [
        "NVRM: Xid (PCI:0000:22:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"
    ],
    "poor-signal": [
        "pcieport 0000:05:01.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)",
        "pcieport 0000:05:01.0:    [ 7] BadDLLP",
    ],
    "no-recovery": ["nvidia 0000:06:00.0: AER: can't recover (no error_detected callback)"],
    "completion-timeout": ["nvidia 0000:06:00.0:    [14] CmpltTO                (First)"],
    "asleep-and-gone": ["NVRM: _issueRpcAndWait: rpcSendMessage failed with status 0x0000000f for fn 76 sequence 12!"],
    "unplugged-in-use": ["NVRM: Attempting to remove device 0000:06:00.0 with non-zero usage count!"],
    "d3-stuck": ["amdgpu 0000:67:00.0: Unable to change power state from D3hot to D0, device inaccessible"],
    "bar-no-space": ["pci 0000:3c:00.0: BAR 15: no space for [mem size 0x10000000 64bit pref]"],
    "bar-resize-failed": ["amdgpu 0000:67:00.0: amdgpu: Problem resizing BAR0 (-22)."],
    "box-late": ["3d:00.0 VGA compatible controller: NVIDIA Device 2f04 (rev ff)", "\t!!! Unknown header type 7f"],
    "box-silent": ["NVRM: The NVIDIA GPU 0000:3d:00.0", "NVRM: fallen off the bus and is not responding to commands."],
    "no-handle": ["Unable to determine the device handle for GPU0000:41:00.0: Unknown Error"],
    "retimer-lost": ["thunderbolt 0-0:2.1: retimer disconnected"],
    "link-flaps": ["pcieport 0000:80:01.1: pciehp: Slot(7): Link Down"] * 20,
    "gsp-lockdown": [
        "NVRM: GPU0 GSP RPC buffer contains function 4124 (GSP_LOCKDOWN_NOTICE) sequence 0",
        "NVRM: GPU0 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP",
        "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM",
    ],
    "gsp-stuck": ["NVRM: GPU1 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP"],
    "gsp-no-start": ["NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM"],
    "driver-too-new": ["NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:897)"],
    "no-atomics": ["kfd kfd: skipped device 1002:6fdf, PCI rejects atomics"],
    "no-pcie-tunnels": ["ACPI: USB4 _OSC: OS controls USB3+ DisplayPort+ PCIe- XDomain+"],
    "code-12": ["DEVPKEY_Device_ProblemCode : 12", "ProblemCode : 12"],
    "code-43": ["Windows has stopped this device because it has reported problems. (Code 43)"],
    "no-device": ["No devices were found"],
    "driver-mismatch": ["Failed to initialize NVML: Driver/library version mismatch"],
    "build-lacks-gpu": ["RuntimeError: CUDA error: no kernel image is available for execution on the device"],
    "driver-older-than-cuda": ["UserWarning: The NVIDIA driver on your system is too old (found version 11040)."],
    "cuda-does-not-start": ["cuInit(0) returned 999"],
    "tinygrad-gsp": ["  File \"ip.py\", line 301, in wait_resp", "KeyError: 63"],
    "mac-panic-tinygpu": ["panic(cpu 4 caller 0xfffffe00): apciec[1] DART error: unmapped read"],
    "mac-panic-unplug": ["panic(cpu 2 caller 0xffffff7f): NVDA::pullEvent"],
    "freezes-at-cuda": ["nvidia-smi is fine, but the whole machine hangs as soon as CUDA starts"],
    "desktop-freezes": ["When I plug the box in, GNOME freezes"],
}  # fmt: skip
HARMLESS = {
    "virtual-port": [
        "pci 0000:3c:00.0: 8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x4 link at 0000:00:07.0 "
        "(capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)"
    ],
    "gen1-when-idle": ["\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x4 (downgraded)"],
    "mac-egpu": ['      "sppci_device_type" : "spdisplays_egpu",'],
}
QUIET = """
Linux version 6.17.4-arch1-1 (linux@archlinux) (gcc 15.2.1)
Command line: BOOT_IMAGE=/vmlinuz root=/dev/nvme0n1p2 rw thunderbolt.host_reset=0 iommu=pt
ACPI: USB4 _OSC: OS controls USB3+ DisplayPort+ PCIe+ XDomain+
thunderbolt 0-1: new device found, vendor=0x127 device=0x3
thunderbolt 0-1: Razer Core X
pcieport 0000:00:07.0: pciehp: Slot(3): Card present
pcieport 0000:00:07.0: pciehp: Slot(3): Link Up
NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (root@box)
\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis- ARIFwd-
\t\tUESta:\tDLP- SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF-
\t\tCESta:\tRxErr- BadTLP- BadDLLP+ Rollover- Timeout-
RxErr 0
BadDLLP 0
CmpltTO 0
"""
