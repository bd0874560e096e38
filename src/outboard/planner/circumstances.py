"""The person's circumstances, read and priced: what ``me.yaml`` says, with its defaults, in dollars and hours."""

import math
from dataclasses import dataclass
from pathlib import Path

from outboard import catalog
from outboard.cost.arrays import MONTHS_PER_YEAR
from outboard.cost.durations import horizon_years, wait_hours
from outboard.cost.facts import overhead
from outboard.cost.money import country, household_tariff, in_usd, parse_money, parse_rate, wrong
from outboard.cost.owned import tiers
from outboard.i18n import _
from outboard.planner import detect, files
from outboard.planner.reading import hours_of, named, quantity
from outboard.planner.wishes import Quoted, Step, quotes, steps
from outboard.types.evidence import Fact
from outboard.types.hardware import Host, Place
from outboard.types.money import Use
from outboard.types.situation import Portable, Situation, Slurm

# What a person carries every day, and what any socket gives: a judgement, and ``portable:`` in the file replaces it.
CARRIED = Portable(max_weight="6 kg", max_power="500 W")


@dataclass(frozen=True)
class Limits:
    """How heavy [g] and how hungry [W] a machine may be that must be carried."""

    weight: float
    power: float


@dataclass(frozen=True)
class SlurmAccess:
    """A cluster at hand: its places, the wait as a distribution, the limits."""

    places: tuple[Place, ...]
    wait: Fact  # [h]
    walltime: float  # [h]
    hours_month: float
    charge: Fact | None  # [USD/h]
    data_allowed: bool
    name: str


@dataclass(frozen=True)
class Circumstances:
    """A situation ready for arithmetic."""

    stated: Situation
    currency: str
    host: Host | None
    links: tuple[str, ...]  # ports that a GPU can be hung on
    owned: tuple[Place, ...]
    electricity: Fact  # [USD/kWh]
    horizon: float  # [year]
    budget: float | None  # [USD]
    deadline: float  # [h]
    portable: Limits | None
    time_value: float  # [USD/h]
    waiting_value: float  # [USD/h]
    slurm: SlurmAccess | None
    tiers: tuple[str, ...]
    staged: tuple[Step, ...]
    quotes: tuple[Quoted, ...]
    credit: float  # [USD]
    connection: float | None  # [B/s]
    assumptions: tuple[str, ...]

    def use(self, runs_per_month: float) -> Use:
        """How much is computed and for how long."""
        return Use(runs_per_month, self.horizon, self.stated.discount_rate, self.time_value, self.waiting_value)

    def per_month(self, runs: float) -> float:
        """``runs`` over the horizon as runs a month."""
        return runs / (self.horizon * MONTHS_PER_YEAR)


def load(path: str | Path | None) -> Circumstances:
    """Read ``me.yaml``; None stands for a person of whom nothing is known. Raises :class:`UsageError`."""
    return resolve(Situation() if path is None else files.read(path, Situation), path or "")


def resolve(said: Situation, path: str | Path = "") -> Circumstances:
    """Turn what the person said into numbers. ``path`` is named in errors."""
    row = country(said.country, path=path) if said.country else None
    budget = parse_money(said.budget, "budget", path) if said.budget else None
    horizon = horizon_years(said.horizon, path=path)
    host = _host(said, path)
    links = tuple(named(catalog.link, name, f"ports[{i}]", path).id for i, name in enumerate(said.ports))
    owned = tuple(_owned(said, i, path) for i in range(len(said.owned)))
    found = links or _ports(said, host) or tuple(dict.fromkeys(p.link.id for p in owned if is_external(p)))
    return Circumstances(
        stated=said,
        currency=budget.currency if budget else (row["currency"] if row else "USD"),
        host=host,
        links=found,
        owned=owned,
        electricity=_electricity(said, path),
        horizon=horizon,
        budget=in_usd(budget).value if budget else None,
        deadline=hours_of(said.constraints.deadline, "constraints.deadline", path),
        portable=_portable(said.constraints.portable, path),
        time_value=_hourly(said.time_value, "time_value", path),
        waiting_value=_hourly(said.waiting_value, "waiting_value", path),
        slurm=_slurm(said.access.slurm, path) if said.access.slurm else None,
        tiers=_tiers(said, path),
        staged=steps(said.staged, horizon, path),
        quotes=quotes(said.access.quotes, path),
        credit=in_usd(parse_money(said.access.credit, "access.credit", path, "100 USD")).value
        if said.access.credit
        else 0.0,
        connection=_rate(said.connection, path),
        assumptions=tuple(_assumed(said, found)),
    )


