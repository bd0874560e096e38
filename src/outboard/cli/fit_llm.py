"""``outboard fit-llm``: which open language models fit at a place, how well, and how fast."""

from typing import Any

import typer

from outboard.cli import choices, language, output, parameters
from outboard.cli.fit_llm_document import document
from outboard.cli.fit_llm_extras import Extras
from outboard.cli.serving_options import (
    QUANTISATIONS,
    layout,
    layout_options,
    lever_options,
    serving_place,
    work_options,
    workload,
)
from outboard.errors import UsageError
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument(
            "model",
            "MODEL",
            _("One model by name, gguf:FILE, or hf:PATH of a config.json; else all that are known."),
            False,
        ),
        parameters.option(
            "on", "--on", "PLACE|auto", _("Where: GPU[xN][@LINK], for example rtx-3060-12gb@tb3; auto: this machine.")
        ),
        *work_options(),
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
        *layout_options(),
        parameters.flag("curve", "--curve", _("Also: the rate by the number of layers on the GPU.")),
        *lever_options(),
        parameters.limit(0),
    ]
    parameters.command(app, "fit-llm", run, _("Open language models: what fits, how long a context, how fast."), given)


def run(
    model: str | None,
    on: str | None,
    rate: int | None,
    quant: str | None,
    curve: bool,
    limit: int | None,
    as_json: bool,
    **how: Any,
) -> int:
    """Print what fits; 1 when nothing does."""
    if on is None:
        raise UsageError(_("say where with --on PLACE, for example --on rtx-3060-12gb@tb3"))
    for flag, asked in (("--rate", rate is not None), ("--curve", curve), ("--draft", how["draft"] is not None)):
        if asked and model is None:
            raise UsageError(_("{flag} asks about one model; name it").format(flag=flag))
    from outboard.catalog.model_files import models
    from outboard.cli.render import fit_llm as page
    from outboard.planner import serving

    place, work, wanted = serving_place(on), workload(how), layout(on, how)
    with language.english(as_json):
        if model is None:
            names = (quant,) if quant else serving.PREFERRED
            found, extras = serving.every(models(), place, work, names, wanted), None
        else:
            named = serving.source(model, quant)
            mixes = named.mixes((quant,) if quant else serving.PREFERRED)
            found = [serving.served(named.model, one, place, work, wanted) for one in mixes]
            extras = Extras.of(found, place, work, wanted, rate, curve, how)
    if as_json:
        output.write_json(document(place, work, found, extras))
    else:
        page.render(found, place, work, wanted, model is not None, output.rows(limit, 0) or None)
        if extras is not None:
            page.render_extras(extras)
    return int(not any(one.fits for one in found))
