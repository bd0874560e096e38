"""What cores, disks, cables and staging buffers do: the entries of ``facts.toml``."""

from outboard.perf import facts
from outboard.types.evidence import Fact

ROOM = "outboard.perf.input"


def fact(where: str) -> Fact:
    """The entry at a dotted path such as ``"host.cores"``. Raises KeyError for one that does not exist."""
    return facts.table(ROOM)[where]


def known(where: str) -> Fact | None:
    """The same, or None: nobody knows, or it costs nothing."""
    return facts.table(ROOM).get(where)
