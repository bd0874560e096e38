"""The storages of one step in the steady state of a training loop, as the job's habits make it.

A trace is recorded as a fresh step: gradients are born in backward and stay. A loop in its stride differs: depending on
when gradients are released, the last step's are still there while this one's forward pass runs; with accumulation they
are there always, and backward only adds to them. :func:`steady_state` rewrites the births and deaths accordingly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory import fresh
from outboard.perf.memory.workspaces import Transients
from outboard.types.trace import CATEGORIES, FloatArray, IntArray, TensorTable, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

WEIGHTS, GRADIENTS, OPTIMIZER = (CATEGORIES.index(name) for name in ("weights", "gradients", "optimizer"))
INPUTS, OUTPUT = CATEGORIES.index("inputs"), CATEGORIES.index("output")
# Not in a trace, added here: temporaries inside operators and of libraries, and what only several devices have.
PARTS = (*CATEGORIES, "workspaces", "gathered", "travelling")
WORKSPACES, GATHERED, TRAVELLING = (PARTS.index(name) for name in PARTS[len(CATEGORIES) :])


@dataclass(frozen=True)
class Timeline:
    """Births, deaths and sizes as in :class:`outboard.types.trace.TensorTable`; ``category`` indexes :data:`PARTS`."""

    birth: IntArray
    death: IntArray
    category: IntArray
    constant: FloatArray
    per_batch: FloatArray
    steps: int
    backward: int  # position at which backward begins; ``steps`` when there is none
    optimizer: int  # position at which the optimizer begins

    def __len__(self) -> int:
        return len(self.birth)

    def extended(self, birth: IntArray, death: IntArray, category: int, like: IntArray) -> Timeline:
        """A copy with storages added that have the sizes of those at the indices ``like``."""
        return self.joined(birth, death, category, self.constant[like], self.per_batch[like])

    def joined(
        self, birth: IntArray, death: IntArray, category: int, constant: FloatArray, per_batch: FloatArray
    ) -> Timeline:
        """A copy with storages added, all of one category."""
        return Timeline(
            np.concatenate([self.birth, birth]),
            np.concatenate([self.death, death]),
            np.concatenate([self.category, np.full(len(birth), category, dtype=np.int64)]),
            np.concatenate([self.constant, constant]),
            np.concatenate([self.per_batch, per_batch]),
            self.steps,
            self.backward,
            self.optimizer,
        )


def recorded(job: Job, trace: Trace, transients: Transients) -> Timeline:
    """The step as recorded, with the job's inputs and output and what operators take beside their results."""
    line = _as_a_fresh_step(_compiled(trace.tensors) if job.compiled else trace.tensors)
    if not job.output_held and job.task != "infer":
        # The loss has been computed by then; a loss that saves the output itself would keep it a little longer.
        released = np.minimum(line.death, max(line.backward, 1))
        line = replace(line, death=np.where(line.category == OUTPUT, released, line.death))
    line = _with_travelling_inputs(job, trace, line)
    if steps_each(job) and job.optimizer != "adafactor":  # whose temporaries are of one at a time anyway
        line = _temporaries_of_one(trace, line)
    at = transients.position
    return line.joined(at, at + 1, WORKSPACES, transients.constant, transients.per_batch)


def _compiled(table: TensorTable) -> TensorTable:
    """The table with its storages' lives after compilation, where it knows them; else they are taken to be as long."""
    return table if table.compiled_death is None else replace(table, death=table.compiled_death)


def accumulates(job: Job) -> bool:
    """Whether backward finds gradients of an earlier pass, to which it adds its own."""
    return job.grad_accumulation > 1 or job.gradients_released == "never"


def steps_each(job: Job) -> bool:
    """Whether the optimizer steps one parameter after the other, within backward."""
    return job.gradients_released == "in-backward" and job.grad_accumulation == 1


def steady_state(job: Job, line: Timeline) -> Timeline:
    """The same step once the loop is in its stride: last step's gradients and what accumulation adds."""
    kept = kept_gradients(line)
    if not len(kept):
        return line
    if steps_each(job):
        death = line.death.copy()
        death[kept] = line.birth[kept] + 1
        return replace(line, death=death)
    before, end = np.full(len(kept), -1), np.full(len(kept), line.steps)
    if accumulates(job):
        # Each new gradient lives until it has been added to the one that stays.
        death = line.death.copy()
        death[kept] = line.birth[kept] + 1
        return replace(line, death=death).extended(before, end, GRADIENTS, kept)
    if job.gradients_released == "before-backward":
        return line.extended(before, np.full(len(kept), line.backward), GRADIENTS, kept)
    return line


