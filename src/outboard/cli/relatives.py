"""Models that differ from a workload's only in size: what "the largest of this family that fits" chooses among."""

import re

from outboard.errors import UsageError
from outboard.i18n import _

MOST = 12  # each is recorded, which takes seconds


def relatives(workload: str) -> list[str]:
    """Workloads like ``workload``, itself among them. Raises :class:`UsageError` where no family is known."""
    source, _colon, name = workload.partition(":")
    known = _known(source)
    if not known:
        message = _("no family is known of {workload}; --largest-model needs a timm:, hf: or zoo: model")
        raise UsageError(message.format(workload=workload))
    short = name.rpartition("/")[2].lower()
    found = [f"{source}:{other}" for other in known if _alike(other, short)]
    return sorted({workload, *found})[:MOST] if short not in known else sorted(set(found))[:MOST]


def _known(source: str) -> list[str]:
    if source == "timm":
        import timm

        return timm.list_models()
    if source == "hf":
        from outboard.tracing.sources.hf_configs import known

        return list(known())
    if source == "zoo":
        from outboard.tracing import zoo

        return [entry.name for entry in zoo.entries()]
    return []


def _alike(one: str, other: str) -> bool:
    """Whether two names differ in one word or one number.

    >>> _alike("resnet50", "resnet101"), _alike("vit_base_patch16_224", "vit_large_patch16_224")
    (True, True)
    >>> _alike("llama-3.2-1b", "llama-3.2-3b"), _alike("gpt2", "gpt2-xl"), _alike("resnet50", "resnext50_32x4d")
    (True, True, False)
    """
    first, second = (re.findall(r"[a-z]+|\d+(?:\.\d+)?", name) for name in (one, other))
    if len(first) != len(second):
        longer, shorter = sorted((first, second), key=len, reverse=True)
        return longer[: len(shorter)] == shorter and len(longer) == len(shorter) + 1
    return sum(a != b for a, b in zip(first, second, strict=True)) <= 1
