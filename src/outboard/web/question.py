"""What a person asks of the page: the query string, read and checked. A state is a URL, and a URL is a state."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any
from urllib.parse import urlencode

from outboard import catalog
from outboard.cli import choices
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.tracing import zoo
from outboard.tracing.relabel import twin
from outboard.web.fields import (
    FieldError,
    amount,
    country,
    host,
    number,
    one_of,
    places,
    rate,
    switch,
    text,
    whole,
    workload,
)

HAVE = ("rtx-3090@tb3",)
BESIDE = (
    "rtx-3090@pcie4-x16",
    "rtx-3060-12gb@tb3",
    "rtx-4060-ti-16gb@tb4",
    "rtx-4090@pcie4-x16",
    "l4",
    "a100-sxm4-80gb",
)
MOST_PLACES = 12
LONGEST = 400  # of one field
OF_MACHINE = frozenset({"have", "host", "country"})  # whose defaults depend on the machine: always said in a link
ALIKE = ("amp-fp16", "amp-bf16", "fp16", "bf16", "fp32", "tf32")  # what stands in first for a precision not recorded


@dataclass(frozen=True)
class Question:
    """Every field of the page. The first ones are seen at once, the others are folded under what they change."""

    w: str = "zoo:retinanet_resnet50_fpn"
    task: str = "infer"
    precision: str = "fp32"
    batch: int | str = "auto"
    have: tuple[str, ...] = HAVE
    host: str = ""
    hours: float = 40.0  # a week, of the place in sight
    months: int = 36
    # about the work
    size: int | None = None  # pixels or tokens, whichever the model takes
    optimizer: str = "adamw"
    accumulate: int = 1
    checkpoint: bool = False
    layout: str = "nchw"
    copy: str = "serial"
    # about places
    beside: tuple[str, ...] = BESIDE
    at: str = ""  # the place in sight; nothing: the first that is had
    os: str = ""
    # about money
    country: str = "ES"
    budget: str = ""
    electricity: str = ""
    own_hour: str = ""
    goal: str = "cheapest"
    cloud: bool = True
    # about the data
    leave: bool = True
    carry: bool = False
    samples: int | None = None
    epochs: float = 1.0
    runs: float | None = None  # a week
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def focus(self) -> str:
        """The place that the page tells most about."""
        return self.at or (self.have or self.beside)[0]

    @property
    def every(self) -> tuple[str, ...]:
        """All places to compare, each once."""
        return tuple(dict.fromkeys((*self.have, *([self.at] if self.at else []), *self.beside)))

    def query(self, **changed: Any) -> str:
        """The query string of this question with some fields changed; what is usual everywhere is left out."""
        one = replace(self, **changed)
        usual = Question()
        said = {
            item.name: _written(getattr(one, item.name))
            for item in fields(Question)
            if item.name in OF_MACHINE or (item.compare and getattr(one, item.name) != getattr(usual, item.name))
        }
        return urlencode(said)


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def written(question: Question, name: str) -> str:
    """The field as its control shows it."""
    return _written(getattr(question, name))


def _readers() -> dict[str, Callable[[str, str], Any]]:
    return {
        "w": workload,
        "task": one_of(choices.COMPUTED),
        "precision": one_of(choices.PRECISIONS),
        "batch": whole(1, 1 << 20, also=("auto",)),
        "have": places(MOST_PLACES, empty=True),
        "host": host,
        "hours": number(0.0, 168.0),
        "months": whole(1, 120),
        "size": whole(1, 1 << 20),
        "optimizer": one_of(choices.OPTIMIZERS),
        "accumulate": whole(1, 4096),
        "checkpoint": switch,
        "layout": one_of(choices.MEMORY_FORMATS),
        "copy": one_of(choices.INPUT_COPIES),
        "beside": places(MOST_PLACES, empty=True),
        "at": places(1, empty=True),
        "os": one_of(("", "linux", "windows", "macos")),
        "country": country,
        "budget": amount("1500 EUR"),
        "electricity": rate("kWh"),
        "own_hour": rate("h"),
        "goal": one_of(("cheapest", "soonest", "balanced")),
        "cloud": switch,
        "leave": switch,
        "carry": switch,
        "samples": whole(1, 10**12),
        "epochs": number(0.001, 1e6),
        "runs": number(0.0, 1e5),
    }


MAY_BE_EMPTY = frozenset(
    {"have", "host", "size", "at", "os", "country", "budget", "electricity", "own_hour", "samples"}
)
MAY_BE_EMPTY |= {"runs", "beside"}


def read(said: Mapping[str, str], usual: Question | None = None) -> Question:
    """The question in a query. ``usual`` holds what this machine has. Raises :class:`FieldError`."""
    values: dict[str, Any] = {}
    for name, reader in _readers().items():
        given = said.get(name)
        if given is None or (not given.strip() and name not in MAY_BE_EMPTY):
            continue
        value = reader(name, text(name, given, LONGEST))
        values[name] = (value[0] if value else "") if name == "at" else value
    asked = replace(usual or Question(), **values)
    if not asked.have and not asked.beside:
        raise FieldError("have", "", _("name at least one place, for example {example}").format(example=HAVE[0]))
    if len(asked.every) > MOST_PLACES:
        most = _("{count} places at most, these are {given}")
        raise FieldError("beside", "", most.format(count=MOST_PLACES, given=len(asked.every)))
    return _recorded(asked)


@dataclass(frozen=True)
class Offered:
    """What the zoo has recorded of a model: what the controls may offer."""

    tasks: tuple[str, ...]
    precisions: tuple[str, ...]
    sizes: tuple[int, ...]
    tokens: bool  # sizes are tokens, not pixels
    layouts: tuple[str, ...]
    checkpoints: bool


@cache
def offered(workload: str, task: str, precision: str) -> Offered | None:
    """What is recorded of a model of the zoo for this task and precision; None for an uploaded trace."""
    if not workload.startswith("zoo:"):
        return None
    entry = zoo.find(workload.removeprefix("zoo:"))
    every = entry.shipped()
    trained = "train" if task == "finetune" and not any(one.task == "finetune" for one in every) else task
    same = [one for one in every if one.task == trained]
    known = {one.precision for one in same}
    known |= {other for one in known if (other := twin(one))}
    like = [one for one in same if precision in (one.precision, twin(one.precision))]
    sizes = sorted({size for one in same if (size := one.seq_len if entry.seq_len else one.image_size)})
    return Offered(
        tasks=tuple(one for one in choices.COMPUTED if one == "finetune" or any(v.task == one for v in every)),
        precisions=tuple(one for one in choices.PRECISIONS if one in known),
        sizes=tuple(sizes),
        tokens=bool(entry.seq_len),
        layouts=tuple(dict.fromkeys(one.memory_format for one in like)) or ("nchw",),
        checkpoints=any(one.grad_checkpointing for one in like),
    )


def _recorded(asked: Question) -> Question:
    """The question with what was never recorded replaced by the nearest that was, and a note that says so."""
    has = offered(asked.w, asked.task, asked.precision)
    if has is None:
        return asked
    notes: list[str] = []
    form = _("{name} {value} is not recorded for this model and task; shown with {other}")
    if asked.precision not in has.precisions:
        other = next((one for one in ALIKE if one in has.precisions), has.precisions[0])
        notes.append(form.format(name=_("precision"), value=asked.precision, other=other))
        asked = replace(asked, precision=other)
        has = offered(asked.w, asked.task, other) or has
    if asked.size is not None and asked.size not in has.sizes:
        other = min(has.sizes, key=lambda one: abs(one - (asked.size or 0)))
        notes.append(form.format(name=_("size"), value=asked.size, other=other))
        asked = replace(asked, size=other)
    if asked.layout not in has.layouts:
        notes.append(form.format(name=_("layout"), value=asked.layout, other=has.layouts[0]))
        asked = replace(asked, layout=has.layouts[0])
    if asked.checkpoint and not has.checkpoints:
        notes.append(form.format(name=_("checkpointing"), value=_("yes"), other=_("no")))
        asked = replace(asked, checkpoint=False)
    return replace(asked, notes=tuple(notes))


def here() -> Question:
    """What this machine has: its own GPU where one is found. Never fails: the page opens in any case."""
    from outboard.planner import detect, questions

    usual = Question()
    try:
        found = tuple(_seen()) or usual.have
        asked = replace(usual, have=found, host=detect.host(), country=questions.country_here() or usual.country)
        return read({}, asked)
    except (UsageError, OSError):
        return usual


def _seen() -> list[str]:
    from outboard.probe import look

    cards = [card for card in look().cards if card.device is not None]
    names = [f"{card.device.id}@{card.link}" if card.link else card.device.id for card in cards if card.device]
    return [catalog.place(name).name for name in names][:MOST_PLACES]