def with_evaluation(job: Job, trace: Trace, line: Timeline) -> Timeline:
    """The step followed by a forward pass without gradients, in the batches of evaluation.

    Weights and states are there then, and gradients unless the loop releases them as soon as it has stepped; the last
    output of training until the next one comes.
    """
    forward = trace.evaluation
    if job.task == "infer" or job.evaluate_every is None or forward is None:
        return line
    gradients = accumulates(job) or job.gradients_released == "before-backward"
    staying = (WEIGHTS, OPTIMIZER, INPUTS, OUTPUT, *[GRADIENTS] * gradients)
    kept = (line.death >= line.steps) & np.isin(line.category, staying)
    line = replace(line, death=np.where(kept, line.steps + 1, line.death), steps=line.steps + 1)
    constant, per_batch = forward.constant, np.maximum(forward.per_batch, 0.0)
    if job.evaluate_batch is not None:
        constant, per_batch = constant + per_batch * job.evaluate_batch, np.zeros_like(per_batch)
    birth, death = np.array([line.steps - 1]), np.array([line.steps])
    return line.joined(birth, death, CATEGORIES.index("activations"), constant, per_batch)


def _as_a_fresh_step(table: TensorTable) -> Timeline:
    """The table's storages, less what cannot be in a fresh step; see :mod:`outboard.perf.memory.fresh`."""
    _forward, _loss, backward, optimizer = table.phase_start
    category, keep = fresh.gradients_where_born(table, GRADIENTS)
    death = fresh.nothing_but_results_outlives_backward(table, category, (GRADIENTS, OUTPUT))
    constant, per_batch = never_shrinking(table)
    return Timeline(
        table.birth[keep],
        death[keep],
        category[keep],
        constant[keep],
        per_batch[keep],
        table.steps,
        backward,
        optimizer,
    )


def _temporaries_of_one(trace: Trace, line: Timeline) -> Timeline:
    """What the optimizer takes in passing is for the largest parameter at most, not for all at once."""
    sizes = trace.parameters.bytes / np.maximum(trace.parameters.count, 1)
    trained = trace.parameters.trainable
    share = float(sizes[trained].max(initial=0.0)) / max(float(trace.parameters.bytes[trained].sum()), 1.0)
    passing = (line.birth >= line.optimizer) & (line.death < line.steps)
    factor = np.where(passing, share, 1.0)
    return replace(line, constant=line.constant * factor, per_batch=line.per_batch * factor)


def kept_gradients(line: Timeline) -> IntArray:
    """Indices of the gradients that outlive the step in which they are born."""
    mask = (line.category == GRADIENTS) & (line.birth >= 0) & (line.death >= line.steps)
    return np.flatnonzero(mask)


def never_shrinking(table: TensorTable) -> tuple[FloatArray, FloatArray]:
    """``(constant, per_batch)`` [B]; sizes that the affine fit lets fall with the batch stay as at batch 1.

    This makes memory rise with the batch whatever the fit did, so that "largest batch that fits" has one answer.
    """
    constant, per_batch = table.size.constant, table.size.per_batch
    falls = per_batch < 0
    return np.where(falls, np.maximum(constant + per_batch, 0.0), constant), np.where(falls, 0.0, per_batch)


def _with_travelling_inputs(job: Job, trace: Trace, line: Timeline) -> Timeline:
    """Add what of the inputs is on the device twice: the next batch while this one computes, and its uint8 form."""
    size, elements = trace.input_bytes, trace.input_elements
    # Images come as one byte per element where the job says so; token ids travel as they are.
    as_bytes = job.input_type == "uint8" and trace.info.unit == "images"
    travelling = elements if as_bytes else size
    copies = int(job.input_copy == "overlapped") + int(as_bytes)
    rows = len(size.constant)
    for _copy in range(copies):
        birth, death = np.full(rows, -1), np.full(rows, line.steps)
        line = line.joined(birth, death, INPUTS, travelling.constant, np.maximum(travelling.per_batch, 0.0))
    return line
