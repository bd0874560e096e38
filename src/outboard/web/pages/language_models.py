"""The view of language models: what ``outboard fit-llm`` gives, in the browser."""

from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from outboard import api
from outboard.catalog.model_files import language_model, models
from outboard.cli.fit_llm_document import document
from outboard.cli.render.fit_llm import opening
from outboard.cli.render.numbers import prose
from outboard.cli.serving_options import CACHES, QUANTISATIONS, USUAL
from outboard.i18n import _, speaking
from outboard.perf.serving.memory import Workload
from outboard.planner import serving
from outboard.planner.serving import Served
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel
from outboard.web import fields
from outboard.web.fields import FieldError
from outboard.web.pages.frame import Asking
from outboard.web.pages.frame import page as shown

CONTEXTS = (2048, 4096, 8192, 16384, 32768, 65536, 131072)


@dataclass(frozen=True)
class Asked:
    """The fields of this view."""

    on: str
    model: str
    context: int
    users: int
    quant: str
    cache: str

    @property
    def command(self) -> str:
        """The command that gives the same."""
        words = ["outboard fit-llm", *([self.model] if self.model else []), f"--on {self.on}"]
        words += [f"--context {self.context}"] if self.context != USUAL else []
        words += [f"--users {self.users}"] if self.users != 1 else []
        words += [f"--quant {self.quant}"] if self.quant else []
        words += [f"--cache {self.cache}"] if self.cache != "f16" else []
        return " ".join(words)

    @property
    def query(self) -> dict[str, str]:
        """The fields as they stand in an address."""
        said = {"on": self.on, "model": self.model, "context": str(self.context), "users": str(self.users)}
        return said | {"quant": self.quant, "cache": self.cache}


def read(asking: Asking) -> Asked:
    """The fields. Raises :class:`FieldError`."""
    said = {name: fields.text(name, value, 200) for name, value in asking.said.items()}
    on = fields.places(1, empty=True)("on", said.get("on", ""))
    model = said.get("model", "")
    if model and model not in {one.id for one in models()}:
        with fields.named("model", model):
            model = language_model(model).id
    return Asked(
        on=on[0] if on else next((one for one in asking.usual.have if one not in ("cpu", "here")), "rtx-3060-12gb@tb3"),
        model=model,
        context=fields.whole(1, 1 << 24)("context", said.get("context", "")) or USUAL,
        users=fields.whole(1, 4096)("users", said.get("users", "")) or 1,
        quant=fields.one_of(("", *QUANTISATIONS))("quant", said.get("quant", "")),
        cache=fields.one_of(CACHES)("cache", said.get("cache", "f16") or "f16"),
    )


def found(asked: Asked) -> tuple[Place, Workload, list[Served]]:
    """What ``outboard fit-llm`` finds."""
    place = api.find_place(asked.on)
    if place.device.vendor == "cpu":
        raise FieldError(
            "on", asked.on, _("language models are forecast on GPUs, for example {example}").format(example="rtx-3090")
        )
    work = Workload(asked.context, asked.users, asked.cache)
    names = (asked.quant,) if asked.quant else serving.PREFERRED
    if not asked.model:
        return place, work, serving.every(models(), place, work, names)
    one: LanguageModel = language_model(asked.model)
    return place, work, [serving.served(one, name, place, work) for name in names]


def page(asking: Asking) -> Response:
    """The page, or the part of it that a change alters."""
    try:
        asked = read(asking)
        place, work, served = found(asked)
    except FieldError as error:
        name = "wrong_part.html" if asking.part else "wrong.html"
        return shown(asking, name, 422, error=error if asking.part else str(error), field=error.field, view="llm")
    context: dict[str, Any] = {
        "asked": asked,
        "opening": prose(opening(served, place, work, bool(asked.model))),
        "rows": served,
        "room": served[0].room if served else None,
        "models": models(),
        "quantisations": QUANTISATIONS,
        "caches": CACHES,
        "contexts": sorted({*CONTEXTS, asked.context}),
        "view": "llm",
    }
    return shown(asking, "llm_part.html" if asking.part else "llm.html", **context)


def twin(asking: Asking) -> Response:
    """The same as JSON."""
    with speaking("en"):
        place, work, served = found(read(asking))
        return JSONResponse(document(place, work, served, None))
