"""Takes out of a text whatever could name a person or a single machine: a recording is meant to be given away."""

import getpass
import platform
import re

UUID = re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")
MAC = re.compile(r"\b[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5,7}\b|\b[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5,7}\b")
SERIAL = re.compile(r"(?i)(serial ?(?:number|no\.?)?\s*[:=]\s*)\S+")
HOME = re.compile(r"(/home/|/Users/|\\Users\\)[^/\\\s:]+")
BUILDER = re.compile(r"\(\S+@\S+\)")
ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b(?=[/:]|\s|$)")
NO_UUID = "00000000-0000-0000-0000-000000000000"
# Of the kernel's log and command line only what has to do with a GPU and its link is kept.
TOPICS = re.compile(
    r"(?i)\b(pci|pcie|pcieport|pciehp|thunderbolt|nvidia\S*|NVRM|nouveau|amdgpu|kfd|i915|xe|AER|vfio\S*|iommu|DMAR|dxg)\b"
    r"|USB4 _OSC|Linux version|PM: (suspend|hibernation)|BAR \d|\bgpu\b"
)
PARAMETERS = re.compile(r"^(thunderbolt|pci\w*|pcie\w*|iommu|intel_iommu|amd_iommu|nvidia\w*|amdgpu|nouveau|xe|i915)\b")
LOGS = ("/commands/journal.txt", "/commands/dmesg.txt")
TOO_SHORT = 3  # a name of so few letters would be found inside words


def scrubbed(path: str, text: str, names: tuple[str, ...] | None = None) -> str:
    """Return ``text``, which was read at ``path``, without serial numbers, addresses, UUIDs and personal names.

    ``names`` are those of user and machine; the running ones when they are not given.

    >>> scrubbed("/x", "GPU-1d2c3b4a-0000-4abc-8def-0123456789ab of ana on atlas", ("ana", "atlas"))
    'GPU-00000000-0000-0000-0000-000000000000 of user on user'
    """
    if path == "/proc/cmdline":
        text = " ".join(word for word in text.split() if PARAMETERS.match(word))
    if path in LOGS:
        text = "\n".join(_log_line(line) for line in text.splitlines() if TOPICS.search(line))
    text = UUID.sub(NO_UUID, text)
    text = MAC.sub("00:00:00:00:00:00", text)
    text = SERIAL.sub(r"\1removed", text)
    text = HOME.sub(r"\1user", text)
    text = BUILDER.sub("(user@user)", text)
    text = ADDRESS.sub("0.0.0.0", text)
    for name in names if names is not None else _personal():
        text = re.sub(rf"(?i)(?<![\w/]){re.escape(name)}(?![\w/])", "user", text)
    return text


def _log_line(line: str) -> str:
    """A line of the log; of the command line only the parameters that matter."""
    before, found, after = line.partition("ommand line: ")
    if not found:
        return line
    return before + found + " ".join(word for word in after.split() if PARAMETERS.match(word))


def _personal() -> tuple[str, ...]:
    """The names of user and machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no entry for this user id, as in some containers
        user = ""
    names = {user, platform.node(), platform.node().partition(".")[0]} - {"root", "localhost", "linux"}
    return tuple(sorted((name for name in names if len(name) >= TOO_SHORT), key=len, reverse=True))
