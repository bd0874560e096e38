"""What was seen, as plain dictionaries for JSON: stable keys, SI units."""

from typing import Any

from outboard.probe.look import Card, Sight


def document(sight: Sight) -> dict[str, Any]:
    """The computer and its GPUs; null and empty where nothing could be seen."""
    return {
        "computer": sight.system.name,
        "host": sight.system.host,
        "processor": sight.system.processor,
        "memory_bytes": sight.system.memory,
        "container": sight.system.container,
        "facts": dict(sorted(sight.facts.items())),
        "boxes": [
            {"name": box.name, "authorized": box.authorized, "rate_bits_per_second": box.rate}
            for box in sight.chain.boxes
        ],
        "gpus": [_card(card) for card in sight.cards],
        "log_readable": bool(sight.log),
    }


def _card(card: Card) -> dict[str, Any]:
    gpu = card.gpu
    return {
        "address": gpu.address,
        "vendor": gpu.vendor,
        "device_id": gpu.device_id,
        "name": card.name,
        "device": card.device.id if card.device else None,
        "driver": gpu.driver,
        "link": card.link,
        "link_now": gpu.current,
        "tunnelled": gpu.tunnelled,
        "rebar": gpu.rebar,
        "lost": gpu.lost,
    }
