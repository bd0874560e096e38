"""The optimizer built by construction against torch's own, watched operator by operator on real tensors."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from outboard.errors import UnknownNameError
from outboard.tracing.optimizer import attach, attached, detach
from outboard.tracing.parameters import parameter_table
from outboard.tracing.peak import live_bytes
from outboard.types.trace import CATEGORIES, PHASES, Trace

# Matrices, a convolution, a 1x1 convolution and vectors, so that each rule of each optimizer is met.
SHAPES = [(300, 200), (300, 200), (64, 32, 3, 3), (128, 64, 1, 1), (64,), (5000,), (1,)]
OPTIMIZER = PHASES.index("optimizer")


def with_parameters(trace: Trace, itemsize: int = 4, precision: str = "fp32") -> Trace:
    table = parameter_table([(shape, itemsize, True) for shape in SHAPES])
    return replace(trace.with_info(precision=precision), parameters=table)


def moved(trace: Trace) -> float:
    table = trace.operators
    return float((table.read.constant + table.written.constant)[table.phase == OPTIMIZER].sum())


def states(trace: Trace) -> float:
    table = trace.tensors
    return float(table.size.constant[table.category == CATEGORIES.index("optimizer")].sum())


def temporaries_peak(trace: Trace) -> float:
    table = trace.tensors
    ours = (table.category == CATEGORIES.index("temporaries")) & (table.birth >= table.phase_start[OPTIMIZER])
    return float(live_bytes(table, table.size.constant * ours).max(initial=0.0))


def watched_step(name: str, half: bool) -> tuple[float, float, float]:
    """The second step of torch's optimizer: bytes of its states, bytes moved, peak of its temporaries."""
    torch = pytest.importorskip("torch")
    dispatch = pytest.importorskip("torch.utils._python_dispatch")
    reductions = pytest.importorskip("torch.multiprocessing.reductions")

    class Watch(dispatch.TorchDispatchMode):
        """Counts each storage that an operator reads or writes once; views and the step counters are free."""

        def __init__(self, known: set[int]) -> None:
            super().__init__()
            self.known, self.born, self.moved, self.peak = known, {}, 0.0, 0.0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            self.born = {pointer: born for pointer, born in self.born.items() if not born[0].expired()}
            inputs = self.large(args)
            outputs = self.large([result])
            written = {key: size for key, size in outputs.items() if key not in inputs}
            if func._schema.is_mutable:
                mutated = [arg for arg, spec in zip(args, func._schema.arguments, strict=False) if spec.alias_info]
                written = self.large(mutated)
            elif outputs and not written:
                return result  # a view
            self.moved += sum(inputs.values()) + sum(written.values())
            for leaf in self.leaves([result]):
                storage = leaf.untyped_storage()
                if storage.data_ptr() not in self.known and storage.nbytes():
                    self.born[storage.data_ptr()] = (reductions.StorageWeakRef(storage), storage.nbytes())
            self.peak = max(self.peak, sum(size for _, size in self.born.values()))
            return result

        def leaves(self, tree):
            return [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]

        def large(self, tree) -> dict[int, float]:
            return {
                leaf.untyped_storage().data_ptr(): leaf.numel() * leaf.element_size()
                for leaf in self.leaves(tree)
                if leaf.untyped_storage().data_ptr() not in steps
            }

    dtype = torch.bfloat16 if half else torch.float32
    parameters = [torch.nn.Parameter(torch.randn(shape).to(dtype)) for shape in SHAPES]
    classes = {"sgd": "SGD", "momentum": "SGD", "adam": "Adam", "adamw": "AdamW", "adafactor": "Adafactor"}
    classes["adamw-fused"] = "AdamW"
    how = {"fused": True} if name.endswith("fused") else {} if name == "adafactor" else {"foreach": True}
    options = {"lr": 1e-3} | how | ({"momentum": 0.9} if name == "momentum" else {})
    optimizer = getattr(torch.optim, classes[name])(parameters, **options)
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    state = [(key, value) for one in optimizer.state.values() for key, value in one.items() if value is not None]
    steps = {value.data_ptr() for key, value in state if key == "step"}
    tensors = [value for key, value in state if key != "step"]
    known = {tensor.data_ptr() for tensor in (*parameters, *(p.grad for p in parameters), *tensors)} | steps
    with Watch(known) as watch:
        optimizer.step()
    return float(sum(tensor.nbytes for tensor in tensors)), watch.moved, watch.peak


@pytest.mark.parametrize("half", [False, True], ids=["fp32", "bf16"])
@pytest.mark.parametrize("name", ["sgd", "momentum", "adam", "adamw", "adamw-fused", "adafactor"])
def test_agrees_with_torch(trace: Trace, name: str, half: bool) -> None:
    real_states, real_moved, real_peak = watched_step(name, half)
    ours = attach(with_parameters(trace, 2 if half else 4, "bf16" if half else "fp32"), name)
    assert states(ours) == real_states
    if name.endswith("fused"):
        real_moved -= real_states / 2  # its schema says that gradients are written, which they are under a scaler alone
    assert moved(ours) == pytest.approx(real_moved, rel=0.02)
    assert temporaries_peak(ours) == pytest.approx(real_peak, rel=0.02)


@pytest.mark.parametrize("name", ["sgd", "momentum", "adam", "adamw", "adamw-fused", "adamw-8bit", "adafactor"])
def test_detaching_undoes_attaching(trace: Trace, name: str, same: Callable[[Trace, Trace], bool]) -> None:
    ours = attach(trace, name)
    assert attached(ours) and not attached(trace)
    assert ours.info.optimizer == name
    assert same(detach(ours), trace.with_info(optimizer=name))
    assert same(attach(ours, "sgd"), attach(trace, "sgd"))


def test_what_outlives_the_step_outlives_the_optimizer(trace: Trace) -> None:
    ours = attach(trace, "adamw")
    table = ours.tensors
    gradients = table.category == CATEGORIES.index("gradients")
    assert (table.death[gradients] == table.steps).all()
    assert table.steps == trace.tensors.steps + 8
    assert (np.diff(table.birth >= 0).astype(int) >= 0).all()


def test_gradients_are_unscaled_only_under_fp16_autocast(trace: Trace) -> None:
    def names(precision: str) -> list[str]:
        table = attach(with_parameters(trace, precision=precision), "sgd").operators
        return [name for name, phase in zip(table.name, table.phase, strict=True) if phase == OPTIMIZER]

    assert names("amp-bf16") == ["optimizer._foreach_add_"]
    assert names("amp-fp16") == ["optimizer._amp_foreach_non_finite_check_and_unscale_", "optimizer._foreach_add_"]


def test_eight_bit_states_are_bytes_with_scales_but_small_tensors_are_not(trace: Trace) -> None:
    ours = attach(replace(trace, parameters=parameter_table([((4096,), 4, True), ((4095,), 4, True)])), "adamw-8bit")
    assert states(ours) == 2 * (4096 + 16 * 4) + 2 * 4 * 4095


def test_frozen_parameters_cost_nothing(trace: Trace) -> None:
    ours = attach(replace(trace, parameters=parameter_table([((300, 200), 4, False)])), "adamw")
    assert states(ours) == 0 and moved(ours) == 0


def test_an_unknown_optimizer_lists_the_known_ones(trace: Trace) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown optimizer 'lion'.*adamw-8bit"):
        attach(trace, "lion")
