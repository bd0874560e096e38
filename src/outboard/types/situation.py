"""The person's circumstances as they write them: ``me.yaml``. Amounts and times stay text until the planner reads."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Goal = Literal["cheapest", "soonest", "balanced"]


class _Written(BaseModel):
    """A part of the file; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Owned(_Written):
    """A device at hand, and how it hangs on its host."""

    device: Annotated[str, Field(examples=["rtx-3060-12gb"])]
    link: Annotated[str | None, Field(examples=["tb3"])] = None
    count: Annotated[int, Field(ge=1, le=64, examples=["2"])] = 1
    ssh: Annotated[str, Field(examples=["me@box"])] = ""  # how it is reached; nothing: it is in this computer


class Stage(_Written):
    """One step of a purchase in stages: this card from then on, in place of the one before, which is sold that day."""

    device: Annotated[str, Field(examples=["rtx-3060-12gb"])]
    link: Annotated[str | None, Field(examples=["tb3"])] = None  # None: in a workstation
    condition: Annotated[Literal["used", "new"], Field(examples=["used"])] = "used"
    after: Annotated[str | None, Field(examples=["12 months"])] = None  # None: now
    price: Annotated[str | None, Field(examples=["650 EUR"])] = None  # of the card then; None: as the market has it


class Quote(_Written):
    """A price that the person was given. By the hour or by the month, for all devices together."""

    device: Annotated[str, Field(examples=["rtx-4090x2"])]
    price: Annotated[str, Field(examples=["0.35 EUR/h", "200 EUR/month"])]
    provider: Annotated[str, Field(examples=["Acme"])]
    spot: Annotated[bool, Field(examples=["true"])] = False


class Portable(_Written):
    """What the person is ready to carry and to plug in."""

    max_weight: Annotated[str | None, Field(examples=["4 kg"])] = None
    max_power: Annotated[str | None, Field(examples=["300 W"])] = None


class Constraints(_Written):
    """What a place must satisfy."""

    data_may_leave: Annotated[bool, Field(examples=["true"])] = True
    portable: Annotated[bool | Portable, Field(examples=["true"])] = False
    deadline: Annotated[str | None, Field(examples=["3 days"])] = None


class Slurm(_Written):
    """A university cluster. ``wait`` is for one submission, an interval that holds four waits out of five."""

    login: Annotated[str, Field(examples=["me@login.example.edu"])] = ""
    partition: Annotated[str, Field(examples=["gpu"])] = ""
    gpus: Annotated[tuple[str, ...], Field(examples=["[a100-40gb]"])]
    wait: Annotated[str, Field(examples=["1 h .. 24 h"])]
    walltime: Annotated[str | None, Field(examples=["24 h"])] = None
    hours_per_month: Annotated[float | None, Field(gt=0, examples=["200"])] = None
    charge: Annotated[str | None, Field(examples=["0.10 EUR/h"])] = None
    data_allowed: Annotated[bool, Field(examples=["true"])] = False  # although the data may not leave


class Access(_Written):
    """What the person may use beside what they own and what they could buy."""

    slurm: Annotated[Slurm | None, Field(examples=["{gpus: [a100-40gb], wait: 1 h .. 24 h}"])] = None
    cloud: Annotated[bool, Field(examples=["true"])] = True
    tiers: Annotated[tuple[str, ...] | None, Field(examples=["[kaggle-t4x2]"])] = None  # None: all
    student: Annotated[bool, Field(examples=["true"])] = False
    credit: Annotated[str | None, Field(examples=["100 USD"])] = None
    quotes: Annotated[
        tuple[Quote, ...], Field(examples=["[{device: rtx-4090, price: 0.35 EUR/h, provider: Acme}]"])
    ] = ()


class Situation(_Written):
    """Everything that an answer depends on beside the job. Defaults are shown in the answer."""

    host: Annotated[str, Field(examples=["framework-13-intel"])] = "auto"
    os: Annotated[Literal["linux", "windows", "macos"] | None, Field(examples=["linux"])] = None
    ports: Annotated[tuple[str, ...], Field(examples=["[tb4]"])] = ()
    owned: Annotated[tuple[Owned, ...], Field(examples=["[{device: rtx-3060-12gb, link: tb3}]"])] = ()
    staged: Annotated[
        tuple[Stage, ...],
        Field(examples=["[{device: rtx-3060-12gb, link: tb3}, {device: rtx-3090, link: tb3, after: 12 months}]"]),
    ] = ()
    country: Annotated[str | None, Field(examples=["ES"])] = None
    electricity: Annotated[str | None, Field(examples=["0.18 EUR/kWh"])] = None
    horizon: Annotated[str, Field(examples=["24 months"])] = "24 months"
    budget: Annotated[str | None, Field(examples=["1500 EUR"])] = None
    constraints: Annotated[Constraints, Field(examples=["{data_may_leave: true}"])] = Constraints()
    access: Annotated[Access, Field(examples=["{student: true}"])] = Access()
    time_value: Annotated[str | None, Field(examples=["15 EUR/h"])] = None
    waiting_value: Annotated[str | None, Field(examples=["0.50 EUR/h"])] = None
    discount_rate: Annotated[float, Field(ge=0, le=1, examples=["0.03"])] = 0.0
    on_hours_week: Annotated[float | None, Field(ge=0, le=168, examples=["40"])] = None
    shared_by: Annotated[int, Field(ge=1, examples=["3"])] = 1
    connection: Annotated[str | None, Field(examples=["20 Mbit/s"])] = None
    colocation: Annotated[bool, Field(examples=["true"])] = True
    goal: Annotated[Goal, Field(examples=["balanced"])] = "cheapest"
