"""What can be told of this computer without asking: files that the system shows to everybody."""

import platform
from pathlib import Path

DMI = Path("/sys/class/dmi/id")
THUNDERBOLT = Path("/sys/bus/thunderbolt/devices")


def host() -> str:
    """Return the family of hosts that this computer seems to be of, empty where it is none of the table."""
    from outboard import catalog

    if platform.system() == "Darwin":
        return "apple-silicon" if platform.machine() == "arm64" else "apple-intel"
    words = f"{_read(DMI / 'sys_vendor')} {_read(DMI / 'product_version')} {_read(DMI / 'product_name')}".lower()
    for known in catalog.hosts():
        parts = known.id.split("-")
        if len(parts) > 1 and all(part in words for part in parts[:2]):
            return known.id
    return ""


def ports() -> list[str]:
    """Return the links that this computer certainly has: a Thunderbolt controller shows its generation."""
    generations = {_read(path) for path in THUNDERBOLT.glob("*/generation")}
    found = {"3": "tb3", "4": "usb4-40"}
    return [found[one] for one in sorted(generations, reverse=True) if one in found][:1]


def devices() -> list[str]:
    """Return the NVIDIA devices that the driver shows, by the names of the catalogue."""
    from outboard.catalog.device_files import find_own

    names = []
    for path in Path("/proc/driver/nvidia/gpus").glob("*/information"):
        model = next((line.split(":", 1)[1].strip() for line in _read(path).splitlines() if "Model:" in line), "")
        names.append(find_own(model) or "")
    return [name for name in names if name]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
