"""The words of forecasts in the language in use. Results carry stable English names; people read these."""

from outboard.i18n import _


def verdict(name: str) -> str:
    """The verdict as it opens the answer."""
    return {
        "fits": _("Fits"),
        "tight": _("Tight"),
        "does_not_fit": _("Does not fit"),
        "unknown": _("Unknown"),
    }[name]


def short_verdict(name: str) -> str:
    """The verdict where there is little room."""
    return {"fits": _("fits"), "tight": _("tight"), "does_not_fit": _("no"), "unknown": "?"}[name]


def evidence(label: str) -> str:
    """How much a number is worth."""
    return {
        "measured here": _("measured here"),
        "measured elsewhere": _("measured elsewhere"),
        "fitted": _("fitted"),
        "datasheet": _("datasheet"),
        "assumed": _("assumed"),
    }[label]


def short_evidence(label: str) -> str:
    """The same where there is little room."""
    return _("measured") if label.startswith("measured") else evidence(label)


def unit(name: str) -> str:
    """What a rate counts."""
    return {
        "images/s": _("images/s"),
        "sequences/s": _("sequences/s"),
        "samples/s": _("samples/s"),
        "tokens/s": _("tokens/s"),
    }.get(name, name)


def part(name: str) -> str:
    """A part of the memory, or any other term; a name without translation stands as it is."""
    return _parts().get(name, name.replace("_", " "))


def short_part(name: str) -> str:
    """The same where there is little room."""
    return {"memory": _("memory"), "collective": _("exchange")}.get(name, part(name))


def _parts() -> dict[str, str]:
    return {
        "compute": _("compute"),
        "memory": _("memory traffic"),
        "launch": _("launches"),
        "link": _("link"),
        "input": _("input pipeline"),
        "collective": _("exchange between GPUs"),
        "pauses": _("pauses of the loop"),
        "unknown": _("unknown"),
        "weights": _("weights"),
        "gradients": _("gradients"),
        "optimizer": _("optimizer"),
        "activations": _("activations"),
        "temporaries": _("temporaries"),
        "inputs": _("inputs"),
        "output": _("output"),
        "workspaces": _("workspaces of libraries"),
        "gathered": _("layers gathered"),
        "travelling": _("gradients on their way"),
        "rounding": _("rounding by the allocator"),
        "gradient_buckets": _("buckets for the exchange"),
        "fragmentation": _("fragmentation"),
        "context": _("framework and context"),
        "reserved": _("held by the allocator"),
        "required": _("must be free"),
        "available": _("the device has"),
        "throughput": _("rate"),
        "link_slowdown": _("slower by the link"),
        "peak": _("peak"),
        "ram": _("host memory"),
        "disk": _("disk"),
        "step": _("step"),
    }
