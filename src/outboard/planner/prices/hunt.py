"""Offers from ``gpuhunt``, which reads the providers' own price lists: an optional library, asked one by one."""

import logging
from collections.abc import Iterable
from datetime import date
from functools import partial
from typing import Any

from outboard.catalog.device_files import find_own
from outboard.errors import MissingExtraError, OutsideError
from outboard.i18n import _
from outboard.planner.prices.refresh import Collector
from outboard.types.money import Market, Offer

# Providers as gpuhunt calls them -> as our table does. Those that need credentials answer with an error of their own.
PROVIDERS = {
    "aws": "aws",
    "azure": "azure",
    "gcp": "gcp",
    "lambdalabs": "lambda",
    "nebius": "nebius",
    "oci": "oci",
    "runpod": "runpod",
    "vastai": "vast",
    "verda": "verda",
    "vultr": "vultr",
}
HYPERSCALERS = frozenset({"aws", "azure", "gcp", "oci"})
MARKETPLACES = frozenset({"vast"})
SOURCE = "gpuhunt (https://github.com/dstackai/gpuhunt)"


def collectors(today: date) -> dict[str, Collector]:
    """Return one collector for each provider. Raises :class:`MissingExtraError` without the library."""
    try:
        import gpuhunt  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtraError("gpuhunt", "prices", _("refreshing prices")) from None
    logging.getLogger("gpuhunt").setLevel(logging.CRITICAL)
    try:
        catalogue = gpuhunt.default_catalog()
    except Exception as error:  # whatever a network can do
        raise OutsideError(
            _("prices cannot be collected: {error}").format(error=" ".join(str(error).split()))
        ) from None
    return {ours: partial(_collect, catalogue, theirs, ours, today) for theirs, ours in PROVIDERS.items()}


def _collect(catalogue: Any, theirs: str, ours: str, today: date) -> list[Offer]:
    items = catalogue.query(provider=theirs, min_gpu_count=1)
    return cheapest(offer for item in items if (offer := as_offer(item, ours, today)) is not None)


def cheapest(offers: Iterable[Offer]) -> list[Offer]:
    """Return the cheapest region of each device, count and kind: a table of all regions says little more."""
    best: dict[tuple[str, int, str], Offer] = {}
    for offer in offers:
        key = (offer.device or offer.gpu, offer.gpu_count, offer.kind)
        known = best.get(key)
        if known is None or (offer.usd_per_hour or 0.0) < (known.usd_per_hour or 0.0):
            best[key] = offer
    return list(best.values())


def as_offer(item: Any, provider: str, today: date) -> Offer | None:
    """Return one item of gpuhunt, priced by the instance, as a row of our table; None for what is no GPU."""
    if not item.gpu_name or item.gpu_count < 1:
        return None
    name = f"{item.gpu_name} {item.gpu_memory:g}GB" if item.gpu_memory else item.gpu_name
    market: Market = "cloud"
    if provider in HYPERSCALERS:
        market = "hyperscaler"
    elif provider in MARKETPLACES:
        market = "marketplace"
    return Offer(
        provider=provider,
        instance=item.instance_name,
        gpu=item.gpu_name,
        device=find_own(name) or "",
        gpu_count=item.gpu_count,
        gpu_share=1.0,
        least_gpus=item.gpu_count,
        vram_gb=item.gpu_memory,
        vcpus=item.cpu,
        ram_gb=item.memory,
        kind="spot" if item.spot else "on-demand",
        tier="",
        market=market,
        usd_per_hour=item.price,
        usd_per_gpu_hour=item.price / item.gpu_count,
        host_included=True,
        usd_per_vcpu_hour=None,
        usd_per_ram_gb_hour=None,
        cheapest_live=market == "marketplace",
        region=item.location,
        date=today.isoformat(),
        source=SOURCE,
        licence="prices as the provider publishes them",
    )
