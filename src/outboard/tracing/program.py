"""A job as a short program that measures, on the real device, the peak that was forecast.

It uses plain libraries and nothing of ours. Models have no trained weights in it and batches no data, since neither
changes the memory.
"""

from typing import TYPE_CHECKING, Any

from outboard.errors import UsageError
from outboard.i18n import _
from outboard.tracing.sources import build, split

if TYPE_CHECKING:
    from outboard.tracing.sources.base import Built
    from outboard.types.job import Job

STEPS = 3  # the first allocates states and gradients, the second is like all others, the third confirms it
PURE = {"fp16": "torch.float16", "bf16": "torch.bfloat16", "fp64": "torch.float64"}
MIXED = {"amp-fp16": "torch.float16", "amp-bf16": "torch.bfloat16"}
OPTIMIZERS = {
    "sgd": "torch.optim.SGD({}, lr=1e-3)",
    "momentum": "torch.optim.SGD({}, lr=1e-3, momentum=0.9, nesterov=True)",
    "adam": "torch.optim.Adam({}, lr=1e-5)",
    "adamw": "torch.optim.AdamW({}, lr=1e-5)",
    "adamw-fused": "torch.optim.AdamW({}, lr=1e-5, fused=True)",
    "adamw-8bit": "bitsandbytes.optim.AdamW8bit({}, lr=1e-5)",
    "paged-adamw": "bitsandbytes.optim.PagedAdamW32bit({}, lr=1e-5)",
    "paged-adamw-8bit": "bitsandbytes.optim.PagedAdamW8bit({}, lr=1e-5)",
    "adafactor": "torch.optim.Adafactor({})",
}
TUNED = {
    "lora": "peft.LoraConfig(r={rank}, target_modules={targets}, lora_dropout={dropout})",
    "prompt": 'peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens={tokens})',
    "prefix": 'peft.PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens={tokens})',
}


def program(job: "Job", workload: str, batch: int) -> str:
    """The text of the program for ``job`` on the model behind ``workload``, at ``batch`` samples.

    Raises :class:`UsageError` where no such program can be written: quantised weights and fused losses come from
    libraries that want the real weights, and models of ``python:`` are the person's own.
    """
    source, name = split(workload)
    if source not in ("timm", "torchvision", "hf") or job.method == "qlora" or job.loss != "plain":
        message = _("--check writes programs for timm:, torchvision: and hf: models, without qlora and fused losses")
        raise UsageError(message)
    job = job.model_copy(update={"workload": workload})
    built = build(job)
    lines = [*_imports(source, job), "", *_model(source, name, built, job), *_batch(built, job, batch)]
    body = _training(built, job) if job.task != "infer" else _inference(job)
    return "\n".join([*lines, *body, *_report()]) + "\n"


def _imports(source: str, job: "Job") -> list[str]:
    library = {"timm": "timm", "torchvision": "torchvision", "hf": "transformers"}[source]
    extra = ["bitsandbytes"] * ("bitsandbytes" in OPTIMIZERS[job.optimizer] and job.task != "infer")
    extra += ["peft"] * (job.method != "full" and job.task != "infer")
    setting = ["import os", 'os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"']
    lines = setting if job.allocator == "expandable" else []
    return [
        *lines,
        *(f"import {name}" for name in sorted({*extra, "torch", library})),
        "from torch.nn import functional as F",
    ]


def _model(source: str, name: str, built: "Built", job: "Job") -> list[str]:
    lines = ['device = "cuda" if torch.cuda.is_available() else "cpu"']
    if job.precision == "tf32":
        lines.append("torch.backends.cuda.matmul.allow_tf32 = True")
    if source == "hf":
        kind = type(built.model).__name__
        folder = name.removesuffix("/config.json")
        lines.append(f"config = transformers.AutoConfig.from_pretrained({folder!r})")
        lines.append(f'config._attn_implementation = "{job.attention}"')
        lines.append(f"model = transformers.{kind}(config)")
    elif source == "timm":
        size = f", img_size={job.image_size}" if _takes_size(built) and job.image_size else ""
        lines.append(f"timm.layers.set_fused_attn({job.attention == 'sdpa'})")
        lines.append(f"model = timm.create_model({name!r}{size})")
    else:
        lines.append(f"model = torchvision.models.get_model({name!r})")
    if job.precision in PURE:
        lines.append(f"model = model.to({PURE[job.precision]})")
    if job.method != "full" and job.task != "infer":
        lines.append(f"model = peft.get_peft_model(model, {_tuned(job)})")
    if job.grad_checkpointing and job.task != "infer":
        lines.append(_checkpointing(source))
    layout = "memory_format=torch.channels_last" if job.memory_format == "nhwc" else ""
    lines.append(f"model = model.to({', '.join(filter(None, ('device', layout)))})")
    lines.append(f"model.{'eval' if job.task == 'infer' else 'train'}()")
    return [*lines, "model = torch.compile(model)"] if job.compiled else lines


