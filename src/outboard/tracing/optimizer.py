"""The optimizer's segment of a step, built from the parameter table instead of recorded.

Traces are stored without it, so that one trace serves every optimizer; it is attached when a trace is opened for a job.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from outboard.errors import UnknownNameError
from outboard.tracing.affine import constant, joined, take
from outboard.tracing.parameters import Parameter, each
from outboard.tracing.recipes import NOTHING, OPTIMIZERS, UNSCALE, Recipe, recipe_for
from outboard.tracing.segment import LaidOut, Segment
from outboard.tracing.tables import join, rows_of
from outboard.types.trace import CATEGORIES, PHASES, IntArray, TensorTable, Trace

# What a job has when it says nothing.
USUAL_OPTIMIZER = "adamw"

_PHASE = PHASES.index("optimizer")


def attached(trace: Trace) -> bool:
    """Whether a trace has its optimizer segment."""
    return trace.tensors.phase_start[_PHASE] < trace.tensors.steps


def attach(trace: Trace, optimizer: str) -> Trace:
    """The trace followed by one step of the optimizer; one that was there before is replaced.

    Inference has no such step, its trace only remembers the name. Raises
    :class:`~outboard.errors.UnknownNameError` for an optimizer without a recipe.
    """
    if optimizer not in OPTIMIZERS:
        raise UnknownNameError("optimizer", optimizer, OPTIMIZERS)
    trace = detach(trace)
    if trace.info.task == "infer":
        return trace.with_info(optimizer=optimizer)
    # The parameter table knows sizes, not types: two bytes are bf16 except in pure fp16.
    segment = Segment(trace.tensors.steps, "fp16" if trace.info.precision == "fp16" else "bf16")
    for number, (recipe, group) in enumerate(_groups(optimizer, each(trace.parameters))):
        # The fused kernel unscales as it goes.
        if number == 0 and trace.info.precision == "amp-fp16" and not optimizer.endswith("-fused"):
            segment.run(UNSCALE, NOTHING, [p for p in each(trace.parameters) if p.trainable])
        segment.step(recipe, group)
    return replace(
        trace,
        info=replace(trace.info, optimizer=optimizer),
        operators=join(trace.operators, segment.operators()),
        tensors=_extended(trace.tensors, segment),
    )


def detach(trace: Trace) -> Trace:
    """The trace without its optimizer segment, as it was before :func:`attach`; ``info`` still names the optimizer."""
    if not attached(trace):
        return trace
    tensors = trace.tensors
    steps = tensors.phase_start[_PHASE]
    compiled = tensors.compiled_death
    kept = (tensors.category != CATEGORIES.index("optimizer")) & (tensors.birth < steps)
    return replace(
        trace,
        operators=rows_of(trace.operators, np.flatnonzero(trace.operators.phase != _PHASE)),
        tensors=replace(
            tensors,
            birth=tensors.birth[kept],
            death=np.minimum(tensors.death[kept], steps),
            category=tensors.category[kept],
            size=take(tensors.size, kept),
            steps=steps,
            compiled_death=None if compiled is None else np.minimum(compiled[kept], steps),
        ),
    )


def _groups(optimizer: str, parameters: Iterable[Parameter]) -> list[tuple[Recipe, list[Parameter]]]:
    """Trainable parameters that one foreach operator takes together: those of one type and one recipe."""
    groups: dict[tuple[int, int], list[Parameter]] = {}
    for parameter in parameters:
        if parameter.trainable:
            key = (parameter.itemsize, id(recipe_for(optimizer, parameter)))
            groups.setdefault(key, []).append(parameter)
    return [(recipe_for(optimizer, group[0]), group) for group in groups.values()]


def _extended(tensors: TensorTable, segment: Segment) -> TensorTable:
    """The tensor table with the optimizer's: states after all that is there before the step, temporaries at the end.

    What outlived the step without an optimizer outlives the optimizer too.
    """
    steps = segment.position
    before = int((tensors.birth < 0).sum())

    def outliving(death: IntArray) -> IntArray:
        return np.where(death >= tensors.steps, steps, death)

    states, temporaries = segment.states, segment.temporaries

    def spliced(own: np.ndarray, first: list[int], last: list[int]) -> np.ndarray:
        return np.concatenate([own[:before], np.array(first, np.int64), own[before:], np.array(last, np.int64)])

    return TensorTable(
        birth=spliced(tensors.birth, [t.birth for t in states], [t.birth for t in temporaries]),
        death=spliced(outliving(tensors.death), _deaths(states, steps), _deaths(temporaries, steps)),
        category=spliced(tensors.category, _categories(states), _categories(temporaries)),
        size=joined(
            take(tensors.size, slice(before)),
            constant(np.array([t.size for t in states], float)),
            take(tensors.size, slice(before, None)),
            constant(np.array([t.size for t in temporaries], float)),
        ),
        steps=steps,
        phase_start=(*tensors.phase_start[:3], tensors.steps),
        # Compilers are given the model alone; the optimizer runs as it did.
        compiled_death=None
        if tensors.compiled_death is None
        else spliced(outliving(tensors.compiled_death), _deaths(states, steps), _deaths(temporaries, steps)),
    )


def _deaths(tensors: Sequence[LaidOut], steps: int) -> list[int]:
    return [steps if tensor.death is None else tensor.death for tensor in tensors]


def _categories(tensors: Sequence[LaidOut]) -> list[int]:
    return [CATEGORIES.index(tensor.category) for tensor in tensors]
