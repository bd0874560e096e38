"""Ideas about where the device hangs: another link, more cores, fewer devices."""

from dataclasses import replace

from outboard import catalog
from outboard.i18n import _
from outboard.perf.collectives.fabric import way_of
from outboard.perf.input.terms import cores
from outboard.planner.faster.ideas import BUILD, Idea, Situation
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Link

TRIED = ("tb4", "tb5", "oculink-pcie4-x4", "pcie4-x8", "pcie4-x16")


def ideas(here: Situation) -> list[Idea]:
    """Every idea about the place that applies."""
    return [*_links(here), *_cable(here), *_cores(here), *_fewer(here), *_bridge(here)]


def _links(here: Situation) -> list[Idea]:
    """Links that copy faster than this one, and that the card can use."""
    if here.place.device.form != "card":
        return []
    own = catalog.usual_link(here.place.device)
    known = [catalog.link(name) for name in TRIED]
    wanted = [link for link in known if here.place.link.h2d.value * 1.05 < link.h2d.value <= own.h2d.value]
    return [_move(here, link) for link in wanted]


def _move(here: Situation, link: Link) -> Idea:
    text = _("{link} instead of {now}").format(link=link.name.partition(" (")[0], now=here.place.link.id)
    why = _("copies at {rate:.1f} instead of {now:.1f} GB/s").format(
        rate=link.h2d.value / 1e9, now=here.place.link.h2d.value / 1e9
    )
    return Idea("link", text, why, f"--on {here.on(link).name}", {}, here.on(link), BUILD)


def _cable(here: Situation) -> list[Idea]:
    side = here.place.host
    if side.display <= 0 and side.sharing == 1:
        return []
    alone = replace(here.place, host=replace(side, display=0.0, sharing=1))
    text, why = _("the cable for this device alone"), _("screens and neighbours take their share of it first")
    return [Idea("sharing", text, why, _("screens at another port, each box at its own controller"), {}, alone)]


def _cores(here: Situation) -> list[Idea]:
    if not here.feeds:
        return []
    now = cores(here.place)
    doubled = Fact(2.0 * now.value, "1", "twice the cores", Evidence.ASSUMED)
    place = replace(here.place, host=replace(here.place.host, cores=doubled))
    text = _("a host with {count:.0f} cores instead of {now:.0f}").format(count=doubled.value, now=now.value)
    update = {} if here.job.workers is None else {"workers": max(2 * here.job.workers, 1)}
    why = _("each core decodes its own images")
    return [Idea("cores", text, why, f"--cores {doubled.value:.0f}", update, place, BUILD)]


def _fewer(here: Situation) -> list[Idea]:
    """One device in place of several, for where the others bring nothing."""
    if here.place.count < 2:
        return []
    device, _at, link = here.place.name.rpartition(f"x{here.place.count}")
    place = replace(here.place, name=device + link, count=1, interconnect=None)
    text = _("one device instead of {count}").format(count=here.place.count)
    return [Idea("count", text, _("what they exchange costs more than they bring"), f"--on {place.name}", {}, place)]


def _bridge(here: Situation) -> list[Idea]:
    if here.place.count != 2 or way_of(here.place) != "staged" or here.place.device.id not in BRIDGED:
        return []
    bridge = catalog.link(BRIDGED[here.place.device.id])
    text = _("an NVLink bridge between the two cards")
    why = _("gradients then pass by the host's memory")
    return [Idea("bridge", text, why, bridge.id, {}, replace(here.place, interconnect=bridge), BUILD)]


BRIDGED = {"rtx-3090": "nvlink-bridge-3090", "rtx-3090-ti": "nvlink-bridge-3090", "rtx-2080-ti": "nvlink-bridge-2080ti"}
