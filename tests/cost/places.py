"""Places for the tests: an eGPU, a rented card of the same kind, a free tier and a cluster."""

from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Cluster, Part, Purchase, Quota, Rent, Use, Work


def fact(value: float, unit: str = "", low: float | None = None, high: float | None = None) -> Fact:
    return Fact(value, unit, "test", Evidence.DATASHEET, low=low, high=high)


TARIFF = fact(0.27, "USD/kWh", 0.18, 0.32)


def egpu(price: float = 700.0, on_hours: float = 40.0, failures: float = 0.06) -> Purchase:
    card = Part("rtx-3090", fact(price, "USD", 0.85 * price, 1.2 * price), ageing="consumer")
    box = Part("enclosure", fact(300.0, "USD", 200.0, 400.0))
    return Purchase(
        "rtx-3090@tb3",
        (card, box),
        busy_watts=fact(380.0, "W", 350.0, 420.0),
        idle_watts=fact(25.0, "W", 15.0, 40.0),
        electricity=TARIFF,
        on_hours_week=on_hours,
        failures_year=fact(failures, "1/year"),
        days_down=10.0,
    )


def rented(rate: float | None = 0.40, **terms: object) -> Rent:
    price = None if rate is None else fact(rate, "USD/h", 0.9 * rate, 1.2 * rate)
    return Rent("rented rtx-3090", price, **terms)  # type: ignore[arg-type]


def work(hours: float = 4.0) -> Work:
    return Work(fact(hours, "h", 0.8 * hours, 1.25 * hours), "speed:rtx-3090")


def use(jobs: float = 30.0, years: float = 2.0, **more: float) -> Use:
    return Use(jobs, years, **more)


KAGGLE = Quota("kaggle", fact(30.0, "h/week", 20.0, 30.0), session_hours=12.0, restart_hours=0.25)
CLUSTER = Cluster("university", fact(5.0, "h", 1.0, 24.0), walltime_hours=24.0)
