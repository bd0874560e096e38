"""``outboard estimate --task serve``: a language model at a place, with what its tokens cost."""

import inspect
from typing import TYPE_CHECKING, Any

from outboard.cli import choices, language, output, parameters
from outboard.cli.serving_options import CACHES, QUANTISATIONS, USUAL
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.serving import Served
    from outboard.planner.serving.cost import TokenCost
    from outboard.types.evidence import Fact

OPTIONS = ("quant", "cache", "read_per_written", "api_price", "api_price_prompt", "electricity")
# Of the job's own options those that say something of a service: sequences of its context, users at once.
SHARED = ("task", "seq_len", "batch_size")


def serve_options() -> list[inspect.Parameter]:
    """What ``--task serve`` takes beside ``--seq-len`` and ``--batch``; all are None when not given."""
    return [
        parameters.option(
            "quant",
            "--quant",
            "NAME",
            _("--task serve: only this quantisation; --seq-len is the context, --batch the users at once."),
            choices.one_of("--quant", QUANTISATIONS),
        ),
        parameters.option(
            "cache",
            "--cache",
            "|".join(CACHES),
            _("--task serve: type of the cache of keys and values.") + " [f16]",
            choices.one_of("--cache", CACHES),
        ),
        parameters.option(
            "read_per_written",
            "--read-per-written",
            "N",
            _("--task serve: tokens of prompts for each that is written.") + " [3]",
            choices.positive("--read-per-written"),
        ),
        parameters.option(
            "api_price", "--api-price", "MONEY/Mtok", _("What an API asks for a million written tokens.")
        ),
        parameters.option(
            "api_price_prompt", "--api-price-prompt", "MONEY/Mtok", _("And for a million that it reads.")
        ),
        parameters.option("electricity", "--electricity", "MONEY/kWh", _("Your tariff, for example '0.18 EUR/kWh'.")),
    ]


def taken(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of serving out of ``options``; another task than serve takes none of them."""
    found = {name: options.pop(name, None) for name in OPTIONS}
    if options.get("task") != "serve" and (given := [name for name, value in found.items() if value is not None]):
        message = _("--{option} goes with --task serve only")
        raise UsageError(message.format(option=given[0].replace("_", "-")))
    return found


def run(workload: str, on: str, job: dict[str, Any], how: dict[str, Any], as_json: bool) -> int:
    """Forecast and print; 1 when it does not fit."""
    for name, value in job.items():
        if value not in (None, False) and name not in SHARED:
            message = _("--{option} means nothing to --task serve; leave it out")
            raise UsageError(message.format(option=name.replace("_", "-")))
    from outboard.cli.serving_options import serving_place
    from outboard.cost.facts import overhead
    from outboard.cost.money import in_usd, parse_rate
    from outboard.perf.serving.memory import Workload
    from outboard.planner import serving
    from outboard.planner.serving.cost import token_cost
    from outboard.planner.serving.service import READ_PER_WRITTEN, api_price

    prices = [
        api_price(how[name], f"--{name.replace('_', '-')}") if how[name] else None
        for name in ("api_price", "api_price_prompt")
    ]
    said = how["electricity"]
    tariff = in_usd(parse_rate(said, "kWh", "--electricity"), "USD/kWh") if said else overhead("electricity-world")
    batch = job.get("batch_size")
    place = serving_place(on)
    work = Workload(job.get("seq_len") or USUAL, 1 if batch in (None, "auto") else batch, how["cache"] or "f16")
    with language.english(as_json):
        named = serving.source(workload, how["quant"])
        mixes = named.mixes((how["quant"],) if how["quant"] else serving.PREFERRED)
        one = serving.best(named.model, place, work, mixes)
        speed = one.speed or (one.split.speed if one.split else None)
        read = how["read_per_written"] or READ_PER_WRITTEN
        cost = token_cost(place, speed, read, tariff, *prices) if speed else None
    if as_json:
        output.write_json(_document(place.name, work.users, one, cost, read, tariff))
    else:
        from outboard.cli.render.serving import render

        render(one, place, work, cost, read)
    return int(not one.fits)


def _document(
    place: str, users: int, one: "Served", cost: "TokenCost | None", read: float, tariff: "Fact"
) -> dict[str, Any]:
    from outboard.cli.fit_llm_document import model

    answer: dict[str, Any] = {"place": place, "task": "serve", "users": users, **model(one)}
    if cost is None:
        return {**answer, "cost": None}
    money = {
        "read_per_written": read,
        "electricity_usd_per_kwh": tariff.value,
        "watts": cost.watts.value if cost.watts else None,
        "seconds_per_million": cost.seconds,
        "energy_usd_per_million": cost.energy,
        "rented_usd_per_million": cost.rented,
        "rented_from": cost.offer.provider if cost.offer else None,
        "device_usd": cost.bought.value if cost.bought else None,
        "api_usd_per_million": cost.api,
        "paid_off_after_million": cost.paid_off,
    }
    return {**answer, "cost": money}
