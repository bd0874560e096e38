"""The view of one job: does it fit, how fast is it where, what does it cost, what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from outboard import clock
from outboard.cli import choices
from outboard.cli.render import doctor as told
from outboard.cli.render import estimate as sentences
from outboard.cli.render.numbers import prose
from outboard.compat import Verdict
from outboard.cost.money import countries
from outboard.cost.offers import age_days
from outboard.errors import UnknownNameError
from outboard.i18n import _, speaking
from outboard.planner.answer import Answer
from outboard.planner.document import document
from outboard.schema import documents
from outboard.tracing import zoo
from outboard.types.estimate import Estimate, Term
from outboard.types.money import Snapshot
from outboard.types.plan import PlanPlace
from outboard.web import charts, spoken, written
from outboard.web.fields import FieldError
from outboard.web.fit import Fit
from outboard.web.pages.frame import Asking
from outboard.web.pages.frame import page as shown
from outboard.web.question import Question, offered

OLD = 60  # days from which on prices are shown as old
PLACES = 12  # rows of the plan


def page(asking: Asking) -> Response:
    """The whole page, or the part of it that a change alters; the plan comes after it where it takes longer."""
    try:
        asked = asking.question()
        context = _fit(asking, asked)
    except FieldError as error:
        return _wrong(asking, error)
    ready = not asking.part or asking.answers.has_plan(asked)
    context["plan"] = _plan(asking, asked) if ready else None
    context["levers"] = asking.answers.levered(asked).levers if ready else ()
    answer = shown(asking, "work_part.html" if asking.part else "work.html", **context)
    answer.final = ready
    return answer


def _wrong(asking: Asking, error: FieldError) -> Response:
    """What was written, with what is wrong of it. The form keeps every value."""
    if asking.part:
        return shown(asking, "wrong_part.html", 422, error=error, view="plan")
    context = _form(asking, asking.usual)
    return shown(
        asking,
        "work.html",
        422,
        error=error,
        fit=None,
        plan=None,
        asked=asking.usual,
        view="plan",
        levers=(),
        **context,
    )


def plan(asking: Asking) -> Response:
    """The plan alone, which the page asks for after a change."""
    asked = asking.question()
    context = {"asked": asked, "fit": asking.answers.fit(asked), "plan": _plan(asking, asked), "view": "plan"}
    levers = asking.answers.levered(asked).levers
    return shown(asking, "plan_part.html", **context, levers=levers, error=None)


def _fit(asking: Asking, asked: Question) -> dict[str, Any]:
    fit = asking.answers.fit(asked)
    workload = asked.w if asked.w.startswith("zoo:") else asking.answers.uploads.every().get(asked.w, asked.w)
    return {
        **_form(asking, asked),
        "view": "plan",
        "asked": asked,
        "error": None,
        "fit": fit,
        "opening": prose(_opening(asked, fit.here)),
        "bar": memory_bar(fit.here),
        "rates": _rates(fit),
        "pictures": charts.of_fit(fit),
        "compatible": _compatible(asking, asked),
        "commands": written.commands(asked, workload),
        "files": [written.as_yaml(one) for one in asking.answers.files(asked)],
        "query": asked.query(),
    }


def _opening(asked: Question, here: Estimate) -> str:
    form = _("{workload} on {place}: {verdict}")
    return form.format(workload=written.name_of(asked), place=here.place, verdict=sentences.verdict(here))


def _form(asking: Asking, asked: Question) -> dict[str, Any]:
    uploaded = asking.answers.uploads.every()
    has = offered(asked.w, asked.task, asked.precision)
    return {
        "said": asking.said,
        "models": [(f"zoo:{entry.name}", entry.title, entry.family) for entry in zoo.entries()],
        "uploaded": uploaded,
        "has": has,
        "words": {"optimizers": choices.OPTIMIZERS, "copies": choices.INPUT_COPIES, "tasks": choices.COMPUTED},
        "hosts": _hosts(),
        "countries": sorted((row["name"], code) for code, row in countries().items()),
        "places": _place_names(),
    }


def _hosts() -> list[tuple[str, str]]:
    from outboard import catalog

    return [(one.id, one.name) for one in catalog.hosts()]


def _place_names() -> list[str]:
    """What the fields of places offer while somebody writes."""
    from outboard import catalog

    return [device.id for device in catalog.devices() if device.vendor != "cpu"]


@dataclass(frozen=True)
class Piece:
    """One part of the memory bar, in thousandths of its width."""

    name: str
    start: float
    width: float
    term: Term


@dataclass(frozen=True)
class Bar:
    """Memory as a bar: parts of the peak, what comes beside it, and where the device ends."""

    pieces: tuple[Piece, ...]
    end: float  # of the device
    low: float
    high: float
    scale: float  # bytes of the whole bar


def memory_bar(here: Estimate) -> Bar | None:
    """The bar, None where the need is unknown."""
    memory = here.memory
    need, has = memory.required, memory.available
    if need.value is None or has.value is None:
        return None
    scale = max(need.high or need.value, has.value) * 1.02
    beside = [part for part in memory.required.children if part.name != memory.peak.name]
    pieces: list[Piece] = []
    at = 0.0
    for part in (*memory.parts, *beside):
        width = 1000.0 * (part.value or 0.0) / scale
        if width > 0:
            pieces.append(Piece(part.name, at, width, part))
            at += width
    low, high = need.low or need.value, need.high or need.value
    return Bar(tuple(pieces), 1000 * has.value / scale, 1000 * low / scale, 1000 * high / scale, scale)


@dataclass(frozen=True)
class Rate:
    """One row of the table of places; the band in thousandths of the widest."""

    estimate: Estimate
    low: float
    middle: float
    high: float


def _rates(fit: Fit) -> list[Rate]:
    most = max((one.step.throughput.high or one.step.throughput.value or 0.0 for one in fit.estimates), default=0.0)
    scale = 1000.0 / most if most else 0.0
    rows = []
    for one in fit.estimates:
        rate = one.step.throughput
        value = rate.value or 0.0
        low, high = rate.low if rate.low is not None else value, rate.high if rate.high is not None else value
        rows.append(Rate(one, low * scale, value * scale, high * scale))
    return rows


def _compatible(asking: Asking, asked: Question) -> dict[str, Any] | None:
    answer = asking.answers.compatibility(asked)
    return None if answer is None else findings(answer)


def findings(answer: Verdict) -> dict[str, Any]:
    """What the rules say of a machine, for the template."""
    told_of = [one for one in answer.findings if one.rule.consequence != "info"]
    return {
        "opening": told.opening(answer, ask=False),
        "missing": _ask(answer.missing),
        "outcome": answer.outcome,
        "findings": [_finding(one.rule, None) for one in told_of],
        "open": [_finding(one.rule, one.missing) for one in answer.open],
        "info": [_finding(one.rule, None) for one in answer.of("info")],
    }


def _ask(missing: tuple[str, ...]) -> list[tuple[str, str]]:
    """What must be said to decide: the field where the page has one, and its name."""
    titles = {"host": _("Computer"), "os": _("System")}
    return [(name if name in titles else "", titles.get(name, name.replace("_", " "))) for name in missing]


def _finding(rule: Any, missing: Any) -> dict[str, Any]:
    return {
        "kind": told.consequence(rule.consequence),
        "consequence": rule.consequence,
        "why": _(rule.why),
        "cure": _(rule.cure) if rule.cure else "",
        "risk": _(rule.risk) if rule.risk else "",
        "source": rule.source,
        "id": rule.id,
        "missing": missing,
    }


def _plan(asking: Asking, asked: Question) -> dict[str, Any]:
    """What the template of the plan shows."""
    answer = asking.answers.plan(asked)
    found = answer.plans[0]
    feasible = [place for place in found.places if place.feasible]
    return {
        "found": found,
        "sentence": prose(found.recommendation.sentence),
        "changes": [prose(text) for text in found.recommendation.changes[1:]],
        "pictures": asking.answers.pictures(asked),
        "places": _front_first(feasible, found.recommendation.id)[:PLACES],
        "feasible": len(feasible),
        "out": _out(found.places),
        "trees": _trees(answer),
        **_prices(asking.answers.ground(asked).snapshot),
        "own_data": asked.samples is not None,
        "query": asked.query(),
    }


def _prices(snapshot: Snapshot) -> dict[str, Any]:
    """How old the prices are, in words, and whether that is old."""
    today = clock.today()
    days = age_days(snapshot, today)
    form = _("Prices collected from {oldest} to {newest}, the newest {days} days ago; {refused} refused.")
    oldest, newest = spoken.day(snapshot.oldest), spoken.day(snapshot.newest)
    said = form.format(oldest=oldest, newest=newest, days=days, refused=len(snapshot.refused))
    return {"prices": said, "old": days > OLD}


def _front_first(places: list[PlanPlace], chosen: str | None) -> list[PlanPlace]:
    return sorted(places, key=lambda one: (one.id != chosen, not one.pareto))


def _out(places: tuple[PlanPlace, ...]) -> list[tuple[str, int, PlanPlace]]:
    """Why places are out, how many for each reason, and one of them."""
    from outboard.planner.sentences import reason_name

    groups: dict[str, list[PlanPlace]] = {}
    for place in places:
        if not place.feasible and place.reasons:
            groups.setdefault(place.reasons[0].kind, []).append(place)
    return [(reason_name(kind), len(group), group[0]) for kind, group in sorted(groups.items(), key=_larger)]


def _larger(group: tuple[str, list[PlanPlace]]) -> int:
    return -len(group[1])


def _trees(answer: Answer) -> dict[str, tuple[str, Term]]:
    """How the cost comes about: of the place that is advised and of the two sides of the break-even."""
    found = answer.plans[0]
    turn = found.break_even
    wanted = [found.recommendation.id, *([turn.own, turn.rent] if turn else [])]
    by_id = {one.candidate.id: one for one in answer.studies[0].judged}
    trees: dict[str, tuple[str, Term]] = {}
    for name in wanted:
        if name and (one := by_id.get(name)) and one.cost is not None:
            trees[name] = (one.candidate.label, one.cost.tree)
    return trees


def cost(asking: Asking) -> Response:
    """How the cost of one place comes about."""
    asked = asking.question()
    wanted = asking.said.get("id", "")
    answer = asking.answers.plan(asked)
    found = next((one for one in answer.studies[0].judged if one.candidate.id == wanted), None)
    if found is None or found.cost is None:
        raise UnknownNameError(_("place of the plan"), wanted[:80])
    context = {"label": found.candidate.label, "tree": found.cost.tree, "asked": asked, "view": "plan"}
    return shown(asking, "cost_part.html" if asking.part else "cost.html", **context)


def twin(asking: Asking) -> Response:
    """The same as JSON: SI units, stable keys, in English whatever the language of the page."""
    with speaking("en"):
        asked = asking.question()
        answer = asking.answers.plan(asked)
        fit = asking.answers.fit(asked)
        body = {
            "question": asked.query(),
            "estimate": documents.estimate(asking.answers.levered(asked), tree=True),
            "compare": documents.compare(fit.estimates),
            "plan": document(answer.plans, answer.portfolio),
        }
    return JSONResponse(body)


def job_file(asking: Asking) -> Response:
    """The job as ``outboard plan`` reads it."""
    return _file(asking, 0, "job.yaml")


def me_file(asking: Asking) -> Response:
    """The circumstances as ``outboard plan`` reads them."""
    return _file(asking, 1, "me.yaml")


def _file(asking: Asking, which: int, name: str) -> Response:
    text = written.as_yaml(asking.answers.files(asking.question())[which])
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers, media_type="application/yaml")


def chart(asking: Asking) -> Response:
    """One chart as SVG, for browsers without JavaScript."""
    asked = asking.question()
    name = asking.said.get("chart", "")
    makers: dict[str, Callable[[], dict[str, charts.Chart]]] = {
        "link": lambda: charts.of_fit(asking.answers.fit(asked)),
    }
    make = makers.get(name, lambda: asking.answers.pictures(asked))
    found = make().get(name)
    if found is None:
        raise UnknownNameError(_("chart"), name[:40], ("link", "time", "use", "front", "matters"))
    return Response(found.drawn(asking.said.get("dark") == "yes"), media_type="image/svg+xml")
