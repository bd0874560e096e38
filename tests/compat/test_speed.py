"""Quick enough to ask for every candidate of a plan."""

import time
from itertools import product

from outboard import catalog, compat
from outboard.compat.verdict import _answers

CANDIDATES = 800
BOUND = 0.1  # [s]


def test_a_plans_candidates_take_less_than_a_tenth_of_a_second() -> None:
    hosts = [catalog.host(name) for name in ("framework-13-amd", "apple-silicon")]
    parts = list(product(hosts, catalog.devices(), catalog.links()))[::12][:CANDIDATES]
    assert len(parts) == CANDIDATES
    for host, device, link in parts[:2]:
        compat.verdict(compat.assemble(host, device, link))
    took: list[float] = []
    for _attempt in range(5):
        _answers.cache_clear()
        start = time.process_time()
        for host, device, link in parts:
            compat.verdict(compat.assemble(host, device, link))
        took.append(time.process_time() - start)
    assert min(took) < BOUND
