"""The columns of a table of measurements: which must be there, which may, and what goes without saying."""

REQUIRED = ("workload", "gpu", "value")
# One of these two must be there; either tells what the value is, docs/validate.md says how.
TELLING = ("quantity", "unit")

# Column -> what stands for an empty cell, or for a missing column.
OPTIONAL: dict[str, str] = {
    "id": "",  # the number of the line
    "source": "",
    "note": "",
    "task": "train",
    "method": "full",
    "rank": "",  # as --rank
    "targets": "",  # as --targets
    "batch_size": "auto",
    "batch_scope": "device",
    "num_gpus": "1",
    "link": "",  # the usual one of the device
    "parallel": "ddp",
    "offload": "none",
    "precision": "fp32",
    "memory_format": "nchw",
    "compiled": "eager",
    "image_size": "",  # the model's own
    "seq_len": "",  # the model's own
    "input_copy": "resident",
    "input_type": "model",
    "pinned": "yes",
    "optimizer": "adamw",
    "attention": "sdpa",
    "software": "current",
    "grad_checkpointing": "no",
    "grad_accumulation": "1",
    "gradients_released": "",  # unstated: never, with a band down to loops that free them
    "output_held": "yes",
    "memory_kind": "allocated",
}
KNOWN = frozenset({*REQUIRED, *TELLING, *OPTIONAL})

_YES_OR_NO = {**dict.fromkeys(("yes", "true", "1"), "yes"), **dict.fromkeys(("no", "false", "0"), "no")}
# Words of these columns come from a closed list, and another one is a mistake in the file. Synonyms are read as the
# word that they stand for.
WORDS: dict[str, dict[str, str]] = {
    "memory_format": {
        "nchw": "nchw",
        "contiguous": "nchw",
        "nhwc": "nhwc",
        "channels_last": "nhwc",
        "channels-last": "nhwc",
    },
    "input_copy": {word: word for word in ("resident", "serial", "overlapped")},
    "input_type": {word: word for word in ("model", "uint8")},
    "gradients_released": {word: word for word in ("in-backward", "before-forward", "before-backward", "never")},
    "software": {word: word for word in ("current", "torch-1")},
    "batch_scope": {"device": "device", "global": "global"},
    "memory_kind": {word: word for word in ("allocated", "reserved", "device")},
    "offload": {word: word for word in ("none", "optimizer", "all")},
    "pinned": _YES_OR_NO,
    "grad_checkpointing": _YES_OR_NO,
    "output_held": _YES_OR_NO,
}
# What spreadsheets and programs write into a cell that is empty.
EMPTY = frozenset({"nan", "null", "n/a", "na"})
WHOLE = ("rank", "batch_size", "num_gpus", "image_size", "seq_len", "grad_accumulation")

# Words of these columns come from an open list: one that is not here is a row that is not covered.
TASKS: dict[str, str] = {
    **dict.fromkeys(("train", "training", "pretrain"), "train"),
    **dict.fromkeys(("finetune", "fine-tune", "finetuning", "fine-tuning"), "finetune"),
    **dict.fromkeys(("infer", "inference"), "infer"),
    **dict.fromkeys(("serve", "serving"), "serve"),
}
COMPILED: dict[str, str] = {
    **dict.fromkeys(("eager", "no", "false", "0"), "eager"),
    **dict.fromkeys(("compiled", "compile", "dynamo", "inductor", "torch.compile", "yes", "true", "1"), "compiled"),
}
# The names that people give to number types, as the job knows them.
PRECISIONS: dict[str, str] = {
    **dict.fromkeys(("fp32", "float32", "f32", "32", "32-true", "single", "full"), "fp32"),
    "tf32": "tf32",
    **dict.fromkeys(("fp64", "float64", "f64", "double"), "fp64"),
    **dict.fromkeys(("fp16", "float16", "f16", "half", "16-true", "fp16-true", "fp16(model.half)"), "fp16"),
    **dict.fromkeys(("bf16", "bfloat16", "bf16-true", "pure-bf16"), "bf16"),
    **dict.fromkeys(("amp-fp16", "amp", "16-mixed", "fp16-mixed", "mixed", "fp16-amp", "amp_fp16"), "amp-fp16"),
    **dict.fromkeys(("amp-bf16", "bf16-mixed", "bf16-amp", "amp_bf16"), "amp-bf16"),
}
OPEN = {"task": TASKS, "compiled": COMPILED, "precision": PRECISIONS}
ATTENTIONS: dict[str, str] = {
    **dict.fromkeys(("sdpa", "flash", "fused", "flash_attention_2", "flash-attention-2"), "sdpa"),
    **dict.fromkeys(("eager", "math"), "eager"),
}
