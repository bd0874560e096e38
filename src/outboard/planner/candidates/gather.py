"""All candidates of a situation, each with an id of its own."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from outboard.planner.candidates import elsewhere, machines
from outboard.planner.candidates.base import Candidate
from outboard.planner.candidates.staged import staged
from outboard.planner.circumstances import Circumstances
from outboard.types.money import Snapshot


def gather(me: Circumstances, snapshot: Snapshot, today: date) -> tuple[Candidate, ...]:
    """Return everything the person owns, could buy, could rent or may use."""
    return _numbered(
        [
            *machines.owned(me),
            *elsewhere.free(me),
            *elsewhere.clusters(me),
            *machines.egpus(me),
            *machines.workstations(me),
            *machines.servers(me),
            *staged(me),
            *elsewhere.quoted(me),
            *elsewhere.rented(me, snapshot, today),
        ]
    )


def _numbered(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Give offers that differ in nothing but their price a number each."""
    seen: Counter[str] = Counter()
    found: list[Candidate] = []
    for one in candidates:
        seen[one.id] += 1
        found.append(one if seen[one.id] == 1 else replace(one, id=f"{one.id}:{seen[one.id]}"))
    return tuple(found)
