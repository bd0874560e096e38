"""The changes to a job that save memory: what each alters, and how far the result is still the same."""

from dataclasses import dataclass
from typing import Any

from outboard.i18n import _
from outboard.perf.memory import memory_levers, safe_max_batch
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

LIGHTER_OPTIMIZERS = ("adamw-fused", "adamw-8bit", "paged-adamw-8bit", "adafactor", "sgd")
LIGHTER_PRECISION = {"fp32": "amp-bf16", "tf32": "amp-bf16", "amp-bf16": "bf16", "amp-fp16": "bf16", "fp64": "fp32"}
# What is learned after a change: the same, nearly the same, or something else.
SAME, CLOSE, OTHER = range(3)


@dataclass(frozen=True)
class Change:
    """One change: the fields of the job that it sets, and how far it changes what is learned."""

    name: str
    text: str
    update: dict[str, Any]
    distance: int = SAME


def changes(job: Job, trace: Trace, place: Place, batch: int, everything: bool = False) -> list[Change]:
    """What may be tried. Only with ``everything`` those that train something else than the job says."""
    found = [*smaller_batch(job, trace, place, batch), *_loop(job, trace, batch, place), *_optimizer(job)]
    found += [*_precision(job, place), *_checkpointing(job), *_fused_loss(job, trace), *_sharing(job, place)]
    return [*found, *_methods(job, trace), *_sequence(job, trace)] if everything else found


def smaller_batch(job: Job, trace: Trace, place: Place, batch: int) -> list[Change]:
    """The largest batch that is safe, with as many micro-steps as make up for it."""
    safe = int(safe_max_batch(job, trace, [place])[0])
    if not 1 <= safe < batch:
        return []
    if job.task == "infer":
        return [Change("batch", _("batch {batch}").format(batch=safe), {"batch_size": safe})]
    # Fewer samples at once and as many micro-steps as make up for it: the same samples per optimizer step.
    steps = -(-batch * job.grad_accumulation // safe)
    smaller = -(-batch // -(-batch // safe))
    text = _("batch {batch} with {steps} accumulation steps").format(batch=smaller, steps=steps)
    return [Change("batch", text, {"batch_size": smaller, "grad_accumulation": steps})]


def _loop(job: Job, trace: Trace, batch: int, place: Place) -> list[Change]:
    return [
        Change(lever.name, lever.text, {lever.name: getattr(lever.job, lever.name)})
        for lever in memory_levers(job, trace, batch, place)
    ]


def _optimizer(job: Job) -> list[Change]:
    if job.task == "infer" or job.optimizer not in ("adam", "adamw", "adamw-fused", "adamw-8bit", "paged-adamw"):
        return []
    known = LIGHTER_OPTIMIZERS
    lighter = known[known.index(job.optimizer) + 1 :] if job.optimizer in known else known
    distance = {"adamw-fused": SAME, "adamw-8bit": CLOSE, "paged-adamw-8bit": CLOSE}
    return [
        Change(
            "optimizer",
            _("optimizer {name}").format(name=name),
            {"optimizer": name},
            distance.get(name, OTHER),
        )
        for name in lighter
    ]


def _precision(job: Job, place: Place) -> list[Change]:
    lighter = LIGHTER_PRECISION.get(job.precision)
    if lighter and "bf16" not in place.device.matmul:
        lighter = lighter.replace("bf16", "fp16")  # emulated bf16 would save memory and lose all speed
    if not lighter:
        return []
    return [Change("precision", _("precision {name}").format(name=lighter), {"precision": lighter}, CLOSE)]


def _checkpointing(job: Job) -> list[Change]:
    if job.task == "infer" or job.grad_checkpointing:
        return []
    return [Change("grad_checkpointing", _("gradient checkpointing"), {"grad_checkpointing": True})]


def _fused_loss(job: Job, trace: Trace) -> list[Change]:
    if job.task == "infer" or job.loss == "fused" or trace.info.tokens_per_sample is None:
        return []
    return [Change("loss", _("a fused loss, which never holds all logits"), {"loss": "fused"})]


def _sharing(job: Job, place: Place) -> list[Change]:
    """Shares among the devices of the place, and what can wait in the host's memory."""
    found: list[Change] = []
    if place.count > 1 and job.parallel == "ddp":
        text = _("FSDP: each of the {count} devices keeps its share of weights, gradients and states")
        found.append(Change("parallel", text.format(count=place.count), {"parallel": "fsdp"}))
    if job.task != "infer" and job.offload == "none":
        text = _("optimizer states in the host's memory, stepped there")
        found.append(Change("offload", text, {"offload": "optimizer"}))
    if job.offload != "all":
        text = _("weights in the host's memory, fetched layer by layer over {link}").format(link=place.link.id)
        found.append(Change("offload", text, {"offload": "all"}))
    return found


def _methods(job: Job, trace: Trace) -> list[Change]:
    if job.task == "infer" or trace.info.tokens_per_sample is None:
        return []
    tuned: dict[str, Any] = {"task": "finetune"}
    found: list[Change] = []
    if job.method == "full":
        text = _("LoRA: train adapters of rank {rank} beside frozen weights").format(rank=job.rank)
        found.append(Change("method", text, {**tuned, "method": "lora"}, OTHER))
    if job.method in ("full", "lora"):
        text = _("QLoRA: adapters beside frozen weights in {kind}").format(kind=job.base_weights)
        found.append(Change("method", text, {**tuned, "method": "qlora"}, OTHER))
    return found


def _sequence(job: Job, trace: Trace) -> list[Change]:
    length = trace.info.seq_len
    if length is None or length < 256:
        return []
    text = _("sequences of {count} tokens at most").format(count=length // 2)
    return [Change("seq_len", text, {"seq_len": length // 2}, OTHER)]
