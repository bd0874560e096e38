"""The view of this machine: what ``outboard doctor`` sees, what was measured here."""

from typing import Any

from starlette.responses import JSONResponse, Response

from outboard import catalog, compat
from outboard.cli.render import doctor as told
from outboard.cli.render import here as seen
from outboard.compat import document as documents
from outboard.i18n import speaking
from outboard.measuring.machine import this
from outboard.probe import Sight, look
from outboard.probe.document import document as sight_document
from outboard.store import Store
from outboard.web.pages.frame import Asking
from outboard.web.pages.frame import page as shown
from outboard.web.pages.work import findings


def page(asking: Asking) -> Response:
    """What was seen, whether it works, and what was measured."""
    sight, store = look(), Store()
    answer = _verdict(sight)
    machine = this()
    context: dict[str, Any] = {
        "opening": seen.opening(sight),
        "sheet": [(title, text) for title, text in seen.sheet(sight) if text],
        "compatible": findings(answer) if answer else None,
        "told": told.opening(answer) if answer else "",
        "machine": machine,
        "figures": sorted(store.figures(machine.key).values(), key=lambda one: one.name),
        "measurements": list(reversed(store.measurements()))[:50],
        "view": "machine",
    }
    return shown(asking, "machine.html", **context)


def _verdict(sight: Sight) -> compat.Verdict | None:
    """The verdict on the main card, None without one."""
    card = sight.main
    if card is None:
        return None
    facts = {**sight.facts, **card.facts}
    host = catalog.host(sight.system.host) if sight.system.host else None
    link = catalog.link(card.link) if card.link else None
    return compat.verdict(compat.assemble(host, card.device, link, None, count=1, **facts))


def twin(asking: Asking) -> Response:
    """The same as JSON."""
    with speaking("en"):
        sight = look()
        body = documents.document(_verdict(sight)) | {"here": sight_document(sight)}
        return JSONResponse(body)
