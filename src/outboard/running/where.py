"""Where a run goes, as people write it: ``local``, ``ssh:HOST``, ``slurm``, ``slurm:LOGIN``; each with ``=PLACE``."""

from dataclasses import dataclass

from outboard.errors import UsageError
from outboard.executors.base import Executor
from outboard.i18n import _

WAYS = ("local", "ssh", "slurm", "sky", "dstack", "kaggle", "colab")
SELF_KEPT = ("local", "ssh", "slurm")  # where our own keeper watches


@dataclass(frozen=True)
class Where:
    """How to get there, the host where there is one, and the place of the catalogue that it is, where somebody said."""

    way: str
    host: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """As it is written, without the place."""
        return f"{self.way}:{self.host}" if self.host else self.way


def names_a_way(text: str) -> bool:
    """Whether a text says how to get there, and not a place of the catalogue."""
    return text.partition("=")[0].partition(":")[0] in WAYS


def read(text: str) -> Where:
    """Read one. Raises :class:`UsageError`."""
    said, _equals, place = text.partition("=")
    way, _colon, host = said.partition(":")
    if way not in WAYS:
        message = _("'{text}' is no way to run; write one of {ways}, with =PLACE where the device is known")
        raise UsageError(message.format(text=text, ways="local, ssh:HOST, slurm, slurm:LOGIN"))
    if (way == "ssh") != bool(host) and way != "slurm":
        message = _("'{text}': write ssh:HOST") if way == "ssh" else _("'{text}': only ssh and slurm have a host")
        raise UsageError(message.format(text=text))
    if place:
        from outboard import api

        place = api.find_place(place).name
    return Where(way, host, place)


def executor(where: Where) -> Executor:
    """What runs things there."""
    if where.way == "local":
        from outboard.executors.local import Local

        return Local()
    if where.way == "ssh":
        from outboard.executors.ssh import Ssh

        return Ssh(where.host)
    if where.way == "slurm":
        from outboard.executors.slurm import Slurm

        return Slurm(where.host)
    raise UsageError(
        _("runs on {way} cannot be started from here yet; local, ssh:HOST and slurm can").format(way=where.way)
    )
