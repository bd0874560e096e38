"""A plan: where a job could run, what each place costs, which to take, and what would change the answer."""

from dataclasses import dataclass
from typing import Literal

PlaceKind = Literal[
    "owned", "egpu", "workstation", "server", "on-demand", "spot", "reserved", "monthly", "free tier", "cluster"
]
ReasonKind = Literal[
    "memory",
    "compatibility",
    "budget",
    "deadline",
    "data may not leave",
    "must be portable",
    "hours",
    "price unknown",
    "price not believed",
    "speed unknown",
    "access",
]

BOUGHT: tuple[PlaceKind, ...] = ("egpu", "workstation", "server")
RENTED: tuple[PlaceKind, ...] = ("on-demand", "spot", "reserved", "monthly")


@dataclass(frozen=True, slots=True)
class Interval:
    """Median and 80 % interval; infinite means never."""

    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a place is out."""

    kind: ReasonKind
    text: str


@dataclass(frozen=True, slots=True)
class PlanPlace:
    """One place and what it would mean. Costs [USD] and hours [h] are None where unknown."""

    id: str
    place: str  # GPU[xN][@LINK]
    kind: PlaceKind
    label: str  # as people read it
    provider: str
    feasible: bool
    reasons: tuple[Reason, ...]
    hours_per_job: Interval | None
    cost_per_job: Interval | None
    cost_over_horizon: Interval | None
    upfront: float | None  # paid before the first job [USD]
    batch: int | None  # samples per device and step
    load: float | None  # share of what the place can give [1]
    pareto: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flip:
    """How far one input moves the break-even [h/week], None: never; ``flips`` when it turns the decision."""

    cause: str
    label: str
    at_low: float | None
    at_high: float | None
    flips: bool


@dataclass(frozen=True, slots=True)
class PlanBreakEven:
    """From how many hours a week of the owned machine buying beats renting."""

    own: str  # ids of the two places
    rent: str
    own_label: str
    rent_label: str
    hours_per_week: Interval
    jobs_per_month: Interval
    stated_hours_per_week: float
    probability_never: float
    probability_at_stated_use: float
    payback_months: Interval
    sensitivity: tuple[Flip, ...]
    price_of_waiting: Interval | None = None  # rent for six months, then decide [USD]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, in a sentence; ``place`` is None when nothing is feasible."""

    id: str | None
    place: str | None
    sentence: str
    changes: tuple[str, ...] = ()  # what would change the answer


@dataclass(frozen=True, slots=True)
class ServicePrice:
    """What a served token costs at the recommended place, beside what an API asks. A million is of written tokens."""

    tokens_per_day: float  # written
    per_million: Interval  # all costs of the place over all that is written [USD]
    api_per_million: float | None  # with what is read for each [USD]; None where nobody said
    api_over_horizon: float | None  # [USD]
    pays_from: float | None  # tokens written a day from which the place is cheaper than the API, at the same cost
    most_per_day: float  # that the place can write in a day


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer for one job."""

    job: str
    workload: str
    runs_per_month: float
    horizon_years: float
    goal: str
    currency: str
    recommendation: Recommendation
    places: tuple[PlanPlace, ...]  # best first, the infeasible ones last
    break_even: PlanBreakEven | None
    no_break_even: str  # why there is none
    prices: str  # how old the prices are
    assumptions: tuple[str, ...] = ()
    service: ServicePrice | None = None  # of the task ``serve``


@dataclass(frozen=True, slots=True)
class Assignment:
    """Where one of several jobs goes."""

    job: str
    id: str
    place: str
    label: str
    hours_per_job: Interval
    cost_over_horizon: float  # its own part, fixed costs shared by hours [USD]


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The best assignment of several jobs to places. ``gap`` 0 is proven optimal [1]."""

    assignment: tuple[Assignment, ...]
    gap: float
    cost_over_horizon: Interval
    all_cloud: Interval | None
    all_own: Interval | None
    sentence: str
    unplaced: tuple[str, ...] = ()
