"""NVIDIA's management library, through nvidia-ml-py where that is installed: one line of JSON for each GPU."""

import json
from importlib import import_module
from typing import Any


def text() -> str:
    """Return what the library says of each GPU; empty without the library, the driver or a GPU."""
    try:
        nvml: Any = import_module("pynvml")
        nvml.nvmlInit()
    except Exception:  # the library raises its own errors, none of which is a fault of ours
        return ""
    try:
        driver = _plain(nvml.nvmlSystemGetDriverVersion())
        handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
        return "\n".join(json.dumps(_one(nvml, handle, driver)) for handle in handles)
    except Exception:
        return ""
    finally:
        nvml.nvmlShutdown()


def _one(nvml: Any, handle: Any, driver: str) -> dict[str, Any]:
    asked = {
        "address": lambda: _plain(nvml.nvmlDeviceGetPciInfo(handle).busId),
        "name": lambda: _plain(nvml.nvmlDeviceGetName(handle)),
        "persistence": lambda: bool(nvml.nvmlDeviceGetPersistenceMode(handle)),
        "memory": lambda: int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        "bar1": lambda: int(nvml.nvmlDeviceGetBAR1MemoryInfo(handle).bar1Total),
        "replays": lambda: int(nvml.nvmlDeviceGetPcieReplayCounter(handle)),
    }
    found: dict[str, Any] = {"driver": driver}
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except Exception:  # what this card or driver does not tell
            continue
    return found


def _plain(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
