"""States spread over ranks, through torch.distributed.checkpoint; they can be read by another number of ranks."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from outboard.errors import CheckpointError
from outboard.i18n import _
from outboard.resuming.copies import Copier


def is_spread(state: Mapping[str, Any]) -> bool:
    """Whether any module or tensor of ``state`` is spread over ranks, as FSDP2 and tensor parallelism do it."""
    import torch

    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return False
    from torch.distributed.tensor import DTensor

    tensors: list[Any] = []
    for value in state.values():
        tensors += list(value.parameters()) if isinstance(value, torch.nn.Module) else [value]
    return any(isinstance(each, DTensor) for each in tensors)


def split(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Modules and optimizers, which every rank writes its part of; and the rest, which rank 0 writes."""
    import torch

    kinds = (torch.nn.Module, torch.optim.Optimizer)
    shared = {name: value for name, value in state.items() if isinstance(value, kinds)}
    return shared, {name: value for name, value in state.items() if name not in shared}


class Later:
    """A save that is made where its result is asked for: in the background."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.result = work


def begin(place: Path, shared: Mapping[str, Any], group: Any, copier: Copier) -> Any:
    """Copy this rank's part to the host, to be written in the background; return a future. Every rank calls it."""
    states, dcp = _states(shared), _dcp()
    if group is not None or is_spread(shared):
        return dcp.async_save(states, checkpoint_id=place, process_group=group, **_alone(dcp.async_save, group))
    copied, _size, ready = copier.copy(states, _walk)  # into memory that is used again, which is quicker

    def write() -> None:
        ready()
        dcp.save(copied, checkpoint_id=place, **_alone(dcp.save, group))

    return Later(write)


def _walk(value: Any, path: str, leaf: Callable[[Any, str], Any], strict: bool) -> Any:
    """Copy dicts and lists with ``leaf(tensor, path)`` for each tensor; other values as they are."""
    import torch

    if isinstance(value, torch.Tensor):
        return leaf(value, path)
    if isinstance(value, dict):
        return {name: _walk(each, f"{path}.{name}", leaf, strict) for name, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_walk(each, f"{path}.{number}", leaf, strict) for number, each in enumerate(value))
    return copy.deepcopy(value)


def restore(place: Path, shared: Mapping[str, Any], group: Any) -> None:
    """Put the states back into modules and optimizers. Every rank calls it."""
    import torch
    from torch.distributed.checkpoint.state_dict import set_model_state_dict, set_optimizer_state_dict

    states, dcp = _states(shared), _dcp()
    try:
        dcp.load(states, checkpoint_id=place, process_group=group, **_alone(dcp.load, group))
    except Exception as error:  # one of torch's own that names the first rank and key
        told = " ".join(str(error).split())[:500]
        raise CheckpointError(_("{path}: cannot be read: {error}").format(path=place, error=told)) from error
    for name, value in shared.items():
        if isinstance(value, torch.nn.Module):
            set_model_state_dict(value, states[name])
        else:
            set_optimizer_state_dict(_owner(value, shared), value, states[name])


def size(shared: Mapping[str, Any]) -> int:
    """Bytes of this rank's part, about: the parameters, and what an optimizer keeps of them."""
    import torch

    tensors: list[Any] = []
    for value in shared.values():
        if isinstance(value, torch.nn.Module):
            tensors += [*value.parameters(), *value.buffers()]
        else:
            tensors += [each for of_one in value.state.values() for each in of_one.values() if hasattr(each, "numel")]
    local = [each.to_local() if hasattr(each, "to_local") else each for each in tensors]
    return sum(each.numel() * each.element_size() for each in local)


def _dcp() -> Any:
    import torch.distributed.checkpoint

    return torch.distributed.checkpoint


def _states(shared: Mapping[str, Any]) -> dict[str, Any]:
    """States under names of parameters, not their numbers, so that any number of ranks finds its part."""
    import torch
    from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict

    found = {}
    for name, value in shared.items():
        if isinstance(value, torch.nn.Module):
            found[name] = get_model_state_dict(value)
        else:
            found[name] = get_optimizer_state_dict(_owner(value, shared), value)
    return found


def _owner(optimizer: Any, shared: Mapping[str, Any]) -> Any:
    import torch

    wanted = {id(each) for group in optimizer.param_groups for each in group["params"]}
    for value in shared.values():
        if isinstance(value, torch.nn.Module) and wanted <= {id(each) for each in value.parameters()}:
            return value
    raise CheckpointError(
        _("the state holds an optimizer without the model whose parameters it changes; add the model")
    )


def _alone(function: Any, group: Any) -> dict[str, Any]:
    """What tells torch that there is one process, without its warning that there is."""
    if group is not None:
        return {}
    warnings.filterwarnings("ignore", message="torch.distributed is (disabled|unavailable)")
    return {"no_dist": True} if "no_dist" in inspect.signature(function).parameters else {}
