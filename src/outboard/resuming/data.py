"""Where a loader stands in the data, also in the middle of an epoch.

A loader that is made anew draws random numbers when its first epoch begins, which the loader that goes on does not. So
that nothing differs afterwards, what is drawn for an epoch that had begun is put back.
"""

from __future__ import annotations

from typing import Any

from outboard.errors import UsageError
from outboard.i18n import _


def position(loader: Any) -> dict[str, Any] | None:
    """What brings another loader to where ``loader`` is; None without one."""
    if loader is None:
        return None
    if not (hasattr(loader, "state_dict") and hasattr(loader, "load_state_dict")):
        text = _(
            "the loader is a {kind}, which does not know its position: take torchdata's StatefulDataLoader, or wrap it "
            "with outboard.feed(loader, device)"
        )
        raise UsageError(text.format(kind=type(loader).__name__))
    state = loader.state_dict()  # may begin an epoch, and draw: before the generators are asked
    return {"state": state, "generators": {name: each.get_state() for name, each in _generators(loader).items()}}


def go_on(loader: Any, noted: dict[str, Any]) -> None:
    """Bring ``loader`` to a noted position; the next iteration gives what was not given yet."""
    loader.load_state_dict(noted["state"])
    make = getattr(loader, "_get_iterator", None)  # of torch's own loaders; a feed puts back what it draws
    if make is None:
        _set(loader, noted["generators"])
        return

    def once() -> Any:
        import torch

        del loader.__dict__["_get_iterator"]
        now = torch.get_rng_state()
        made = make()
        torch.set_rng_state(now)
        _set(loader, noted["generators"])
        return made

    loader.__dict__["_get_iterator"] = once


def _set(loader: Any, states: dict[str, Any]) -> None:
    for name, each in _generators(loader).items():
        if name in states:
            each.set_state(states[name])


def _generators(loader: Any) -> dict[str, Any]:
    inner = getattr(loader, "loader", loader)  # what a feed wraps
    owners = {"loader": inner, "sampler": getattr(inner, "sampler", None)}
    found = {name: getattr(owner, "generator", None) for name, owner in owners.items()}
    return {name: generator for name, generator in found.items() if generator is not None}
