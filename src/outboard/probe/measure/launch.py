"""What an operator costs that has nothing to do, forward, backward and without gradients; and what optimizers cost."""

from typing import Any

from outboard.probe.measure.timing import Timed, timed
from outboard.types.measured import Figure

CHAIN = 200  # operators
TENSORS, ELEMENTS = 100, 2**21
OPTIMIZERS = ("sgd", "momentum", "adam", "adamw")


def starts(device: str, patience: float) -> list[Figure]:
    """Seconds for each operator: ``launch.infer``, ``launch.forward``, ``launch.backward``."""
    import torch

    x = torch.zeros(16, device=device)
    y = torch.zeros(16, device=device, requires_grad=True)

    def chain(first: Any) -> Any:
        for _number in range(CHAIN):
            first = first * 1.0
        return first

    def both() -> None:
        chain(y).backward(x)

    plain, forward, whole = (timed(call, device, patience) for call in (lambda: chain(x), lambda: chain(y), both))
    behind = max(whole.seconds - forward.seconds, 0.1 * whole.seconds)
    backward = Timed(behind, behind * whole.low / whole.seconds, behind * whole.high / whole.seconds, whole.repetitions)
    named = (("launch.infer", plain), ("launch.forward", forward), ("launch.backward", backward))
    return [_figure(name, took, CHAIN) for name, took in named]


def optimizers(device: str, patience: float) -> list[Figure]:
    """Seconds for each element and for each tensor: ``optimizer.NAME.element``, ``optimizer.NAME.tensor``."""
    found: list[Figure] = []
    for name in OPTIMIZERS:
        small = timed(_stepping(name, TENSORS, 16, device), device, patience)
        large = timed(_stepping(name, 4, ELEMENTS, device), device, patience)
        found.append(_figure(f"optimizer.{name}.tensor", small, TENSORS))
        found.append(_figure(f"optimizer.{name}.element", large, 4 * ELEMENTS))
    return found


def make_optimizer(name: str, parameters: Any) -> Any:
    """The optimizer that a job's word stands for, with torch's defaults. Raises KeyError for another word."""
    import torch

    optim = torch.optim
    made = {
        "sgd": lambda: optim.SGD(parameters, lr=1e-3),
        "momentum": lambda: optim.SGD(parameters, lr=1e-3, momentum=0.9),
        "adam": lambda: optim.Adam(parameters, lr=1e-3),
        "adamw": lambda: optim.AdamW(parameters, lr=1e-3),
        "adamw-fused": lambda: optim.AdamW(parameters, lr=1e-3, fused=True),
        "adafactor": lambda: optim.Adafactor(parameters),
    }
    return made[name]()


def _stepping(name: str, tensors: int, elements: int, device: str) -> Any:
    import torch

    parameters = [torch.nn.Parameter(torch.zeros(elements, device=device)) for _ in range(tensors)]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    return make_optimizer(name, parameters).step


def _figure(name: str, took: Timed, times: int) -> Figure:
    return Figure(name, took.seconds / times, took.low / times, took.high / times, "s", took.repetitions)
