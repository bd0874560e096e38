"""The view of runs: which there are, how far each is, and the end of its log where that lies on this machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse, Response

from outboard.errors import UnknownNameError
from outboard.i18n import _, speaking
from outboard.keeper.folder import LOG, Folder
from outboard.keeper.reports import position, tail
from outboard.store import Store
from outboard.types.run import GOING, OVER, Run
from outboard.web.pages.frame import Asking
from outboard.web.pages.frame import page as shown

TAIL = 24_000  # of the log [B]
LINES = 200


@dataclass(frozen=True)
class Seen:
    """A run with what is known of it now."""

    run: Run
    state: str
    why: str
    reached: dict[str, Any]
    rate: float | None
    share: float | None  # of all its work [1]
    going: bool

    @property
    def left(self) -> float | None:
        """Hours until it is done at the rate of its last reports [h]."""
        total = self.reached.get("total")
        if not self.rate or not isinstance(total, int | float):
            return None
        return max(float(total) - position(self.reached), 0.0) / self.rate / 3600.0


def _seen(run: Run) -> Seen:
    told = dict(run.told)
    if run.where == "local" and run.folder:
        # The store knows what was asked last; the keeper writes beside the job all the time.
        try:
            told |= Folder(run.folder).state()
        except (OSError, ValueError):
            told = dict(run.told)
    state = str(told.get("state") or run.state) if run.state not in OVER else run.state
    reached = told.get("progress") if isinstance(told.get("progress"), dict) else {}
    assert isinstance(reached, dict)
    rate = told.get("rate")
    return Seen(
        run=run,
        state=state,
        why=str(told.get("why") or run.why),
        reached=reached,
        rate=float(rate) if isinstance(rate, int | float) else None,
        share=_share(reached),
        going=state in GOING,
    )


def _share(reached: dict[str, Any]) -> float | None:
    total, where = reached.get("total"), position(reached)
    if not isinstance(total, int | float) or total <= 0:
        return None
    return min(where / total, 1.0)


def page(asking: Asking) -> Response:
    """All runs, the newest first; the part asks again by itself while one is going."""
    found = [_seen(run) for run in Store().runs()]
    context = {"runs": found, "going": any(one.going for one in found), "view": "runs", "states": states()}
    return shown(asking, "runs_part.html" if asking.part else "runs.html", **context)


def one(asking: Asking) -> Response:
    """One run, with the end of its log."""
    wanted = str(asking.request.path_params["id"])
    run = next((run for run in Store().runs() if run.id == wanted), None)
    if run is None:
        raise UnknownNameError(_("run"), wanted[:80])
    found = _seen(run)
    local = run.where == "local" and bool(run.folder)
    lines = tail(Path(run.folder) / LOG, TAIL).replace("\r", "\n").splitlines()[-LINES:] if local else []
    context = {"one": found, "log": "\n".join(lines), "local": local, "view": "runs", "states": states()}
    return shown(asking, "run_part.html" if asking.part else "run.html", **context)


def twin(asking: Asking) -> Response:
    """The same as JSON."""
    with speaking("en"):
        body = [
            {
                "id": one.run.id,
                "name": one.run.name,
                "where": one.run.where,
                "place": one.run.place,
                "state": one.state,
                "why": one.why,
                "created": one.run.created,
                "progress": one.reached,
                "rate": one.rate,
            }
            for one in map(_seen, Store().runs())
        ]
        return JSONResponse({"runs": body})


def states() -> dict[str, str]:
    """The states of runs as people read them."""
    return {
        "prepared": _("prepared"),
        "queued": _("queued"),
        "starting": _("starting"),
        "running": _("running"),
        "waiting": _("waiting"),
        "requeue": _("saved, waits for its next turn"),
        "done": _("done"),
        "failed": _("failed"),
        "stopped": _("stopped"),
        "lost": _("lost its GPU"),
        "dead": _("dead"),
        "unreachable": _("unreachable"),
        "moved": _("moved"),
    }
