"""What Python knows: the platform, and the PyTorch that is installed beside this program."""

import platform as machine
import sys
from importlib.metadata import PackageNotFoundError, version


def torch() -> str:
    """The version of PyTorch with what it was built for, such as 2.7.1+cu128, without importing it."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


def platform() -> str:
    """System, its version where one is known, and processor: ``darwin 14.2 arm64``."""
    release = machine.mac_ver()[0] if sys.platform == "darwin" else ""
    if sys.platform == "win32":
        release = machine.version()
    return f"{sys.platform} {release or '?'} {machine.machine()}"
