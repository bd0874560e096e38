"""Amounts with their currency, and the economic terms of rented, bought and free places."""

import math
from dataclasses import dataclass
from datetime import date
from typing import Literal

from outboard.types.evidence import Fact

OfferKind = Literal["on-demand", "spot"]
Market = Literal["hyperscaler", "cloud", "marketplace"]
Ageing = Literal["consumer", "datacentre", "equipment", "none"]
Billing = Literal["on-demand", "spot", "monthly", "reserved-1y", "reserved-3y"]


@dataclass(frozen=True, slots=True)
class Money:
    """An amount and its ISO 4217 currency."""

    amount: float
    currency: str

    def __post_init__(self) -> None:
        if not math.isfinite(self.amount):
            raise ValueError(f"an amount must be a finite number, not {self.amount}")


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the price snapshot: a machine that can be rented.

    ``usd_per_hour`` is the price of the whole instance, with all its ``gpu_count`` devices; None: unknown, never zero.
    """

    provider: str
    instance: str
    gpu: str  # as the provider writes it
    device: str  # catalogue id, empty where the card is in no catalogue
    gpu_count: int
    gpu_share: float  # 1, or the part of a device that a fractional instance really gets
    least_gpus: int  # how many devices must be taken at once
    vram_gb: float | None  # per device, as listed
    vcpus: float | None
    ram_gb: float | None
    kind: OfferKind
    tier: str
    market: Market
    usd_per_hour: float | None
    usd_per_gpu_hour: float | None
    host_included: bool  # False: cores and memory are billed beside the GPU
    usd_per_vcpu_hour: float | None
    usd_per_ram_gb_hour: float | None
    cheapest_live: bool  # the cheapest live listing of a market place, which most people do not get
    region: str
    date: str  # ISO date, or only the year
    source: str
    licence: str
    note: str = ""
    alarm: str = ""  # a price that looks wrong but may be true
    refusal: str = ""  # why the price is not believed


@dataclass(frozen=True, slots=True)
class Use:
    """How much is computed and for how long. ``waiting_value`` is what an idle hour of waiting costs the person."""

    jobs_per_month: float
    horizon_years: float
    discount_rate: float = 0.0  # real [1/year]
    time_value: float = 0.0  # the person's own hour [USD/h]
    waiting_value: float = 0.0  # an hour of waiting for a result [USD/h]

    def __post_init__(self) -> None:
        if self.horizon_years <= 0:
            raise ValueError("the horizon must be longer than zero")
        if self.jobs_per_month < 0 or self.time_value < 0 or self.waiting_value < 0 or self.discount_rate < 0:
            raise ValueError("use, time value, waiting value and discount rate cannot be negative")


@dataclass(frozen=True, slots=True)
class Work:
    """What one job takes at a place. Places with the same ``cause`` share the error of their forecast."""

    hours: Fact  # of machine time, undisturbed [h]
    cause: str  # e.g. "speed:rtx-3090"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is bought. ``used_value`` is what it would sell for today; without it, its price.

    ``price`` and ``used_value`` hold at ``priced_years``. A part that ``moves`` is bought at what the market has made
    of that by ``at_years``; without ``sold_years`` it is sold at the end of the horizon.
    """

    name: str
    price: Fact | None  # [USD]; None: unknown, never zero
    at_years: float = 0.0
    ageing: Ageing = "equipment"
    used_value: Fact | None = None  # [USD]
    priced_years: float = 0.0
    moves: bool = False
    sold_years: float | None = None


@dataclass(frozen=True, slots=True)
class Purchase:
    """A machine that is bought, in one go or in stages, and run.

    ``share`` is the part of the fixed cost that this use bears when several people or computers share the machine.
    """

    name: str
    parts: tuple[Part, ...]
    busy_watts: Fact  # extra draw at the wall while a job runs, host included where it runs only for this [W]
    idle_watts: Fact  # while on without a job [W]
    electricity: Fact  # [USD/kWh]
    on_hours_week: float = 0.0  # hours a week switched on, busy ones included [h/week]
    pue: Fact | None = None  # cooling and losses over the computers [1]
    admin_hours_month: Fact | None = None  # [h/month]
    maintenance_share: Fact | None = None  # of the price of all parts, yearly [1/year]
    monthly_fee: Fact | None = None  # colocation, insurance, internet [USD/month]
    failures_year: Fact | None = None  # per device [1/year]
    devices: int = 1
    replacement: Fact | None = None  # of one failed device; without it, the dearest part [USD]
    warranty_share: float = 0.0  # of a replacement that the warranty pays [1]
    days_down: float = 0.0
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError("a share is more than zero and at most one")
        if not 0 <= self.on_hours_week <= 168:
            raise ValueError("a week has 168 hours")


@dataclass(frozen=True, slots=True)
class Rent:
    """A rented place. ``rate`` is the price of the whole instance; None: unknown, and then so is every cost."""

    name: str
    rate: Fact | None  # [USD/h]
    billing: Billing = "on-demand"
    price_age_years: float = 0.0  # how old the rate is today [year]
    setup_hours: Fact | None = None  # billed before each job: boot, install, fetch data from a store [h]
    upload_hours: Fact | None = None  # not billed: data over the person's connection [h]
    hands_on_hours: Fact | None = None  # the person's own time per job [h]
    storage_gb: float = 0.0
    storage_price: Fact | None = None  # [USD/GB/month]
    egress_gb: float = 0.0  # per job
    egress_price: Fact | None = None  # [USD/GB]
    minimum_hours: float = 0.0
    increment_hours: float = 0.0
    credit: float = 0.0  # one-off [USD]
    between_losses: Fact | None = None  # mean time between preemptions [h]
    restart_hours: Fact | None = None  # [h]
    checkpoint_hours: float = 0.5  # between two checkpoints [h]
    deadline_hours: float = math.inf  # from start to end of a job; then a spot job finishes on demand [h]
    on_demand_rate: Fact | None = None  # what it then costs; without it, a spot job stays on spot [USD/h]
    commitment_ratio: Fact | None = None  # reserved over on-demand price [1]
    monthly_price: Fact | None = None  # for billing by the month [USD/month]
    fixed_price: bool = False  # agreed for the whole horizon: no drift


@dataclass(frozen=True, slots=True)
class Quota:
    """A free or cheap tier: so many hours a period, in sessions that end."""

    name: str
    hours_week: Fact | None  # None: no limit but the sessions [h/week]
    session_hours: float = math.inf
    restart_hours: float = 0.25  # lost at the start of every session [h]
    sessions_week: float = math.inf  # how many sessions the person starts
    reconnect_hours: float = 0.0  # the person's own time per session [h]
    usd_per_hour: Fact | None = None
    usd_per_month: float = 0.0
    upload_hours: Fact | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A university cluster: queue, wall-time limit, and perhaps a charge."""

    name: str
    wait: Fact  # in the queue, per submission [h]
    walltime_hours: float = math.inf
    restart_hours: float = 0.1  # lost at the start of every submission [h]
    usd_per_hour: Fact | None = None  # charge for the devices used [USD/h]
    hands_on_hours: Fact | None = None
    hours_month: float = math.inf  # allotted [h/month]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The price table as read: what can be used, what was refused and why, and how old it is."""

    offers: tuple[Offer, ...]
    refused: tuple[Offer, ...]
    newest: date
    oldest: date
