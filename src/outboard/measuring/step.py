"""Real steps of a job on a device: random weights, one random batch that stays there, forward, backward, update."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outboard.errors import JobError
from outboard.i18n import _
from outboard.probe.measure.launch import make_optimizer
from outboard.probe.measure.timing import synchronise
from outboard.types.job import Job

WARM = 2
LEAST = 5
PATIENCE = 6.0  # at most about so long for the steps that count [s]
AMP = {"amp-fp16": "float16", "amp-bf16": "bfloat16"}
PURE = {"fp16": "float16", "bf16": "bfloat16", "fp64": "float64"}
SPREAD = 0.02  # standard deviation of the random weights: nothing overflows, nothing is denormal


@dataclass(frozen=True)
class Ran:
    """Seconds of one step (median, quartiles) and what the device held at most [B], None where nobody counts."""

    seconds: float
    low: float
    high: float
    steps: int
    peak: float | None


def run(job: Job, device: str = "cpu", patience: float = PATIENCE) -> Ran:
    """Run steps of ``job``. Raises :class:`~outboard.errors.JobError` for what cannot be run here."""
    one = prepared(job, device)
    for _number in range(WARM):
        one()
    synchronise(device)
    _forget_peak(device)
    taken: list[float] = []
    until = time.perf_counter() + patience
    while len(taken) < LEAST or time.perf_counter() < until:
        start = time.perf_counter()
        one()
        synchronise(device)
        taken.append(time.perf_counter() - start)
    low, middle, high = statistics.quantiles(taken, n=4, method="inclusive")
    return Ran(middle, low, high, len(taken), _peak(device))


def prepared(job: Job, device: str) -> Callable[[], None]:
    """The model on the device, and a call that does one step."""
    import torch

    from outboard.tracing.sources import build

    if not isinstance(job.batch_size, int):
        raise JobError(_("say how many samples a step has: --batch N"))
    if job.method != "full":
        raise JobError(_("only whole models are run here, not --method {method}").format(method=job.method))
    built = build(job)
    kind = getattr(torch, PURE.get(job.precision, "float32"))
    model = materialised(built.model, device, kind)
    training = job.task != "infer"
    model.train(training)
    batch = built.make_batch(job.batch_size)
    args, kwargs, targets = (_filled(part, device, kind) for part in (batch.args, batch.kwargs, batch.targets))
    trained = [one for one in model.parameters() if one.requires_grad]
    optimizer = make_optimizer(job.optimizer, trained) if training else None
    amp = AMP.get(job.precision)
    around = torch.autocast(device, dtype=getattr(torch, amp or "bfloat16"), enabled=amp is not None)

    def step() -> None:
        if optimizer is not None:
            optimizer.zero_grad()
        for _micro in range(job.grad_accumulation if training else 1):
            with torch.set_grad_enabled(training), around:
                output = model(*args, **kwargs)
                loss = built.loss(output, targets) if training else None
            if loss is not None:
                loss.backward()
        if optimizer is not None:
            optimizer.step()

    return torch.compile(step) if job.compiled else step


def materialised(model: Any, device: str, kind: Any) -> Any:
    """The model with memory behind its weights: sources build it without values, some without storage."""
    import torch

    tensors = [*model.parameters(), *model.buffers()]
    if any(tensor.is_meta for tensor in tensors):
        model = model.to_empty(device=device)
        for buffer in model.buffers():
            buffer.zero_()
    model = model.to(device=device, dtype=kind)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, SPREAD) if parameter.dim() > 1 else parameter.fill_(1.0)
    for module in model.modules():
        if hasattr(module, "reset_running_stats"):
            module.reset_running_stats()
    return model


def _filled(value: Any, device: str, kind: Any) -> Any:
    """The batch with numbers in it: normal ones, and for whole numbers 0 and 1, which every vocabulary has."""
    import torch

    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            return torch.randn(value.shape, device=device, dtype=kind)
        return torch.randint(0, 2, value.shape, device=device).to(value.dtype)
    if isinstance(value, list | tuple):
        return type(value)(_filled(item, device, kind) for item in value)
    if isinstance(value, dict):
        return {name: _filled(item, device, kind) for name, item in value.items()}
    return value


def _forget_peak(device: str) -> None:
    import torch

    if device in ("cuda", "xpu"):
        getattr(torch, device).reset_peak_memory_stats()


def _peak(device: str) -> float | None:
    import torch

    return float(getattr(torch, device).max_memory_allocated()) if device in ("cuda", "xpu") else None
