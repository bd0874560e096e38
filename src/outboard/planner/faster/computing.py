"""Ideas about the step itself: batch, number types, layout, launches, and what interrupts it."""

from outboard.i18n import _
from outboard.planner.faster.ideas import CLOSE, SAME, Idea, Situation


def ideas(here: Situation) -> list[Idea]:
    """Every idea about the step that applies."""
    return [*_batch(here), *_precision(here), *_layout(here), *_compiled(here), *_pauses(here), *_exchange(here)]


def _batch(here: Situation) -> list[Idea]:
    """Doublings of a batch that somebody chose, as far as they are safe."""
    if here.job.batch_size == "auto":
        return []
    found: list[Idea] = []
    for factor in (2, 4, 8):
        if (size := here.batch * factor) <= here.safe:
            text = _("batch {size}").format(size=size)
            why = _("fewer launches, latencies and steps of the optimizer for each sample")
            found.append(
                Idea("batch", text, why, f"DataLoader(..., batch_size={size})", {"batch_size": size}, None, CLOSE)
            )
    return found[-1:]


def _precision(here: Situation) -> list[Idea]:
    matmul = here.place.device.matmul
    name = "bf16" if "bf16" in matmul else "fp16"
    if here.job.precision not in ("fp32", "tf32") or name not in matmul:
        return []
    text = _("mixed precision, amp-{name}").format(name=name)
    why = _("the matrix units' rate, and half the traffic of activations")
    kind = {"bf16": "bfloat16", "fp16": "float16"}[name]
    code = f'with torch.autocast("cuda", dtype=torch.{kind}):'
    return [Idea("precision", text, why, code, {"precision": f"amp-{name}"}, None, CLOSE)]


def _layout(here: Situation) -> list[Idea]:
    half = here.job.precision not in ("fp32", "tf32", "fp64")
    if not here.images or here.job.memory_format == "nhwc" or not half:
        return []
    text, why = _("channels-last images"), _("matrix units want them so, else each convolution converts them")
    code = "model = model.to(memory_format=torch.channels_last)"
    return [Idea("memory_format", text, why, code, {"memory_format": "nhwc"})]


def _compiled(here: Situation) -> list[Idea]:
    if here.job.compiled or here.job.software == "torch-1":
        return []
    text = _("compile the model")
    why = _("fewer kernels to launch, and chains of small operators stay on chip")
    code = 'model = torch.compile(model)  # mode="reduce-overhead" adds CUDA graphs'
    return [Idea("compiled", text, why, code, {"compiled": True})]


def _pauses(here: Situation) -> list[Idea]:
    found: list[Idea] = []
    if here.job.syncs:
        text, why = _("no synchronisation within a step"), _("each lets the device stand still for a round trip")
        code = "total += loss.detach()  # and .item() once every some hundred steps"
        found.append(Idea("syncs", text, why, code, {"syncs": 0}))
    if here.trains and here.job.checkpoint_every is not None:
        text = _("checkpoints a tenth as often")
        code = f"if step % {10 * here.job.checkpoint_every} == 0: torch.save(...)"
        why = _("weights and states cross the link and wait for the disk")
        update = {"checkpoint_every": 10 * here.job.checkpoint_every}
        found.append(Idea("checkpoint_every", text, why, code, update))
    return found


def _exchange(here: Situation) -> list[Idea]:
    if here.place.count < 2 or not here.trains or here.job.parallel not in ("ddp", "zero1", "zero2"):
        return []
    steps = 4 * here.job.grad_accumulation
    text = _("{steps} accumulation steps").format(steps=steps)
    why = _("gradients are exchanged once for all of them; the batch of the optimizer grows")
    code = "with model.no_sync(): loss.backward()  # in all but the last of them"
    return [
        Idea("grad_accumulation", text, why, code, {"grad_accumulation": steps}, None, CLOSE if steps > 1 else SAME)
    ]
