"""Offers as plain dictionaries, ready for JSON."""

from collections.abc import Sequence
from typing import Any

from outboard.cost.offers import rate_of
from outboard.types.money import Offer, Snapshot

KEYS = (
    *("provider", "instance", "gpu", "device", "kind", "tier", "market", "region", "date", "gpu_count", "least_gpus"),
    *("gpu_share", "vram_gb", "vcpus", "ram_gb", "usd_per_hour", "usd_per_gpu_hour"),
    *("source", "licence", "note", "alarm", "refusal"),
)


def document(found: Sequence[Offer], snapshot: Snapshot, age: str) -> dict[str, Any]:
    """Return what was found, and what was refused with the reason."""
    return {
        "prices": age,
        "offers": [_offer(offer) for offer in found],
        "refused": [_offer(offer) for offer in snapshot.refused],
    }


def _offer(offer: Offer) -> dict[str, Any]:
    rate = rate_of(offer)
    return {**{key: getattr(offer, key) for key in KEYS}, "all_in_usd_per_hour": rate.value if rate else None}
