"""The dispatch mode that writes down each executed operator that launches a kernel on CUDA."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from outboard.tracing.raw import RawOperator
from outboard.tracing.recorder import convolutions
from outboard.tracing.recorder.costs import Cost, cost_of
from outboard.tracing.recorder.facts import Facts, facts_of
from outboard.tracing.recorder.storages import Storages
from outboard.tracing.recorder.tensors import collect, operand_dtype, touched_bytes


class Recorder(TorchDispatchMode):
    """Has each operator executed by ``run`` and appends its row to ``operators``."""

    def __init__(self, run: Callable[[Any, Any, Any], Any], tf32: bool = False) -> None:
        super().__init__()
        self._run = run
        self.operators: list[RawOperator] = []
        self.storages = Storages()
        self.phase = "forward"
        self.phase_start = {"forward": 0}
        self._tf32 = tf32
        self._facts: dict[Any, Facts] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # "True" has torch import its compiler and wrap each call; nothing is compiled here.
        return False

    def enter_phase(self, phase: str) -> None:
        """From now on operators belong to ``phase``."""
        self.phase = phase
        self.phase_start.setdefault(phase, len(self.operators))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        facts = self._facts.get(func)
        if facts is None:
            facts = self._facts[func] = facts_of(func)
        out = self._run(func, args, kwargs or {})
        if not facts.silent:
            self._add(facts, args, kwargs, out)
        elif facts.base.startswith(("empty", "new_empty")):
            self.storages.life(out, len(self.operators))
        return out

    def _add(self, facts: Facts, args: Any, kwargs: Any, out: Any) -> None:
        if facts.kind == "conv":
            for part in convolutions.forward(facts.name, args, out):
                self._row(part.name, part.kind, 1, part.cost, part.inputs, part.outputs)
        elif facts.base == "convolution_backward":
            for part in convolutions.backward(facts.name, args, out):
                self._row(part.name, part.kind, 1, part.cost, part.inputs, part.outputs)
        else:
            self._add_plain(facts, args, kwargs, out)

    def _add_plain(self, facts: Facts, args: Any, kwargs: Any, out: Any) -> None:
        inputs = collect(args, [])
        if kwargs:
            collect(kwargs.values(), inputs)
        outputs = [out] if isinstance(out, torch.Tensor) else collect(out, []) if isinstance(out, (list, tuple)) else []
        if facts.writes:
            changed = collect((args[p] for p in facts.writes if p < len(args)), [])
            outputs = changed or outputs
            if facts.overwrites:
                inputs = [t for t in inputs if not any(t is c for c in changed)]
        cost = cost_of(facts.kind, facts.base, args, inputs, outputs)
        self._row(facts.name, facts.kind, facts.kernels, cost, inputs, outputs, facts.picks)

    def _row(
        self,
        name: str,
        kind: str,
        kernels: float,
        cost: Cost,
        inputs: list[torch.Tensor],
        outputs: list[torch.Tensor],
        picks: bool = False,
    ) -> None:
        position = len(self.operators)
        read, read_bytes = self._touched(inputs, -1)
        written, written_bytes = self._touched(outputs, position)
        if picks and read_bytes:
            read_bytes[0] = min(read_bytes[0], sum(written_bytes))
        dtype = operand_dtype(inputs, outputs)
        if self._tf32 and dtype == "fp32" and kind.startswith(("matmul", "conv", "depthwise")):
            dtype = "tf32"
        self.operators.append(
            RawOperator(
                name, kind, self.phase, dtype, cost.flops, tuple(read), tuple(read_bytes), tuple(written),
                tuple(written_bytes), cost.m, cost.n, cost.k, cost.g, cost.taps, cost.stride,
                cost.kernels or kernels,
            )
        )  # fmt: skip
        self.storages.clock = position + 1

    def _touched(self, tensors: list[torch.Tensor], birth: int) -> tuple[list[int], list[float]]:
        ids: list[int] = []
        sizes: list[float] = []
        for position, tensor in enumerate(tensors):
            if any(tensor is other for other in tensors[:position]):
                continue
            life = self.storages.life(tensor, birth)
            if life is not None:
                ids.append(life.id)
                sizes.append(touched_bytes(tensor, life.size))
        return ids, sizes