def _takes_size(built: "Built") -> bool:
    return hasattr(built.model, "patch_embed")


def _checkpointing(source: str) -> str:
    if source == "hf":
        return 'model.gradient_checkpointing_enable({"use_reentrant": False})'
    return "model.set_grad_checkpointing()"


def _tuned(job: "Job") -> str:
    named = job.targets.split(",") if job.targets and job.targets != "all-linear" else job.targets
    form = TUNED[job.method]
    return form.format(rank=job.rank, targets=repr(named), dropout=job.adapter_dropout, tokens=job.virtual_tokens)


def _batch(built: "Built", job: "Job", batch: int) -> list[str]:
    """Tensors of the shapes that the model is called with; numbers of classes and tokens are zero, which all have."""
    import torch

    with torch.device("meta"):
        made = built.make_batch(batch)
    args = ", ".join(_tensor(value, job) for value in made.args)
    named = ", ".join(
        f"{name}={_tensor(value, job, 'ones' if name == 'attention_mask' else 'zeros')}"
        for name, value in made.kwargs.items()
    )
    lines = [f"args, kwargs = ({args + ',' if args else ''}), dict({named})"]
    if made.targets is not None and job.task != "infer":
        lines.append(f"targets = {_tensor(made.targets, job)}")
    return lines


def _tensor(value: Any, job: "Job", fill: str = "zeros") -> str:
    import torch

    if not isinstance(value, torch.Tensor):
        return repr(value)
    shape = ", ".join(map(str, value.shape))
    if not value.dtype.is_floating_point:
        return f"torch.{fill}({shape}, dtype=torch.long, device=device)"
    kind = f", dtype={PURE[job.precision]}" if job.precision in PURE else ""
    layout = (
        ".contiguous(memory_format=torch.channels_last)" if job.memory_format == "nhwc" and value.dim() == 4 else ""
    )
    return f"torch.randn({shape}, device=device{kind}){layout}"


def _called(job: "Job") -> list[str]:
    mixed = MIXED.get(job.precision)
    call = "output = model(*args, **kwargs)"
    return [f"with torch.autocast(device, {mixed}):", f"    {call}"] if mixed else [call]


def _training(built: "Built", job: "Job") -> list[str]:
    parameters = "[p for p in model.parameters() if p.requires_grad]"
    if job.gradients_released == "in-backward" and job.grad_accumulation == 1:
        return _stepping_in_backward(built, job, parameters)
    lines = [f"optimizer = {OPTIMIZERS[job.optimizer].format(parameters)}"]
    called = _called(job)
    indent = "    " if len(called) > 1 else ""
    passes = [*called, f"{indent}loss = {_loss(built)}"]
    release = f"optimizer.zero_grad(set_to_none={job.gradients_released != 'never'})"
    if job.gradients_released == "before-backward":
        passes.append(release)
    if not job.output_held:
        passes.append("del output")
    passes.append("loss.backward()")
    if job.grad_accumulation > 1:
        passes = [f"for _ in range({job.grad_accumulation}):", *(f"    {line}" for line in passes)]
    step = [*passes, "optimizer.step()", *([release] if job.gradients_released != "before-backward" else [])]
    return [*lines, f"for _ in range({STEPS}):", *(f"    {line}" for line in step)]


def _stepping_in_backward(built: "Built", job: "Job", parameters: str) -> list[str]:
    one = OPTIMIZERS[job.optimizer].format("[p]")
    called = _called(job)
    indent = "    " if len(called) > 1 else ""
    passes = [*called, f"{indent}loss = {_loss(built)}", *(["del output"] if not job.output_held else [])]
    return [
        f"optimizers = {{p: {one} for p in {parameters}}}",
        "def step(p):",
        "    optimizers[p].step()",
        "    optimizers[p].zero_grad(set_to_none=True)",
        "for p in optimizers:",
        "    p.register_post_accumulate_grad_hook(step)",
        f"for _ in range({STEPS}):",
        *(f"    {line}" for line in [*passes, "loss.backward()"]),
    ]


def _loss(built: "Built") -> str:
    own = "own" in built.loss.__name__
    if own:
        return "output.loss"
    return (
        "F.cross_entropy(output, targets)" if built.loss.__name__ == "cross_entropy" else "output.float().pow(2).mean()"
    )


def _inference(job: "Job") -> list[str]:
    return [
        "with torch.inference_mode():",
        f"    for _ in range({STEPS}):",
        *(f"        {line}" for line in _called(job)),
    ]


def _report() -> list[str]:
    return [
        'if device == "cuda":',
        '    print("allocated", torch.cuda.max_memory_allocated(), "B")',
        '    print("reserved", torch.cuda.max_memory_reserved(), "B")',
        "else:",
        '    print("no GPU: the program ran, and measured nothing")',
    ]
