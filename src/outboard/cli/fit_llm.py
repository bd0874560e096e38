"""``outboard fit-llm``: which open language models fit at a place, how well, and how fast."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import choices, language, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outboard.perf.serving.memory import Workload
    from outboard.planner.serving import Served
    from outboard.types.hardware import Place

USUAL = 8192  # tokens of context that people give a chat [tokens]
QUANTISATIONS = (
    *("f16", "q8_0", "q6_k", "q5_k_m", "q5_0", "q4_k_m", "q4_k_s", "q4_0", "iq4_xs", "q3_k_m", "q2_k"),
    *("mxfp4", "fp8", "int8", "awq", "gptq", "nf4", "nf4-dq"),
)
CACHES = ("f16", "q8_0", "q4_0")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("model", "MODEL", _("One model, in every quantisation; else all that are known."), False),
        parameters.option("on", "--on", "PLACE", _("Where: GPU[xN][@LINK], for example rtx-3060-12gb@tb3.")),
        parameters.option(
            "context",
            "--context",
            "TOKENS",
            _("Tokens of context for each user.") + f" [{USUAL}]",
            choices.whole("--context"),
        ),
        parameters.option(
            "users", "--users", "N", _("How many are served at once.") + " [1]", choices.whole("--users")
        ),
        parameters.option(
            "rate",
            "--rate",
            "TOKENS/S",
            _("Also: how many users at once still get this rate each."),
            choices.whole("--rate"),
        ),
        parameters.option(
            "quant",
            "--quant",
            "NAME",
            _("Only this quantisation, for example q4_k_m."),
            choices.one_of("--quant", QUANTISATIONS),
        ),
        parameters.option(
            "cache",
            "--cache",
            "|".join(CACHES),
            _("Type of the cache of keys and values.") + " [f16]",
            choices.one_of("--cache", CACHES),
        ),
        parameters.limit(0),
    ]
    parameters.command(app, "fit-llm", run, _("Open language models: what fits, how long a context, how fast."), given)


def run(
    model: str | None,
    on: str | None,
    context: int | None,
    users: int | None,
    rate: int | None,
    quant: str | None,
    cache: str | None,
    limit: int | None,
    as_json: bool,
) -> int:
    """Print what fits; 1 when nothing does."""
    if on is None:
        raise UsageError(_("say where with --on PLACE, for example --on rtx-3060-12gb@tb3"))
    if rate is not None and model is None:
        raise UsageError(_("--rate asks about one model; name it"))
    from outboard import api
    from outboard.catalog.model_files import language_model, models
    from outboard.cli.render import fit_llm as page
    from outboard.perf.serving.memory import Workload
    from outboard.planner import serving

    place = api.find_place(on)
    work = Workload(context or USUAL, users or 1, cache or "f16")
    names = (quant,) if quant else serving.PREFERRED
    with language.english(as_json):
        if model is None:
            found = serving.every(models(), place, work, names)
        else:
            one = language_model(model)
            found = [serving.served(one, name, place, work) for name in names]
        fitting = [one for one in found if one.fits]
        crowd = None
        if rate is not None:
            asked = fitting[0] if fitting else found[-1]
            crowd = serving.most_users(asked.model, asked.quantisation, place, work, float(rate))
    if as_json:
        told = document(found, place, work)
        output.write_json(told if crowd is None else {**told, "most_users": crowd})
    else:
        page.render(found, place, work, model is not None, output.rows(limit, 0) or None)
        if crowd is not None and rate is not None:
            page.crowd(crowd, rate, (fitting or found)[0])
    return int(not fitting)


def document(found: "Sequence[Served]", place: "Place", work: "Workload") -> dict[str, Any]:
    """The models as JSON has them."""
    return {"place": place.name, "users": work.users, "models": [_plain(one) for one in found]}


def _plain(one: "Served") -> dict[str, Any]:
    rates = one.speed
    return {
        "model": one.model.id,
        "quantisation": one.quantisation,
        "fits": one.fits,
        "required_bytes": one.required,
        "room_bytes": one.room,
        "context": one.context,
        "largest_context": one.largest,
        "loading_seconds": one.loading,
        "decode": _rate(one, "decode") if rates else None,
        "together": _rate(one, "together") if rates else None,
        "prefill": _rate(one, "prefill") if rates else None,
    }


def _rate(one: "Served", name: str) -> dict[str, float] | None:
    if one.speed is None:
        return None
    low, high = one.speed.band(name)
    return {"value": float(getattr(one.speed, name)), "low": low, "high": high}
