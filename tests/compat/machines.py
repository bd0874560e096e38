"""Machines of the catalogue in one line, and what the rules say of them."""

from typing import Any

from outboard import catalog, compat


def machine(host: str = "", gpu: str = "", link: str = "", box: str = "", **stated: Any) -> compat.Machine:
    return compat.assemble(
        catalog.host(host) if host else None,
        catalog.device(gpu) if gpu else None,
        catalog.link(link) if link else None,
        catalog.enclosure(box) if box else None,
        **stated,
    )


def verdict(host: str = "", gpu: str = "", link: str = "", box: str = "", **stated: Any) -> compat.Verdict:
    return compat.verdict(machine(host, gpu, link, box, **stated))


def applying(answer: compat.Verdict) -> set[str]:
    return {one.rule.id for one in answer.findings}
