"""A service as a job file states it: how much is read and written a day, for whom, and what an API would ask."""

from dataclasses import dataclass
from pathlib import Path

from outboard.cost.money import in_usd, parse_price, wrong
from outboard.errors import FileError, UsageError
from outboard.i18n import _
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.quantisation import MIXES
from outboard.planner.serving.sources import PREFERRED, PREFIX, Source, source
from outboard.types.evidence import Fact
from outboard.types.job import JobFile

DAYS_PER_MONTH = 365.0 / 12.0
READ_PER_WRITTEN = 3.0  # tokens of prompts, the talk so far among them, for each that a chat writes
MILLION = 1e6
PERIODS = ("mtok",)


@dataclass(frozen=True)
class Service:
    """What is served in a day. Prices of an API [USD/token], None where nobody said."""

    source: Source
    names: tuple[str, ...]  # quantisations to try, widest first; none where a file holds one
    work: Workload
    written: float  # [tokens/day]
    read: float
    rate: float  # that each user must get [tokens/s]
    always_on: bool
    api: Fact | None
    api_read: Fact | None

    @property
    def api_per_day(self) -> float | None:
        """What the API asks for a day [USD]."""
        if self.api is None:
            return None
        return self.written * self.api.value + self.read * (self.api_read.value if self.api_read else 0.0)


def read_service(said: JobFile, path: str) -> Service | None:
    """The service of a job file; None for other tasks. Raises :class:`FileError`."""
    if said.task != "serve":
        if said.serve is not None:
            raise FileError(path, _("goes with task: serve only"), "serve", "task: serve")
        return None
    if said.serve is None:
        right = _("write it like '{example}'").format(example="{tokens_per_day: 2000000, users: 4}")
        raise FileError(path, _("is missing: it says how much is served"), "serve", right)
    asked, names = said.serve, PREFERRED
    if asked.quantisation is not None:
        if asked.quantisation not in MIXES:
            known = ", ".join(MIXES)
            problem = _("'{name}' is no quantisation").format(name=asked.quantisation)
            raise FileError(path, problem, "serve.quantisation", known)
        names = (asked.quantisation,)
    try:
        found = source(_beside(said.workload, path), asked.quantisation)
    except FileError:
        raise
    except UsageError as error:
        raise FileError(path, str(error), "workload") from None
    read = asked.prompt_tokens_per_day
    return Service(
        source=found,
        names=() if found.file else names,
        work=Workload(asked.context, asked.users, asked.cache),
        written=asked.written,
        read=READ_PER_WRITTEN * asked.written if read is None else read,
        rate=asked.rate or 0.0,
        always_on=asked.always_on,
        api=api_price(asked.api_price, "serve.api_price", path) if asked.api_price else None,
        api_read=api_price(asked.api_price_prompt, "serve.api_price_prompt", path) if asked.api_price_prompt else None,
    )


def api_price(text: str, key: str, path: str = "") -> Fact:
    """A price for a million tokens, as a price for one [USD/token].

    >>> api_price("0.60 USD/Mtok", "--api-price").value
    6e-07
    """
    money, _per = parse_price(text, PERIODS, key, path, "0.60 USD/Mtok")
    if money.amount <= 0:
        raise wrong(path, key, _("'{text}' is no price").format(text=text), "0.60 USD/Mtok")
    each = in_usd(money, "USD/Mtok", _("stated by the person"))
    low, high = each.low or each.value, each.high or each.value
    return Fact(each.value / MILLION, "USD/token", each.source, each.evidence, low / MILLION, high / MILLION)


def _beside(workload: str, path: str) -> str:
    """A model file is looked for where the job file is."""
    name = workload.removeprefix(PREFIX)
    near = Path(path).parent / name
    return f"{PREFIX}{near}" if name.lower().endswith(".gguf") and near.is_file() else workload
