"""The computer at hand: what it is, its GPUs, and what hangs on its ports."""

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.probe import Sight
from outboard.probe.look import Card


def render(sight: Sight) -> None:
    """Print what was seen."""
    show(opening(sight), "", _sheet(sight))
    if not sight.log:
        show("", _("The kernel's log may not be read here: run as root, or give it with --log FILE."))


def opening(sight: Sight) -> str:
    """The GPUs in one sentence."""
    if not sight.cards:
        return _("No GPU is to be seen on this computer.")
    names = ", ".join(_name(card) for card in sight.cards)
    return _("Seen on this computer: {names}.").format(names=names)


def _sheet(sight: Sight) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for title, text in sheet(sight):
        if text:
            table.add_row(title, text)
    return table


def sheet(sight: Sight) -> list[tuple[str, str]]:
    """What is known of the computer, by name; empty where it is not."""
    facts, computer = sight.facts, sight.system
    family = f" ({computer.host})" if computer.host else ""
    return [
        (_("system"), " ".join(str(facts[name]) for name in ("os", "os_version", "kernel") if name in facts)),
        (_("computer"), f"{computer.name}{family}" if computer.name else computer.host),
        (_("processor"), computer.processor),
        (_("memory"), numbers.quantity(computer.memory, "B") if computer.memory else ""),
        (_("runs in"), ", ".join(_inside(sight))),
        (_("driver"), " ".join(str(facts[name]) for name in ("driver", "driver_flavour") if name in facts)),
        (_("framework"), " ".join(str(facts[name]) for name in ("framework", "framework_version") if name in facts)),
        *((_name(card), _card(card)) for card in sight.cards),
        *((_("box"), _box(box.name, box.authorized, box.rate)) for box in sight.chain.boxes),
    ]


def _inside(sight: Sight) -> list[str]:
    inside = [_("a virtual machine")] if sight.facts.get("vm") else []
    return [*inside, _("a container")] if sight.system.container else inside


def _name(card: Card) -> str:
    return card.device.id if card.device else card.name or f"{card.gpu.vendor} {card.gpu.device_id}"


def _card(card: Card) -> str:
    gpu = card.gpu
    said = [_("on {link}").format(link=card.link)] if card.link else []
    said.append(_("driver {name}").format(name=gpu.driver) if gpu.driver else _("no driver"))
    if gpu.lost:
        said.append(_("does not answer: it fell off the bus"))
    elif gpu.current:
        said.append(_("link now {state}, which says little at rest").format(state=gpu.current))
    if gpu.rebar is not None:
        said.append(_("Resizable BAR on") if gpu.rebar else _("Resizable BAR off"))
    return ", ".join(said)


def _box(name: str, authorized: bool | None, rate: float | None) -> str:
    said = [name]
    if rate is not None:
        said.append(f"{rate / 1e9:g} Gb/s")
    if authorized is False:
        said.append(_("not authorised"))
    return ", ".join(said)
