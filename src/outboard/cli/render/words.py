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


def bottleneck(name: str) -> str:
    """What a step waits for most."""
    return {
        "compute": _("compute"),
        "memory": _("memory traffic"),
        "launch": _("launches"),
        "link": _("link"),
        "input": _("input pipeline"),
        "collective": _("exchange between GPUs"),
        "unknown": _("unknown"),
    }[name]


def evidence(label: str) -> str:
    """How much a number is worth."""
    return {
        "measured here": _("measured here"),
        "measured elsewhere": _("measured elsewhere"),
        "fitted": _("fitted"),
        "datasheet": _("datasheet"),
        "assumed": _("assumed"),
    }[label]


def unit(name: str) -> str:
    """What a rate counts."""
    return {
        "images/s": _("images/s"),
        "sequences/s": _("sequences/s"),
        "samples/s": _("samples/s"),
        "tokens/s": _("tokens/s"),
    }.get(name, name)


def part(name: str) -> str:
    """A part of the memory or of the step; a name without translation stands as it is."""
    return _parts().get(name, name)


def _parts() -> dict[str, str]:
    return {
        "weights": _("weights"),
        "gradients": _("gradients"),
        "optimizer": _("optimizer"),
        "activations": _("activations"),
        "temporaries": _("temporaries"),
        "inputs": _("inputs"),
        "output": _("output"),
        "compute": _("compute"),
        "memory traffic": _("memory traffic"),
        "launches": _("launches"),
        "link": _("link"),
    }
