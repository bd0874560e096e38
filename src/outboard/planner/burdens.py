"""What a job's data adds to a place: disk, transfers, and how a late spot job ends."""

import math
from collections.abc import Sequence
from dataclasses import replace

from outboard.cost.facts import overhead
from outboard.i18n import _
from outboard.planner.candidates import Candidate
from outboard.planner.circumstances import Circumstances
from outboard.planner.jobs import Asked
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Quota, Rent

GB = 1e9
HOUR = 3600.0


def completed(asked: Asked, me: Circumstances, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with what the job's data adds: disk, transfers, and how a late spot job ends."""
    steady = {
        (one.provider, one.place.name): one.terms.rate
        for one in candidates
        if one.kind == "on-demand" and isinstance(one.terms, Rent) and not one.problems
    }
    return [
        replace(one, terms=_with_data(asked, me, one, one.terms, steady.get((one.provider, one.place.name))))
        if isinstance(one.terms, Rent)
        else replace(one, terms=replace(one.terms, upload_hours=_upload(asked, me)))
        if isinstance(one.terms, Quota)
        else one
        for one in candidates
    ]


def _with_data(asked: Asked, me: Circumstances, one: Candidate, terms: Rent, steady: Fact | None) -> Rent:
    size, result = asked.data_bytes, asked.said.data.result if asked.said.data else None
    deadline = asked.deadline(me)
    in_time = one.kind == "spot" and math.isfinite(deadline)
    return replace(
        terms,
        setup_hours=overhead("spot-restart"),
        upload_hours=_upload(asked, me),
        # Who comes back keeps the data there; who comes once does not.
        storage_gb=0.0 if size is None or asked.once() else size / GB,
        storage_price=overhead("block-storage"),
        egress_gb=(result or 0.0) / GB,
        egress_price=overhead("egress-hyperscaler") if one.market == "hyperscaler" else None,
        credit=me.credit,
        # With a deadline a late spot job finishes on demand; without one it stays where it is cheap.
        on_demand_rate=steady if in_time else None,
        deadline_hours=deadline if in_time else math.inf,
    )


def _upload(asked: Asked, me: Circumstances) -> Fact | None:
    """Return the hours that sending the data takes, shared by all runs that use it; None where it takes none."""
    if me.connection is None or asked.data_bytes is None:
        return None
    runs = max(asked.runs_per_month(me) * me.horizon * 12.0, 1.0)
    hours = asked.data_bytes / me.connection / HOUR / runs
    return Fact(hours, "h", _("data over the person's connection"), Evidence.MEASURED_HERE)