def _host(said: Situation, path: str | Path) -> Host | None:
    """Return the host that the file names; the computer at hand only where the file says ``auto``."""
    if said.host != "auto":
        return named(catalog.host, said.host, "host", path)
    seen = detect.host() if "host" in said.model_fields_set else ""
    return catalog.host(seen) if seen else None


def _ports(said: Situation, host: Host | None) -> tuple[str, ...]:
    if said.host == "auto" and "host" in said.model_fields_set and (seen := detect.ports()):
        return tuple(seen)
    return host.links if host else ()


def is_external(place: Place) -> bool:
    """Whether the device hangs outside its computer, on a cable."""
    return place.link.tunnelled or place.link.kind in ("oculink", "thunderbolt", "usb4", "usb", "proprietary")


def _owned(said: Situation, index: int, path: str | Path) -> Place:
    entry = said.owned[index]
    device = named(catalog.device, entry.device, f"owned[{index}].device", path)
    link = named(catalog.link, entry.link, f"owned[{index}].link", path) if entry.link else catalog.usual_link(device)
    count = f"x{entry.count}" if entry.count > 1 else ""
    return catalog.place(f"{device.id}{count}@{link.id}")


def _electricity(said: Situation, path: str | Path) -> Fact:
    if said.electricity:
        return in_usd(parse_rate(said.electricity, "kWh", "electricity", path), "USD/kWh")
    return household_tariff(said.country, path) if said.country else overhead("electricity-world")


def _hourly(text: str | None, key: str, path: str | Path) -> float:
    return in_usd(parse_rate(text, "h", key, path)).value if text else 0.0


def _portable(said: bool | Portable, path: str | Path) -> Limits | None:
    if said is False:
        return None
    given = CARRIED if said is True else said
    weight = quantity(given.max_weight, "g", "constraints.portable.max_weight", "4 kg", path)
    power = quantity(given.max_power, "W", "constraints.portable.max_power", "300 W", path)
    return Limits(weight, power)


def _rate(text: str | None, path: str | Path) -> float | None:
    return None if text is None else quantity(text, "bytes/s", "connection", "20 Mbit/s", path)


def _slurm(said: Slurm, path: str | Path) -> SlurmAccess:
    places = tuple(named(catalog.place, name, f"access.slurm.gpus[{i}]", path) for i, name in enumerate(said.gpus))
    charge = parse_rate(said.charge, "h", "access.slurm.charge", path) if said.charge else None
    return SlurmAccess(
        places=places,
        wait=wait_hours(said.wait, "access.slurm.wait", path),
        walltime=hours_of(said.walltime, "access.slurm.walltime", path),
        hours_month=said.hours_per_month or math.inf,
        charge=in_usd(charge, "USD/h") if charge else None,
        data_allowed=said.data_allowed,
        name=said.partition or "slurm",
    )


def _tiers(said: Situation, path: str | Path) -> tuple[str, ...]:
    known = tiers()
    if said.access.tiers is None:
        return tuple(known)
    for index, name in enumerate(said.access.tiers):
        if name not in known:
            problem = _("unknown free tier '{name}' (known: {names})").format(name=name, names=", ".join(known))
            raise wrong(path, f"access.tiers[{index}]", problem, "kaggle-t4x2")
    return said.access.tiers


def _assumed(said: Situation, links: tuple[str, ...]) -> list[str]:
    taken: list[str] = []
    if said.country is None and said.electricity is None:
        taken.append(_("electricity at the world's average price; say country: or electricity:"))
    if not links:
        taken.append(_("no port for an external GPU is known; say host: or ports:"))
    if said.time_value is None:
        taken.append(_("the person's own hours cost nothing; say time_value:"))
    if said.access.student and said.access.credit is None:
        taken.append(_("credits for students are in no table; say access.credit: what you were given"))
    if said.connection is None:
        taken.append(_("data is where it is computed; say connection: to count its upload"))
    return taken
